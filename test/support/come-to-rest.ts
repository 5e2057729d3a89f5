/** Lets everything that follows from what was done so far be done: outbox, timers, workers. */
import type { Stack } from '../../infra/local/stack.ts';
import type { TestClock } from './clock.ts';
import type { TestItem, TestTable } from './table.ts';
import { waitUntil } from './wait-until.ts';

export interface Surroundings {
  readonly stack: Stack;
  readonly table: TestTable;
  readonly clock: TestClock;
}

/** Longer than the lease of any timer that is sent ahead, so that each sweep sends all there are. */
const stepMs = 5 * 60_000;
const maxSteps = 12;

const timersOf = async (table: TestTable): Promise<TestItem[]> =>
  (await table.all('TIMER#')).filter(({ kind }) => kind === 'payment' || kind === 'refund');

/** Moves the clock on, some minutes at a time, until no payment and no refund waits for anything. */
export async function comeToRest({ stack, table, clock }: Surroundings): Promise<void> {
  stack.stream.resume();
  stack.queues.resume();
  for (let step = 0; step < maxSteps; step++) {
    await waitUntil('the outbox is empty', async () => (await table.all('OUTBOX#')).length === 0);
    if ((await timersOf(table)).length === 0) return;
    clock.advance(stepMs);
    await stack.schedule.run();
    await waitUntil('the workers have looked at all that was due', async () =>
      (await timersOf(table)).every(({ due }) => due > clock.now()),
    );
  }
  throw new Error(`There are timers left after ${maxSteps} steps.`);
}
