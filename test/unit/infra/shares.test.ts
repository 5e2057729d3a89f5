/** Tests how the concurrent executions of the AWS account are divided. */
import { expect, test } from '@jest/globals';
import { divideConcurrency } from '../../../infra/shares.ts';
import { triggers } from '../../../infra/triggers.ts';
import { queueVariables } from '../../../shared/base/queues.ts';

const schedules = Object.values(triggers).filter(({ kind }) => kind === 'schedule').length;
const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);

test.each([
  [1_000, 700],
  [100, 60],
  [5_000, 3_500],
  [150, 100],
])('with a limit of %d, a backlog in all queues leaves at least %d executions to the API', (limit, least) => {
  const { queues, stream, sender, schedule, api } = divideConcurrency(limit);
  expect(sumOf(Object.values(queues)) + stream + 3 * sender + schedules * schedule + api).toBe(limit);
  expect(api).toBeGreaterThanOrEqual(least);
});

test('with a limit of 10, the minimum of the queues exceeds the limit, so nothing is left to the API for certain', () => {
  const { queues, reserved, api } = divideConcurrency(10);
  expect(sumOf(Object.values(queues))).toBe(2 * Object.keys(queueVariables).length);
  expect({ reserved, api }).toEqual({ reserved: false, api: 0 });
});

test.each([
  [10, false],
  [100, false],
  [120, false],
  [121, true],
  [1_000, true],
])('with a limit of %d, the canary reserves only what stays above 100: %s', (limit, isReserved) => {
  const { stream, sender, canary } = divideConcurrency(limit);
  const left = limit - stream - 3 * sender - schedules - 3;
  expect(canary).toEqual(isReserved ? { run: 1, receive: 2 } : undefined);
  expect(left >= 100).toBe(isReserved);
});

test.each([10, 100, 150, 1_000, 100_000])(
  'with a limit of %d, every share is one that Lambda accepts',
  (limit) => {
    const { queues, stream, sender, schedule, reserved } = divideConcurrency(limit);
    expect(Object.keys(queues).sort()).toEqual(Object.keys(queueVariables).sort());
    for (const share of Object.values(queues)) {
      expect(Number.isInteger(share)).toBe(true);
      expect(share).toBeGreaterThanOrEqual(2);
      expect(share).toBeLessThanOrEqual(1_000);
    }
    // Lambda keeps 100 executions unreserved.
    if (reserved) expect(limit - stream - 3 * sender - schedules * schedule).toBeGreaterThanOrEqual(100);
    expect(reserved).toBe(limit > 100);
  },
);
