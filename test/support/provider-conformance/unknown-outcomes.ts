/** Tests outcomes that are unknown at first, and what the provider guarantees meanwhile. */
import { expect, test } from '@jest/globals';
import type { ConformanceOptions } from './conformance-options.ts';
import {
  amountMinor,
  doneOutcome,
  expectConsistentOutcomes,
  newOperationKey,
  type ProviderOperations,
  refundRefusedOutcome,
  runConcurrently,
} from './operations.ts';

export function unknownTests(
  { cards, netCapturedMinor, settle }: ConformanceOptions,
  operations: ProviderOperations,
): void {
  const { capture, newCapture, finalOutcome, refund, status } = operations;
  const { unknownAtFirst, refundFailsLater } = cards;
  const captureTest = unknownAtFirst ? test : test.skip;
  const refundTest = refundFailsLater ? test : test.skip;

  captureTest('settles; then capture, void and status agree, and the capture can be refunded', async () => {
    const key = newOperationKey();
    expect(await capture(key, unknownAtFirst)).toEqual({ kind: 'unknown' });
    expect(await finalOutcome(key)).toEqual(doneOutcome);
    expect(await capture(key, unknownAtFirst)).toEqual(doneOutcome);
    expect(await operations.void(key)).toEqual(doneOutcome);
    expect(await netCapturedMinor(key)).toBe(amountMinor);
    expect(await refund(newOperationKey(), key, amountMinor)).toEqual(doneOutcome);
  });

  captureTest('of 20 concurrent captures under one key charges once', async () => {
    const key = newOperationKey();
    await runConcurrently(20, () => capture(key, unknownAtFirst));
    expect(await finalOutcome(key)).toEqual(doneOutcome);
    expect(await netCapturedMinor(key)).toBe(amountMinor);
  });

  captureTest('cannot be refunded before it is done, and never under that refund key', async () => {
    const [key, refundKey] = [newOperationKey(), newOperationKey()];
    await capture(key, unknownAtFirst);
    expect(await refund(refundKey, key, 1)).toEqual(refundRefusedOutcome);
    await finalOutcome(key);
    expect(await refund(refundKey, key, 1)).toEqual(refundRefusedOutcome);
    expect(await netCapturedMinor(key)).toBe(amountMinor);
  });

  captureTest('that a void returns is final, also while the capture settles', async () => {
    for (const settling of [false, true]) {
      const key = newOperationKey();
      await capture(key, unknownAtFirst);
      const [voided] = await Promise.all([operations.void(key), settling && settle(), status(key)]);
      const outcome = await finalOutcome(key);
      expectConsistentOutcomes([voided], outcome);
      expect(await capture(key, unknownAtFirst)).toEqual(outcome);
      expect(await netCapturedMinor(key)).toBe(outcome.kind === 'done' ? amountMinor : 0);
    }
  });

  refundTest('of a refund becomes refused permanently, and nothing is refunded', async () => {
    const [key, captureKey] = [newOperationKey(), newOperationKey()];
    expect(await capture(captureKey, refundFailsLater)).toEqual(doneOutcome);
    expect(await refund(key, captureKey, amountMinor)).toEqual({ kind: 'unknown' });
    expect(await finalOutcome(key)).toEqual(refundRefusedOutcome);
    expect(await refund(key, captureKey, amountMinor)).toEqual(refundRefusedOutcome);
    expect(await status(captureKey)).toEqual(doneOutcome);
    expect(await netCapturedMinor(captureKey)).toBe(amountMinor);
  });

  refundTest('of a refund: more than was captured is refused immediately', async () => {
    const captureKey = newOperationKey();
    await capture(captureKey, refundFailsLater);
    expect(await refund(newOperationKey(), captureKey, amountMinor + 1)).toEqual(refundRefusedOutcome);
    expect(await refund(newOperationKey(), await newCapture(), amountMinor)).toEqual(doneOutcome);
  });
}
