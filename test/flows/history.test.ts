import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { runHistory } from '../support/history-run.ts';
import { startTestStack } from '../support/stack.ts';

/** Repeats a run; what fails names the seed that it ran with. */
const seed = Number(process.env.HISTORY_SEED ?? 1);

let stack: Stack;
let clock: TestClock;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  clock = stopClock();
});
afterAll(() => stack.close());

test(`seed ${seed}: what 50 clients at once were answered, under all faults, has an order that respects real time, and every event has reached each endpoint that wants it`, async () => {
  const run = { seed, operations: 400, concurrency: 50, owners: 3, clock };
  const { violations, ...counts } = await runHistory(stack, run);
  expect({ seed, violations: violations.slice(0, 20) }).toEqual({ seed, violations: [] });
  expect(counts.invoices).toBeGreaterThan(60);
  expect(counts.payments).toBeGreaterThan(20);
  expect(counts.refunds).toBeGreaterThan(2);
  expect(counts.events).toBeGreaterThan(200);
  expect(counts.deliveries).toBeGreaterThan(300);
  // Some were refused at first, or came twice.
  expect(counts.messages).toBeGreaterThan(counts.deliveries);
});
