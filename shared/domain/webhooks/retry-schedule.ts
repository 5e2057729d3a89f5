/** Decides when a failed attempt is repeated: ten attempts over about three days, with jitter. Pure. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The wait after each attempt. The attempt after the last wait is the last one. */
const waitsMs = [
  5_000,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
];

/** The number of attempts. */
export const maxTries = waitsMs.length + 1;

/**
 * The largest random change of a wait, as a part of it, so that deliveries that failed together are not repeated
 * together.
 */
const jitter = 0.2;
/** The longest wait that a receiver can request. */
const maxRetryAfterMs = 24 * hourMs;

/**
 * Returns how long to wait after failed attempt number `tries`, in milliseconds, or undefined after the last attempt.
 * @param random from 0 to 1, evenly distributed
 * @param retryAfterMs the shortest wait that the receiver requested, in milliseconds
 */
export function waitAfter(tries: number, random: number, retryAfterMs = 0): number | undefined {
  const wait = waitsMs[tries - 1];
  if (wait === undefined) return undefined;
  const jittered = Math.round(wait * (1 + jitter * (2 * random - 1)));
  return Math.max(jittered, Math.min(retryAfterMs, maxRetryAfterMs));
}

/** The format of C's `asctime`. It is the oldest of the three formats of HTTP dates, and the only one without `GMT`. */
const asctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4}$/;

/**
 * Returns the wait that a `Retry-After` header requests, in milliseconds from `now`. The header has seconds, or an HTTP
 * date in one of three formats (RFC 9110, sections 10.2.3 and 5.6.7). Returns 0 for invalid headers and past dates.
 */
export function retryAfterMs(header: string | undefined, now: number): number {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!asctime.test(text) && !/^[A-Z][a-z]{2,8}, .* GMT$/.test(text)) return 0;
  const date = Date.parse(text.replace(/( GMT)?$/, ' GMT'));
  return Number.isNaN(date) ? 0 : Math.max(0, date - now);
}
