/** Reads the clock. No other file does, so tests can set the time for everything. */

import * as v from 'valibot';

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number;

/** A timestamp in responses. */
export const timestampSchema = v.pipe(v.string(), v.regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/));

/** The clock of the process. Tests replace `read`. */
export const clock = { read: (): Instant => Date.now() };

/** Returns the current time. */
export function now(): Instant {
  return clock.read();
}

let last = { instant: Number.NaN, text: '' };

/** Formats a timestamp as the service shows it: in UTC, with milliseconds and `Z`. Most records have one for two fields. */
export function toTimestamp(instant: Instant): string {
  if (last.instant !== instant) last = { instant, text: new Date(instant).toISOString() };
  return last.text;
}

/** Converts an instant to whole seconds since 1970, rounded down. DynamoDB's TTL and the rate limit use them. */
export function toSeconds(instant: Instant): number {
  return Math.floor(instant / 1000);
}
