/** Formats points in time for pages: in words, and in UTC or another time zone. */
import type { Instant } from '../../base/time.ts';

/** Made when needed: the first `Intl` object of a process loads the data of all languages. */
let shortMoment: Intl.DateTimeFormat | undefined;
/** The language of a page that says no other, as a BCP 47 tag. */
const english = 'en-GB';
const dayMs = 24 * 60 * 60 * 1000;

/**
 * Formats a point in time: `21 December 2026, 17:00 UTC`, or `21 December 2026, 23:00 GMT+6`.
 * @param timeZone an IANA name
 */
export function formatMoment(instant: Instant, timeZone = 'UTC', tag = english): string {
  const format = formatOf(tag, timeZone, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'shortOffset',
  });
  const parts = format.formatToParts(instant);
  const partOf = (type: string) => parts.find((part) => part.type === type)?.value;
  const zone = partOf('timeZoneName')?.replace(/^GMT(\+0)?$/, 'UTC');
  return `${formatDate(instant, timeZone, tag)}, ${partOf('hour')}:${partOf('minute')} ${zone}`;
}

/** Formats a point in time for a table: `21 Dec 2026, 17:00`. The page says that times are in UTC. */
export function formatShortMoment(instant: Instant): string {
  shortMoment ??= new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  });
  return shortMoment.format(instant);
}

/** Formats the date of a point in time in a time zone: `21 December 2026`. */
export function formatDate(instant: Instant, timeZone = 'UTC', tag = english): string {
  return formatOf(tag, timeZone, { dateStyle: 'long' }).format(instant);
}

/**
 * Formats a due date. A due date without a time of day is stored as the last millisecond of its day (UTC); only its
 * date is shown, in every time zone.
 */
export function formatDueDate(instant: Instant, timeZone = 'UTC', tag = english): string {
  return instant % dayMs === dayMs - 1
    ? formatDate(instant, undefined, tag)
    : formatMoment(instant, timeZone, tag);
}

/** Returns the format for a time zone. A time zone that this runtime does not know is shown as UTC. */
function formatOf(tag: string, timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat(tag, { ...options, timeZone });
  } catch {
    return new Intl.DateTimeFormat(tag, { ...options, timeZone: 'UTC' });
  }
}
