/** Which state of a refund may follow which, and what becomes of its payment with it. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ApiError } from '../../../shared/errors.ts';
import type { Invoice } from '../../../shared/invoices/invoice.ts';
import type { Payment } from '../../../shared/payments/payment.ts';
import type { Outcome } from '../../../shared/payments/provider.ts';
import { refundable } from '../../../shared/payments/transitions.ts';
import { type Refund, showRefund } from '../../../shared/refunds/refund.ts';
import { createOwedRefund, createRefund, settleRefund } from '../../../shared/refunds/transitions.ts';

const now = Date.UTC(2026, 10, 21);
const later = now + 2000;
const owner = { account: 'acct_0000000000000000', mode: 'test' } as const;
const place = { ...owner, seq: 4, id: `ref_${'0'.repeat(26)}` };
const payment: Payment = {
  ...owner,
  id: `pay_${'0'.repeat(26)}`,
  seq: 1,
  version: 2,
  objectVersion: 2,
  dimensions: [],
  invoiceId: `inv_${'0'.repeat(26)}`,
  customerId: 'cust_1',
  amount: 2500,
  currency: 'USD',
  status: 'completed',
  method: 'card',
  card: { brand: 'visa', last4: '4242' },
  reference: null,
  amountRefunded: 0,
  amountReserved: 0,
  failureCode: null,
  createdAt: now,
  updatedAt: now,
};
/** Some of it has gone back before. */
const invoice = { id: payment.invoiceId, version: 7, objectVersion: 2, refundedMinor: 500 } as Invoice;
const all = { amount: undefined, reason: null };
const outcomes: readonly Outcome[] = [
  { kind: 'done' },
  { kind: 'refused', code: 'refund_refused' },
  { kind: 'unknown' },
];
const [done, refused, unknown] = outcomes as [Outcome, Outcome, Outcome];

function codeOf(decide: () => unknown): string {
  try {
    decide();
    return 'accepted';
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}

describe('a new refund', () => {
  test('is pending, in the lists of its payment and invoice, and goes to the worker at once; nothing is announced', () => {
    const [refund, ofPayment] = createRefund(place, payment, { amount: 1000, reason: 'Broken' }, now);
    expect(showRefund(refund.record)).toEqual({
      ...{ id: place.id, paymentId: payment.id, invoiceId: payment.invoiceId, amount: 1000, currency: 'USD' },
      ...{ status: 'pending', reason: 'Broken', failureCode: null },
      ...{ createdAt: '2026-11-21T00:00:00.000Z', updatedAt: '2026-11-21T00:00:00.000Z' },
    });
    const dimensions = [`#payment#${payment.id}`, `#invoice#${payment.invoiceId}`];
    expect(refund.element).toEqual({ resource: 'refund', seq: 4, dimensions, status: 'pending' });
    expect(refund.timers).toEqual([{ due: now, kind: 'refund', reference: place.id }]);
    expect([refund.events, ofPayment.events, ofPayment.timers]).toEqual([[], [], []]);
    expect(ofPayment.record).toEqual({ ...payment, version: 3, amountReserved: 1000 });
  });

  test('without an amount is of all that is left', () => {
    const partly = { ...payment, amountRefunded: 1000, amountReserved: 500 };
    const [refund, ofPayment] = createRefund(place, partly, all, now);
    expect([refund.record.amount, refundable(ofPayment.record)]).toEqual([1000, 0]);
  });

  test.each([
    ['pending', 0, 0, undefined, 'payment_not_refundable'],
    ['failed', 0, 0, 1, 'payment_not_refundable'],
    ['completed', 0, 0, 2500, 'accepted'],
    ['completed', 0, 0, 2501, 'refund_exceeds_payment'],
    ['completed', 1000, 500, 1000, 'accepted'],
    ['completed', 1000, 500, 1001, 'refund_exceeds_payment'],
    ['completed', 2500, 0, undefined, 'refund_exceeds_payment'],
    ['completed', 0, 2500, undefined, 'refund_exceeds_payment'],
  ] as const)(
    'of a payment that is %s, %i refunded, %i reserved: of %s',
    (status, amountRefunded, amountReserved, amount, code) => {
      const of = { ...payment, status, amountRefunded, amountReserved };
      expect(codeOf(() => createRefund(place, of, { amount, reason: null }, now))).toBe(code);
    },
  );
});

describe('a refund that is owed', () => {
  const owed: Payment = { ...payment, owed: 'refund', amountReserved: 2500 };

  test('is of the whole amount, which was kept already, and says why', () => {
    const [refund, ofPayment] = createOwedRefund(place, owed, now);
    expect(refund?.record).toMatchObject({
      amount: 2500,
      status: 'pending',
      reason: expect.stringContaining('cancelled'),
    });
    expect(ofPayment?.record).toMatchObject({ owed: undefined, amountReserved: 2500, amountRefunded: 0 });
  });

  test.each([
    ['made already', { ...owed, owed: undefined }],
    ['a reversal', { ...payment, owed: 'reversal' }],
    ['of nothing', payment],
  ] as [string, Payment][])('is made once: not if it is %s', (_, of) => {
    expect(createOwedRefund(place, of, now)).toEqual([undefined, undefined]);
  });
});

describe('an outcome', () => {
  const [made, reserved] = createRefund(place, payment, { amount: 1000, reason: null }, now);
  const pending = made.record;

  test('done: processed, the payment shows it, and it is announced', () => {
    const [refund, ofPayment, ofInvoice] = settleRefund(pending, reserved.record, invoice, done, later);
    expect(ofInvoice).toMatchObject({ record: { ...invoice, version: 8, refundedMinor: 1500 }, events: [] });
    expect(refund?.record).toEqual({
      ...pending,
      status: 'processed',
      version: 2,
      objectVersion: 2,
      updatedAt: later,
    });
    expect(refund?.element?.status).toBe('processed');
    expect(refund?.events.map(({ type }) => type)).toEqual(['refund.processed']);
    const { data, objectVersion } = JSON.parse(refund?.events[0]?.body ?? '');
    expect([data, objectVersion]).toEqual([showRefund(refund?.record as Refund), 2]);
    expect(ofPayment?.record).toMatchObject({ amountRefunded: 1000, amountReserved: 0, objectVersion: 3 });
  });

  test('refused: failed, its amount is free again, unseen, and that is announced', () => {
    const [refund, ofPayment, ofInvoice] = settleRefund(pending, reserved.record, invoice, refused, later);
    expect(ofInvoice).toBeUndefined();
    expect(refund?.record).toMatchObject({
      status: 'failed',
      failureCode: 'refund_refused',
      objectVersion: 2,
    });
    expect(refund?.events.map(({ type }) => type)).toEqual(['refund.failed']);
    expect(ofPayment?.record).toEqual({ ...payment, version: 4 });
  });

  test('unknown changes nothing, nor does any outcome of a refund that is final', () => {
    expect(settleRefund(pending, reserved.record, invoice, unknown, later)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    for (const first of [done, refused]) {
      const [refund, ofPayment] = settleRefund(pending, reserved.record, invoice, first, later);
      for (const second of outcomes) {
        const again = settleRefund(
          refund?.record as Refund,
          ofPayment?.record as Payment,
          invoice,
          second,
          later,
        );
        expect(again).toEqual([undefined, undefined, undefined]);
      }
    }
  });

  test('updatedAt becomes strictly later even if the clock goes back', () => {
    const [refund, ofPayment] = settleRefund(pending, reserved.record, invoice, done, now - 60_000);
    expect([refund?.record.updatedAt, ofPayment?.record.updatedAt]).toEqual([now + 1, now + 1]);
  });
});

test('property: refunds in any order never exceed the payment, and it shows the sum of those processed', () => {
  const step = fc.oneof(
    fc.record({ amount: fc.oneof(fc.integer({ min: 1, max: 1500 }), fc.constant(undefined)) }),
    fc.record({ which: fc.nat(50), outcome: fc.constantFrom(...outcomes) }),
  ) as fc.Arbitrary<{ amount?: number; which?: number; outcome?: Outcome }>;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
      let of = payment;
      const refunds: Refund[] = [];
      const sumOf = (status: string) =>
        refunds.reduce((sum, refund) => sum + (refund.status === status ? refund.amount : 0), 0);
      for (const [index, { amount, which, outcome }] of steps.entries()) {
        if (!outcome || which === undefined) {
          const create = () => {
            const made = createRefund({ ...place, seq: index }, of, { amount, reason: null }, now + index);
            refunds.push(made[0].record);
            of = made[1].record;
          };
          expect(['accepted', 'refund_exceeds_payment']).toContain(codeOf(create));
        } else if (refunds.length > 0) {
          const at = which % refunds.length;
          const [refund, ofPayment] = settleRefund(refunds[at] as Refund, of, invoice, outcome, now + index);
          refunds[at] = refund?.record ?? (refunds[at] as Refund);
          of = ofPayment?.record ?? of;
        }
        expect([of.amountRefunded, of.amountReserved]).toEqual([sumOf('processed'), sumOf('pending')]);
        expect(of.amountRefunded + of.amountReserved).toBeLessThanOrEqual(of.amount);
        expect(refunds.every((refund) => refund.amount > 0)).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});
