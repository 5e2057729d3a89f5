/** Reads the clock. No other file does, so tests can set the time for everything. */

import * as v from 'valibot';

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number;

/** The clock that an instant is of. It is only in the types: an instant of one clock does not compile in place of the other. */
declare const ofClock: unique symbol;
/** An instant on the real clock. Timers, keys, rate limits and providers use it. */
export type RealTime = Instant & { readonly [ofClock]?: 'real' };
/** An instant on the clock of an account, which can be ahead in test mode. Invoices, payments and refunds have it. */
export type AccountTime = Instant & { readonly [ofClock]?: 'account' };

/** A timestamp in responses. */
export const timestampSchema = v.pipe(v.string(), v.regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/));

/** The clock of the process. Tests replace `read`. */
export const clock = { read: (): RealTime => Date.now() };

/** Returns the current time. */
export function now(): RealTime {
  return clock.read();
}

/**
 * Returns `format` with a memory for the last time that it formatted. Most records have one time in two fields, and most
 * requests have the second of the last request.
 * @param format takes a time in any unit, and always returns the same text for it. What it throws is thrown each time.
 */
export function rememberLastTime(format: (time: number) => string): (time: number) => string {
  let last: { readonly time: number; readonly text: string } | undefined;
  return (time) => {
    if (last?.time !== time) last = { time, text: format(time) };
    return last.text;
  };
}

/** Formats a timestamp as the service shows it: in UTC, with milliseconds and `Z`. @throws RangeError if it is not a time */
export const toTimestamp: (instant: Instant) => string = rememberLastTime((instant) =>
  new Date(instant).toISOString(),
);

/** Converts an instant to whole seconds since 1970, rounded down. DynamoDB's TTL and the rate limit use them. */
export function toSeconds(instant: Instant): number {
  return Math.floor(instant / 1000);
}

/**
 * Whether an item has expired. DynamoDB deletes it within days, so each read of such items checks this.
 * @param expiresAt its attribute, in seconds since 1970. An item without it never expires.
 */
export function hasExpired(expiresAt: unknown, now: Instant): boolean {
  return typeof expiresAt === 'number' && expiresAt <= toSeconds(now);
}
