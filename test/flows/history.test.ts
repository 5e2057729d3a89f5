import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { runHistory } from '../support/history-run.ts';
import { startTestStack } from '../support/stack.ts';

let stack: Stack;
let clock: TestClock;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  clock = stopClock();
});
afterAll(() => stack.close());

test.each([1, 2])(
  'seed %i: what 50 clients at once were answered, under all faults, has an order that respects real time',
  async (seed) => {
    const { violations, invoices, payments, refunds } = await runHistory(stack, {
      ...{ seed, operations: 250, concurrency: 50, owners: 3, clock },
    });
    expect({ seed, violations: violations.slice(0, 20) }).toEqual({ seed, violations: [] });
    expect(invoices).toBeGreaterThan(30);
    expect(payments).toBeGreaterThan(10);
    expect(refunds).toBeGreaterThan(0);
  },
);
