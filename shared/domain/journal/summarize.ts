/** Computes a summary from the sums of days. Pure. Days are `YYYY-MM-DD`. */
import { earliestDay } from '../../base/due-date.ts';
import { ApiError } from '../../base/errors.ts';
import { addSums, type Sum, sumIn } from '../../base/exact-sum.ts';
import { type Currency, currencies } from '../../base/money.ts';
import type { Item } from '../../store/records.ts';
import type { Ages, CurrencySummary, Period, SummaryQuery } from './summary.ts';
import { type Figure, figures, outstanding, received } from './sums.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** The last age that has figures of its own, in days. */
export const oldestAge = 90;
/** More periods make a response that nobody reads. Their number limits its size. */
const maxPeriods = 400;
const maxYears = 10;

/** The first and the last day of a summary or of a period of it. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

/** The sums of a day. */
export interface DaySums {
  readonly day: string;
  readonly item: Item;
}

/** Returns a day some days after another one. */
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10);

/** Returns the first day of the month some months after that of a day. */
function addMonths(day: string, months: number): string {
  const date = new Date(Date.parse(`${day.slice(0, 7)}-01`));
  date.setUTCMonth(date.getUTCMonth() + months);
  return date.toISOString().slice(0, 10);
}

const laterOf = (one: string, other: string): string => (one < other ? other : one);

/**
 * Returns the range of a query. Without `from` and `to`, it is the month of today and the eleven months before.
 * @throws ApiError `invalid_from` if the range is empty, longer than ten years or has more than 400 periods
 */
export function rangeOf({ from, to, by }: SummaryQuery, today: string): DayRange {
  const last = to ?? today;
  const first = from ?? laterOf(addMonths(last, -11), earliestDay);
  const refuse = (message: string) => new ApiError('invalid_from', { field: 'from', message });
  const earliest = laterOf(addMonths(last, -12 * maxYears), earliestDay);
  if (first > last)
    throw refuse(`from must not be after to, which is ${last}. Swap the two, or leave from out.`);
  if (first < earliest)
    throw refuse(
      `from and to must be at most ${maxYears} years apart. Send an earlier to, or a from that is ${earliest} or later.`,
    );
  const range = { from: first, to: last };
  if (periodsOf(range, by).length > maxPeriods)
    throw refuse(
      `from and to must be at most ${maxPeriods} periods apart. Ask for less, or for weeks or months.`,
    );
  return range;
}

/** Divides a range into periods. Weeks begin on Monday. The first and the last one can be shorter. */
export function periodsOf({ from, to }: DayRange, by: SummaryQuery['by']): readonly DayRange[] {
  const periods: DayRange[] = [];
  for (let first = from; ; ) {
    const daysLeft = (Date.parse(to) - Date.parse(first)) / dayMs;
    const days = daysOfPeriod(first, by);
    // The day after the last one can be later than the year 9999.
    if (days > daysLeft) return [...periods, { from: first, to }];
    periods.push({ from: first, to: addDays(first, days - 1) });
    first = addDays(first, days);
  }
}

/** Returns how many days there are from a day to the end of its period. */
function daysOfPeriod(day: string, by: SummaryQuery['by']): number {
  if (by === 'day') return 1;
  const date = new Date(Date.parse(day));
  if (by === 'week') return 7 - ((date.getUTCDay() + 6) % 7);
  return (
    new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate() - date.getUTCDate() + 1
  );
}

/**
 * Returns the figures of each currency that occurs, in the order of `currencies`.
 * @param days all days from `oldestAge` days before today, and all days of the range
 * @param totals the item with the totals
 */
export function summarize(
  { by, currency }: SummaryQuery,
  range: DayRange,
  today: string,
  days: readonly DaySums[],
  totals: Item,
): CurrencySummary[] {
  const periods = periodsOf(range, by);
  const occurs = (each: Currency) =>
    [totals, ...days.map(({ item }) => item)].some((item) =>
      Object.keys(item).some((name) => name.startsWith(`${each}:`)),
    );
  return currencies
    .filter((each) => (currency === undefined || each === currency) && occurs(each))
    .map((each) => {
      const total = sumIn(totals, `${each}:${outstanding}`);
      const ages = agesOf(each, today, days, total);
      return {
        currency: each,
        outstanding: total,
        overdue: addSums(total, -ages.notDue),
        ages,
        periods: periods.map((period) => periodOf(each, period, days)),
      };
    });
}

/**
 * Returns what is outstanding by age. What is due on a day is not overdue before the next day.
 * @param total what is outstanding in all. What `days` lack of it is older
 */
export function agesOf(
  currency: Currency,
  today: string,
  days: readonly Pick<DaySums, 'day' | 'item'>[],
  total: Sum,
): Ages {
  const dueIn = (from: number, to: number) => {
    const [first, last] = [addDays(today, -to), addDays(today, -from)];
    return sumOf(
      days.filter(({ day }) => day >= first && day <= last),
      currency,
      outstanding,
    );
  };
  const notDue = sumOf(
    days.filter(({ day }) => day >= today),
    currency,
    outstanding,
  );
  const aged = { days1To30: dueIn(1, 30), days31To60: dueIn(31, 60), days61To90: dueIn(61, oldestAge) };
  const older = [notDue, ...Object.values(aged)].reduce((rest, sum) => addSums(rest, -sum), total);
  return { notDue, ...aged, older };
}

function periodOf(currency: Currency, period: DayRange, all: readonly DaySums[]): Period {
  const days = all.filter(({ day }) => day >= period.from && day <= period.to);
  const figure = (name: Figure) => sumOf(days, currency, figures[name]);
  const count = (name: Figure) => Number(figure(name));
  const prefix = `${currency}:${received}`;
  const ways = new Set(
    days.flatMap(({ item }) => Object.keys(item).filter((name) => name.startsWith(prefix))),
  );
  const receivedBy = [...ways].sort().map((name) => {
    const method = name.slice(prefix.length);
    return { method, amount: sumOf(days, currency, received + method) };
  });
  return {
    ...period,
    invoiced: figure('invoiced'),
    tax: figure('tax'),
    cancelled: figure('cancelled'),
    writtenOff: figure('writtenOff'),
    received: receivedBy.reduce<Sum>((sum, each) => addSums(sum, each.amount), 0),
    receivedBy,
    refunded: figure('refunded'),
    withdrawn: figure('withdrawn'),
    fees: figure('fees'),
    invoices: count('invoices'),
    cancellations: count('cancellations'),
    payments: count('payments'),
    refunds: count('refunds'),
  };
}

const sumOf = (days: readonly Pick<DaySums, 'item'>[], currency: Currency, figure: string): Sum =>
  days.reduce<Sum>((sum, { item }) => addSums(sum, sumIn(item, `${currency}:${figure}`)), 0);
