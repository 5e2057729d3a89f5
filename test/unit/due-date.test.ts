/** Tests which forms of a due date are accepted, which instant each means, and how each is shown. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseDueDate } from '../../shared/base/due-date.ts';

const iso = (text: string) => {
  const parsed = parseDueDate(text);
  return parsed && new Date(parsed.instant).toISOString();
};

describe('the instant', () => {
  test.each([
    ['2026-03-31T17:00:00Z', '2026-03-31T17:00:00.000Z'],
    ['2026-03-31T17:00Z', '2026-03-31T17:00:00.000Z'],
    ['2026-03-31T17:00', '2026-03-31T17:00:00.000Z'],
    ['2026-03-31T17:00:05', '2026-03-31T17:00:05.000Z'],
    ['2026-03-31T17:00:05.1', '2026-03-31T17:00:05.100Z'],
    ['2026-03-31T17:00:05.999999999Z', '2026-03-31T17:00:05.999Z'],
    ['2026-03-31T17:00:00+06:00', '2026-03-31T11:00:00.000Z'],
    ['2026-03-31T17:00:00+0600', '2026-03-31T11:00:00.000Z'],
    ['2026-03-31T17:00:00+06', '2026-03-31T11:00:00.000Z'],
    ['2026-03-31T17:00-05', '2026-03-31T22:00:00.000Z'],
    ['2026-03-31t17:00:00z', '2026-03-31T17:00:00.000Z'],
    ['2026-03-31 17:00:00Z', '2026-03-31T17:00:00.000Z'],
    ['2026-03-31 17:00:00+06', '2026-03-31T11:00:00.000Z'],
    ['2026-03-31T17:00-0530', '2026-03-31T22:30:00.000Z'],
    ['2026-03-31T17:00:00-00:00', '2026-03-31T17:00:00.000Z'],
    ['2026-03-31T00:00:00+23:59', '2026-03-30T00:01:00.000Z'],
    ['2026-03-31', '2026-03-31T23:59:59.999Z'],
    ['2024-02-29', '2024-02-29T23:59:59.999Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
    ['9999-12-31', '9999-12-31T23:59:59.999Z'],
  ])('%s is %s', (text, expected) => {
    expect(iso(text)).toBe(expected);
  });
});

describe('rejects', () => {
  test.each([
    '',
    'tomorrow',
    '2026',
    '2026-03',
    '20260331',
    '20260331T170000Z',
    '2026-3-31',
    '2026-03-31T',
    '2026-03-31T17Z',
    '2026-03-31T17:00:00.Z',
    '2026-03-31T17:00.5Z',
    '2026-03-31T17:00:00,5Z',
    '2026-03-31T17:00:00.0000000001Z',
    '2026-03-31  17:00:00Z',
    '2026-03-31 ',
    '2026-03-31T 17:00:00Z',
    '2026-03-31T17:00:00 Z',
    ' 2026-03-31',
    '2026-03-31\n',
    '2026-03-31Z',
    '2026-03-31+06:00',
    '2026-03-31T17:00:00+6',
    '2026-03-31T17:00:00+24',
    '2026-03-31T17:00:00+06:',
    '2026-03-31T17:00:00+6:00',
    '2026-03-31T17:00:00Z+06:00',
    '2026-03-31T17:00:00+24:00',
    '2026-03-31T17:00:00+06:60',
    '2026-03-31T24:00:00Z',
    '2026-03-31T23:60:00Z',
    '2026-03-31T23:59:60Z',
    '2026-02-30',
    '2025-02-29',
    '2100-02-29',
    '2026-04-31T00:00:00Z',
    '2026-00-10',
    '2026-13-10',
    '2026-01-00',
    '2026-01-32',
    '1969-12-31',
    '0026-03-31',
    '10000-01-01',
    '+002026-03-31',
    '-2026-03-31',
    '1970-01-01T00:00:00+06:00',
    '1969-12-31T23:00:00-06:00',
    '9999-12-31T23:00:00-06:00',
    '２０２６-03-31',
    '2026-W13-2',
    '2026-090',
  ])('%j', (text) => {
    expect(parseDueDate(text)).toBeUndefined();
  });
});

test.each([
  ['2026-03-31T17:00:00Z', '2026-03-31T17:00:00Z'],
  ['2026-03-31T17:00:00.120Z', '2026-03-31T17:00:00.120Z'],
  ['2026-03-31T17:00:00.12Z', '2026-03-31T17:00:00.120Z'],
  ['2026-03-31T17:00:00.123456Z', '2026-03-31T17:00:00.123Z'],
  ['2026-03-31T17:00Z', '2026-03-31T17:00:00.000Z'],
  ['2026-03-31T17:00:00', '2026-03-31T17:00:00.000Z'],
  ['2026-03-31T17:00:00+00:00', '2026-03-31T17:00:00.000Z'],
  ['2026-03-31T17:00:00.000+06:00', '2026-03-31T11:00:00.000Z'],
  ['2026-03-31', '2026-03-31T23:59:59.999Z'],
])('%s is shown as %s', (text, shown) => {
  expect(parseDueDate(text)?.shown).toBe(shown);
});

const pad = (value: number, digits = 2) => String(value).padStart(digits, '0');
const isLeap = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
const daysIn = (year: number, month: number) =>
  [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;

/** Days since 1970-01-01, counted without `Date`. */
function dayNumber(year: number, month: number, day: number): number {
  const leapYearsBefore = (y: number) =>
    Math.floor((y - 1) / 4) - Math.floor((y - 1) / 100) + Math.floor((y - 1) / 400);
  let days = (year - 1970) * 365 + leapYearsBefore(year) - leapYearsBefore(1970) + day - 1;
  for (let earlier = 1; earlier < month; earlier++) days += daysIn(year, earlier);
  return days;
}

const lastInstant = (dayNumber(9999, 12, 31) + 1) * 86_400_000 - 1;

test('property: a date is accepted if and only if it exists, and means the end of that day', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1960, max: 9999 }),
      fc.integer({ min: 0, max: 14 }),
      fc.integer({ min: 0, max: 33 }),
      (year, month, day) => {
        const exists = year >= 1970 && day >= 1 && day <= daysIn(year, month);
        const expected = exists ? (dayNumber(year, month, day) + 1) * 86_400_000 - 1 : undefined;
        expect(parseDueDate(`${pad(year, 4)}-${pad(month)}-${pad(day)}`)?.instant).toBe(expected);
      },
    ),
    { numRuns: 2000 },
  );
});

const zone = fc.oneof(
  fc.constant({ text: 'Z', minutes: 0 }),
  fc.constant({ text: '', minutes: 0 }),
  fc
    .record({
      sign: fc.constantFrom('+', '-'),
      colon: fc.constantFrom(':', ''),
      hours: fc.nat(26),
      minutes: fc.nat(65),
    })
    .map(({ sign, colon, hours, minutes }) => ({
      text: `${sign}${pad(hours)}${colon}${pad(minutes)}`,
      minutes: hours > 23 || minutes > 59 ? undefined : (hours * 60 + minutes) * (sign === '-' ? -1 : 1),
    })),
);

const dateAndTime = fc
  .record({
    year: fc.oneof(fc.constantFrom(1970, 9999), fc.integer({ min: 1970, max: 9999 })),
    month: fc.oneof(fc.constantFrom(1, 12), fc.integer({ min: 1, max: 12 })),
    day: fc.oneof(fc.constantFrom(1, 31), fc.integer({ min: 1, max: 31 })),
    hour: fc.nat(25),
    minute: fc.nat(61),
    second: fc.option(fc.nat(61), { nil: undefined }),
    fraction: fc.stringMatching(/^\d{0,9}$/),
    zone,
  })
  .map(({ year, month, day, hour, minute, second, fraction, zone }) => {
    const time = `${pad(hour)}:${pad(minute)}${second === undefined ? '' : `:${pad(second)}`}`;
    const decimals = second !== undefined && fraction !== '' ? `.${fraction}` : '';
    const text = `${pad(year, 4)}-${pad(month)}-${pad(day)}T${time}${decimals}${zone.text}`;
    const exists = day <= daysIn(year, month) && hour <= 23 && minute <= 59 && (second ?? 0) <= 59;
    if (!exists || zone.minutes === undefined) return { text, instant: undefined };
    const ms = decimals === '' ? 0 : Math.floor(Number(fraction) / 10 ** (fraction.length - 3));
    const minutes = dayNumber(year, month, day) * 1440 + hour * 60 + minute - zone.minutes;
    const instant = minutes * 60_000 + (second ?? 0) * 1000 + ms;
    return { text, instant: instant >= 0 && instant <= lastInstant ? instant : undefined };
  });

test('property: a date and time means the instant that is computed here without Date, or is rejected', () => {
  fc.assert(
    fc.property(dateAndTime, ({ text, instant }) => {
      expect(parseDueDate(text)?.instant).toBe(instant);
    }),
    { numRuns: 5000 },
  );
});

test('property: the shown text means the same instant and is shown unchanged', () => {
  fc.assert(
    fc.property(dateAndTime, ({ text }) => {
      const first = parseDueDate(text);
      fc.pre(first !== undefined);
      expect(parseDueDate(first.shown)).toEqual(first);
    }),
  );
});

test('property: a text with one foreign character at any position is rejected', () => {
  const foreign = fc.constantFrom(' ', '\t', '\n', '\0', '\uFEFF', '٣', 'z', 't', 'T', 'Z', '_', ',', '/');
  const valid = fc.constantFrom('2026-03-31T17:00:00.250Z', '2026-03-31T17:00+06:00', '2026-03-31');
  fc.assert(
    fc.property(valid, foreign, fc.nat(30), (text, character, at) => {
      expect(parseDueDate(text.slice(0, at) + character + text.slice(at))).toBeUndefined();
    }),
    { examples: [['2026-03-31', '\n', 10]] },
  );
});
