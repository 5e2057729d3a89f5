/** Tests the trigger table. */
import { expect, test } from '@jest/globals';
import { queues } from '../../../infra/triggers.ts';
import { leasesMs } from '../../../shared/store/timers/timers.ts';

test('a message of a recovery reaches the dead-letter queue before the longest lease of its timer ends', () => {
  const { maxReceives, visibilityTimeoutSeconds } = queues.recovery;
  // A message that is received after that has no effect. So it would never count as failed often enough.
  expect(maxReceives * visibilityTimeoutSeconds * 1000).toBeLessThan(Math.max(...leasesMs));
});
