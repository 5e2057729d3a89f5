/** Tests sequential refunds: how much they return, and which are refused. */
import { expect, test } from '@jest/globals';
import type { ConformanceOptions } from './conformance-options.ts';
import {
  amountMinor,
  doneOutcome,
  newOperationKey,
  type ProviderOperations,
  refundRefusedOutcome,
} from './operations.ts';

export function refundTests(
  { cards, netCapturedMinor }: ConformanceOptions,
  operations: ProviderOperations,
): void {
  const { capture, newCapture, refund, status } = operations;

  test('returns money, and status is done', async () => {
    const [key, captureKey] = [newOperationKey(), await newCapture()];
    expect(await refund(key, captureKey, 400)).toEqual(doneOutcome);
    expect(await status(key)).toEqual(doneOutcome);
    expect(await status(captureKey)).toEqual(doneOutcome);
    expect(await netCapturedMinor(captureKey)).toBe(600);
  });

  test('in parts returns the whole amount, but no more', async () => {
    const captureKey = await newCapture();
    for (const part of [1, 399, 600])
      expect(await refund(newOperationKey(), captureKey, part)).toEqual(doneOutcome);
    expect(await refund(newOperationKey(), captureKey, 1)).toEqual(refundRefusedOutcome);
    expect(await netCapturedMinor(captureKey)).toBe(0);
  });

  test('of more than is left is refused and returns nothing; the rest can still be refunded', async () => {
    const [key, captureKey] = [newOperationKey(), await newCapture()];
    expect(await refund(newOperationKey(), captureKey, amountMinor + 1)).toEqual(refundRefusedOutcome);
    expect(await refund(newOperationKey(), captureKey, 400)).toEqual(doneOutcome);
    expect(await refund(key, captureKey, 601)).toEqual(refundRefusedOutcome);
    expect(await status(key)).toEqual(refundRefusedOutcome);
    expect(await refund(newOperationKey(), captureKey, 600)).toEqual(doneOutcome);
  });

  test('repeated under one key returns money once', async () => {
    const [key, captureKey] = [newOperationKey(), await newCapture()];
    for (let time = 0; time < 3; time++) expect(await refund(key, captureKey, 400)).toEqual(doneOutcome);
    expect(await netCapturedMinor(captureKey)).toBe(600);
  });

  test('stays done under its key if nothing is left', async () => {
    const [key, captureKey] = [newOperationKey(), await newCapture()];
    expect(await refund(key, captureKey, amountMinor)).toEqual(doneOutcome);
    expect(await refund(key, captureKey, amountMinor)).toEqual(doneOutcome);
    expect(await netCapturedMinor(captureKey)).toBe(0);
  });

  test('of one capture does not change another capture', async () => {
    const [one, other] = [await newCapture(), await newCapture()];
    expect(await refund(newOperationKey(), one, amountMinor)).toEqual(doneOutcome);
    expect(await netCapturedMinor(other)).toBe(amountMinor);
  });

  const withoutCapture: [string, (key: string) => Promise<unknown>][] = [
    ['does not exist', async () => {}],
    ['was refused', (key) => capture(key, cards.declined)],
    ['was voided', (key) => operations.void(key)],
  ];
  test.each(withoutCapture)(
    'of a capture that %s is refused, and stays refused under its key',
    async (_, prepare) => {
      const [key, captureKey] = [newOperationKey(), newOperationKey()];
      await prepare(captureKey);
      for (let time = 0; time < 2; time++)
        expect(await refund(key, captureKey, 1)).toEqual(refundRefusedOutcome);
      expect(await status(key)).toEqual(refundRefusedOutcome);
      expect(await netCapturedMinor(captureKey)).toBe(0);
    },
  );

  test('that was refused before the capture stays refused after it', async () => {
    const [key, captureKey] = [newOperationKey(), newOperationKey()];
    expect(await refund(key, captureKey, 1)).toEqual(refundRefusedOutcome);
    expect(await capture(captureKey)).toEqual(doneOutcome);
    expect(await refund(key, captureKey, 1)).toEqual(refundRefusedOutcome);
    expect(await refund(newOperationKey(), captureKey, 1)).toEqual(doneOutcome);
    expect(await netCapturedMinor(captureKey)).toBe(amountMinor - 1);
  });
}
