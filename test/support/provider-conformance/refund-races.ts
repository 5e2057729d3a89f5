/** Refunds at the same time: they never give back more than was taken. */
import { expect, test } from '@jest/globals';
import type { ConformanceOptions } from '../provider-conformance.ts';
import { amountMinor, type Deeds, expectAgreed, newKey, refundRefused, repeated, times } from './deeds.ts';

export function refundRaceTests({ takenMinor }: ConformanceOptions, deeds: Deeds): void {
  const { captured, final, refund } = deeds;

  test.each([
    [100, 10],
    [300, 3],
    [501, 1],
    [1_001, 0],
  ])('of 25 refunds of %i out of 1000, %i are done, and as much is given back', async (part, fit) => {
    const captureKey = await captured();
    const refundKeys = Array.from({ length: 25 }, newKey);
    await Promise.all(refundKeys.map((key) => refund(key, captureKey, part)));
    const outcomes = await Promise.all(refundKeys.map(final));
    expect(outcomes.filter(({ kind }) => kind === 'done')).toHaveLength(fit);
    expect(outcomes.filter(({ kind }) => kind === 'refused')).toEqual(repeated(25 - fit, refundRefused));
    expect(await takenMinor(captureKey)).toBe(amountMinor - fit * part);
  });

  test('one key asked for 20 times, among 20 others: it gives back once, and all are told the same', async () => {
    const [key, captureKey] = [newKey(), await captured()];
    const [same] = await Promise.all([
      times(20, () => refund(key, captureKey, 600)),
      times(20, () => refund(newKey(), captureKey, 30)),
    ]);
    const outcome = await final(key);
    expectAgreed(same, outcome);
    expect(await takenMinor(captureKey)).toBe(outcome.kind === 'done' ? 10 : 400);
  });
}
