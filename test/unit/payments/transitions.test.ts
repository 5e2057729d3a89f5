/** Which state of a payment may follow which: every state against every outcome, and what becomes of the money. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ApiError } from '../../../shared/errors.ts';
import type { Invoice } from '../../../shared/invoices/invoice.ts';
import { cancelInvoice, createInvoice, payInvoice } from '../../../shared/invoices/transitions.ts';
import { type Payment, showPayment } from '../../../shared/payments/payment.ts';
import type { Outcome } from '../../../shared/payments/provider.ts';
import {
  abandonedAfterMs,
  assignOwedRefund,
  beginCardPayment,
  endReversal,
  lookAt,
  recordOffline,
  refundable,
  reserveRefund,
  settlePayment,
  settleRefundOf,
} from '../../../shared/payments/transitions.ts';

const now = Date.UTC(2026, 10, 21);
const owner = { account: 'acct_0000000000000000', mode: 'test' } as const;
const place = { ...owner, seq: 7, id: `pay_${'0'.repeat(26)}` };
const card = { brand: 'visa', last4: '4242' } as const;
const details = { amount: undefined, card, request: undefined };

const pendingInvoice: Invoice = createInvoice(
  {
    ...owner,
    seq: 3,
    id: `inv_${'0'.repeat(26)}`,
    dimensions: ['#customer#hash'],
    paymentUrl: 'https://pay.example/inv',
  },
  { customerId: 'cust_1', amount: 2500, currency: 'USD', description: 'Tea' },
  now - 1000,
).record;
const receipt = { paymentId: place.id, method: 'card', card, reference: null } as const;
const begun = beginCardPayment(place, pendingInvoice, details, now);
const pending = begun[0].record;
const bound = begun[1].record;
const invoices: Record<string, Invoice> = {
  pending: bound,
  overdue: { ...bound, status: 'overdue' },
  paid: payInvoice(bound, receipt, now).record,
  cancelled: cancelInvoice(bound, now).record,
};
const later = now + 2000;
const outcomes: Record<Outcome['kind'], Outcome> = {
  done: { kind: 'done' },
  refused: { kind: 'refused', code: 'card_declined' },
  unknown: { kind: 'unknown' },
};
const settle = (payment: Payment, invoice: keyof typeof invoices, kind: Outcome['kind']) =>
  settlePayment(payment, invoices[invoice] as Invoice, outcomes[kind], later);
const completed = settle(pending, 'pending', 'done')[0]?.record as Payment;
const failed = settle(pending, 'pending', 'refused')[0]?.record as Payment;

/** The code with which `decide` refuses. */
function codeOf(decide: () => unknown): string {
  try {
    decide();
    return 'accepted';
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}
const typesOf = (change: { events: readonly { type: string }[] } | undefined) =>
  change?.events.map(({ type }) => type);

describe('a new payment', () => {
  test('received outside is completed, in its lists, and announced before the paid invoice', () => {
    const given = { amount: 2500, reference: 'Slip 17' };
    const [payment, invoice] = recordOffline(place, pendingInvoice, given, now);
    expect(showPayment(payment.record)).toMatchObject({
      ...{ id: place.id, status: 'completed', method: 'offline', reference: 'Slip 17', amount: 2500 },
      ...{ amountRefunded: 0, card: null, createdAt: '2026-11-21T00:00:00.000Z' },
    });
    expect(payment.record.dimensions).toEqual([`#invoice#${pendingInvoice.id}`, '#customer#hash']);
    expect(payment.element).toMatchObject({ resource: 'payment', seq: 7, status: 'completed' });
    expect([typesOf(payment), typesOf(invoice)]).toEqual([['payment.completed'], ['invoice.paid']]);
    expect(payment.timers).toEqual([]);
    expect(invoice.record).toMatchObject({
      status: 'paid',
      receipt: { method: 'offline', reference: 'Slip 17' },
    });
  });

  test('by card is pending, binds the invoice unseen, and is looked at when nobody can be at work any more', () => {
    const [payment, invoice] = begun;
    expect(payment.record).toMatchObject({
      status: 'pending',
      method: 'card',
      card,
      version: 1,
      objectVersion: 1,
    });
    expect(payment.timers).toEqual([lookAt(payment.record, now + abandonedAfterMs)]);
    expect([payment.events, invoice.events, invoice.element]).toEqual([[], [], undefined]);
    expect(invoice.record).toEqual({
      ...{ ...pendingInvoice, version: pendingInvoice.version + 1, paymentInProgress: place.id },
    });
  });

  test.each([
    ['pending', pendingInvoice, 'accepted'],
    ['overdue', { ...pendingInvoice, status: 'overdue' }, 'accepted'],
    ['paid', invoices.paid, 'invoice_already_paid'],
    ['cancelled', invoices.cancelled, 'invoice_already_cancelled'],
    ['pending with a payment in progress', invoices.pending, 'payment_in_progress'],
    ['overdue with a payment in progress', invoices.overdue, 'payment_in_progress'],
  ] as [string, Invoice, string][])('for an invoice that is %s', (_, invoice, code) => {
    const offline = { amount: undefined, reference: null };
    expect(codeOf(() => recordOffline(place, invoice, offline, now))).toBe(code);
    expect(codeOf(() => beginCardPayment(place, invoice, details, now))).toBe(code);
    const wrong = { amount: 2499 };
    expect(codeOf(() => recordOffline(place, invoice, { ...offline, ...wrong }, now))).toBe('invalid_amount');
    expect(codeOf(() => beginCardPayment(place, invoice, { ...details, ...wrong }, now))).toBe(
      'invalid_amount',
    );
  });
});

describe('an outcome', () => {
  test.each(['pending', 'overdue'])(
    'done, of a pending payment of an invoice that is %s: both settled',
    (of) => {
      const [payment, invoice] = settle(pending, of, 'done');
      expect(payment?.record).toEqual({
        ...{
          ...pending,
          status: 'completed',
          version: 2,
          objectVersion: 2,
          updatedAt: later,
          request: undefined,
        },
      });
      expect(invoice?.record).toMatchObject({ status: 'paid', paymentInProgress: undefined, receipt });
      expect([typesOf(payment), typesOf(invoice)]).toEqual([['payment.completed'], ['invoice.paid']]);
    },
  );

  test.each(['cancelled', 'paid'])('done, when the invoice is %s already: all of it is owed back', (of) => {
    const [payment, invoice] = settle(pending, of, 'done');
    expect(payment?.record).toMatchObject({ status: 'completed', owed: 'refund', amountReserved: 2500 });
    expect(payment?.timers).toEqual([{ due: later, kind: 'refund', reference: place.id }]);
    expect([typesOf(payment), invoice?.events ?? []]).toEqual([['payment.completed'], []]);
    expect(invoice?.record.status ?? of).toBe(of);
    expect(invoice?.record.paymentInProgress).toBeUndefined();
    expect(codeOf(() => reserveRefund(payment?.record as Payment, 1))).toBe('refund_exceeds_payment');
  });

  test.each(['pending', 'overdue', 'cancelled'])(
    'refused, of a pending payment of an invoice that is %s',
    (of) => {
      const [payment, invoice] = settle(pending, of, 'refused');
      expect(payment?.record).toMatchObject({
        status: 'failed',
        failureCode: 'card_declined',
        objectVersion: 2,
      });
      expect([typesOf(payment), invoice?.events]).toEqual([['payment.failed'], []]);
      expect(invoice?.record).toMatchObject({ paymentInProgress: undefined, status: of });
    },
  );

  test('refused, when the invoice is bound to another payment: that one keeps it', () => {
    const other = { ...bound, paymentInProgress: 'pay_other' };
    const [payment, invoice] = settlePayment(pending, other, outcomes.refused, later);
    expect([payment?.record.status, invoice]).toEqual(['failed', undefined]);
  });

  test('unknown is noted once, unseen, and asked for again soon; the request is answered with it', () => {
    const asked = { ...pending, request: { keyHash: 'k', fingerprint: 'f' } };
    const [payment, invoice] = settle(asked, 'pending', 'unknown');
    expect([showPayment(payment?.record as Payment), invoice]).toEqual([showPayment(pending), undefined]);
    expect(payment?.record).toMatchObject({ awaited: true, request: undefined, objectVersion: 1 });
    expect(payment?.element).toMatchObject({ status: 'pending' });
    expect([payment?.events, payment?.timers]).toEqual([[], [lookAt(pending, later + 5000)]]);
    expect(settle(payment?.record as Payment, 'pending', 'unknown')).toEqual([undefined, undefined]);
  });

  test('a final payment stays as it is, whatever comes', () => {
    for (const of of Object.keys(invoices)) {
      for (const kind of ['done', 'refused', 'unknown'] as const) {
        expect(settle(completed, of, kind)).toEqual([undefined, undefined]);
        if (kind !== 'done') expect(settle(failed, of, kind)).toEqual([undefined, undefined]);
      }
    }
  });

  test('done, of a payment that has failed: the money goes back at the provider, once, and nothing is shown', () => {
    const [payment, invoice] = settle(failed, 'pending', 'done');
    const owed = payment?.record as Payment;
    expect([owed.owed, invoice, payment?.events]).toEqual(['reversal', undefined, []]);
    expect(payment?.timers).toEqual([lookAt(failed, later)]);
    expect(showPayment(owed)).toEqual(showPayment(failed));
    expect(settle(owed, 'pending', 'done')).toEqual([undefined, undefined]);
    const ended = endReversal(owed)?.record as Payment;
    expect([ended.owed, endReversal(ended), endReversal(completed)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('updatedAt becomes strictly later even if the clock goes back', () => {
    const [payment] = settlePayment(pending, bound, outcomes.done, now - 60_000);
    expect(payment?.record.updatedAt).toBe(now + 1);
  });
});

describe('what is left for refunds', () => {
  test('only of a completed payment', () => {
    expect(codeOf(() => reserveRefund(pending, 1))).toBe('payment_not_refundable');
    expect(codeOf(() => reserveRefund(failed, 1))).toBe('payment_not_refundable');
    expect(codeOf(() => reserveRefund(completed, 2501))).toBe('refund_exceeds_payment');
    expect(codeOf(() => reserveRefund(completed, 2500))).toBe('accepted');
  });

  test('reserving and giving back are not shown; a processed refund is a version of its own', () => {
    const reserved = reserveRefund(completed, 1000).record;
    expect([showPayment(reserved), reserved.objectVersion]).toEqual([showPayment(completed), 2]);
    const free = settleRefundOf(reserved, { amountMinor: 1000, processed: false }, later).record;
    expect([showPayment(free), free.objectVersion, refundable(free)]).toEqual([
      showPayment(completed),
      2,
      2500,
    ]);
    const { record, element, events } = settleRefundOf(
      reserved,
      { amountMinor: 1000, processed: true },
      later,
    );
    expect(record).toMatchObject({ amountRefunded: 1000, amountReserved: 0, objectVersion: 3 });
    expect(record.updatedAt > completed.updatedAt).toBe(true);
    expect([element, events]).toEqual([undefined, []]);
  });

  test('what is owed is assigned once', () => {
    const owed = settle(pending, 'cancelled', 'done')[0]?.record as Payment;
    const assigned = assignOwedRefund(owed)?.record as Payment;
    expect([assigned.owed, assigned.amountReserved]).toEqual([undefined, 2500]);
    expect([assignOwedRefund(assigned), assignOwedRefund(completed)]).toEqual([undefined, undefined]);
  });
});

/** What can happen in the life of a payment; what happens to a refund names one of the open ones by its place. */
interface Step {
  readonly kind: 'outcome' | 'cancel' | 'refund' | 'process' | 'fail' | 'assign';
  readonly outcome?: Outcome['kind'];
  readonly amount?: number;
  readonly which?: number;
}

const step = fc.oneof(
  fc.record({
    kind: fc.constant('outcome'),
    outcome: fc.constantFrom<Outcome['kind']>('done', 'refused', 'unknown'),
  }),
  fc.record({ kind: fc.constantFrom('cancel', 'assign') }),
  fc.record({ kind: fc.constant('refund'), amount: fc.integer({ min: 1, max: 1200 }) }),
  fc.record({ kind: fc.constant('refund'), amount: fc.constantFrom(undefined, 2500, 2501) }),
  fc.record({ kind: fc.constantFrom('process', 'fail'), which: fc.nat(20) }),
) as fc.Arbitrary<Step>;

interface Story {
  readonly payment: Payment;
  readonly invoice: Invoice;
  /** The amounts of the refunds that are pending. */
  readonly open: readonly number[];
}

function follow(story: Story, { kind, outcome = 'done', amount, which = 0 }: Step, at: number): Story {
  const { payment, invoice, open } = story;
  if (kind === 'outcome') {
    const [ofPayment, ofInvoice] = settlePayment(payment, invoice, outcomes[outcome], at);
    return { ...story, payment: ofPayment?.record ?? payment, invoice: ofInvoice?.record ?? invoice };
  }
  if (kind === 'cancel') {
    return invoice.status === 'pending' ? { ...story, invoice: cancelInvoice(invoice, at).record } : story;
  }
  if (kind === 'refund') {
    const wanted = amount ?? refundable(payment);
    const code = codeOf(() => reserveRefund(payment, wanted));
    if (payment.status !== 'completed') expect(code).toBe('payment_not_refundable');
    else
      expect(code).toBe(wanted > 0 && wanted <= refundable(payment) ? 'accepted' : 'refund_exceeds_payment');
    if (code !== 'accepted') return story;
    return { ...story, payment: reserveRefund(payment, wanted).record, open: [...open, wanted] };
  }
  if (kind === 'assign') {
    const assigned = assignOwedRefund(payment);
    return assigned ? { ...story, payment: assigned.record, open: [...open, payment.amount] } : story;
  }
  const place = which % Math.max(1, open.length);
  const amountMinor = open[place];
  if (amountMinor === undefined) return story;
  const settled = settleRefundOf(payment, { amountMinor, processed: kind === 'process' }, at);
  return { ...story, payment: settled.record, open: open.toSpliced(place, 1) };
}

function expectSound({ payment, invoice, open }: Story, { payment: before }: Story): void {
  const { amount, amountRefunded, amountReserved, owed, status } = payment;
  const reserved = open.reduce((sum, part) => sum + part, owed === 'refund' ? amount : 0);
  expect(amountReserved).toBe(reserved);
  expect(amountRefunded).toBeGreaterThanOrEqual(before.amountRefunded);
  expect(amountRefunded + amountReserved).toBeLessThanOrEqual(amount);
  expect(refundable(payment)).toBe(amount - amountRefunded - amountReserved);
  if (status !== 'completed') expect(amountRefunded + amountReserved).toBe(0);
  if (before.status !== 'pending') expect(status).toBe(before.status);
  if (status === 'completed' && invoice.status !== 'paid') expect(invoice.status).toBe('cancelled');
  expect(payment.version - before.version).toBe(payment === before ? 0 : 1);
  const isShownAnew = JSON.stringify(showPayment(payment)) !== JSON.stringify(showPayment(before));
  expect(payment.objectVersion - before.objectVersion).toBe(isShownAnew ? 1 : 0);
}

test('property: whatever happens in whatever order, 0 <= refunded + reserved <= amount', () => {
  let refunds = 0;
  const stories = fc.array(step, { maxLength: 40, size: 'max' });
  fc.assert(
    fc.property(fc.boolean(), stories, (isPaid, steps) => {
      let story: Story = { payment: pending, invoice: bound, open: [] };
      if (isPaid) story = follow(story, { kind: 'outcome' }, now);
      for (const [index, next] of steps.entries()) {
        const before = story;
        story = follow(before, next, now + index);
        expectSound(story, before);
        if (story.payment.amountRefunded > before.payment.amountRefunded) refunds += 1;
      }
    }),
    { numRuns: 300 },
  );
  expect(refunds).toBeGreaterThan(100);
});
