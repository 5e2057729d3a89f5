/** Tests when a failed DynamoDB call is tried again. */
import { expect, test } from '@jest/globals';
import { decideRetry } from '../../../shared/store/client.ts';
import { throttledDelayMs } from '../../../shared/store/throttling.ts';

test.each([
  ['the first attempt, without a deadline', 0, 25, Number.POSITIVE_INFINITY, 'retry'],
  ['the last attempt but one', 8, 800, 801, 'retry'],
  ['the last attempt', 9, 800, Number.POSITIVE_INFINITY, 'fail'],
  ['the last attempt at the deadline', 9, 800, 0, 'fail'],
  ['an attempt whose delay ends just before the deadline', 3, 200, 200.1, 'retry'],
  ['an attempt whose delay ends at the deadline', 3, 200, 200, 'deadline exceeded'],
  ['an attempt after the deadline', 0, 12, -1, 'deadline exceeded'],
] as const)('after %s', (_, attempt, delayMs, leftMs, decision) => {
  expect(decideRetry(attempt, delayMs, leftMs, false)).toBe(decision);
});

test.each([
  ['the last attempt of other calls', 9, 800, 801, 'retry'],
  ['the hundredth attempt', 99, 800, 801, 'retry'],
  ['an attempt whose delay ends at the deadline', 99, 800, 800, 'deadline exceeded'],
  ['the last attempt, without a deadline', 9, 800, Number.POSITIVE_INFINITY, 'fail'],
] as const)('when throttled, after %s', (_, attempt, delayMs, leftMs, decision) => {
  expect(decideRetry(attempt, delayMs, leftMs, true)).toBe(decision);
});

const delays = (attempt: number, leftMs: number) =>
  Array.from({ length: 1_000 }, () => throttledDelayMs(attempt, leftMs));
const rangeOf = (values: readonly number[]) => [Math.min(...values), Math.max(...values)];

test.each([
  ['starts short', 0, 26_000, 12.5, 25],
  ['doubles', 3, 26_000, 100, 200],
  ['is two seconds at most', 50, 26_000, 1_000, 2_000],
  ['is two seconds at most without a deadline', 50, Number.POSITIVE_INFINITY, 1_000, 2_000],
  ['gets shorter as the deadline approaches', 50, 4_000, 250, 500],
  ['never gets shorter than at the start', 50, 10, 12.5, 25],
] as const)('the wait of a throttled call %s', (_, attempt, leftMs, from, to) => {
  const [shortest = 0, longest = 0] = rangeOf(delays(attempt, leftMs));
  expect(shortest).toBeGreaterThanOrEqual(from);
  expect(longest).toBeLessThanOrEqual(to);
  // Jitter spreads the waits.
  expect(longest - shortest).toBeGreaterThan(((to - from) * 9) / 10);
});
