/**
 * Tests that functions of the last release and of this version work on the same data at the same time, as during a
 * rollout that is rolled back. `npm run test:versions` runs more.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { listAccounts } from '../../shared/accounts/store.ts';
import { modes } from '../../shared/ids.ts';
import { reconcileNow } from '../../shared/reconciliation/reconcile-now.ts';
import { runWorkload } from '../model/workload.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { startTestStack } from '../support/stack.ts';
import { type MixedReleases, mixReleases } from './mixed-releases.ts';

/** Set HISTORY_SEED to the seed of a failed run to repeat that run. */
const seed = Number(process.env.HISTORY_SEED ?? 1);

let stack: Stack;
let clock: TestClock;
let mix: MixedReleases;

beforeAll(async () => {
  mix = await mixReleases('rollout', seed);
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  clock = stopClock();
});
afterAll(async () => {
  await stack.close();
  mix.restore();
});

test(`seed ${seed}: a rollout and a rollback under load and faults leave a linearizable history and no difference`, async () => {
  const run = { seed, operations: 400, concurrency: 50, owners: 3, clock };
  const { violations, events } = await runWorkload(stack, run);
  expect({ seed, violations: violations.slice(0, 20) }).toEqual({ seed, violations: [] });
  expect(events).toBeGreaterThan(200);
  expect(mix.invocations.last).toBeGreaterThan(500);
  expect(mix.invocations.current).toBeGreaterThan(500);
  const owners = (await listAccounts()).flatMap(({ accountId }) =>
    modes.map((mode) => ({ account: accountId, mode })),
  );
  const results = await Promise.all(owners.map((owner) => reconcileNow(owner, { full: true })));
  expect(results.flatMap(({ differences }) => differences)).toEqual([]);
});
