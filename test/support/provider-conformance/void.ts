/** Tests that a void prevents a capture, or reports that the capture is done. */
import { expect, test } from '@jest/globals';
import type { ConformanceOptions } from './conformance-options.ts';
import {
  amountMinor,
  doneOutcome,
  expectConsistentOutcomes,
  expectRefused,
  newOperationKey,
  type ProviderOperations,
  runConcurrently,
} from './operations.ts';

export function voidTests(
  { cards, netCapturedMinor, rounds = 50 }: ConformanceOptions,
  operations: ProviderOperations,
): void {
  const { capture, newCapture, status } = operations;

  test('of an unknown key is refused, and so is each later capture', async () => {
    const key = newOperationKey();
    const outcome = await operations.void(key);
    expectRefused(outcome);
    expect(await status(key)).toEqual(outcome);
    expect(await capture(key)).toEqual(outcome);
    expect(await capture(key)).toEqual(outcome);
    expect(await status(key)).toEqual(outcome);
    expect(await netCapturedMinor(key)).toBe(0);
  });

  test('of a done capture is too late and changes nothing', async () => {
    const key = await newCapture();
    expect(await operations.void(key)).toEqual(doneOutcome);
    expect(await status(key)).toEqual(doneOutcome);
    expect(await netCapturedMinor(key)).toBe(amountMinor);
  });

  test('of a refused capture keeps the reason of the refusal', async () => {
    const key = newOperationKey();
    const outcome = await capture(key, cards.declined);
    expect(await operations.void(key)).toEqual(outcome);
    expect(await status(key)).toEqual(outcome);
  });

  test('20 times concurrently and once after that has one outcome', async () => {
    const key = newOperationKey();
    const outcomes = await runConcurrently(20, () => operations.void(key));
    const outcome = await operations.void(key);
    expectRefused(outcome);
    expectConsistentOutcomes(outcomes, outcome);
  });

  test('concurrent with the capture: both return the same outcome, and the amount agrees', async () => {
    for (let round = 0; round < rounds; round++) {
      const key = newOperationKey();
      const first = round % 2 === 0 ? capture(key) : undefined;
      const [voided, captures] = await Promise.all([
        operations.void(key),
        Promise.all([first ?? capture(key), capture(key)]),
      ]);
      const outcome = await operations.finalOutcome(key);
      expectConsistentOutcomes([voided, ...captures], outcome);
      expect(await netCapturedMinor(key)).toBe(outcome.kind === 'done' ? amountMinor : 0);
    }
  });
}
