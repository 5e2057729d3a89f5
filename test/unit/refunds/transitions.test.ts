/** Tests which refund states may follow which, and how each transition changes the payment and the invoice. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ApiError } from '../../../shared/base/errors.ts';
import { creditNoteIdOf, orderOf } from '../../../shared/domain/documents/document-order.ts';
import type { Invoice } from '../../../shared/domain/invoices/invoice.ts';
import { invoiceBalance, paymentBalance } from '../../../shared/domain/journal/chart.ts';
import { creditLeftOf } from '../../../shared/domain/payments/credit.ts';
import { amountCreditedOf, type Payment } from '../../../shared/domain/payments/payment.ts';
import type { ProviderOutcome } from '../../../shared/domain/payments/provider/provider.ts';
import { refundable } from '../../../shared/domain/payments/transitions.ts';
import { type Refund, showRefund } from '../../../shared/domain/refunds/refund.ts';
import {
  createCompensatingRefund,
  createRefund,
  endCompensation,
  failProcessedRefund,
  recordProviderRefund,
  settleRefund,
  showInRow,
} from '../../../shared/domain/refunds/transitions.ts';
import { eventBodyIn } from '../../../shared/domain/versions/convert.ts';
import { newestApiVersion } from '../../../shared/domain/versions/versions.ts';

const now = Date.UTC(2026, 10, 21);
const later = now + 2000;
const owner = { account: 'acct_0000000000000000', mode: 'test' } as const;
const identity = { ...owner, seq: 4, id: `ref_${'0'.repeat(26)}` };
const payment: Payment = {
  ...owner,
  id: `pay_${'0'.repeat(26)}`,
  seq: 1,
  version: 2,
  objectVersion: 2,
  filterKeys: [],
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
/** An earlier refund has already returned part of its money. */
const invoice = { id: payment.invoiceId, version: 7, objectVersion: 2, refundedMinor: 500 } as Invoice;
const all = { amount: undefined, reason: null };
const outcomes: readonly ProviderOutcome[] = [
  { kind: 'done' },
  { kind: 'refused', code: 'refund_refused' },
  { kind: 'unknown' },
];
const [done, refused, unknown] = outcomes as [ProviderOutcome, ProviderOutcome, ProviderOutcome];

function codeOf(decide: () => unknown): string {
  try {
    decide();
    return 'accepted';
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}

describe('a new refund of a payment at Razorpay, which refunds ₹1 or more,', () => {
  const razorpay = { ...payment, currency: 'INR', provider: 'razorpay' } as const;

  test.each([
    [99, 0, 'invalid_amount'],
    [100, 0, 'accepted'],
    [2400, 0, 'accepted'],
    [2401, 0, 'invalid_amount'],
    [2499, 0, 'invalid_amount'],
    [2500, 0, 'accepted'],
    [2501, 0, 'refund_exceeds_payment'],
    [undefined, 0, 'accepted'],
    [101, 2350, 'invalid_amount'],
    [150, 2350, 'accepted'],
    [undefined, 2401, 'invalid_amount'],
  ] as const)('of %s, of which %i are refunded, is %s', (amount, amountRefunded, code) => {
    const refunded = { ...razorpay, amountRefunded };
    expect(codeOf(() => createRefund(identity, refunded, { amount, reason: null }, now))).toBe(code);
  });

  test('names the amounts that can be refunded', () => {
    const refund = (amount: number) => () => createRefund(identity, razorpay, { amount, reason: null }, now);
    expect(refund(99)).toThrow('amount must be at least 100 (₹1.00), because');
    expect(refund(2450)).toThrow('Refund all that is left: 2500 (₹25.00).');
  });
});

describe('a new refund', () => {
  test('is pending, is in the lists of its payment and invoice, sets a timer due now and emits no event', () => {
    const [refund, paymentChange] = createRefund(identity, payment, { amount: 1000, reason: 'Broken' }, now);
    expect(showRefund(refund.record)).toEqual({
      id: identity.id,
      paymentId: payment.id,
      invoiceId: payment.invoiceId,
      amount: 1000,
      currency: 'USD',
      status: 'pending',
      reason: 'Broken',
      failureCode: null,
      createdAt: '2026-11-21T00:00:00.000Z',
      updatedAt: '2026-11-21T00:00:00.000Z',
      metadata: {},
      source: 'remit',
      method: 'provider',
      amountOver: 0,
      statementRow: null,
    });
    const filterKeys = [`#payment#${payment.id}`, `#invoice#${payment.invoiceId}`];
    expect(refund.indexEntry).toEqual({ resource: 'refund', seq: 4, filterKeys, status: 'pending' });
    expect(refund.timers).toEqual([{ due: now, kind: 'refund', reference: identity.id }]);
    expect([refund.events, paymentChange.events, paymentChange.timers]).toEqual([[], [], []]);
    expect(paymentChange.record).toEqual({ ...payment, version: 3, amountReserved: 1000 });
  });

  test('without an amount refunds all that is left of the payment', () => {
    const partlyRefunded = { ...payment, amountRefunded: 1000, amountReserved: 500 };
    const [refund, paymentChange] = createRefund(identity, partlyRefunded, all, now);
    expect([refund.record.amount, refundable(paymentChange.record)]).toEqual([1000, 0]);
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
    'of a payment that is %s, with %i refunded and %i reserved: amount %s gives %s',
    (status, amountRefunded, amountReserved, amount, code) => {
      const refunded = { ...payment, status, amountRefunded, amountReserved };
      expect(codeOf(() => createRefund(identity, refunded, { amount, reason: null }, now))).toBe(code);
    },
  );
});

describe('a compensation refund', () => {
  const uncompensated: Payment = { ...payment, pendingCompensation: 'refund', amountReserved: 2500 };

  test('is of the whole amount, which the payment has already reserved, and states the reason', () => {
    const [refund, paymentChange] = createCompensatingRefund(identity, uncompensated, 0, now);
    expect(refund?.record).toMatchObject({
      amount: 2500,
      status: 'pending',
      reason: expect.stringContaining('cancelled'),
    });
    expect(paymentChange?.record.pendingCompensation).toBeUndefined();
    expect(paymentChange?.record).toMatchObject({ amountReserved: 2500, amountRefunded: 0 });
  });

  test('leaves out what the provider has returned, which the worker then records', () => {
    const [refund, assigned] = createCompensatingRefund(identity, uncompensated, 1000, now);
    expect(refund?.record.amount).toBe(1500);
    const ended = endCompensation(uncompensated, now);
    for (const [change, amountReserved] of [
      [assigned, 1500],
      [ended, 0],
    ] as const) {
      expect(change?.record).toMatchObject({ amountReserved, pendingCompensation: undefined });
      expect(change?.timers).toEqual([{ due: now, kind: 'checkout', reference: payment.id }]);
    }
    expect(endCompensation(payment, now)).toBeUndefined();
  });

  test.each([
    ['already has its refund', { ...uncompensated, pendingCompensation: undefined }],
    ['needs a reversal', { ...payment, pendingCompensation: 'reversal' }],
    ['needs no compensation', payment],
  ] as [string, Payment][])('is not created for a payment that %s', (_, other) => {
    expect(createCompensatingRefund(identity, other, 0, now)).toEqual([undefined, undefined]);
  });
});

describe('an outcome', () => {
  const [created, reserved] = createRefund(identity, payment, { amount: 1000, reason: null }, now);
  const pending = created.record;

  test('done: the refund is processed, the payment shows its amount, and an event is emitted', () => {
    const [refund, paymentChange, invoiceChange] = settleRefund(
      pending,
      reserved.record,
      invoice,
      done,
      later,
    );
    expect(invoiceChange).toMatchObject({
      record: { ...invoice, version: 8, refundedMinor: 1500 },
      events: [],
    });
    // Another payment has paid the invoice.
    expect(refund?.record).toEqual({
      ...pending,
      status: 'processed',
      amountOver: 1000,
      version: 2,
      objectVersion: 2,
      processedAt: later,
      processedVersion: 2,
      updatedAt: later,
    });
    expect(refund?.indexEntry?.status).toBe('processed');
    expect(refund?.events.map(({ type }) => type)).toEqual(['refund.processed']);
    const { data, objectVersion } = JSON.parse(eventBodyIn(newestApiVersion, refund?.events[0]?.body ?? ''));
    expect([data, objectVersion]).toEqual([showRefund(refund?.record as Refund), 2]);
    expect(paymentChange?.record).toMatchObject({
      amountRefunded: 1000,
      amountReserved: 0,
      objectVersion: 3,
    });
  });

  test('refused: the refund fails with an event, and an internal change releases the reserved amount', () => {
    const [refund, paymentChange, invoiceChange] = settleRefund(
      pending,
      reserved.record,
      invoice,
      refused,
      later,
    );
    expect(invoiceChange?.record.payerNote).toEqual({ isRefundRefused: true });
    expect(invoiceChange?.events).toEqual([]);
    expect(refund?.record).toMatchObject({
      status: 'failed',
      failureCode: 'refund_refused',
      objectVersion: 2,
    });
    expect(refund?.events.map(({ type }) => type)).toEqual(['refund.failed']);
    expect(paymentChange?.record).toEqual({ ...payment, version: 4 });
  });

  test('unknown changes nothing, and no outcome changes a refund that is final', () => {
    expect(settleRefund(pending, reserved.record, invoice, unknown, later)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    for (const first of [done, refused]) {
      const [refund, paymentChange] = settleRefund(pending, reserved.record, invoice, first, later);
      for (const second of outcomes) {
        const again = settleRefund(
          refund?.record as Refund,
          paymentChange?.record as Payment,
          invoice,
          second,
          later,
        );
        expect(again).toEqual([undefined, undefined, undefined]);
      }
    }
  });

  test('of a processed refund that fails later undoes it, and of no other refund', () => {
    const processed = settleRefund(pending, reserved.record, invoice, done, later);
    const [refund, paid, billed] = processed.map((change) => change?.record) as [Refund, Payment, Invoice];
    const fail = (of: Refund) => failProcessedRefund(of, paid, billed, 'refund_refused', later);
    const [failed, paymentChange, invoiceChange] = fail(refund);
    expect(failed?.record).toMatchObject({
      status: 'failed',
      failureCode: 'refund_refused',
      version: 3,
      objectVersion: 3,
      updatedAt: later + 1,
      processedAt: later,
      undoneAt: later + 1,
    });
    const shown = showInRow(refund, `row_${'0'.repeat(26)}`, later + 5).record;
    expect(shown).toMatchObject({ processedAt: later, updatedAt: later + 5 });
    expect(failed?.events.map(({ type }) => type)).toEqual(['refund.failed']);
    expect(paymentChange?.record).toMatchObject({ amountRefunded: 0, amountReserved: 0, objectVersion: 4 });
    expect(invoiceChange?.record).toMatchObject({ refundedMinor: 500, version: 9 });
    const nothing = [undefined, undefined, undefined];
    expect(fail(pending)).toEqual(nothing);
    expect(fail(failed?.record as Refund)).toEqual(nothing);
  });

  test('has the credit note and the event of its processing also if a row of a bank statement shows it before or after that', () => {
    const row = `row_${'0'.repeat(26)}`;
    const shownBefore = showInRow(pending, row, now + 1).record;
    const byProvider = recordProviderRefund(
      identity,
      { ...payment, method: 'provider' },
      invoice,
      { reference: 'rfnd_1', amountMinor: 1000 },
      now,
    );
    const settled = [pending, shownBefore].map((refund) =>
      settleRefund(refund, reserved.record, invoice, done, later),
    );
    for (const [change] of [...settled, byProvider]) {
      const [event] = change?.events ?? [];
      const order = event && orderOf({ ...event, credits: 1000 });
      if (!change || !order) throw new Error('The refund was not processed.');
      const shown = showInRow(change.record, row, later + 5).record;
      expect([change.record, shown].map(creditNoteIdOf)).toEqual([order.id, order.id]);
    }
    expect(creditNoteIdOf(pending)).toBeUndefined();
  });

  test('makes updatedAt strictly later even if the clock went back', () => {
    const [refund, paymentChange] = settleRefund(pending, reserved.record, invoice, done, now - 60_000);
    expect([refund?.record.updatedAt, paymentChange?.record.updatedAt]).toEqual([now + 1, now + 1]);
  });
});

test('property: refunds in any order never exceed the payment, which shows the sum of the processed ones', () => {
  const step = fc.oneof(
    fc.record({ amount: fc.oneof(fc.integer({ min: 1, max: 1500 }), fc.constant(undefined)) }),
    fc.record({ which: fc.nat(50), outcome: fc.constantFrom(...outcomes) }),
  ) as fc.Arbitrary<{ amount?: number; which?: number; outcome?: ProviderOutcome }>;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 50, size: 'max' }), (steps) => {
      let current = payment;
      const refunds: Refund[] = [];
      const sumOf = (status: string) =>
        refunds.reduce((sum, refund) => sum + (refund.status === status ? refund.amount : 0), 0);
      for (const [index, { amount, which, outcome }] of steps.entries()) {
        if (!outcome || which === undefined) {
          const create = () => {
            const [refund, paymentChange] = createRefund(
              { ...identity, seq: index },
              current,
              { amount, reason: null },
              now + index,
            );
            refunds.push(refund.record);
            current = paymentChange.record;
          };
          expect(['accepted', 'refund_exceeds_payment']).toContain(codeOf(create));
        } else if (refunds.length > 0) {
          const position = which % refunds.length;
          const pending = refunds[position] as Refund;
          const [refund, paymentChange] = settleRefund(pending, current, invoice, outcome, now + index);
          refunds[position] = refund?.record ?? pending;
          current = paymentChange?.record ?? current;
        }
        const { amountRefunded, amountReserved } = current;
        expect([amountRefunded, amountReserved]).toEqual([sumOf('processed'), sumOf('pending')]);
        expect(amountRefunded + amountReserved).toBeLessThanOrEqual(current.amount);
        expect(refunds.every((refund) => refund.amount > 0)).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});

describe('a refund of a payment of more than due', () => {
  const over = { ...payment, amountOver: 400 };
  const parts = [{ paymentId: payment.id, amount: 2100 }];
  const paid = {
    ...{
      id: payment.invoiceId,
      status: 'paid',
      amount: 2100,
      currency: 'USD',
      dueDate: '2026-12-01T00:00:00Z',
    },
    ...{ parts, isDocumented: true, version: 1, objectVersion: 1 },
  } as unknown as Invoice;
  const record = (amountMinor: number, of: Payment, billed = paid) =>
    recordProviderRefund(identity, of, billed, { reference: 're_1', amountMinor }, now);

  test.each([
    ['up to what is over has no credit note', 400, {}, 400, 0],
    ['of more has one about the rest', 500, {}, 400, 100],
    ['of all has one about what the invoice received', 2500, {}, 400, 2100],
    ['leaves out what was returned before', 500, { amountRefunded: 300, overRefunded: 300 }, 100, 400],
    ['leaves out what pays other invoices', 500, { creditUses: [{ paymentId: 'p', amount: 150 }] }, 250, 250],
    [
      'of what is used and credited is over',
      2500,
      { creditUses: [{ paymentId: 'p', amount: 400 }] },
      400,
      2100,
    ],
  ] as const)('%s', (_, amount, fields, overMinor, credited) => {
    const [refund, change, invoiceChange] = record(amount, { ...over, ...fields });
    expect(showRefund(refund.record).amountOver).toBe(overMinor);
    expect([refund.issuesDocuments ?? false, amount - overMinor]).toEqual([credited > 0, credited]);
    expect(invoiceBalance(invoiceChange.record)).toContainEqual(
      expect.objectContaining({ account: 'refunds', amount: credited }),
    );
    const before = 'overRefunded' in fields ? fields.overRefunded : 0;
    expect(change.record.overRefunded).toBe(before + overMinor);
  });

  test('of an invoice that is cancelled, or that another payment paid, has none', () => {
    for (const changed of [{ status: 'cancelled' }, { parts: [{ paymentId: 'pay_2', amount: 2100 }] }]) {
      const [refund] = record(2500, over, { ...paid, ...changed } as Invoice);
      expect([refund.record.amountOver, refund.issuesDocuments]).toEqual([2500, undefined]);
    }
  });

  test('property: the journal keeps in unapplied what is over, used nowhere and not returned', () => {
    const kinds = ['create', 'done', 'refused', 'provider', 'fail', 'use', 'give back'] as const;
    const step = fc.record({
      kind: fc.constantFrom(...kinds),
      amount: fc.integer({ min: 1, max: 900 }),
      which: fc.nat(20),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
        let [current, billed]: [Payment, Invoice] = [over, paid];
        const refunds: Refund[] = [];
        const take = (
          [refund, paymentChange, invoiceChange]: ReturnType<typeof settleRefund>,
          at: number,
        ) => {
          if (refund) refunds[at] = refund.record;
          current = paymentChange?.record ?? current;
          billed = invoiceChange?.record ?? billed;
        };
        for (const { kind, amount, which } of steps) {
          const uses = current.creditUses ?? [];
          const at = which % Math.max(1, refunds.length);
          const refund = refunds[at];
          if (kind === 'create' && amount <= refundable(current)) {
            const [created, reserved] = createRefund(identity, current, { amount, reason: null }, now);
            take([created, reserved, undefined], refunds.length);
          } else if (kind === 'provider' && amount <= refundable(current))
            take(record(amount, current, billed), refunds.length);
          else if (kind === 'use' && amount <= creditLeftOf(current))
            current = { ...current, creditUses: [...uses, { paymentId: 'pay_2', amount }] };
          else if (kind === 'give back') current = { ...current, creditUses: uses.slice(1) };
          else if (refund && kind === 'fail')
            take(failProcessedRefund(refund, current, billed, 'refund_refused', now), at);
          else if (refund && (kind === 'done' || kind === 'refused'))
            take(settleRefund(refund, current, billed, kind === 'done' ? done : refused, now), at);
          expectDivided(current, billed, refunds);
        }
      }),
      { numRuns: 300 },
    );
  });

  function expectDivided(current: Payment, billed: Invoice, refunds: readonly Refund[]): void {
    const processed = refunds.filter(({ status }) => status === 'processed');
    const [all, overRefunded] = [
      processed.reduce((sum, { amount }) => sum + amount, 0),
      processed.reduce((sum, { amountOver = 0 }) => sum + amountOver, 0),
    ];
    expect([current.amountRefunded, current.overRefunded ?? 0]).toEqual([all, overRefunded]);
    const used = amountCreditedOf(current);
    const left = (current.amountOver ?? 0) - used - overRefunded;
    expect(left).toBeGreaterThanOrEqual(0);
    expect(creditLeftOf(current)).toBe(Math.max(0, left - current.amountReserved));
    const entries = [...paymentBalance(current), ...invoiceBalance(billed)];
    const sumOf = (name: string) =>
      entries.filter(({ account }) => account === name).reduce((sum, { amount }) => sum + amount, 0);
    // The invoices that credit pays take what they use from here.
    expect(sumOf('unapplied') + used).toBe(-left || 0);
    expect(sumOf('refunds')).toBe(all - overRefunded);
    expect(all - overRefunded).toBeLessThanOrEqual(2100);
  }
});
