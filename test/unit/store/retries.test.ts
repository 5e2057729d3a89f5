/** Tests when a failed DynamoDB call is tried again. */
import { expect, test } from '@jest/globals';
import { decideRetry } from '../../../shared/store/client.ts';

test.each([
  ['the first attempt, without a deadline', 0, 25, Number.POSITIVE_INFINITY, 'retry'],
  ['the last attempt but one', 8, 800, 801, 'retry'],
  ['the last attempt', 9, 800, Number.POSITIVE_INFINITY, 'fail'],
  ['the last attempt at the deadline', 9, 800, 0, 'fail'],
  ['an attempt whose delay ends just before the deadline', 3, 200, 200.1, 'retry'],
  ['an attempt whose delay ends at the deadline', 3, 200, 200, 'deadline exceeded'],
  ['an attempt after the deadline', 0, 12, -1, 'deadline exceeded'],
] as const)('after %s', (_, attempt, delayMs, leftMs, decision) => {
  expect(decideRetry(attempt, delayMs, leftMs)).toBe(decision);
});
