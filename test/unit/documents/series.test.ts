/** Tests the years and the texts of numbers. */
import { expect, test } from '@jest/globals';
import { dayIn, endOfDayIn, fiscalYearOf } from '../../../shared/domain/accounts/fiscal-year.ts';
import { nameOfSeries, numberIn, seriesOf } from '../../../shared/domain/documents/series.ts';

const restarting = { prefix: 'INV/{year}/', digits: 4, restart: 'yearly' } as const;
const creditNote = { prefix: 'CN-', digits: 3, restart: 'never' } as const;
const receipt = { prefix: 'R/{year}/', digits: 3, restart: 'yearly' } as const;
const seller = {
  series: { invoice: restarting, creditNote, receipt },
  fiscalYearStart: 4,
  timeZone: 'Asia/Kolkata',
};

test.each([
  ['2026-03-31', 4, '25-26'],
  ['2026-04-01', 4, '26-27'],
  ['2099-12-31', 4, '99-00'],
  ['2026-12-31', 1, '2026'],
  ['2027-01-01', 1, '2027'],
  ['2026-06-30', 7, '25-26'],
])('%s is in the fiscal year that begins in month %i: %s', (day, start, year) => {
  expect(fiscalYearOf(day, start)).toBe(year);
});

test('the time zone of the seller decides the day', () => {
  const at = Date.parse('2026-03-31T18:30:00Z');
  expect(dayIn('Asia/Kolkata', at)).toBe('2026-04-01');
  expect(dayIn('America/New_York', at)).toBe('2026-03-31');
  expect(dayIn('UTC', Date.parse('9999-12-31T23:59:59Z'))).toBe('9999-12-31');
});

test.each([
  ['Asia/Thimphu', '2026-11-28T06:00:00Z', 0, '2026-11-28T17:59:59.999Z'],
  ['Asia/Thimphu', '2026-11-28T18:00:00Z', 1, '2026-11-30T17:59:59.999Z'],
  ['Asia/Kolkata', '2026-12-31T18:29:59.999Z', 365, '2027-12-31T18:29:59.999Z'],
  ['UTC', '2026-02-28T23:59:59.999Z', 1, '2026-03-01T23:59:59.999Z'],
  // Clocks change on 2026-03-08 and on 2026-11-01 at 02:00.
  ['America/New_York', '2026-03-07T12:00:00Z', 0, '2026-03-08T04:59:59.999Z'],
  ['America/New_York', '2026-03-07T12:00:00Z', 1, '2026-03-09T03:59:59.999Z'],
  ['America/New_York', '2026-10-31T12:00:00Z', 1, '2026-11-02T04:59:59.999Z'],
  // Clocks change at midnight.
  ['America/Havana', '2026-03-07T12:00:00Z', 0, '2026-03-08T04:59:59.999Z'],
  ['Pacific/Apia', '2026-11-28T12:00:00Z', 0, '2026-11-29T10:59:59.999Z'],
])('in %s, the day of %s ends %i days later at %s', (timeZone, at, days, end) => {
  expect(new Date(endOfDayIn(timeZone, Date.parse(at), days)).toISOString()).toBe(end);
});

test('a series counts the numbers of its prefix, with the year', () => {
  const before = seriesOf(seller, 'invoice', Date.parse('2026-03-31T18:29:59Z'));
  const after = seriesOf(seller, 'invoice', Date.parse('2026-03-31T18:30:00Z'));
  expect([before, after].map(nameOfSeries)).toEqual(['invoice#INV/25-26/', 'invoice#INV/26-27/']);
  expect(numberIn(after, 7)).toBe('INV/26-27/0007');
  expect(numberIn(after, 12_345)).toBe('INV/26-27/12345');
  expect(numberIn(seriesOf(seller, 'credit_note', 0), 1)).toBe('CN-001');
});
