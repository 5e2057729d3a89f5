/** Tests the years and the texts of numbers. */
import { expect, test } from '@jest/globals';
import { dayIn, fiscalYearOf } from '../../../shared/domain/accounts/fiscal-year.ts';
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

test('a series counts the numbers of its prefix, with the year', () => {
  const before = seriesOf(seller, 'invoice', Date.parse('2026-03-31T18:29:59Z'));
  const after = seriesOf(seller, 'invoice', Date.parse('2026-03-31T18:30:00Z'));
  expect([before, after].map(nameOfSeries)).toEqual(['invoice#INV/25-26/', 'invoice#INV/26-27/']);
  expect(numberIn(after, 7)).toBe('INV/26-27/0007');
  expect(numberIn(after, 12_345)).toBe('INV/26-27/12345');
  expect(numberIn(seriesOf(seller, 'credit_note', 0), 1)).toBe('CN-001');
});
