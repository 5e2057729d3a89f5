/** Tests when a failed attempt is repeated: the waits of the schedule, their jitter, and `Retry-After`. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { maxTries, retryAfterMs, waitAfter } from '../../../shared/domain/webhooks/retry-schedule.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
/** The documented waits after the first attempt, the second attempt, and so on. */
const documentedWaits = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];
const now = Date.UTC(2026, 10, 21, 12);
const random = fc.double({ min: 0, max: 1, noNaN: true });
const tries = fc.integer({ min: 1, max: documentedWaits.length });

test('the schedule has ten attempts with the documented waits between them', () => {
  expect(maxTries).toBe(10);
  expect(documentedWaits.map((_, index) => waitAfter(index + 1, 0.5))).toEqual(documentedWaits);
});

test('no attempt follows the tenth, also if the receiver requests one', () => {
  for (const last of [10, 11, 100]) {
    expect(waitAfter(last, 0.5)).toBeUndefined();
    expect(waitAfter(last, 0.5, hour)).toBeUndefined();
  }
});

test('each wait is at most a fifth longer or shorter, can reach both limits, and is in whole milliseconds', () => {
  for (const [index, wait] of documentedWaits.entries()) {
    expect(waitAfter(index + 1, 0)).toBe(wait * 0.8);
    expect(waitAfter(index + 1, 1)).toBe(wait * 1.2);
  }
  fc.assert(
    fc.property(tries, random, (after, chance) => {
      const wait = waitAfter(after, chance) ?? Number.NaN;
      const middle = documentedWaits[after - 1] ?? Number.NaN;
      expect(wait).toBeGreaterThanOrEqual(middle * 0.8);
      expect(wait).toBeLessThanOrEqual(middle * 1.2);
      expect(Number.isInteger(wait)).toBe(true);
    }),
  );
});

test('deliveries that fail together are not repeated together: different random numbers give different waits', () => {
  const waits = Array.from({ length: 100 }, (_, index) => waitAfter(2, index / 99));
  expect(new Set(waits).size).toBe(100);
});

test('a receiver can request a longer wait of at most a day, but not a shorter one', () => {
  const requested = fc.integer({ min: 0, max: 400 * 24 * hour });
  fc.assert(
    fc.property(tries, random, requested, (after, chance, ms) => {
      const own = waitAfter(after, chance) ?? Number.NaN;
      expect(waitAfter(after, chance, ms)).toBe(Math.max(own, Math.min(ms, 24 * hour)));
    }),
  );
  expect(waitAfter(1, 0.5, minute)).toBe(minute);
  expect(waitAfter(1, 0.5, 1)).toBe(5 * second);
  expect(waitAfter(1, 0.5, Number.POSITIVE_INFINITY)).toBe(24 * hour);
});

describe('Retry-After', () => {
  test.each([
    ['0', 0],
    ['1', second],
    ['120', 2 * minute],
    [' 120 ', 2 * minute],
    ['0120', 2 * minute],
    ['9999999999', 9_999_999_999 * second],
  ])('in seconds: %j', (header, ms) => {
    expect(retryAfterMs(header, now)).toBe(ms);
  });

  test('a very large number of seconds requests the longest wait', () => {
    for (const digits of [11, 20, 400]) {
      expect(waitAfter(1, 0.5, retryAfterMs('9'.repeat(digits), now))).toBe(24 * hour);
    }
  });

  test.each([
    ['in the current format', new Date(now + hour).toUTCString(), hour],
    ['in the format of RFC 850', 'Saturday, 21-Nov-26 13:00:00 GMT', hour],
    ["in the format of C's asctime", 'Sat Nov 21 13:00:00 2026', hour],
    ["in the format of C's asctime, with a day of one digit", 'Tue Dec  1 12:00:00 2026', 10 * 24 * hour],
    ['that is now', new Date(now).toUTCString(), 0],
    ['in the past', 'Sun, 06 Nov 1994 08:49:37 GMT', 0],
    ['far in the future', 'Fri, 31 Dec 9999 23:59:59 GMT', Date.UTC(9999, 11, 31, 23, 59, 59) - now],
  ])('a date %s', (_, header, ms) => {
    expect(retryAfterMs(header, now)).toBe(ms);
  });

  test.each([
    undefined,
    '',
    ' ',
    '-1',
    '+5',
    '1.5',
    '1e3',
    '0x10',
    '5s',
    'soon',
    '٥',
    'NaN',
    'Infinity',
    '120, 60',
    '2026-11-21T13:00:00Z',
    'Sat, 21 Nov 2026 13:00:00',
    'Sat Nov 21 13:00:00 2026 +0600',
    'Sat Foo 21 13:00:00 2026',
    'Sat, 99 Foo 2026 13:00:00 GMT',
    'Sat, GMT',
  ])('%j requests no wait', (header) => {
    expect(retryAfterMs(header, now)).toBe(0);
  });

  test('with any header the wait is a number within the limits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), tries, random, (header, after, chance) => {
        const wait = waitAfter(after, chance, retryAfterMs(header, now));
        expect(wait).toBeGreaterThanOrEqual(4 * second);
        expect(wait).toBeLessThanOrEqual(28.8 * hour);
      }),
    );
  });
});
