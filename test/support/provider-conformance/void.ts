/** Voids: nothing is captured any more, or the answer says that it was. */
import { expect, test } from '@jest/globals';
import type { ConformanceOptions } from '../provider-conformance.ts';
import { amountMinor, type Deeds, done, expectAgreed, expectRefused, newKey, times } from './deeds.ts';

export function voidTests({ cards, takenMinor, rounds = 50 }: ConformanceOptions, deeds: Deeds): void {
  const { capture, captured, status } = deeds;

  test('of a key that never arrived: it is refused, and so is every capture that comes later', async () => {
    const key = newKey();
    const outcome = await deeds.void(key);
    expectRefused(outcome);
    expect(await status(key)).toEqual(outcome);
    expect(await capture(key)).toEqual(outcome);
    expect(await capture(key)).toEqual(outcome);
    expect(await status(key)).toEqual(outcome);
    expect(await takenMinor(key)).toBe(0);
  });

  test('of a capture that is done comes too late, and changes nothing', async () => {
    const key = await captured();
    expect(await deeds.void(key)).toEqual(done);
    expect(await status(key)).toEqual(done);
    expect(await takenMinor(key)).toBe(amountMinor);
  });

  test('of a capture that was refused leaves it refused for the same reason', async () => {
    const key = newKey();
    const outcome = await capture(key, cards.declined);
    expect(await deeds.void(key)).toEqual(outcome);
    expect(await status(key)).toEqual(outcome);
  });

  test('20 times at once, and once more, has one answer', async () => {
    const key = newKey();
    const answers = await times(20, () => deeds.void(key));
    const outcome = await deeds.void(key);
    expectRefused(outcome);
    expectAgreed(answers, outcome);
  });

  test('racing with the capture: both are told the same, and the money agrees', async () => {
    for (let round = 0; round < rounds; round++) {
      const key = newKey();
      const first = round % 2 === 0 ? capture(key) : undefined;
      const [voided, captures] = await Promise.all([
        deeds.void(key),
        Promise.all([first ?? capture(key), capture(key)]),
      ]);
      const outcome = await deeds.final(key);
      expectAgreed([voided, ...captures], outcome);
      expect(await takenMinor(key)).toBe(outcome.kind === 'done' ? amountMinor : 0);
    }
  });
}
