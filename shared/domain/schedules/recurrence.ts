/**
 * Computes the times of a schedule: the days on which it makes invoices, and the period of each. Pure.
 *
 * - Each time follows from the first day, never from the time before. So 31 January is followed by 28 February and 31 March.
 * - The clocks of the time zone decide. So 9 o'clock stays 9 o'clock when they are changed. An hour that they skip counts as the hour
 *   after, and of an hour that they show twice, it is the first one (RFC 5545, 3.3.5 and 3.3.10).
 */
import type { Instant } from '../../base/time.ts';
import { instantIn } from '../accounts/fiscal-year.ts';

export const intervalUnits = ['day', 'week', 'month', 'year'] as const;
export type IntervalUnit = (typeof intervalUnits)[number];

/** When a schedule makes invoices. */
export interface Recurrence {
  readonly every: { readonly n: number; readonly unit: IntervalUnit };
  /** The first day, `YYYY-MM-DD`. */
  readonly startOn: string;
  /** The day of the month, 1 to 31. Undefined: that of the first day. A shorter month has its last day instead. */
  readonly day?: number | undefined;
  /** The hour of the day, 0 to 23. */
  readonly hour: number;
  /** An IANA name. */
  readonly timeZone: string;
}

/** When a schedule ends. Neither: never. */
export interface RecurrenceEnd {
  /** The last day on which it can make an invoice, `YYYY-MM-DD`. */
  readonly endOn?: string | undefined;
  /** The number of its last time. */
  readonly count?: number | undefined;
}

/** The days that an invoice is for, both `YYYY-MM-DD`. */
export interface InvoicePeriod {
  readonly start: string;
  /** The last day. */
  readonly end: string;
}

const dayMs = 24 * 60 * 60 * 1000;
const lastDay = '9999-12-31';

/**
 * Returns the day of a time of the schedule, `YYYY-MM-DD`.
 * @param number from 1
 * @returns undefined after the year 9999
 */
export function dayOfTime(
  { every: { n, unit }, startOn, day }: Recurrence,
  number: number,
): string | undefined {
  const [year = 0, month = 0, first = 0] = startOn.split('-').map(Number);
  const steps = (number - 1) * n;
  if (unit === 'day' || unit === 'week') {
    const days = steps * (unit === 'week' ? 7 : 1);
    return toDay(Date.UTC(year, month - 1, first) + days * dayMs);
  }
  const months = year * 12 + (month - 1) + steps * (unit === 'year' ? 12 : 1);
  return toDay(dayInMonth(Math.floor(months / 12), months % 12, day ?? first));
}

/** Returns the first millisecond of a day of a month in UTC, or of its last day if it is shorter. @param month from 0 */
function dayInMonth(year: number, month: number, day: number): number {
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(day, last));
}

function toDay(at: number): string | undefined {
  return at > Date.parse(lastDay) || Number.isNaN(at) ? undefined : new Date(at).toISOString().slice(0, 10);
}

/** Returns the instant of a time of the schedule. @param number from 1 @returns undefined if the schedule has ended by then */
export function instantOfTime(rule: Recurrence & RecurrenceEnd, number: number): Instant | undefined {
  const day = dayOfTime(rule, number);
  if (day === undefined || number > (rule.count ?? number) || day > (rule.endOn ?? day)) return undefined;
  return instantIn(rule.timeZone, day, rule.hour);
}

/** Returns the days that the invoice of a time is for: from its day to the one before the next time. */
export function periodOfTime(rule: Recurrence, number: number): InvoicePeriod {
  const start = dayOfTime(rule, number) ?? lastDay;
  const next = dayOfTime(rule, number + 1);
  const end = next === undefined ? lastDay : (toDay(Date.parse(next) - dayMs) ?? lastDay);
  return { start, end };
}

/**
 * Returns the number of the first time after an instant, which is at least `from`. It can be one more than the number of the last time.
 * @param from from 1
 */
export function numberAfter(rule: Recurrence & RecurrenceEnd, from: number, at: Instant): number {
  const isAfter = (number: number) => {
    const instant = instantOfTime(rule, number);
    return instant === undefined || instant > at;
  };
  let reach = 1;
  while (!isAfter(from + reach - 1)) reach *= 2;
  let low = from;
  let high = from + reach - 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isAfter(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
