/** Runs the background work, which is outbox, timers and workers, until nothing is left to do. */
import type { Stack } from '../../infra/local/stack.ts';
import type { TestClock } from './clock.ts';
import type { TestItem, TestTable } from './table.ts';
import { waitUntil } from './wait-until.ts';

export interface BackgroundControls {
  readonly stack: Stack;
  readonly table: TestTable;
  readonly clock: TestClock;
}

/** Longer than any timer's lease, so that each sweep sends all timers. */
const stepMs = 5 * 60_000;
const maxSteps = 12;

const timersOf = async (table: TestTable): Promise<TestItem[]> =>
  (await table.all('TIMER#')).filter(({ kind }) => kind === 'payment' || kind === 'refund');

/** Advances the clock, some minutes at a time, until no payment and no refund has a timer. */
export async function runUntilQuiescent({ stack, table, clock }: BackgroundControls): Promise<void> {
  stack.stream.resume();
  stack.queues.resume();
  for (let step = 0; step < maxSteps; step++) {
    await waitUntil('the outbox is empty', async () => (await table.all('OUTBOX#')).length === 0);
    if ((await timersOf(table)).length === 0) return;
    clock.advance(stepMs);
    await stack.schedule.run();
    // A sweep that leases a timer while its worker completes it leaves a copy. A later step sends it.
    const isHandled = async () => (await timersOf(table)).every(({ due }) => due > clock.now());
    await waitUntil('the workers have handled all due timers', isHandled, { deadlineMs: 10_000 }).catch(
      () => {},
    );
  }
  throw new Error(`Some timers are left after ${maxSteps} steps.`);
}
