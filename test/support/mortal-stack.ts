/** A stack whose requests and background functions die where a test wants it, under a clock that the test moves. */
import type { Stack } from '../../infra/local/stack.ts';
import { newAccount } from './api.ts';
import type { Observed } from './chains-agree.ts';
import { stopClock, type TestClock } from './clock.ts';
import { Deaths } from './dying-workers.ts';
import { type FaultLayer, installFaults } from './fault-layer.ts';
import { startTestStack } from './stack.ts';
import { type TestTable, tableOf } from './table.ts';

export interface MortalStack {
  readonly stack: Stack;
  readonly table: TestTable;
  readonly clock: TestClock;
  readonly layer: FaultLayer;
  readonly deaths: Deaths;
  /** A client of a new account's test mode. */
  newClient(): Promise<Observed>;
  close(): Promise<void>;
}

/** Starts it; the sweep runs only when the test says so. */
export async function startMortalStack(): Promise<MortalStack> {
  const stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  const table = tableOf(stack);
  const clock = stopClock();
  await stack.schedule.pause();
  const deaths = new Deaths();
  const layer = await installFaults({ seed: 0, script: deaths.script });
  return {
    ...{ stack, table, clock, layer, deaths },
    newClient: async () => {
      const { accountId, test: api } = await newAccount(stack.baseUrl);
      return { owner: `${accountId}#test`, api, table, now: clock.now };
    },
    close: async () => {
      layer.remove();
      await stack.close();
    },
  };
}
