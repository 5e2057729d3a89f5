/** Tests lost messages: the call rejects, the caller does not know the outcome, and repeats the call. */
import { expect, test } from '@jest/globals';
import type { Card } from '../../../shared/domain/payments/provider/card.ts';
import type { ProviderOutcome } from '../../../shared/domain/payments/provider/provider.ts';
import type { ConformanceOptions } from './conformance-options.ts';
import {
  amountMinor,
  doneOutcome,
  expectConsistentOutcomes,
  expectRefused,
  newOperationKey,
  type ProviderOperations,
  refundRefusedOutcome,
} from './operations.ts';

export function lostMessageTests(
  { cards, netCapturedMinor, loseMessage }: ConformanceOptions,
  operations: ProviderOperations,
): void {
  const { capture, newCapture, finalOutcome, refund } = operations;
  const { unknownAtFirst } = cards;

  /** Repeats `round` for each message of a call. Each message is lost once before and once after it took effect. */
  async function forEachLoss(
    round: (lose: (call: () => Promise<unknown>) => Promise<void>) => Promise<void>,
  ) {
    for (const when of ['before', 'after'] as const) {
      let lost = true;
      for (let nth = 0; lost; nth++) {
        await round(async (call) => {
          lost = await loseMessage(nth, when, call);
        });
        if (nth === 0) expect(lost).toBe(true);
      }
    }
  }
  const cardCases: [string, Card, ProviderOutcome['kind'], number][] = [
    ['valid', cards.completing, 'done', amountMinor],
    ['declined', cards.declined, 'refused', 0],
  ];

  test.each(cardCases)(
    'of a capture with a %s card: the repeated call has one effect',
    async (_, card, kind, taken) => {
      await forEachLoss(async (lose) => {
        const key = newOperationKey();
        await lose(() => capture(key, card));
        const outcome = await capture(key, card);
        expect(outcome.kind).toBe(kind);
        expect(await finalOutcome(key)).toEqual(outcome);
        expect(await netCapturedMinor(key)).toBe(taken);
      });
    },
  );

  test('of a capture: a void decides permanently whether the card was charged', async () => {
    await forEachLoss(async (lose) => {
      const key = newOperationKey();
      await lose(() => capture(key));
      const outcome = await operations.void(key);
      expect([await finalOutcome(key), await capture(key)]).toEqual([outcome, outcome]);
      expect(await netCapturedMinor(key)).toBe(outcome.kind === 'done' ? amountMinor : 0);
    });
  });

  test('of a void: the repeated call voids the capture', async () => {
    await forEachLoss(async (lose) => {
      const key = newOperationKey();
      await lose(() => operations.void(key));
      const outcome = await operations.void(key);
      expectRefused(outcome);
      expect(await capture(key)).toEqual(outcome);
      expect(await netCapturedMinor(key)).toBe(0);
    });
  });

  const unknownTest = unknownAtFirst ? test : test.skip;
  unknownTest('of a void of an unknown capture: the repeated call returns the outcome', async () => {
    await forEachLoss(async (lose) => {
      const key = newOperationKey();
      await capture(key, unknownAtFirst);
      await lose(() => operations.void(key));
      const voided = await operations.void(key);
      const outcome = await finalOutcome(key);
      expectConsistentOutcomes([voided], outcome);
      expect(await netCapturedMinor(key)).toBe(outcome.kind === 'done' ? amountMinor : 0);
    });
  });

  test('of a refund: the repeated call refunds once', async () => {
    await forEachLoss(async (lose) => {
      const [key, captureKey] = [newOperationKey(), await newCapture()];
      await lose(() => refund(key, captureKey, 600));
      expect(await refund(key, captureKey, 600)).toEqual(doneOutcome);
      expect(await netCapturedMinor(captureKey)).toBe(400);
    });
  });

  test('of a refund that must be refused: the repeated call is refused, too', async () => {
    await forEachLoss(async (lose) => {
      const [key, captureKey] = [newOperationKey(), await newCapture()];
      await lose(() => refund(key, captureKey, amountMinor + 1));
      expect(await refund(key, captureKey, amountMinor + 1)).toEqual(refundRefusedOutcome);
      expect(await netCapturedMinor(captureKey)).toBe(amountMinor);
    });
  });
}
