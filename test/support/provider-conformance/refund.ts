/** Refunds, one after the other: what they give back, and which are refused. */
import { expect, test } from '@jest/globals';
import type { ConformanceOptions } from '../provider-conformance.ts';
import { amountMinor, type Deeds, done, newKey, refundRefused } from './deeds.ts';

export function refundTests({ cards, takenMinor }: ConformanceOptions, deeds: Deeds): void {
  const { capture, captured, refund, status } = deeds;

  test('gives money back, and status tells so', async () => {
    const [key, captureKey] = [newKey(), await captured()];
    expect(await refund(key, captureKey, 400)).toEqual(done);
    expect(await status(key)).toEqual(done);
    expect(await status(captureKey)).toEqual(done);
    expect(await takenMinor(captureKey)).toBe(600);
  });

  test('in parts goes up to the whole, and no further', async () => {
    const captureKey = await captured();
    for (const part of [1, 399, 600]) expect(await refund(newKey(), captureKey, part)).toEqual(done);
    expect(await refund(newKey(), captureKey, 1)).toEqual(refundRefused);
    expect(await takenMinor(captureKey)).toBe(0);
  });

  test('of more than is left is refused and gives nothing back; what is left can still be refunded', async () => {
    const [key, captureKey] = [newKey(), await captured()];
    expect(await refund(newKey(), captureKey, amountMinor + 1)).toEqual(refundRefused);
    expect(await refund(newKey(), captureKey, 400)).toEqual(done);
    expect(await refund(key, captureKey, 601)).toEqual(refundRefused);
    expect(await status(key)).toEqual(refundRefused);
    expect(await refund(newKey(), captureKey, 600)).toEqual(done);
  });

  test('one key gives back once, however often it is asked for', async () => {
    const [key, captureKey] = [newKey(), await captured()];
    for (let time = 0; time < 3; time++) expect(await refund(key, captureKey, 400)).toEqual(done);
    expect(await takenMinor(captureKey)).toBe(600);
  });

  test('stays done under its key when nothing is left', async () => {
    const [key, captureKey] = [newKey(), await captured()];
    expect(await refund(key, captureKey, amountMinor)).toEqual(done);
    expect(await refund(key, captureKey, amountMinor)).toEqual(done);
    expect(await takenMinor(captureKey)).toBe(0);
  });

  test('of one capture takes nothing from another', async () => {
    const [one, other] = [await captured(), await captured()];
    expect(await refund(newKey(), one, amountMinor)).toEqual(done);
    expect(await takenMinor(other)).toBe(amountMinor);
  });

  const neverTaken: [string, (key: string) => Promise<unknown>][] = [
    ['never arrived', async () => {}],
    ['was refused', (key) => capture(key, cards.declined)],
    ['was voided', (key) => deeds.void(key)],
  ];
  test.each(neverTaken)('of a capture that %s is refused, and stays so under its key', async (_, prepare) => {
    const [key, captureKey] = [newKey(), newKey()];
    await prepare(captureKey);
    for (let time = 0; time < 2; time++) expect(await refund(key, captureKey, 1)).toEqual(refundRefused);
    expect(await status(key)).toEqual(refundRefused);
    expect(await takenMinor(captureKey)).toBe(0);
  });

  test('that was refused as nothing was captured yet stays refused afterwards', async () => {
    const [key, captureKey] = [newKey(), newKey()];
    expect(await refund(key, captureKey, 1)).toEqual(refundRefused);
    expect(await capture(captureKey)).toEqual(done);
    expect(await refund(key, captureKey, 1)).toEqual(refundRefused);
    expect(await refund(newKey(), captureKey, 1)).toEqual(done);
    expect(await takenMinor(captureKey)).toBe(amountMinor - 1);
  });
}
