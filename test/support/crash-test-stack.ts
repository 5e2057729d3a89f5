/** Starts a stack whose requests and background functions crash where the test says, with a clock that the test sets. */
import type { Stack } from '../../infra/local/stack.ts';
import type { AccountUnderTest } from './account-under-test.ts';
import { newAccount } from './api.ts';
import { stopClock, type TestClock } from './clock.ts';
import { CrashPlan } from './crashing-workers.ts';
import { type FaultLayer, installFaults } from './fault-layer.ts';
import { startTestStack } from './stack.ts';
import { type TestTable, tableOf } from './table.ts';

export interface CrashTestStack {
  readonly stack: Stack;
  readonly table: TestTable;
  readonly clock: TestClock;
  readonly layer: FaultLayer;
  readonly crashes: CrashPlan;
  /** Creates an account and returns its test mode. */
  newClient(): Promise<AccountUnderTest>;
  close(): Promise<void>;
}

/** Starts the stack. The sweep runs only when the test runs it. */
export async function startCrashTestStack(): Promise<CrashTestStack> {
  const stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  const table = tableOf(stack);
  const clock = stopClock();
  await stack.schedule.pause();
  const crashes = new CrashPlan();
  const layer = await installFaults({ seed: 0, script: crashes.script });
  return {
    stack,
    table,
    clock,
    layer,
    crashes,
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
