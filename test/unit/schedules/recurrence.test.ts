/**
 * Tests when a schedule makes its invoices: against examples, and against the independent calculation of Temporal. Takes two seconds. With
 * all zones of the tz database over ten years, which only `npm run test:all` does, it takes a minute.
 */
import { expect, test } from '@jest/globals';
import { Temporal } from 'temporal-polyfill';
import { dayIn, endOfDayIn, instantIn } from '../../../shared/domain/accounts/fiscal-year.ts';
import {
  dayOfTime,
  type IntervalUnit,
  instantOfTime,
  intervalUnits,
  numberAfter,
  periodOfTime,
  type Recurrence,
} from '../../../shared/domain/schedules/recurrence.ts';
import { exhaustiveTest } from '../../support/exhaustive-test.ts';

const dayMs = 86_400_000;
const rule = (fields: Partial<Recurrence> = {}): Recurrence => ({
  every: { n: 1, unit: 'month' },
  startOn: '2027-01-31',
  hour: 9,
  timeZone: 'UTC',
  ...fields,
});
const days = (recurrence: Recurrence, count: number) =>
  Array.from({ length: count }, (_, index) => dayOfTime(recurrence, index + 1));

test('the days of months follow from the first day, also after a shorter month', () => {
  expect(days(rule(), 5)).toEqual(['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30', '2027-05-31']);
  expect(days(rule({ startOn: '2028-02-28', day: 31 }), 3)).toEqual([
    '2028-02-29',
    '2028-03-31',
    '2028-04-30',
  ]);
  expect(days(rule({ every: { n: 3, unit: 'month' }, startOn: '2027-11-30' }), 3)).toEqual([
    '2027-11-30',
    '2028-02-29',
    '2028-05-30',
  ]);
  expect(days(rule({ every: { n: 1, unit: 'year' }, startOn: '2028-02-29' }), 5)).toEqual([
    '2028-02-29',
    '2029-02-28',
    '2030-02-28',
    '2031-02-28',
    '2032-02-29',
  ]);
  expect(days(rule({ every: { n: 2, unit: 'week' }, startOn: '2027-02-20' }), 3)).toEqual([
    '2027-02-20',
    '2027-03-06',
    '2027-03-20',
  ]);
  expect(days(rule({ every: { n: 10, unit: 'day' }, startOn: '2027-12-25' }), 2)).toEqual([
    '2027-12-25',
    '2028-01-04',
  ]);
  expect(dayOfTime(rule({ every: { n: 999, unit: 'year' } }), 9)).toBeUndefined();
});

test('the hour of the clock stays when clocks are changed, and one that they skip counts as the hour after', () => {
  const at = (fields: Partial<Recurrence>, number: number) =>
    new Date(instantOfTime(rule({ every: { n: 1, unit: 'day' }, ...fields }), number) ?? 0).toISOString();
  const berlin = { timeZone: 'Europe/Berlin', startOn: '2027-03-27' };
  expect([1, 2, 3].map((number) => at(berlin, number))).toEqual([
    '2027-03-27T08:00:00.000Z',
    '2027-03-28T07:00:00.000Z',
    '2027-03-29T07:00:00.000Z',
  ]);
  // 2 o'clock does not exist on 28 March, and exists twice on 31 October.
  expect(at({ ...berlin, hour: 2 }, 2)).toBe('2027-03-28T01:00:00.000Z');
  expect(at({ ...berlin, hour: 2, startOn: '2027-10-31' }, 1)).toBe('2027-10-31T00:00:00.000Z');
});

test('a schedule ends after its last day or its last number', () => {
  expect(instantOfTime({ ...rule(), endOn: '2027-02-28' }, 2)).toBeDefined();
  expect(instantOfTime({ ...rule(), endOn: '2027-02-27' }, 2)).toBeUndefined();
  expect(instantOfTime({ ...rule(), count: 2 }, 2)).toBeDefined();
  expect(instantOfTime({ ...rule(), count: 2 }, 3)).toBeUndefined();
});

test('periods follow each other without a gap', () => {
  for (const unit of intervalUnits) {
    const recurrence = rule({ every: { n: 1, unit } });
    for (let number = 1; number < 50; number++) {
      const { start, end } = periodOfTime(recurrence, number);
      expect(start).toBe(dayOfTime(recurrence, number));
      const next = new Date(Date.parse(end) + dayMs).toISOString().slice(0, 10);
      expect(periodOfTime(recurrence, number + 1).start).toBe(next);
    }
  }
});

test('the first number after an instant is found, also at the end', () => {
  const daily = rule({ every: { n: 1, unit: 'day' } });
  for (const number of [1, 2, 3, 17, 400, 9000]) {
    const at = instantOfTime(daily, number) ?? 0;
    expect(numberAfter(daily, 1, at - 1)).toBe(number);
    expect(numberAfter(daily, 1, at)).toBe(number + 1);
    expect(numberAfter(daily, number, 0)).toBe(number);
  }
  expect(numberAfter({ ...daily, count: 5 }, 1, Date.parse('2099-01-01'))).toBe(6);
});

const [firstYear, lastYear] = [2026, 2036];
type Anchor = Pick<Recurrence, 'startOn' | 'day'> & { readonly unit: IntervalUnit; readonly n?: number };
const anchors: readonly Anchor[] = [
  { unit: 'day', n: 11, startOn: `${firstYear}-01-01` },
  { unit: 'week', startOn: `${firstYear}-01-04` },
  { unit: 'month', startOn: `${firstYear}-01-31` },
  { unit: 'month', startOn: `${firstYear}-02-10`, day: 31 },
  { unit: 'month', startOn: `${firstYear}-01-29` },
  { unit: 'year', startOn: '2028-02-29' },
  { unit: 'year', startOn: `${firstYear}-02-03`, day: 30 },
];

/** Returns the day of a time as Temporal computes it: from the first day, and the last day of a shorter month. */
function expectedDay({ unit, n = 1, startOn, day }: Anchor, number: number): Temporal.PlainDate {
  const first = Temporal.PlainDate.from(startOn);
  const steps = { [`${unit}s`]: (number - 1) * n };
  return day === undefined ? first.add(steps) : first.with({ day: 1 }).add(steps).with({ day });
}

/** Temporal takes the first of two hours, and the hour after one that the clocks skip. */
const instantBy = (day: Temporal.PlainDate, hour: number, timeZone: string): number =>
  day.toPlainDateTime({ hour }).toZonedDateTime(timeZone, { disambiguation: 'compatible' }).epochMilliseconds;

function requireSame(found: unknown, expected: unknown, what: readonly unknown[]): void {
  if (found !== expected) throw new Error(`${what.join(' ')}: ${found}, not ${expected}`);
}

/** Compares each time of ten years. The hour is another one at each time, so that all are compared. */
function compareTimes(timeZone: string, anchor: Anchor): void {
  const { unit, n = 1, startOn, day } = anchor;
  for (let number = 1; ; number++) {
    const expected = expectedDay(anchor, number);
    if (expected.year > lastYear) return;
    const hour = (number * 7) % 24;
    const recurrence = rule({ every: { n, unit }, startOn, day, hour, timeZone });
    const what = [timeZone, unit, startOn, day, hour, number];
    requireSame(dayOfTime(recurrence, number), expected.toString(), what);
    requireSame(instantOfTime(recurrence, number), instantBy(expected, hour, timeZone), what);
  }
}

/** Compares each hour of the days around each change of the clocks, and the days that the clocks show then. */
function compareChanges(timeZone: string): void {
  let at = Temporal.PlainDate.from(`${firstYear}-01-01`).toZonedDateTime(timeZone);
  for (;;) {
    const change = at.getTimeZoneTransition('next');
    if (!change || change.year > lastYear) return;
    at = change;
    for (const days of [-1, 0, 1]) {
      const day = change.toPlainDate().add({ days });
      for (let hour = 0; hour < 24; hour++)
        requireSame(instantIn(timeZone, day.toString(), hour), instantBy(day, hour, timeZone), [
          timeZone,
          day,
          hour,
        ]);
    }
    for (const ms of [-1, 0, 1]) {
      const near = change.add({ milliseconds: ms });
      requireSame(dayIn(timeZone, near.epochMilliseconds), near.toPlainDate().toString(), [timeZone, near]);
      const end = near.startOfDay().add({ days: 3 }).startOfDay().epochMilliseconds - 1;
      requireSame(endOfDayIn(timeZone, near.epochMilliseconds, 2), end, ['the end of', timeZone, near]);
    }
  }
}

test('the times of some zones over ten years are those of Temporal', () => {
  for (const zone of ['Asia/Thimphu', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca']) {
    for (const anchor of anchors) compareTimes(zone, anchor);
    compareChanges(zone);
  }
});

exhaustiveTest('the times of all zones over ten years are those of Temporal', () => {
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    for (const anchor of anchors) compareTimes(zone, anchor);
    compareChanges(zone);
  }
});
