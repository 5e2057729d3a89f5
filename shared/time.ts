/**
 * The only reader of the clock. Everything that needs the time asks here, so that tests can set it.
 */

import * as v from 'valibot';

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number;

/** A timestamp as responses show it. */
export const timestampSchema = v.pipe(v.string(), v.regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/));

const system = (): Instant => Date.now();
let clock: () => Instant = system;

/** The present. */
export function now(): Instant {
  return clock();
}

/** Replaces the clock (for tests); without an argument the system's clock is back. */
export function setClock(read: () => Instant = system): void {
  clock = read;
}

/** The form of every timestamp that the service makes: UTC, milliseconds, `Z` (semantics 1). */
export function toTimestamp(instant: Instant): string {
  return new Date(instant).toISOString();
}

/** Whole seconds since 1970, rounded down: DynamoDB's TTL and the rate limit's reset. */
export function toSeconds(instant: Instant): number {
  return Math.floor(instant / 1000);
}
