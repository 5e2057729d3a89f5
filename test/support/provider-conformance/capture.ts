/** Captures: taken once, or refused for good. */
import { expect, test } from '@jest/globals';
import type { ConformanceOptions } from '../provider-conformance.ts';
import { amountMinor, type Deeds, done, expectAgreed, expectRefused, newKey, times } from './deeds.ts';

export function captureTests(
  { cards, provider, currency, takenMinor }: ConformanceOptions,
  deeds: Deeds,
): void {
  const { capture, captured, final, status } = deeds;

  test('a key that never arrived is absent', async () => {
    expect(await status(newKey())).toEqual({ kind: 'absent' });
  });

  test('a card that can pay has paid, once the answer is done', async () => {
    const key = await captured();
    expect(await status(key)).toEqual(done);
    expect(await takenMinor(key)).toBe(amountMinor);
  });

  test('a card that is declined pays nothing, and status tells the same reason', async () => {
    const key = newKey();
    const outcome = await capture(key, cards.declined);
    expectRefused(outcome);
    expect(await status(key)).toEqual(outcome);
    expect(await takenMinor(key)).toBe(0);
  });

  test('what was refused stays refused under its key, even for a card that can pay', async () => {
    const key = newKey();
    const outcome = await capture(key, cards.declined);
    expect(await capture(key)).toEqual(outcome);
    expect(await takenMinor(key)).toBe(0);
  });

  test('one key captures once, however often it is asked for', async () => {
    const key = await captured();
    expect(await capture(key)).toEqual(done);
    expect(await capture(key)).toEqual(done);
    expect(await takenMinor(key)).toBe(amountMinor);
  });

  test('one key captures once, asked for 20 times at once', async () => {
    const key = newKey();
    const answers = await times(20, () => capture(key));
    expect(await final(key)).toEqual(done);
    expectAgreed(answers, done);
    expect(await takenMinor(key)).toBe(amountMinor);
  });

  test('two keys are two captures', async () => {
    const [one, other] = [await captured(), await captured()];
    expect([await takenMinor(one), await takenMinor(other)]).toEqual([amountMinor, amountMinor]);
  });

  test('a key of before takes no other amount', async () => {
    const key = await captured();
    const request = { key, amountMinor: amountMinor + 1, currency, card: cards.completing };
    // Whether it rejects or answers for the first request is the provider's affair.
    await Promise.allSettled([provider().capture(request)]);
    expect(await takenMinor(key)).toBe(amountMinor);
  });
}
