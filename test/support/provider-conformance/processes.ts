/** What one process did, seen from another. */
import { expect, test } from '@jest/globals';
import type { ConformanceOptions } from '../provider-conformance.ts';
import { type Deeds, done, newKey } from './deeds.ts';

export function processTests({ cards, elsewhere, takenMinor }: ConformanceOptions, deeds: Deeds): void {
  const { capture, captured, refund, status } = deeds;

  test('knows what was done here, and does none of it again', async () => {
    const [key, refundKey] = [await captured(), newKey()];
    await refund(refundKey, key, 600);
    expect(await elsewhere().status(key)).toEqual(done);
    expect(await elsewhere().status(refundKey)).toEqual(done);
    expect(await capture(key, cards.completing, elsewhere())).toEqual(done);
    expect(await refund(refundKey, key, 600, elsewhere())).toEqual(done);
    expect(await elsewhere().void(key)).toEqual(done);
    expect(await takenMinor(key)).toBe(400);
  });

  test('is held to what was voided or refused here', async () => {
    const [voidedKey, declinedKey] = [newKey(), newKey()];
    const voided = await deeds.void(voidedKey);
    const declined = await capture(declinedKey, cards.declined);
    expect(await capture(voidedKey, cards.completing, elsewhere())).toEqual(voided);
    expect(await elsewhere().status(declinedKey)).toEqual(declined);
  });

  test('does what is known here', async () => {
    const [key, voidedKey] = [newKey(), newKey()];
    expect(await status(key)).toEqual({ kind: 'absent' });
    await capture(key, cards.completing, elsewhere());
    const voided = await elsewhere().void(voidedKey);
    expect([await status(key), await status(voidedKey)]).toEqual([done, voided]);
    expect(await capture(voidedKey)).toEqual(voided);
  });
}
