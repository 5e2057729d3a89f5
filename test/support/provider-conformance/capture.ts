/** Tests that a capture takes the money once, or is refused permanently. */
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

export function captureTests(
  { cards, provider, currency, netCapturedMinor }: ConformanceOptions,
  operations: ProviderOperations,
): void {
  const { capture, newCapture, finalOutcome, status } = operations;

  test('an unknown key is absent', async () => {
    expect(await status(newOperationKey())).toEqual({ kind: 'absent' });
  });

  test('a valid card is charged when the outcome is done', async () => {
    const key = await newCapture();
    expect(await status(key)).toEqual(doneOutcome);
    expect(await netCapturedMinor(key)).toBe(amountMinor);
  });

  test('a declined card is not charged, and status returns the same refusal', async () => {
    const key = newOperationKey();
    const outcome = await capture(key, cards.declined);
    expectRefused(outcome);
    expect(await status(key)).toEqual(outcome);
    expect(await netCapturedMinor(key)).toBe(0);
  });

  test('a refused key stays refused, even for a valid card', async () => {
    const key = newOperationKey();
    const outcome = await capture(key, cards.declined);
    expect(await capture(key)).toEqual(outcome);
    expect(await netCapturedMinor(key)).toBe(0);
  });

  test('repeated captures under one key charge once', async () => {
    const key = await newCapture();
    expect(await capture(key)).toEqual(doneOutcome);
    expect(await capture(key)).toEqual(doneOutcome);
    expect(await netCapturedMinor(key)).toBe(amountMinor);
  });

  test('20 concurrent captures under one key charge once', async () => {
    const key = newOperationKey();
    const outcomes = await runConcurrently(20, () => capture(key));
    expect(await finalOutcome(key)).toEqual(doneOutcome);
    expectConsistentOutcomes(outcomes, doneOutcome);
    expect(await netCapturedMinor(key)).toBe(amountMinor);
  });

  test('two keys charge twice', async () => {
    const [one, other] = [await newCapture(), await newCapture()];
    expect([await netCapturedMinor(one), await netCapturedMinor(other)]).toEqual([amountMinor, amountMinor]);
  });

  test('a used key does not capture another amount', async () => {
    const key = await newCapture();
    const request = { key, amountMinor: amountMinor + 1, currency, card: cards.completing };
    // The provider may reject the call or return the outcome of the first request.
    await Promise.allSettled([provider().capture(request)]);
    expect(await netCapturedMinor(key)).toBe(amountMinor);
  });
}
