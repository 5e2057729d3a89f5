/** When a delivery that failed is tried again (semantics 10). Pure. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The waits after the first attempt, the second one, and so on; after the attempt that follows the last, it has failed. */
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

/** Attempts in all. */
export const maxTries = waitsMs.length + 1;

/** Each wait is made longer or shorter by up to this part of it, so that what failed together does not come together. */
const jitter = 0.2;
/** A receiver may ask for a longer wait than that of the schedule, but not for one without end. */
const maxRetryAfterMs = 24 * hourMs;

/**
 * How long to wait after the `tries`-th attempt has failed, in milliseconds; undefined if it was the last one.
 * @param random from 0 to 1, evenly distributed
 * @param retryAfterMs what the receiver asked for
 */
export function waitAfter(tries: number, random: number, retryAfterMs = 0): number | undefined {
  const wait = waitsMs[tries - 1];
  if (wait === undefined) return undefined;
  const jittered = Math.round(wait * (1 + jitter * (2 * random - 1)));
  return Math.max(jittered, Math.min(retryAfterMs, maxRetryAfterMs));
}

/** The oldest of the three forms of HTTP dates, that of C's asctime, which is the only one not to say GMT. */
const asctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4}$/;

/**
 * What a `Retry-After` header asks for, in milliseconds from `now`: seconds or an HTTP date in any of its three forms
 * (RFC 9110, 10.2.3 and 5.6.7). What is neither, or lies in the past, asks for nothing.
 */
export function retryAfterMs(header: string | undefined, now: number): number {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!asctime.test(text) && !/^[A-Z][a-z]{2,8}, .* GMT$/.test(text)) return 0;
  const date = Date.parse(text.replace(/( GMT)?$/, ' GMT'));
  return Number.isNaN(date) ? 0 : Math.max(0, date - now);
}
