/**
 * Tests that no money is lost and no invoice is locked, whatever payers, merchants, banks and providers do, and whenever the stack
 * is killed. `REMIT_SEED` repeats a run.
 */
import { expect, test } from '@jest/globals';
import { runRandomCheckouts } from '../support/random-checkouts/random-checkouts.ts';

const seed = Number(process.env.REMIT_SEED ?? 1);

test('forty random checkouts end with books that agree', async () => {
  const { failures, payments, refunds, kills } = await runRandomCheckouts({ seed, checkouts: 40, kills: 4 });
  expect(failures.join('\n')).toBe('');
  expect(payments).toBeGreaterThan(8);
  expect(refunds).toBeGreaterThan(2);
  expect(kills).toBeGreaterThan(1);
});
