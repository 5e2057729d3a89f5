/** Tests how points in time and due dates are formatted. */
import { expect, test } from '@jest/globals';
import { formatDate, formatDueDate, formatMoment } from '../../../shared/web/pages/dates.ts';

test('a point in time is shown with its time of day and the time zone', () => {
  expect(formatMoment(Date.parse('2026-12-21T17:00:59.999Z'))).toBe('21 December 2026, 17:00 UTC');
  expect(formatMoment(Date.parse('1970-01-01T00:00:00.000Z'))).toBe('1 January 1970, 00:00 UTC');
});

test.each([
  ['2026-12-21T23:59:59.999Z', '21 December 2026'],
  ['9999-12-31T23:59:59.999Z', '31 December 9999'],
  ['1970-01-01T23:59:59.999Z', '1 January 1970'],
  ['2026-12-21T23:59:59.000Z', '21 December 2026, 23:59 UTC'],
  ['2026-12-21T17:00:00.000Z', '21 December 2026, 17:00 UTC'],
  ['2026-12-21T00:00:00.000Z', '21 December 2026, 00:00 UTC'],
])('the due date %s is shown as %s', (timestamp, expected) => {
  expect(formatDueDate(Date.parse(timestamp))).toBe(expected);
});

test('points in time and due dates are shown in a time zone, and a date without a time of day stays the same', () => {
  const at = Date.parse('2026-12-21T18:30:00.000Z');
  expect(formatMoment(at, 'Asia/Thimphu')).toBe('22 December 2026, 00:30 GMT+6');
  expect(formatMoment(at, 'Asia/Kolkata')).toBe('22 December 2026, 00:00 GMT+5:30');
  expect(formatDate(at, 'Asia/Thimphu')).toBe('22 December 2026');
  expect(formatDueDate(at, 'Asia/Thimphu')).toBe('22 December 2026, 00:30 GMT+6');
  expect(formatDueDate(Date.parse('2026-12-21T23:59:59.999Z'), 'Asia/Thimphu')).toBe('21 December 2026');
  expect(formatMoment(at, 'Mars/Olympus')).toBe('21 December 2026, 18:30 UTC');
});
