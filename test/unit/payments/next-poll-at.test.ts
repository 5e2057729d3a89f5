/** Tests when a provider is polled again: the instants depend only on the time of creation. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { nextPollAt } from '../../../shared/domain/payments/next-poll-at.ts';

const createdAt = Date.UTC(2027, 0, 31);
const dayMs = 86_400_000;
const seconds = (instant: number) => (instant - createdAt) / 1000;

test('polls are five seconds apart at first, then half of the elapsed time, at most half an hour, and a day after a month', () => {
  const polls: number[] = [];
  let due = createdAt;
  for (let count = 0; count < 24; count += 1) {
    due = nextPollAt(createdAt, { due }, due);
    polls.push(seconds(due));
  }
  expect(polls.slice(0, 6)).toEqual([5, 10, 15, 22.5, 33.75, 50.625]);
  expect((polls[23] ?? 0) - (polls[22] ?? 0)).toBeCloseTo(1800);
  const first = nextPollAt(createdAt, { due }, createdAt + 30 * dayMs);
  expect(nextPollAt(createdAt, { due: first }, first) - first).toBe(dayMs);
});

test('property: at any time between two polls, the next poll is the same instant in the future', () => {
  const ms = fc.integer({ min: -5_000, max: 40 * dayMs });
  fc.assert(
    fc.property(ms, ms, (dueMs, nowMs) => {
      const timer = { due: createdAt + dueMs };
      const next = nextPollAt(createdAt, timer, createdAt + nowMs);
      const after = Math.max(timer.due, createdAt + nowMs);
      expect(next).toBeGreaterThan(after);
      const longestMs = next - createdAt > 30 * dayMs + 1_800_000 ? dayMs : 1_800_000;
      expect(next - after).toBeLessThanOrEqual(Math.max(5_000, Math.min(longestMs, (next - createdAt) / 2)));
      expect(nextPollAt(createdAt, timer, Math.max(after, next - 1))).toBe(next);
    }),
  );
});
