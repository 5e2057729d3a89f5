/** Decides how long `remit listen` waits before it asks for new events again. */

/** What the last response said about the requests of the account in this hour. */
export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  /** When the hour ends, in milliseconds since 1970. */
  readonly resetAt: number;
}

const shortestMs = 2_000;
const longestMs = 10_000;
const sparingMs = 30_000;
const longestRetryMs = 60_000;

/**
 * Returns the wait after a successful request in milliseconds.
 * - 2 seconds after an event, and up to 10 seconds while nothing happens.
 * - Below three quarters of the hour's requests, the rest above one half is spread over the rest of the hour. Below one half,
 *   there is a request every 30 seconds. So other programs of the account keep half of the requests.
 * @param quietPolls the number of requests since the last event
 */
export function pollDelayMs(quietPolls: number, rateLimit: RateLimitState | undefined, now: number): number {
  const delay = Math.min(shortestMs * 2 ** quietPolls, longestMs);
  if (!rateLimit) return delay;
  const { limit, remaining, resetAt } = rateLimit;
  if (remaining > limit * 0.75) return delay;
  const spare = remaining - limit / 2;
  const spread = spare > 0 ? (resetAt - now) / spare : sparingMs;
  return Math.max(delay, Math.min(spread, sparingMs));
}

/**
 * Returns the wait after a failed request in milliseconds: 1 second, then twice as long each time up to a minute, and at least
 * what `Retry-After` says. The random part keeps many listeners from asking at the same moment.
 * @param failures the number of failures in a row, at least 1
 */
export function failedPollDelayMs(failures: number, retryAfterSeconds = 0, random = Math.random()): number {
  const backoffMs = Math.min(1000 * 2 ** (failures - 1), longestRetryMs) * (0.5 + random / 2);
  return Math.max(retryAfterSeconds * 1000, backoffMs);
}

/** Reads the state from the headers of a response. Undefined if they are missing. */
export function readRateLimit(headers: Headers): RateLimitState | undefined {
  const [limit = 0, remaining = 0, reset = 0] = ['limit', 'remaining', 'reset'].map((name) =>
    Number(headers.get(`x-ratelimit-${name}`) ?? Number.NaN),
  );
  return Number.isFinite(limit + remaining + reset) ? { limit, remaining, resetAt: reset * 1000 } : undefined;
}
