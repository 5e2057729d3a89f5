/** Tests on which days exports of payments and refunds count money: on those of the sums, which follow from the entries of the journal. */
import { describe, expect, test } from '@jest/globals';
import { type CountedMoney, countIn, countRefundIn } from '../../../shared/domain/exports/counted-money.ts';
import { additionsOf } from '../../../shared/domain/journal/sums.ts';
import type { Payment } from '../../../shared/domain/payments/payment.ts';
import { paymentType } from '../../../shared/domain/payments/record.ts';
import type { Refund } from '../../../shared/domain/refunds/refund.ts';
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
  const steps: Step[] = [[after.receivedAt ?? after.createdAt, undefined, before as Payment]];
  if (voidedAt !== undefined) steps.push([voidedAt, before, after]);
  return sumsOf(steps, 'BTN:r:');
}

/** A change of a payment, and its moment. */
type Step = readonly [at: number, before: object | undefined, after: Payment];

/** Returns what changes add to the figures that begin with a text, by day. */
function sumsOf(steps: readonly Step[], figures: string): Map<string, number> {
  const days = new Map<string, number>();
  for (const [moment, old, next] of steps) {
    const entries = entriesOfChange([{ type: paymentType, before: old, after: next }]);
    const keyOf = (day: string) => ({ pk: '', sk: day });
    const additions = additionsOf({ at: moment, entries, types: [] }, timeZone, keyOf, keyOf('total'));
    for (const { key, attribute, amount } of additions)
      if (attribute.startsWith(figures)) days.set(key.sk, (days.get(key.sk) ?? 0) + amount);
  }
  return days;
}

const days = ['2026-11-27', '2026-11-28', '2026-11-29', '2026-11-30', '2026-12-01', '2026-12-02'];
const ranges = days.flatMap((from) => days.filter((to) => to >= from).map((to) => ({ from, to, timeZone })));

/** Expects that an export counts in each range what the sums of its days count. */
function expectCounted(
  sums: ReadonlyMap<string, number>,
  countIn: (range: (typeof ranges)[number]) => CountedMoney | undefined,
): void {
  for (const range of ranges) {
    const inRange = [...sums].filter(([day]) => day >= range.from && day <= range.to);
    const expected = inRange.reduce((sum, [, amount]) => sum + amount, 0);
    const counted = countIn(range);
    expect([range, counted?.amountCounted ?? 0]).toEqual([range, expected]);
    if (expected !== 0) expect(counted?.countedOn).toBe(inRange.map(([day]) => day).sort()[0]);
  }
}

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
    expectCounted(summed(paid), (range) => countIn(range, paid));
  });

  /** Returns what the sums of the days count of a refund, after it was processed and after the bank returned its money. */
  function summedOfRefund({ amount, processedAt, undoneAt }: Refund): Map<string, number> {
    const returned = { ...payment, amountRefunded: amount };
    const steps = [
      ...(processedAt === undefined ? [] : [[processedAt, payment, returned] as const]),
      ...(undoneAt === undefined ? [] : [[undoneAt, returned, payment] as const]),
    ];
    return sumsOf(steps, 'BTN:f');
  }

  const refund = {
    status: 'processed',
    amount: 300,
    currency: 'BTN',
    createdAt: at('2026-11-27T20:00:00Z'),
    updatedAt: at('2026-12-02T20:00:00Z'),
  } as Refund;

  test.each<[name: string, fields: Partial<Refund>]>([
    ['processed in the last second of a day of the account', { processedAt: at('2026-11-30T17:59:59Z') }],
    ['processed in the first second of a day of the account', { processedAt: at('2026-11-30T18:00:00Z') }],
    [
      'processed, and returned by the bank on a later day',
      {
        status: 'failed',
        processedAt: at('2026-11-28T18:00:00Z'),
        undoneAt: at('2026-12-01T04:00:00Z'),
      },
    ],
    ['pending', { status: 'pending' }],
    ['failed', { status: 'failed' }],
  ])('a refund, %s', (_, fields) => {
    const counted = { ...refund, ...fields };
    expectCounted(summedOfRefund(counted), (range) => countRefundIn(range, counted));
  });
});
