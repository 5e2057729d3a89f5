/**
 * Runs functions of the last release beside those of this version, in one stack and under faults: what one stores, the other reads.
 * Takes two minutes.
 */
import { expect, test } from '@jest/globals';
import { runRandomMoney } from '../model/money-run.ts';
import { runWorkload } from '../model/workload.ts';
import { stopClock } from '../support/clock.ts';
import { findLastRelease } from '../support/last-release.ts';
import { mixReleases, releaseMixes } from '../support/mixed-releases.ts';
import { startTestStack } from '../support/stack.ts';

/** Set MIX_SEED to the seed of a failed run to repeat that run. */
const seed = Number(process.env.MIX_SEED ?? 1);

const release = findLastRelease();
// Without a repository there is no other release.
const releaseTest = release ? test : test.skip;

/** Runs something in a stack of both releases. Expects that it finds nothing wrong, and that each release took its part. */
async function expectNoViolations(
  mix: (typeof releaseMixes)[number],
  run: (
    stack: Awaited<ReturnType<typeof startTestStack>>,
  ) => Promise<{ readonly violations: readonly string[] }>,
): Promise<void> {
  if (!release) throw new Error('There is no release.');
  const { invocations, restore } = mixReleases(release, mix, seed);
  try {
    const stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
    try {
      const { violations } = await run(stack);
      expect({ seed, violations: violations.slice(0, 20) }).toEqual({ seed, violations: [] });
    } finally {
      await stack.close();
    }
  } finally {
    restore();
  }
  const { last, current } = invocations;
  expect(last / (last + current)).toBeGreaterThan(0.1);
  expect(current / (last + current)).toBeGreaterThan(0.1);
}

releaseTest.each(releaseMixes)('%s: the responses to concurrent clients are linearizable', (mix) =>
  expectNoViolations(mix, (stack) =>
    runWorkload(stack, { seed, operations: 200, concurrency: 20, owners: 3, clock: stopClock() }),
  ),
);

releaseTest.each(releaseMixes)('%s: money that moves in all ways loses nothing', (mix) =>
  expectNoViolations(mix, (stack) =>
    runRandomMoney(stack, { seed, steps: 400, concurrency: 10, clock: stopClock() }),
  ),
);
