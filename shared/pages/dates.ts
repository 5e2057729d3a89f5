/** Formats points in time for pages: in words and in UTC. */
import type { Instant } from '../time.ts';

const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const timeOfDay = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' });
const shortMoment = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
});
const dayMs = 24 * 60 * 60 * 1000;

/** Formats a point in time: `21 December 2026, 17:00 UTC`. */
export function formatMoment(instant: Instant): string {
  return `${date.format(instant)}, ${timeOfDay.format(instant)} UTC`;
}

/** Formats a point in time for a table: `21 Dec 2026, 17:00`. The page says that times are in UTC. */
export function formatShortMoment(instant: Instant): string {
  return shortMoment.format(instant);
}

/** Formats the date of a point in time: `21 December 2026`. */
export function formatDate(instant: Instant): string {
  return date.format(instant);
}

/**
 * Formats a due date. A due date without a time of day is stored as the last millisecond of its day (UTC); only its
 * date is shown.
 */
export function formatDueDate(instant: Instant): string {
  return instant % dayMs === dayMs - 1 ? formatDate(instant) : formatMoment(instant);
}
