/**
 * Parses the due dates that clients send. Decides which forms of ISO 8601 are accepted, which instant each one means,
 * and how it is shown. Does not choose the default due date and does not read the clock.
 */
import { type Instant, toTimestamp } from './time.ts';

const earliest = Date.UTC(1970, 0, 1);
const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const dayMs = 24 * 60 * 60 * 1000;
const minuteMs = 60 * 1000;

const grammar =
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})(?<time>[Tt ](?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:\.(?<fraction>\d{1,9}))?)?(?<zone>[Zz]|[+-]\d{2}(?::?\d{2})?)?)?$/;

/** The form that is shown as sent: UTC with `Z`, with seconds, and with zero or three fraction digits. It fits RFC 3339. */
const shownAsSent = /T\d{2}:\d{2}:\d{2}(?:\.\d{3})?Z$/;

/**
 * Parses a date with a time, or a plain date.
 *
 * - Seconds are optional. So is a fraction of 1 to 9 digits, which is cut to milliseconds.
 * - The time zone is `Z` or an offset such as `+06:00`, `+0600` or `+06`. Without a time zone, the time is in UTC.
 * - `T` and `Z` can be small, and a space can stand in the place of `T` (RFC 3339, 5.6).
 * - A plain date means the last millisecond of that day in UTC.
 * @returns the instant in milliseconds since 1970, and the text to show. That is the text as sent if it is in UTC with
 *   `Z` and has seconds with zero or three fraction digits, otherwise the service's own form. Undefined if the text has another form,
 *   or if the date or time does not exist. Undefined too if the year, as written or in UTC, is not from 1970 to 9999.
 */
export function parseDueDate(text: string): { instant: Instant; shown: string } | undefined {
  const parts = grammar.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const dayStart = startOfDay(Number(parts.year), Number(parts.month), Number(parts.day));
  const sinceDayStart = parts.time === undefined ? dayMs - 1 : timeOfDay(parts);
  const offset = offsetOf(parts.zone);
  if (dayStart === undefined || sinceDayStart === undefined || offset === undefined) return undefined;
  const instant = dayStart + sinceDayStart - offset;
  if (instant < earliest || instant > latest) return undefined;
  return { instant, shown: shownAsSent.test(text) ? text : toTimestamp(instant) };
}

/**
 * `Date.UTC` turns February 30 into March 1 or 2, and the years 0 to 99 into 1900 to 1999. This function rejects both.
 */
function startOfDay(year: number, month: number, day: number): Instant | undefined {
  if (year < 1970) return undefined;
  const start = new Date(Date.UTC(year, month - 1, day));
  return start.getUTCMonth() === month - 1 && start.getUTCDate() === day ? start.getTime() : undefined;
}

/** Milliseconds since midnight. Rejects hour 24 and leap seconds, because the service cannot show them. */
function timeOfDay(parts: Record<string, string | undefined>): number | undefined {
  const hour = Number(parts.hour);
  const minute = Number(parts.minute);
  const second = Number(parts.second ?? '0');
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const fractionMs = Number((parts.fraction ?? '').slice(0, 3).padEnd(3, '0'));
  return (hour * 60 + minute) * minuteMs + second * 1000 + fractionMs;
}

/** Milliseconds by which the zone's clock is ahead of UTC. */
function offsetOf(zone: string | undefined): number | undefined {
  if (zone === undefined || zone.toUpperCase() === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = zone.length > 3 ? Number(zone.slice(-2)) : 0;
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * minuteMs;
}

/** Returns the instant that a plain date means: the last millisecond of that day in UTC. @param day an existing day, `YYYY-MM-DD` */
export const endOfUtcDay = (day: string): Instant => Date.parse(day) + dayMs - 1;

/** Whether an instant is the last millisecond of a day in UTC, as which a plain date is stored. */
export const isEndOfUtcDay = (instant: Instant): boolean => instant % dayMs === dayMs - 1;

/** The first day that the service can store. No account has anything before it. */
export const earliestDay = '1970-01-01';

/** Whether a text is a day that exists: `YYYY-MM-DD`, without a time. @param first the earliest one that is accepted */
export const isDay = (text: string, first = earliestDay): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) &&
  text >= first &&
  new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;

/** Whether a text is a day that exists, `YYYY-MM-DD`, of any year from 0 on: the start of a range that ends later. */
export const isAnyDay = (text: string): boolean => isDay(text, '0000-01-01');

/** Whether a text that `parseDueDate` accepts is a date without a time. */
export const isPlainDate = (text: string): boolean => text.length === '2026-01-31'.length;
