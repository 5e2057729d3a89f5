/** Tests which payment states may follow which: every state against every outcome, and what happens to the money. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ApiError } from '../../../shared/base/errors.ts';
import type { Invoice } from '../../../shared/domain/invoices/invoice.ts';
import { cancelInvoice, createInvoice, payInvoice } from '../../../shared/domain/invoices/transitions.ts';
import { type Payment, showPayment } from '../../../shared/domain/payments/payment.ts';
import type { ProviderOutcome } from '../../../shared/domain/payments/provider/provider.ts';
import {
  abandonedAfterMs,
  applyRefundOutcome,
  assignCompensationRefund,
  beginCardPayment,
  completeCompensation,
  pollTimer,
  recordOffline,
  refundable,
  requireBegun,
  reserveRefund,
  settlePayment,
} from '../../../shared/domain/payments/transitions.ts';

const now = Date.UTC(2026, 10, 21);
const owner = { account: 'acct_0000000000000000', mode: 'test' } as const;
const identity = { ...owner, seq: 7, id: `pay_${'0'.repeat(26)}` };
const card = { brand: 'visa', last4: '4242' } as const;
const details = { amount: undefined, card, pendingRequest: undefined };

const pendingInvoice: Invoice = createInvoice(
  {
    ...owner,
    seq: 3,
    id: `inv_${'0'.repeat(26)}`,
    filterKeys: ['#customer#hash'],
    paymentUrl: 'https://pay.example/inv',
  },
  { customerId: 'cust_1', amount: 2500, currency: 'USD', description: 'Tea' },
  now - 1000,
).record;
const receipt = { paymentId: identity.id, method: 'card', card, reference: null } as const;
const begun = beginCardPayment(identity, pendingInvoice, details, now);
const pending = begun[0].record;
const bound = begun[1].record;
const invoices: Record<string, Invoice> = {
  pending: bound,
  overdue: { ...bound, status: 'overdue' },
  paid: payInvoice(bound, receipt, now).record,
  cancelled: cancelInvoice(bound, now).record,
};
const later = now + 2000;
const outcomes: Record<ProviderOutcome['kind'], ProviderOutcome> = {
  done: { kind: 'done' },
  refused: { kind: 'refused', code: 'card_declined' },
  unknown: { kind: 'unknown' },
};
const settle = (payment: Payment, invoice: keyof typeof invoices, kind: ProviderOutcome['kind']) =>
  settlePayment(payment, invoices[invoice] as Invoice, outcomes[kind], later);
const completed = settle(pending, 'pending', 'done')[0]?.record as Payment;
const failed = settle(pending, 'pending', 'refused')[0]?.record as Payment;

/** The error code that `decide` throws, or `accepted`. */
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
  test('received offline is completed, is in its lists, and emits its event before that of the paid invoice', () => {
    const given = { amount: 2500, reference: 'Slip 17' };
    const [payment, invoice] = recordOffline(identity, pendingInvoice, given, now);
    expect(showPayment(payment.record)).toMatchObject({
      id: identity.id,
      status: 'completed',
      method: 'offline',
      reference: 'Slip 17',
      amount: 2500,
      amountRefunded: 0,
      card: null,
      createdAt: '2026-11-21T00:00:00.000Z',
    });
    expect(payment.record.filterKeys).toEqual([`#invoice#${pendingInvoice.id}`, '#customer#hash']);
    expect(payment.indexEntry).toMatchObject({ resource: 'payment', seq: 7, status: 'completed' });
    expect([typesOf(payment), typesOf(invoice)]).toEqual([['payment.completed'], ['invoice.paid']]);
    expect(payment.timers).toEqual([]);
    expect(invoice.record).toMatchObject({
      status: 'paid',
      receipt: { method: 'offline', reference: 'Slip 17' },
    });
  });

  test('by card is pending, binds the invoice without an event, and is polled when no request can be working on it', () => {
    const [payment, invoice] = begun;
    expect(payment.record).toMatchObject({
      status: 'pending',
      method: 'card',
      card,
      version: 1,
      objectVersion: 1,
    });
    expect(payment.timers).toEqual([pollTimer(payment.record, now + abandonedAfterMs)]);
    expect([payment.events, invoice.events, invoice.indexEntry]).toEqual([[], [], undefined]);
    expect(invoice.record).toEqual({
      ...pendingInvoice,
      version: pendingInvoice.version + 1,
      paymentInProgress: identity.id,
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
    expect(codeOf(() => recordOffline(identity, invoice, offline, now))).toBe(code);
    expect(codeOf(() => beginCardPayment(identity, invoice, details, now))).toBe(code);
    const wrong = { amount: 2499 };
    // A paid invoice takes any amount with acceptOver.
    expect(codeOf(() => recordOffline(identity, invoice, { ...offline, ...wrong }, now))).toBe(
      invoice.status === 'paid' ? code : 'invalid_amount',
    );
    expect(codeOf(() => beginCardPayment(identity, invoice, { ...details, ...wrong }, now))).toBe(
      'invalid_amount',
    );
  });
});

test.each([
  // It is 29 November everywhere east of UTC-11, and the day before there.
  ['Pacific/Pago_Pago', '2026-11-28', true],
  ['Pacific/Pago_Pago', '2026-11-29', false],
  ['Asia/Thimphu', '2026-11-29', true],
  ['Asia/Thimphu', '2026-11-30', false],
  ['Pacific/Kiritimati', '2026-11-30', true],
  [undefined, '2026-11-30', true],
  [undefined, '2026-12-01', false],
])('in the time zone %s, money can have been received on %s: %j', (timeZone, day, isPossible) => {
  const check = () => requireBegun(day, Date.parse('2026-11-29T10:30:00Z'), timeZone);
  expect(codeOf(check)).toBe(isPossible ? 'accepted' : 'invalid_received_on');
});

describe('an outcome', () => {
  test.each(['pending', 'overdue'])(
    'done, for a pending payment of an invoice that is %s: completes the payment and pays the invoice',
    (invoiceStatus) => {
      const [payment, invoice] = settle(pending, invoiceStatus, 'done');
      expect(payment?.record).toEqual({
        ...pending,
        status: 'completed',
        version: 2,
        objectVersion: 2,
        receivedAt: later,
        updatedAt: later,
      });
      expect(invoice?.record).toMatchObject({ status: 'paid', paymentInProgress: undefined, receipt });
      expect([typesOf(payment), typesOf(invoice)]).toEqual([['payment.completed'], ['invoice.paid']]);
    },
  );

  test.each(['cancelled', 'paid'])(
    'done, when the invoice is already %s: the whole amount must be refunded',
    (invoiceStatus) => {
      const [payment, invoice] = settle(pending, invoiceStatus, 'done');
      expect(payment?.record).toMatchObject({
        status: 'completed',
        pendingCompensation: 'refund',
        amountReserved: 2500,
      });
      expect(payment?.timers).toEqual([{ due: later, kind: 'refund', reference: identity.id }]);
      expect([typesOf(payment), invoice?.events ?? []]).toEqual([['payment.completed'], []]);
      expect(invoice?.record.status ?? invoiceStatus).toBe(invoiceStatus);
      expect(invoice?.record.paymentInProgress).toBeUndefined();
      expect(codeOf(() => reserveRefund(payment?.record as Payment, 1))).toBe('refund_exceeds_payment');
    },
  );

  test.each(['pending', 'overdue', 'cancelled'])(
    'refused, for a pending payment of an invoice that is %s',
    (invoiceStatus) => {
      const [payment, invoice] = settle(pending, invoiceStatus, 'refused');
      expect(payment?.record).toMatchObject({
        status: 'failed',
        failureCode: 'card_declined',
        objectVersion: 2,
      });
      expect([typesOf(payment), invoice?.events]).toEqual([['payment.failed'], []]);
      expect(invoice?.record).toMatchObject({ paymentInProgress: undefined, status: invoiceStatus });
    },
  );

  test('done or refused: no request is pending any more', () => {
    const withRequest = { ...pending, pendingRequest: { keyHash: 'k', fingerprint: 'f', status: 201 } };
    for (const kind of ['done', 'refused'] as const) {
      for (const invoiceStatus of Object.keys(invoices)) {
        const [payment] = settle(withRequest, invoiceStatus, kind);
        expect(payment?.record.pendingRequest).toBeUndefined();
        const added = Object.keys(payment?.record ?? {}).filter((name) => !(name in withRequest));
        expect(added).toEqual([
          ...(payment?.record.pendingCompensation ? ['pendingCompensation'] : []),
          ...(kind === 'done' ? ['receivedAt'] : []),
        ]);
      }
    }
  });

  test('refused, when the invoice is bound to another payment: that payment stays bound', () => {
    const other = { ...bound, paymentInProgress: 'pay_other' };
    const [payment, invoice] = settlePayment(pending, other, outcomes.refused, later);
    expect([payment?.record.status, invoice]).toEqual(['failed', undefined]);
  });

  test('unknown: answers the request, starts polling once, and changes nothing that the API shows', () => {
    const withRequest = { ...pending, pendingRequest: { keyHash: 'k', fingerprint: 'f', status: 201 } };
    const [payment, invoice] = settle(withRequest, 'pending', 'unknown');
    expect([showPayment(payment?.record as Payment), invoice]).toEqual([showPayment(pending), undefined]);
    expect(payment?.record).toMatchObject({ isPolled: true, pendingRequest: undefined, objectVersion: 1 });
    expect(payment?.indexEntry).toMatchObject({ status: 'pending' });
    expect([payment?.events, payment?.timers]).toEqual([[], [pollTimer(pending, later + 5000)]]);
    expect(settle(payment?.record as Payment, 'pending', 'unknown')).toEqual([undefined, undefined]);
  });

  test('does not change a payment that is final', () => {
    for (const invoiceStatus of Object.keys(invoices)) {
      for (const kind of ['done', 'refused', 'unknown'] as const) {
        expect(settle(completed, invoiceStatus, kind)).toEqual([undefined, undefined]);
        if (kind !== 'done') expect(settle(failed, invoiceStatus, kind)).toEqual([undefined, undefined]);
      }
    }
  });

  test('done, for a payment that has failed: reverses the capture once, and shows nothing of it', () => {
    const [payment, invoice] = settle(failed, 'pending', 'done');
    const uncompensated = payment?.record as Payment;
    expect([uncompensated.pendingCompensation, invoice, payment?.events]).toEqual([
      'reversal',
      undefined,
      [],
    ]);
    expect(payment?.timers).toEqual([pollTimer(failed, later)]);
    expect(showPayment(uncompensated)).toEqual(showPayment(failed));
    expect(settle(uncompensated, 'pending', 'done')).toEqual([undefined, undefined]);
    const compensated = completeCompensation(uncompensated)?.record as Payment;
    expect(compensated.pendingCompensation).toBeUndefined();
    expect([completeCompensation(compensated), completeCompensation(completed)]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('makes updatedAt strictly later even if the clock went back', () => {
    const [payment] = settlePayment(pending, bound, outcomes.done, now - 60_000);
    expect(payment?.record.updatedAt).toBe(now + 1);
  });
});

describe('the refundable amount', () => {
  test('can be reserved for completed payments only', () => {
    expect(codeOf(() => reserveRefund(pending, 1))).toBe('payment_not_refundable');
    expect(codeOf(() => reserveRefund(failed, 1))).toBe('payment_not_refundable');
    expect(codeOf(() => reserveRefund(completed, 2501))).toBe('refund_exceeds_payment');
    expect(codeOf(() => reserveRefund(completed, 2500))).toBe('accepted');
  });

  test('is reserved and released by internal changes; a processed refund makes a new object version', () => {
    const reserved = reserveRefund(completed, 1000).record;
    expect([showPayment(reserved), reserved.objectVersion]).toEqual([showPayment(completed), 2]);
    const released = applyRefundOutcome(reserved, 1000, undefined, later).record;
    expect([showPayment(released), released.objectVersion, refundable(released)]).toEqual([
      showPayment(completed),
      2,
      2500,
    ]);
    const { record, indexEntry, events } = applyRefundOutcome(
      reserved,
      1000,
      { amountMinor: 1000, overMinor: 0 },
      later,
    );
    expect(record).toMatchObject({ amountRefunded: 1000, amountReserved: 0, objectVersion: 3 });
    expect(record.updatedAt > completed.updatedAt).toBe(true);
    expect([indexEntry, events]).toEqual([undefined, []]);
  });

  test('goes to one compensation refund only', () => {
    const uncompensated = settle(pending, 'cancelled', 'done')[0]?.record as Payment;
    const assigned = assignCompensationRefund(uncompensated, 0)?.record as Payment;
    expect([assigned.pendingCompensation, assigned.amountReserved]).toEqual([undefined, 2500]);
    expect([assignCompensationRefund(assigned, 0), assignCompensationRefund(completed, 0)]).toEqual([
      undefined,
      undefined,
    ]);
  });
});

/** A step in the life of a payment. `which` selects one of the pending refunds by its position. */
interface Step {
  readonly kind: 'outcome' | 'cancel' | 'refund' | 'process' | 'fail' | 'assign';
  readonly outcome?: ProviderOutcome['kind'];
  readonly amount?: number;
  readonly which?: number;
}

const step = fc.oneof(
  fc.record({
    kind: fc.constant('outcome'),
    outcome: fc.constantFrom<ProviderOutcome['kind']>('done', 'refused', 'unknown'),
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
  readonly pendingRefunds: readonly number[];
}

function follow(story: Story, { kind, outcome = 'done', amount, which = 0 }: Step, at: number): Story {
  const { payment, invoice, pendingRefunds } = story;
  if (kind === 'outcome') {
    const [paymentChange, invoiceChange] = settlePayment(payment, invoice, outcomes[outcome], at);
    return {
      ...story,
      payment: paymentChange?.record ?? payment,
      invoice: invoiceChange?.record ?? invoice,
    };
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
    return {
      ...story,
      payment: reserveRefund(payment, wanted).record,
      pendingRefunds: [...pendingRefunds, wanted],
    };
  }
  if (kind === 'assign') {
    const assigned = assignCompensationRefund(payment, 0);
    return assigned
      ? { ...story, payment: assigned.record, pendingRefunds: [...pendingRefunds, payment.amount] }
      : story;
  }
  const position = which % Math.max(1, pendingRefunds.length);
  const amountMinor = pendingRefunds[position];
  if (amountMinor === undefined) return story;
  const settled = applyRefundOutcome(
    payment,
    amountMinor,
    kind === 'process' ? { amountMinor, overMinor: 0 } : undefined,
    at,
  );
  return { ...story, payment: settled.record, pendingRefunds: pendingRefunds.toSpliced(position, 1) };
}

function expectSound({ payment, invoice, pendingRefunds }: Story, { payment: before }: Story): void {
  const { amount, amountRefunded, amountReserved, pendingCompensation, status } = payment;
  const compensation = pendingCompensation === 'refund' ? amount : 0;
  const reserved = pendingRefunds.reduce((sum, part) => sum + part, compensation);
  expect(amountReserved).toBe(reserved);
  expect(amountRefunded).toBeGreaterThanOrEqual(before.amountRefunded);
  expect(amountRefunded + amountReserved).toBeLessThanOrEqual(amount);
  expect(refundable(payment)).toBe(amount - amountRefunded - amountReserved);
  if (status !== 'completed') expect(amountRefunded + amountReserved).toBe(0);
  if (before.status !== 'pending') expect(status).toBe(before.status);
  if (status === 'completed' && invoice.status !== 'paid') expect(invoice.status).toBe('cancelled');
  expect(payment.version - before.version).toBe(payment === before ? 0 : 1);
  const isVisibleChange = JSON.stringify(showPayment(payment)) !== JSON.stringify(showPayment(before));
  expect(payment.objectVersion - before.objectVersion).toBe(isVisibleChange ? 1 : 0);
}

test('property: in any order of steps, 0 <= refunded + reserved <= amount', () => {
  let refunds = 0;
  const stories = fc.array(step, { maxLength: 40, size: 'max' });
  fc.assert(
    fc.property(fc.boolean(), stories, (isPaid, steps) => {
      let story: Story = { payment: pending, invoice: bound, pendingRefunds: [] };
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
