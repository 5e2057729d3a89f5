/** Computes the day and the fiscal year of a document, and the day of a due date, in the time zone of the seller. Pure. */
import { isEndOfUtcDay } from '../../base/due-date.ts';
import type { Instant } from '../../base/time.ts';
import type { Seller } from './seller.ts';

/** Making a format takes longer than using it. There are some 600 time zones. */
const dayFormats = new Map<string, Intl.DateTimeFormat>();

const newDayFormat = (timeZone: string) =>
  new Intl.DateTimeFormat('en-CA', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });

/** Returns the day of an instant in a time zone: `YYYY-MM-DD`. @param timeZone an IANA name */
export function dayIn(timeZone: string, at: Instant): string {
  const format = dayFormats.get(timeZone) ?? newDayFormat(timeZone);
  dayFormats.set(timeZone, format);
  const parts = format.formatToParts(at);
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? '';
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`;
}

/**
 * Returns the time zone whose clocks name the day of a due date. A plain date is the last millisecond of its day in UTC, and it is that
 * day in every zone. Another due date is of the day in the time zone of the account.
 * @param timeZone an IANA name
 */
export const zoneOfDueDate = (timeZone: string, due: Instant): string =>
  isEndOfUtcDay(due) ? 'UTC' : timeZone;

/** Returns the day on which an invoice is due: `YYYY-MM-DD`. @param timeZone an IANA name */
export const dueDayIn = (timeZone: string, due: Instant): string => dayIn(zoneOfDueDate(timeZone, due), due);

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

/**
 * Returns the last millisecond of a day in a time zone, some days after that of an instant.
 * @param timeZone an IANA name
 * @param days 0: the day of the instant
 */
export function endOfDayIn(timeZone: string, at: Instant, days: number): Instant {
  return instantOf(timeZone, Date.parse(`${dayIn(timeZone, at)}T00:00:00Z`) + (days + 1) * dayMs) - 1;
}

/**
 * Returns the instant at which the clocks of a time zone show an hour of a day. An hour that they skip counts as the hour after.
 * @param timeZone an IANA name
 * @param day `YYYY-MM-DD`
 * @param hour from 0 to 23
 */
export function instantIn(timeZone: string, day: string, hour: number): Instant {
  return instantOf(timeZone, Date.parse(`${day}T00:00:00Z`) + hour * hourMs);
}

/**
 * Returns the instant at which the clocks of a time zone show a time. Of a time that they show twice, it is the first one. A time that
 * they skip counts as the time after, as in RFC 5545, 3.3.5.
 * @param timeZone an IANA name
 * @param shown the instant at which clocks in UTC show the time
 */
export function instantOf(timeZone: string, shown: number): Instant {
  const before = offsetIn(timeZone, shown - dayMs);
  const after = offsetIn(timeZone, shown + dayMs);
  const found = [before, after].filter((offset) => offsetIn(timeZone, shown - offset) === offset);
  return shown - (found.length > 0 ? Math.max(...found) : before);
}

/** Returns what the clocks of a time zone show, with their offset: `2026-03-01T09:30:00+06:00`. @param timeZone an IANA name */
export function timestampIn(timeZone: string, at: Instant): string {
  const offset = offsetIn(timeZone, at);
  const part = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const ahead = Math.abs(offset);
  const zone = `${offset < 0 ? '-' : '+'}${part(ahead / hourMs)}:${part((ahead % hourMs) / 60_000)}`;
  return `${new Date(at + offset).toISOString().slice(0, 19)}${zone}`;
}

/** As `dayFormats`. */
const clockFormats = new Map<string, Intl.DateTimeFormat>();

const newClockFormat = (timeZone: string) =>
  new Intl.DateTimeFormat('en-CA', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });

/** Returns how far the clocks of a time zone are ahead of UTC at an instant, in milliseconds. */
function offsetIn(timeZone: string, at: Instant): number {
  const format = clockFormats.get(timeZone) ?? newClockFormat(timeZone);
  clockFormats.set(timeZone, format);
  const parts = format.formatToParts(at);
  const part = (type: string) => Number(parts.find((each) => each.type === type)?.value);
  const shown = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return shown - Math.floor(at / 1000) * 1000;
}

/**
 * Returns the fiscal year of a day as numbers show it: `2026` if it begins in January, otherwise both of its years, `26-27`.
 * @param day `YYYY-MM-DD`
 * @param fiscalYearStart the first month, 1 to 12
 */
export function fiscalYearOf(day: string, fiscalYearStart: number): string {
  const [year = 0, month = 0] = day.split('-').map(Number);
  if (fiscalYearStart === 1) return String(year);
  const first = month >= fiscalYearStart ? year : year - 1;
  const short = (value: number) => String(value % 100).padStart(2, '0');
  return `${short(first)}-${short(first + 1)}`;
}

/** Returns what the numbers of a series begin with at an instant: its prefix with the year in place of `{year}`. */
export function prefixAt(
  prefix: string,
  { timeZone, fiscalYearStart }: Pick<Seller, 'timeZone' | 'fiscalYearStart'>,
  at: Instant,
): string {
  return prefix.replaceAll('{year}', fiscalYearOf(dayIn(timeZone, at), fiscalYearStart));
}
