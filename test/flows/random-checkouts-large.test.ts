/** Tests the same as `random-checkouts.test.ts` with a thousand checkouts. `REMIT_SEED` repeats a run. */
import { expect, test } from '@jest/globals';
import { runRandomCheckouts } from '../support/random-checkouts/random-checkouts.ts';

const seed = Number(process.env.REMIT_SEED ?? 1);

test('a thousand random checkouts end with books that agree', async () => {
  const { failures, payments, refunds, kills } = await runRandomCheckouts({
    seed,
    checkouts: 1_000,
    kills: 40,
  });
  expect(failures.join('\n')).toBe('');
  expect(payments).toBeGreaterThan(200);
  expect(refunds).toBeGreaterThan(60);
  expect(kills).toBeGreaterThan(20);
}, 7_200_000);
