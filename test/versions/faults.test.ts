/** Tests that the faults of tests reach the functions of the last release. Without them, the mixes would test too little. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { triggers } from '../../infra/triggers.ts';
import { type FaultLayer, installFaults } from '../support/fault-layer.ts';
import { runAsInvocation } from '../support/invocations.ts';
import { startTestStack } from '../support/stack.ts';
import { hasLastRelease, openLastFunctions } from './last-release.ts';

const canRun = await hasLastRelease();
let stack: Stack;
let layer: FaultLayer;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  layer = await installFaults({
    seed: 1,
    script: ({ label }) => (label === 'crashing' ? 'crash before call' : undefined),
  });
});
afterAll(async () => {
  layer?.remove();
  await stack?.close();
});

(canRun ? test : test.skip)('a function of the last release crashes at a call', async () => {
  const invokeLast = await openLastFunctions();
  const sweep = (label: string) => runAsInvocation(label, () => invokeLast(triggers.sweep.handler, {}));
  await sweep('sound');
  expect(layer.counts).toEqual({});
  await expect(sweep('crashing')).rejects.toThrow();
  expect(layer.counts['crash before call']).toBeGreaterThan(0);
});
