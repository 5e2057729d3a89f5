/** Tests on which days an export of payments counts money: on those of the sums, which follow from the entries of the journal. */
import { describe, expect, test } from '@jest/globals';
import { countIn } from '../../../shared/domain/exports/counted-receipts.ts';
import { additionsOf } from '../../../shared/domain/journal/sums.ts';
import type { Payment } from '../../../shared/domain/payments/payment.ts';
import { paymentType } from '../../../shared/domain/payments/record.ts';
import { entriesOfChange } from '../../../shared/store/money-entries.ts';

const at = (text: string) => Date.parse(text);
const timeZone = 'Asia/Thimphu';

const payment = {
  status: 'completed',
  method: 'offline',
  amount: 700,
  currency: 'BTN',
  amountRefunded: 0,
  failureCode: null,
  createdAt: at('2026-11-30T17:59:59Z'),
  receivedAt: at('2026-11-30T17:59:59Z'),
} as Payment;

/** Returns what the sums of the days count of a payment, after its receipt and its void. */
function summed(after: Payment): Map<string, number> {
  const { voidedAt, voidReason: _, ...before } = after;
  const steps: [Instant: number, before: object | undefined, after: Payment][] = [
    [after.receivedAt ?? after.createdAt, undefined, before as Payment],
  ];
  if (voidedAt !== undefined) steps.push([voidedAt, before, after]);
  const days = new Map<string, number>();
  for (const [moment, old, next] of steps) {
    const entries = entriesOfChange([{ type: paymentType, before: old, after: next }]);
    const keyOf = (day: string) => ({ pk: '', sk: day });
    const additions = additionsOf({ at: moment, entries, types: [] }, timeZone, keyOf, keyOf('total'));
    for (const { key, attribute, amount } of additions)
      if (attribute.startsWith('BTN:r:')) days.set(key.sk, (days.get(key.sk) ?? 0) + amount);
  }
  return days;
}

const days = ['2026-11-27', '2026-11-28', '2026-11-29', '2026-11-30', '2026-12-01', '2026-12-02'];
const ranges = days.flatMap((from) => days.filter((to) => to >= from).map((to) => ({ from, to, timeZone })));

describe('an export counts what the sums of its range count', () => {
  test.each<[name: string, fields: Partial<Payment>]>([
    ['recorded in the last second of a day of the account', {}],
    ['recorded in the first second of a day of the account', { receivedAt: at('2026-11-30T18:00:00Z') }],
    ['recorded later than its day', { receivedOn: '2026-11-28' }],
    [
      'completed after its creation',
      { method: 'provider', provider: 'stripe', receivedAt: at('2026-12-01T20:00:00Z') },
    ],
    ['voided on a later day', { voidedAt: at('2026-12-01T18:00:00Z') }],
    ['voided, with its day', { receivedOn: '2026-11-29', voidedAt: at('2026-12-01T18:00:00Z') }],
    ['with credit', { method: 'credit' }],
    ['refunded', { amountRefunded: 700 }],
    ['held, because its amount differs', { status: 'pending', pendingReason: 'amount_differs' }],
  ])('%s', (_, fields) => {
    const paid = { ...payment, ...fields };
    const sums = summed(paid);
    for (const range of ranges) {
      const inRange = [...sums].filter(([day]) => day >= range.from && day <= range.to);
      const expected = inRange.reduce((sum, [, amount]) => sum + amount, 0);
      const counted = countIn(range, paid);
      expect([range, counted?.amountCounted ?? 0]).toEqual([range, expected]);
      if (expected !== 0) expect(counted?.countedOn).toBe(inRange.map(([day]) => day).sort()[0]);
    }
  });
});
