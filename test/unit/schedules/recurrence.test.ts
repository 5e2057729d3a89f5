/**
 * Tests when a schedule makes its invoices: against examples, and against an independent calculation that steps through the clocks of a
 * time zone. Takes a second. With all zones over ten years, which only `npm run test:all` does, it takes a minute.
 */
import { expect, test } from '@jest/globals';
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

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
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

/** What the clocks of a time zone show. */
function clockOf(timeZone: string) {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
    hourCycle: 'h23',
  });
  return (at: number) => format.format(at);
}

/** Returns the first instant at which the clocks show an hour of a day, or a later time if they skip the hour. Steps through the day. */
function findInstant(show: (at: number) => string, day: string, hour: number): number {
  const wanted = `${day} ${String(hour).padStart(2, '0')}:00:00`;
  const start = Date.parse(`${day}T00:00:00Z`) + hour * hourMs - 15 * hourMs;
  // All offsets of today's zones are multiples of 15 minutes.
  for (let at = start; at < start + 31 * hourMs; at += hourMs / 4) {
    const shown = show(at);
    if (shown === wanted) return at;
    // The clocks have skipped the hour: count from the last instant before it.
    if (shown > wanted && show(at - hourMs / 4) < wanted) {
      const before = show(at - hourMs / 4);
      return at - hourMs / 4 + (Date.parse(`${wanted}Z`) - Date.parse(`${before}Z`));
    }
  }
  throw new Error(`${wanted} was not found.`);
}

/** Steps from the first day, one unit at a time, without the code under test. */
function* stepDays(startOn: string, unit: IntervalUnit): Generator<string> {
  const [year = 0, month = 0, first = 0] = startOn.split('-').map(Number);
  for (let step = 0; ; step++) {
    if (unit === 'day' || unit === 'week') {
      const date = new Date(`${startOn}T12:00:00Z`);
      date.setUTCDate(date.getUTCDate() + step * (unit === 'week' ? 7 : 1));
      yield date.toISOString().slice(0, 10);
      continue;
    }
    const date = new Date(Date.UTC(year, month - 1, 1, 12));
    date.setUTCMonth(date.getUTCMonth() + step * (unit === 'year' ? 12 : 1));
    const monthNow = date.getUTCMonth();
    let day = first;
    for (; ; day--) {
      const tried = new Date(Date.UTC(date.getUTCFullYear(), monthNow, day, 12));
      if (tried.getUTCMonth() === monthNow) {
        yield tried.toISOString().slice(0, 10);
        break;
      }
    }
  }
}

function compare(timeZone: string, unit: IntervalUnit, startOn: string, hour: number, last: string) {
  const recurrence = rule({ every: { n: 1, unit }, startOn, hour, timeZone });
  const show = clockOf(timeZone);
  let number = 0;
  let before = Number.NEGATIVE_INFINITY;
  for (const day of stepDays(startOn, unit)) {
    if (day > last) return;
    number += 1;
    const at = instantOfTime(recurrence, number) ?? Number.NaN;
    const expected = findInstant(show, day, hour);
    if (at !== expected || at <= before)
      throw new Error(`${timeZone} ${unit} ${startOn} ${hour}: ${day} is ${at}, not ${expected}`);
    before = at;
  }
}

test('the times of some zones over three years are those of an independent calculation', () => {
  for (const zone of ['Asia/Thimphu', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Kiritimati'])
    for (const unit of ['week', 'month', 'year'] as const) compare(zone, unit, '2026-01-31', 2, '2028-12-31');
});

exhaustiveTest('the times of all zones over ten years are those of an independent calculation', () => {
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    compare(zone, 'month', '2026-01-31', 2, '2036-12-31');
    compare(zone, 'week', '2026-01-04', 1, '2036-12-31');
    compare(zone, 'year', '2028-02-29', 23, '2036-12-31');
  }
});

exhaustiveTest('every day of every zone in the years with changes of clocks has its hour', () => {
  for (const zone of Intl.supportedValuesOf('timeZone')) compare(zone, 'day', '2026-10-01', 2, '2027-11-15');
});
