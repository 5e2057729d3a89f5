import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { runWorkload } from '../model/workload.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { startTestStack } from '../support/stack.ts';

/** Set HISTORY_SEED to the seed of a failed run to repeat that run. */
const seed = Number(process.env.HISTORY_SEED ?? 1);

let stack: Stack;
let clock: TestClock;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  clock = stopClock();
});
afterAll(() => stack.close());

test(`seed ${seed}: under all faults, the responses to 50 concurrent clients are linearizable, and each event reaches each subscribed endpoint`, async () => {
  const run = { seed, operations: 400, concurrency: 50, owners: 3, clock };
  const { violations, ...counts } = await runWorkload(stack, run);
  expect({ seed, violations: violations.slice(0, 20) }).toEqual({ seed, violations: [] });
  expect(counts.invoices).toBeGreaterThan(60);
  expect(counts.payments).toBeGreaterThan(20);
  expect(counts.refunds).toBeGreaterThan(2);
  expect(counts.events).toBeGreaterThan(200);
  expect(counts.deliveries).toBeGreaterThan(300);
  // Receivers refused some messages at first, and some messages arrived twice.
  expect(counts.messages).toBeGreaterThan(counts.deliveries);
});
