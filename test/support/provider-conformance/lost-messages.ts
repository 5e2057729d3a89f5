/** Messages that are lost: the call rejects, its caller knows nothing and asks again. */
import { expect, test } from '@jest/globals';
import type { Card } from '../../../shared/payments/card.ts';
import type { Outcome } from '../../../shared/payments/provider.ts';
import type { ConformanceOptions } from '../provider-conformance.ts';
import {
  amountMinor,
  type Deeds,
  done,
  expectAgreed,
  expectRefused,
  newKey,
  refundRefused,
} from './deeds.ts';

export function lostMessageTests({ cards, takenMinor, losing }: ConformanceOptions, deeds: Deeds): void {
  const { capture, captured, final, refund } = deeds;
  const { unknownAtFirst } = cards;

  /** Loses one message of a call, of all that it has, each before and after it took effect. */
  async function everyLoss(round: (lose: (call: () => Promise<unknown>) => Promise<void>) => Promise<void>) {
    for (const when of ['before', 'after'] as const) {
      let lost = true;
      for (let nth = 0; lost; nth++) {
        await round(async (call) => {
          lost = await losing(nth, when, call);
        });
        if (nth === 0) expect(lost).toBe(true);
      }
    }
  }
  const kindsOfCard: [string, Card, Outcome['kind'], number][] = [
    ['that can pay', cards.completing, 'done', amountMinor],
    ['that is declined', cards.declined, 'refused', 0],
  ];

  test.each(kindsOfCard)('of a capture, card %s: asking again does it once', async (_, card, kind, taken) => {
    await everyLoss(async (lose) => {
      const key = newKey();
      await lose(() => capture(key, card));
      const outcome = await capture(key, card);
      expect(outcome.kind).toBe(kind);
      expect(await final(key)).toEqual(outcome);
      expect(await takenMinor(key)).toBe(taken);
    });
  });

  test('of a capture: a void tells, for good, whether it was taken', async () => {
    await everyLoss(async (lose) => {
      const key = newKey();
      await lose(() => capture(key));
      const outcome = await deeds.void(key);
      expect([await final(key), await capture(key)]).toEqual([outcome, outcome]);
      expect(await takenMinor(key)).toBe(outcome.kind === 'done' ? amountMinor : 0);
    });
  });

  test('of a void: asking again makes sure of it', async () => {
    await everyLoss(async (lose) => {
      const key = newKey();
      await lose(() => deeds.void(key));
      const outcome = await deeds.void(key);
      expectRefused(outcome);
      expect(await capture(key)).toEqual(outcome);
      expect(await takenMinor(key)).toBe(0);
    });
  });

  const unknownTest = unknownAtFirst ? test : test.skip;
  unknownTest('of a void of a capture that is unknown: asking again tells how it stands', async () => {
    await everyLoss(async (lose) => {
      const key = newKey();
      await capture(key, unknownAtFirst);
      await lose(() => deeds.void(key));
      const voided = await deeds.void(key);
      const outcome = await final(key);
      expectAgreed([voided], outcome);
      expect(await takenMinor(key)).toBe(outcome.kind === 'done' ? amountMinor : 0);
    });
  });

  test('of a refund: asking again gives back once', async () => {
    await everyLoss(async (lose) => {
      const [key, captureKey] = [newKey(), await captured()];
      await lose(() => refund(key, captureKey, 600));
      expect(await refund(key, captureKey, 600)).toEqual(done);
      expect(await takenMinor(captureKey)).toBe(400);
    });
  });

  test('of a refund that has to be refused: asking again still refuses it', async () => {
    await everyLoss(async (lose) => {
      const [key, captureKey] = [newKey(), await captured()];
      await lose(() => refund(key, captureKey, amountMinor + 1));
      expect(await refund(key, captureKey, amountMinor + 1)).toEqual(refundRefused);
      expect(await takenMinor(captureKey)).toBe(amountMinor);
    });
  });
}
