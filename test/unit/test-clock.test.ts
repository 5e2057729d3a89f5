/** Tests how a client may move the clock of test mode, and what each step of the move leaves. */
import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import { clockAt } from '../../shared/base/clock.ts';
import {
  maxClockOffsetMs,
  moveClock,
  moveClockBody,
  showClock,
  stepClock,
} from '../../shared/base/test-clock.ts';

const now = Date.parse('2027-03-01T12:00:00.000Z');
const at = (ms: number) => new Date(now + ms).toISOString();
const codeOf = (run: () => unknown) => {
  try {
    run();
    return undefined;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

test('a clock that was never moved shows the real time', () => {
  expect(showClock(undefined, now)).toEqual({ now: at(0), offsetSeconds: 0, status: 'ready' });
  expect(clockAt(undefined, now)).toEqual({ real: now, account: now });
});

test('a move adds seconds, or goes to a time, from where the clock is now', () => {
  expect(moveClock(undefined, { advanceSeconds: 60 }, now)).toEqual({ o: 0, t: 60_000, v: 1 });
  expect(moveClock({ o: 60_000, v: 4 }, { advanceSeconds: 60 }, now)).toEqual({
    o: 60_000,
    t: 120_000,
    v: 5,
  });
  expect(moveClock({ o: 60_000, v: 4 }, { to: at(90_000) }, now)).toEqual({ o: 60_000, t: 90_000, v: 5 });
});

test('backwards, not at all, beyond two years, both fields or none is invalid_clock', () => {
  const clock = { o: 60_000, v: 1 };
  for (const body of [
    { to: at(60_000) },
    { to: at(0) },
    { to: at(maxClockOffsetMs + 1) },
    {},
    { to: at(90_000), advanceSeconds: 1 },
  ])
    expect(codeOf(() => moveClock(clock, body, now))).toBe('invalid_clock');
  expect(codeOf(() => moveClock(clock, { advanceSeconds: maxClockOffsetMs / 1000 }, now))).toBe(
    'invalid_clock',
  );
  expect(
    codeOf(() => moveClock(undefined, { advanceSeconds: maxClockOffsetMs / 1000 }, now)),
  ).toBeUndefined();
});

test('a second move waits for the first', () => {
  expect(codeOf(() => moveClock({ o: 0, t: 5, v: 1 }, { advanceSeconds: 60 }, now))).toBe('clock_advancing');
});

test('each step reaches a due time in order, never goes back, and the last one ends the move', () => {
  const moving = moveClock(undefined, { advanceSeconds: 100 }, now);
  const first = stepClock(moving, now + 40_000, now);
  expect([first, showClock(first, now).status]).toEqual([{ o: 40_000, t: 100_000, v: 2 }, 'advancing']);
  expect(stepClock(first, now + 10_000, now)).toMatchObject({ o: 40_000, t: 100_000 });
  expect(stepClock(first, now + 900_000, now)).toEqual({ o: 100_000, t: 100_000, v: 3 });
  expect(stepClock(first, undefined, now)).toEqual({ o: 100_000, v: 3 });
  expect(() => stepClock({ o: 1, v: 1 }, undefined, now)).toThrow('does not move');
});

test.each([
  { advanceSeconds: 0 },
  { advanceSeconds: -1 },
  { advanceSeconds: 1.5 },
  { advanceSeconds: '60' },
  { advanceSeconds: null },
  { advanceSeconds: 63_158_401 },
  { to: 'tomorrow' },
  { to: '2027-13-01T00:00:00Z' },
  { to: '2027-01-01' },
  { to: 1_900_000_000 },
  { forward: 60 },
])('%j is no move', (body) => {
  expect(v.safeParse(moveClockBody, body).success).toBe(false);
});
