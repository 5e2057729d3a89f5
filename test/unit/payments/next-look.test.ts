/** When a provider is asked again: instants that follow from the beginning alone. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { nextLook } from '../../../shared/payments/next-look.ts';

const begunAt = Date.UTC(2027, 0, 31);
const seconds = (instant: number) => (instant - begunAt) / 1000;

test('at first every five seconds, then after half the time that has passed, at last every half hour', () => {
  const looks: number[] = [];
  let due = begunAt;
  for (let count = 0; count < 24; count += 1) {
    due = nextLook(begunAt, { due }, due);
    looks.push(seconds(due));
  }
  expect(looks.slice(0, 6)).toEqual([5, 10, 15, 22.5, 33.75, 50.625]);
  expect((looks[23] ?? 0) - (looks[22] ?? 0)).toBeCloseTo(1800);
});

test('whoever asks between two of them comes to the same one, which lies ahead', () => {
  const ms = fc.integer({ min: -5_000, max: 40 * 86_400_000 });
  fc.assert(
    fc.property(ms, ms, (dueMs, nowMs) => {
      const asked = { due: begunAt + dueMs };
      const next = nextLook(begunAt, asked, begunAt + nowMs);
      const after = Math.max(asked.due, begunAt + nowMs);
      expect(next).toBeGreaterThan(after);
      expect(next - after).toBeLessThanOrEqual(Math.max(5_000, Math.min(1_800_000, (next - begunAt) / 2)));
      expect(nextLook(begunAt, asked, Math.max(after, next - 1))).toBe(next);
    }),
  );
});
