/** Tests, with a model, that the sweep keeps up at month end. The model has the constants of the service. */
import { expect, test } from '@jest/globals';
import { modelSweep, monthEnd, oneTransactionEach } from '../../../model/month-end.ts';

test('a million timers of one minute are leased within two minutes', () => {
  const { lastLeaseMs, afterDueMs } = modelSweep(monthEnd);
  expect(lastLeaseMs).toBeLessThanOrEqual(120_000);
  expect(afterDueMs).toBeLessThanOrEqual(120_000);
});

test('the model shows why: with four shards and a transaction for each lease it takes over 20 minutes', () => {
  const before = { ...monthEnd, ...oneTransactionEach, shards: 4 };
  expect(modelSweep(before).lastLeaseMs).toBeGreaterThan(20 * 60_000);
});
