/**
 * Reads the due dates that clients send: which spellings of ISO 8601 are taken, which instant they mean, and how
 * they are shown. It does not choose the default and does not look at the clock.
 */
import { type Instant, toTimestamp } from './time.ts';

const earliest = Date.UTC(1970, 0, 1);
const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const dayMs = 24 * 60 * 60 * 1000;
const minuteMs = 60 * 1000;

const grammar =
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})(?<time>T(?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:\.(?<fraction>\d{1,9}))?)?(?<zone>Z|[+-]\d{2}:?\d{2})?)?$/;

/** The spelling that is returned as sent: in UTC with `Z`, and no or three digits of a fraction. */
const shownAsSent = /T\d{2}:\d{2}(?::\d{2}(?:\.\d{3})?)?Z$/;

/**
 * Reads a date and time: seconds and a fraction of 1 to 9 digits (cut to milliseconds) may be there, `Z`, `+06:00`,
 * `+0600` or nothing (UTC) may follow. A plain date is the last millisecond of that day in UTC.
 *
 * In: the text as sent. Out: the instant in milliseconds since 1970 and the text to show, which is the text as sent
 * if that was UTC with `Z` and no or three fraction digits, and the service's own form otherwise. `undefined`: it is
 * no such date, the date or time does not exist, or the year (as written or in UTC) is not one of 1970 to 9999.
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

/** `Date.UTC` reads 30 February as 1 or 2 March, and the years 0 to 99 as 1900 to 1999: both are refused here. */
function startOfDay(year: number, month: number, day: number): Instant | undefined {
  if (year < 1970) return undefined;
  const start = new Date(Date.UTC(year, month - 1, day));
  return start.getUTCMonth() === month - 1 && start.getUTCDate() === day ? start.getTime() : undefined;
}

/** Milliseconds since midnight. There is no hour 24 and no leap second, as neither can be shown again. */
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
  if (zone === undefined || zone === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * minuteMs;
}
