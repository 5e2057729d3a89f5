/**
 * Starts a crash test stack for the test file that imports this, and gives each test an account of its own. Once a test begins, the exports
 * have its values.
 */
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { AccountUnderTest } from './account-under-test.ts';
import type { Api } from './api.ts';
import type { TestClock } from './clock.ts';
import { type CrashTestStack, startCrashTestStack } from './crash-test-stack.ts';
import type { CrashPlan } from './crashing-workers.ts';
import type { FaultLayer } from './fault-layer.ts';
import { inNewestVersion } from './newest-version.ts';
import type { TestTable } from './table.ts';

let crashStack: CrashTestStack;
export let stack: CrashTestStack['stack'];
export let table: TestTable;
export let clock: TestClock;
export let layer: FaultLayer;
export let crashes: CrashPlan;
export let client: AccountUnderTest;
/** The API of the client in its newest version. */
export let api: Api;

beforeAll(async () => {
  crashStack = await startCrashTestStack();
  ({ stack, table, clock, layer, crashes } = crashStack);
});
beforeEach(async () => {
  client = await crashStack.newClient();
  api = inNewestVersion(client.api);
});
afterAll(() => crashStack.close());
