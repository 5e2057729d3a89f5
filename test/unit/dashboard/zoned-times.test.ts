/** Tests how days and times of forms become times of the API, and how forms show these. Costs 0.1 s. */
import { expect, test } from '@jest/globals';
import {
  inAccountZone,
  isSameDueValue,
  toApiTime,
  toDateTimeValue,
  toDueValue,
} from '../../../shared/web/dashboard/input/zoned-times.ts';

const thimphu = { timeZone: 'Asia/Thimphu' };
const newYork = { timeZone: 'America/New_York' };
const berlin = { timeZone: 'Europe/Berlin' };

test.each([
  ['UTC', '2026-03-31', 'first', '2026-03-31T00:00:00.000Z'],
  ['UTC', '2026-03-31', 'last', '2026-03-31T23:59:59.999Z'],
  ['Asia/Thimphu', '2026-03-31', 'first', '2026-03-30T18:00:00.000Z'],
  ['Asia/Thimphu', '2026-03-31', 'last', '2026-03-31T17:59:59.999Z'],
  // The day on which the clocks go forward has 23 hours, and that on which they go back has 25.
  ['America/New_York', '2026-03-08', 'first', '2026-03-08T05:00:00.000Z'],
  ['America/New_York', '2026-03-08', 'last', '2026-03-09T03:59:59.999Z'],
  ['America/New_York', '2026-11-01', 'first', '2026-11-01T04:00:00.000Z'],
  ['America/New_York', '2026-11-01', 'last', '2026-11-02T04:59:59.999Z'],
  // This day begins at 1:00.
  ['Africa/Cairo', '2026-04-24', 'first', '2026-04-23T22:00:00.000Z'],
  ['Africa/Cairo', '2026-04-23', 'last', '2026-04-23T21:59:59.999Z'],
  ['America/New_York', '9999-12-31', 'last', '9999-12-31T23:59:59.999Z'],
  ['Asia/Thimphu', '1970-01-01', 'first', '1970-01-01T00:00:00.000Z'],
] as const)('in %s, the %s means at its %s millisecond %s', (timeZone, day, bound, expected) => {
  expect(toApiTime({ timeZone }, day, bound)).toBe(expected);
});

test.each([
  ['Asia/Thimphu', '2026-03-31T09:30', '2026-03-31T03:30:00.000Z'],
  ['Asia/Thimphu', '2026-03-31T09:30:15', '2026-03-31T03:30:15.000Z'],
  // The clocks show this time twice: it is the first one.
  ['America/New_York', '2026-11-01T01:30', '2026-11-01T05:30:00.000Z'],
  ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30:00.000Z'],
  // The clocks skip this time: it is the one after.
  ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:30:00.000Z'],
  ['America/New_York', '2026-03-08T02:30', '2026-03-08T07:30:00.000Z'],
])('in %s, the clocks show %s at %s', (timeZone, text, expected) => {
  expect(toApiTime({ timeZone }, text)).toBe(expected);
});

test.each(['', 'yesterday', '2026-02-30', '2026-03-31T25:00', '2026-03-31T09:30Z', '2026-03-31T09:30+02:00'])(
  '%s stays as it is',
  (text) => {
    expect(toApiTime(thimphu, text)).toBe(text);
  },
);

test('a due date has the value of a day if it is the end of one, in UTC or in the zone', () => {
  expect(toDueValue(thimphu, '2026-03-31T23:59:59.999Z')).toBe('2026-03-31');
  expect(toDueValue(thimphu, '2026-03-31T17:59:59.999Z')).toBe('2026-03-31');
  expect(toDueValue(thimphu, '2026-03-31T17:30:00Z')).toBe('2026-03-31T23:30');
  expect(toDueValue(newYork, '2026-11-02T04:59:59.999Z')).toBe('2026-11-01');
  expect(toDateTimeValue(newYork, Date.parse('2026-07-01T12:00:00Z'))).toBe('2026-07-01T08:00');
});

test('a form that shows a time of two moments does not change it', () => {
  const second = '2026-10-25T01:30:00.000Z';
  expect(toDueValue(berlin, second)).toBe('2026-10-25T02:30');
  expect(isSameDueValue(berlin, toApiTime(berlin, '2026-10-25T02:30'), second)).toBe(true);
  expect(isSameDueValue(berlin, toApiTime(berlin, '2026-10-25T02:31'), second)).toBe(false);
  expect(isSameDueValue(berlin, null, null)).toBe(true);
  expect(isSameDueValue(berlin, null, second)).toBe(false);
});

test('of the fields of an invoice, only the due date changes', () => {
  const fields = inAccountZone(
    new Map([
      ['dueDate', ' 2026-03-31 '],
      ['description', '2026-03-31'],
    ]),
    thimphu,
  );
  expect(fields.get('dueDate')).toBe('2026-03-31T17:59:59.999Z');
  expect(fields.get('description')).toBe('2026-03-31');
  expect(fields.get('amount')).toBeUndefined();
});
