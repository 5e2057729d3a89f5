/**
 * Tests that functions of the last release and of this version work on the same data at the same time. `npm test` runs a
 * rollout that is rolled back, and `npm run test:versions` runs each mix.
 */
import { afterAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { listAccounts } from '../../shared/accounts/store.ts';
import { modes } from '../../shared/ids.ts';
import { reconcileNow } from '../../shared/reconciliation/reconcile-now.ts';
import { runWorkload } from '../model/workload.ts';
import { stopClock } from '../support/clock.ts';
import { startTestStack } from '../support/stack.ts';
import { hasLastRelease } from './last-release.ts';
import { type MixedReleases, mixReleases, releaseMixes } from './mixed-releases.ts';

const mixName = releaseMixes.find((name) => name === process.env.REMIT_RELEASE_MIX) ?? 'rollout';
/** Set HISTORY_SEED to the seed of a failed run to repeat that run. */
const seed = Number(process.env.HISTORY_SEED ?? 1);

/** An archive and a shallow clone do not contain the last release. `.ci/run` fetches the history. */
const canRun = await hasLastRelease();
if (!canRun) {
  process.stderr.write('Skipped, because the repository has no history (git fetch --unshallow): rollout\n');
}

let mix: MixedReleases | undefined;
let stack: Stack | undefined;

afterAll(async () => {
  await stack?.close();
  mix?.restore();
});

(canRun ? test : test.skip)(
  `mix ${mixName}, seed ${seed}: two releases under load and faults leave a linearizable history and no difference`,
  async () => {
    mix = await mixReleases(mixName, seed);
    stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
    const clock = stopClock();
    const run = { seed, operations: 400, concurrency: 50, owners: 3, clock };
    const { violations, events } = await runWorkload(stack, run);
    expect({ seed, violations: violations.slice(0, 20) }).toEqual({ seed, violations: [] });
    expect(events).toBeGreaterThan(200);
    expect(mix.invocations.last).toBeGreaterThan(200);
    expect(mix.invocations.current).toBeGreaterThan(200);
    const owners = (await listAccounts()).flatMap(({ accountId }) =>
      modes.map((mode) => ({ account: accountId, mode })),
    );
    const results = await Promise.all(owners.map((owner) => reconcileNow(owner, { full: true })));
    expect(results.flatMap(({ differences, failures }) => [...differences, ...failures])).toEqual([]);
  },
);
