/** Tests that another process sees the operations of this process, and this process those of another one. */
import { expect, test } from '@jest/globals';
import type { ConformanceOptions } from './conformance-options.ts';
import { doneOutcome, newOperationKey, type ProviderOperations } from './operations.ts';

export function processTests(
  { cards, otherProcess, netCapturedMinor }: ConformanceOptions,
  operations: ProviderOperations,
): void {
  const { capture, newCapture, refund, status } = operations;

  test('knows the operations of this process and does not repeat them', async () => {
    const [key, refundKey] = [await newCapture(), newOperationKey()];
    await refund(refundKey, key, 600);
    expect(await otherProcess().status(key)).toEqual(doneOutcome);
    expect(await otherProcess().status(refundKey)).toEqual(doneOutcome);
    expect(await capture(key, cards.completing, otherProcess())).toEqual(doneOutcome);
    expect(await refund(refundKey, key, 600, otherProcess())).toEqual(doneOutcome);
    expect(await otherProcess().void(key)).toEqual(doneOutcome);
    expect(await netCapturedMinor(key)).toBe(400);
  });

  test('respects the voids and refusals of this process', async () => {
    const [voidedKey, declinedKey] = [newOperationKey(), newOperationKey()];
    const voided = await operations.void(voidedKey);
    const declined = await capture(declinedKey, cards.declined);
    expect(await capture(voidedKey, cards.completing, otherProcess())).toEqual(voided);
    expect(await otherProcess().status(declinedKey)).toEqual(declined);
  });

  test('performs operations that this process knows', async () => {
    const [key, voidedKey] = [newOperationKey(), newOperationKey()];
    expect(await status(key)).toEqual({ kind: 'absent' });
    await capture(key, cards.completing, otherProcess());
    const voided = await otherProcess().void(voidedKey);
    expect([await status(key), await status(voidedKey)]).toEqual([doneOutcome, voided]);
    expect(await capture(voidedKey)).toEqual(voided);
  });
}
