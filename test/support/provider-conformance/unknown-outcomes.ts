/** Outcomes that are unknown at first, and what may be relied on meanwhile. */
import { expect, test } from '@jest/globals';
import type { ConformanceOptions } from '../provider-conformance.ts';
import { amountMinor, type Deeds, done, expectAgreed, newKey, refundRefused, times } from './deeds.ts';

export function unknownTests({ cards, takenMinor, settle }: ConformanceOptions, deeds: Deeds): void {
  const { capture, captured, final, refund, status } = deeds;
  const { unknownAtFirst, refundFailsLater } = cards;
  const captureTest = unknownAtFirst ? test : test.skip;
  const refundTest = refundFailsLater ? test : test.skip;

  captureTest('settles: then capture, void and status agree on it, and it can be refunded', async () => {
    const key = newKey();
    expect(await capture(key, unknownAtFirst)).toEqual({ kind: 'unknown' });
    expect(await final(key)).toEqual(done);
    expect(await capture(key, unknownAtFirst)).toEqual(done);
    expect(await deeds.void(key)).toEqual(done);
    expect(await takenMinor(key)).toBe(amountMinor);
    expect(await refund(newKey(), key, amountMinor)).toEqual(done);
  });

  captureTest('asked for 20 times at once is captured once', async () => {
    const key = newKey();
    await times(20, () => capture(key, unknownAtFirst));
    expect(await final(key)).toEqual(done);
    expect(await takenMinor(key)).toBe(amountMinor);
  });

  captureTest('cannot be refunded before it is done, nor ever under that key', async () => {
    const [key, refundKey] = [newKey(), newKey()];
    await capture(key, unknownAtFirst);
    expect(await refund(refundKey, key, 1)).toEqual(refundRefused);
    await final(key);
    expect(await refund(refundKey, key, 1)).toEqual(refundRefused);
    expect(await takenMinor(key)).toBe(amountMinor);
  });

  captureTest('what a void says of it holds, also while it settles', async () => {
    for (const settling of [false, true]) {
      const key = newKey();
      await capture(key, unknownAtFirst);
      const [voided] = await Promise.all([deeds.void(key), settling && settle(), status(key)]);
      const outcome = await final(key);
      expectAgreed([voided], outcome);
      expect(await capture(key, unknownAtFirst)).toEqual(outcome);
      expect(await takenMinor(key)).toBe(outcome.kind === 'done' ? amountMinor : 0);
    }
  });

  refundTest(
    'of a refund: refused in the end, under its key for good, and nothing was given back',
    async () => {
      const [key, captureKey] = [newKey(), newKey()];
      expect(await capture(captureKey, refundFailsLater)).toEqual(done);
      expect(await refund(key, captureKey, amountMinor)).toEqual({ kind: 'unknown' });
      expect(await final(key)).toEqual(refundRefused);
      expect(await refund(key, captureKey, amountMinor)).toEqual(refundRefused);
      expect(await status(captureKey)).toEqual(done);
      expect(await takenMinor(captureKey)).toBe(amountMinor);
    },
  );

  refundTest('of a refund: more than was captured is refused at once', async () => {
    const captureKey = newKey();
    await capture(captureKey, refundFailsLater);
    expect(await refund(newKey(), captureKey, amountMinor + 1)).toEqual(refundRefused);
    expect(await refund(newKey(), await captured(), amountMinor)).toEqual(done);
  });
}
