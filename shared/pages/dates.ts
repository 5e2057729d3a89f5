/** How moments are written on pages: in words, in UTC, with the zone named wherever a time of day is. */
import type { Instant } from '../time.ts';

const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const timeOfDay = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' });
const dayMs = 24 * 60 * 60 * 1000;

/** A moment: `21 December 2026, 17:00 UTC`. */
export function formatMoment(instant: Instant): string {
  return `${date.format(instant)}, ${timeOfDay.format(instant)} UTC`;
}

/** A due date: the date alone if the whole day is left, which is how a plain date is stored; otherwise the moment. */
export function formatDueDate(instant: Instant): string {
  return instant % dayMs === dayMs - 1 ? date.format(instant) : formatMoment(instant);
}
