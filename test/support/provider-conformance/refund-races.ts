/** Tests that concurrent refunds never return more than was captured. */
import { expect, test } from '@jest/globals';
import type { ConformanceOptions } from './conformance-options.ts';
import {
  amountMinor,
  expectConsistentOutcomes,
  newOperationKey,
  type ProviderOperations,
  refundRefusedOutcome,
  repeated,
  runConcurrently,
} from './operations.ts';

export function refundRaceTests(
  { netCapturedMinor }: ConformanceOptions,
  operations: ProviderOperations,
): void {
  const { newCapture, finalOutcome, refund } = operations;

  test.each([
    [100, 10],
    [300, 3],
    [501, 1],
    [1_001, 0],
  ])('of 25 refunds of %i out of 1000, %i are done, and their sum is refunded', async (part, doneCount) => {
    const captureKey = await newCapture();
    const refundKeys = Array.from({ length: 25 }, newOperationKey);
    await Promise.all(refundKeys.map((key) => refund(key, captureKey, part)));
    const outcomes = await Promise.all(refundKeys.map(finalOutcome));
    expect(outcomes.filter(({ kind }) => kind === 'done')).toHaveLength(doneCount);
    expect(outcomes.filter(({ kind }) => kind === 'refused')).toEqual(
      repeated(25 - doneCount, refundRefusedOutcome),
    );
    expect(await netCapturedMinor(captureKey)).toBe(amountMinor - doneCount * part);
  });

  test('20 refunds under one key, among 20 other refunds, refund once and have the same outcome', async () => {
    const [key, captureKey] = [newOperationKey(), await newCapture()];
    const [outcomes] = await Promise.all([
      runConcurrently(20, () => refund(key, captureKey, 600)),
      runConcurrently(20, () => refund(newOperationKey(), captureKey, 30)),
    ]);
    const outcome = await finalOutcome(key);
    expectConsistentOutcomes(outcomes, outcome);
    expect(await netCapturedMinor(captureKey)).toBe(outcome.kind === 'done' ? 10 : 400);
  });
}
