/** Formats points in time for pages: in words, and in UTC or another time zone. */
import { isEndOfUtcDay } from '../../base/due-date.ts';
import type { Instant } from '../../base/time.ts';

/** The language of a page that says no other, as a BCP 47 tag. */
const english = 'en-GB';

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

/** Formats a point in time for a table: `21 Dec 2026, 17:00`. The page says of which time zone times are. */
export function formatShortMoment(instant: Instant, timeZone = 'UTC'): string {
  return formatOf(english, timeZone, { dateStyle: 'medium', timeStyle: 'short' }).format(instant);
}

/** Formats the date of a point in time for a table: `21 Dec 2026`. */
export function formatShortDate(instant: Instant, timeZone = 'UTC'): string {
  return formatOf(english, timeZone, { dateStyle: 'medium' }).format(instant);
}

/** Formats the date of a point in time in a time zone: `21 December 2026`. */
export function formatDate(instant: Instant, timeZone = 'UTC', tag = english): string {
  return formatOf(tag, timeZone, { dateStyle: 'long' }).format(instant);
}

/**
 * Formats a due date. Of the last millisecond of a day, in UTC or in the time zone, only the date is shown: a due date without a time
 * of day is stored so.
 */
export function formatDueDate(instant: Instant, timeZone = 'UTC', tag = english): string {
  const zone = zoneOfDueDay(instant, timeZone);
  return zone === undefined ? formatMoment(instant, timeZone, tag) : formatDate(instant, zone, tag);
}

/** Formats a due date for a table, as `formatDueDate`. */
export function formatShortDueDate(instant: Instant, timeZone = 'UTC'): string {
  const zone = zoneOfDueDay(instant, timeZone);
  return zone === undefined ? formatShortMoment(instant, timeZone) : formatShortDate(instant, zone);
}

/** Returns the time zone in which an instant is the last millisecond of a day: UTC, or the given one. Undefined: in neither. */
export function zoneOfDueDay(instant: Instant, timeZone: string): string | undefined {
  if (isEndOfUtcDay(instant)) return 'UTC';
  const isEnd = formatShortDate(instant, timeZone) !== formatShortDate(instant + 1, timeZone);
  return isEnd ? timeZone : undefined;
}

/** Made when needed: the first `Intl` object of a process loads the data of all languages. Making one takes longer than using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns the format for a time zone. A time zone that this runtime does not know is shown as UTC. */
function formatOf(tag: string, timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = JSON.stringify([tag, timeZone, options]);
  const format = formats.get(name) ?? newFormat(tag, timeZone, options);
  formats.set(name, format);
  return format;
}

function newFormat(tag: string, timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat(tag, { ...options, timeZone });
  } catch {
    return new Intl.DateTimeFormat(tag, { ...options, timeZone: 'UTC' });
  }
}
