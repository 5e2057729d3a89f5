/** Tests payments of parts: which amounts an invoice takes, and where each payment goes in random orders of steps. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ApiError } from '../../../shared/base/errors.ts';
import type { Invoice } from '../../../shared/domain/invoices/invoice.ts';
import {
  amountDueOf,
  amountPaidOf,
  amountWrittenOffOf,
  maxParts,
  paymentsOf,
} from '../../../shared/domain/invoices/received-money.ts';
import {
  cancelInvoice,
  contentVersionOf,
  createInvoice,
  isPayable,
  makeOverdue,
  updateInvoice,
} from '../../../shared/domain/invoices/transitions.ts';
import type { Checkout } from '../../../shared/domain/payments/checkouts/checkout.ts';
import {
  acceptPayment,
  isHeld,
  returnPayment,
} from '../../../shared/domain/payments/checkouts/resolve-payment.ts';
import {
  abandonCheckout,
  completeCheckout,
} from '../../../shared/domain/payments/checkouts/settled-changes.ts';
import { openCheckout } from '../../../shared/domain/payments/checkouts/transitions.ts';
import { offersParts, typedAmountOf } from '../../../shared/domain/payments/payable-amount.ts';
import type { Payment } from '../../../shared/domain/payments/payment.ts';
import { receiptOf } from '../../../shared/domain/payments/payment-changes.ts';
import {
  beginCardPayment,
  recordOffline,
  refundable,
  reserveRefund,
  settlePayment,
} from '../../../shared/domain/payments/transitions.ts';
import { maxPaidParts, voidAndReissue, voidPayment } from '../../../shared/domain/payments/void-payment.ts';
import type { Change } from '../../../shared/store/commit/command.ts';

const now = Date.UTC(2026, 10, 21);
const owner = { account: 'acct_0000000000000000', mode: 'test' } as const;
const card = { brand: 'visa', last4: '4242' } as const;
const identityOf = (seq: number) => ({ ...owner, seq, id: `pay_${String(seq).padStart(26, '0')}` });

function newInvoice(amount = 1000, acceptPartial = true): Invoice {
  return createInvoice(
    { ...owner, seq: 3, id: `inv_${'0'.repeat(26)}`, filterKeys: [], paymentUrl: 'https://pay.example/inv' },
    { customerId: 'cust_1', amount, currency: 'USD', description: 'Tea', acceptPartial },
    now - 1000,
  ).record;
}
const offline = (invoice: Invoice, amount: number | undefined, seq = 1, at = now) =>
  recordOffline(identityOf(seq), invoice, { amount, reference: null }, at);

/** The error of `decide`, or undefined. */
function refusalOf(decide: () => unknown): ApiError | undefined {
  try {
    decide();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
const typesOf = (change: { events: readonly { type: string }[] } | undefined) =>
  change?.events.map(({ type }) => type);

describe('a payment of a part', () => {
  test('leaves the rest due, and the last one pays the invoice', () => {
    const [payment, first] = offline(newInvoice(), 400);
    expect(payment.record).toMatchObject({ amount: 400, status: 'completed' });
    expect([typesOf(payment), typesOf(first)]).toEqual([['payment.completed'], ['invoice.updated']]);
    expect(first.indexEntry).toBeUndefined();
    expect(JSON.parse(first.events[0]?.body ?? '').previous).toEqual({ amountPaid: 0, amountDue: 1000 });
    expect([amountPaidOf(first.record), amountDueOf(first.record)]).toEqual([400, 600]);
    const [, last] = offline(first.record, undefined, 2);
    expect([typesOf(last), last.record.status, amountPaidOf(last.record)]).toEqual([
      ['invoice.paid'],
      'paid',
      1000,
    ]);
    expect(last.indexEntry).toMatchObject({ status: 'paid' });
    expect(paymentsOf(last.record)).toEqual([identityOf(1).id, identityOf(2).id]);
  });

  test('keeps the content version, and one payment of all stores no list of payments', () => {
    const invoice = newInvoice();
    const [, part] = offline(invoice, 400);
    expect(contentVersionOf(part.record)).toBe(contentVersionOf(invoice));
    expect(part.record.objectVersion).toBe(invoice.objectVersion + 1);
    const [, whole] = offline(invoice, undefined);
    expect([whole.record.status, whole.record.parts, amountPaidOf(whole.record)]).toEqual([
      'paid',
      undefined,
      1000,
    ]);
  });

  const byCard = (invoice: Invoice, amount: number) =>
    beginCardPayment(identityOf(1), invoice, { amount, card, pendingRequest: undefined }, now);

  test.each<[string, () => unknown, string]>([
    ['above what is due', () => offline(newInvoice(), 1001), 'at most what is due, 1000 ($10.00)'],
    ['above the rest', () => offline(offline(newInvoice(), 400)[1].record, 601, 2), 'due, 600 ($6.00)'],
    ['below the smallest by card', () => byCard(newInvoice(), 99), 'at least 100 ($1.00) and at most 1000'],
    ['that leaves less than the smallest', () => byCard(newInvoice(), 901), 'leave at least 100 ($1.00)'],
    ['without acceptPartial', () => offline(newInvoice(1000, false), 400), 'the amount of the invoice, 1000'],
  ])('%s is refused with the figures', (_, decide, text) => {
    const error = refusalOf(decide);
    expect([error?.code, error?.field]).toEqual(['invalid_amount', 'amount']);
    expect(error?.message).toContain(text);
  });

  test('has a limit, and the last payment takes all that is due', () => {
    let invoice = newInvoice();
    for (let seq = 1; seq < maxParts; seq++) invoice = offline(invoice, 1, seq)[1].record;
    expect(refusalOf(() => offline(invoice, 1, maxParts))?.message).toContain(`at most ${maxParts} payments`);
    expect(offline(invoice, undefined, maxParts)[1].record.status).toBe('paid');
  });
});

test('a payer types all that is due or a part of it, in units of the currency', () => {
  const partly = offline(newInvoice(), 400)[1].record;
  const typed = ['', ' ', '6.00', '6', '4.99', '5.00', '1', '6.01', '5.01', '0.99', '0', '-1', 'x', '1e2'];
  expect(typed.map((text) => typedAmountOf(partly, text))).toEqual([
    600,
    600,
    600,
    600,
    499,
    500,
    100,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(typedAmountOf(newInvoice(1000, false), '4')).toBeUndefined();
  expect([newInvoice(200), newInvoice(199), newInvoice(1000, false)].map(offersParts)).toEqual([
    true,
    false,
    false,
  ]);
});

describe('an invoice that has received a part', () => {
  const partly = offline(newInvoice(), 400)[1].record;

  test('does not change to an amount below it, and is paid by a change to the same amount', () => {
    const error = refusalOf(() => updateInvoice(partly, { amount: 399 }, now));
    expect([error?.code, error?.field]).toEqual(['invalid_amount', 'amount']);
    expect(error?.message).toContain('at least 400 ($4.00)');
    const change = updateInvoice(partly, { amount: 400 }, now);
    expect(typesOf(change)).toEqual(['invoice.updated', 'invoice.paid']);
    expect(change?.record).toMatchObject({ status: 'paid', receipt: { paymentId: identityOf(1).id } });
    expect(change?.indexEntry).toMatchObject({ status: 'paid' });
    expect(updateInvoice(partly, { amount: 401 }, now)?.record.status).toBe('pending');
  });

  test('is cancelled only with a decision about the money', () => {
    const error = refusalOf(() => cancelInvoice(partly, now));
    expect(error?.code).toBe('invoice_partly_paid');
    expect(error?.message).toContain('400 ($4.00)');
    expect(cancelInvoice(partly, now, { payments: 'refund' }).record.status).toBe('cancelled');
  });
});

describe('a voided part', () => {
  const [first, partly] = offline(newInvoice(), 400);
  const [second, both] = offline(partly.record, 250, 2);
  const reason = 'Typed the wrong amount';

  test('keeps its status and counts no longer, and the rest is due again', () => {
    const [voided, invoice] = voidPayment(
      second.record,
      both.record,
      { reason, receipt: receiptOf(first.record) },
      now + 5,
    );
    expect(voided.record).toMatchObject({ status: 'completed', amount: 250, voidReason: reason });
    expect(voided.record.voidedAt).toBe(voided.record.updatedAt);
    expect([typesOf(voided), typesOf(invoice)]).toEqual([['payment.voided'], ['invoice.updated']]);
    expect([voided.indexEntry, invoice.indexEntry, invoice.issuesDocuments]).toEqual([]);
    expect(JSON.parse(invoice.events[0]?.body ?? '').previous).toEqual({ amountPaid: 650, amountDue: 350 });
    expect([amountPaidOf(invoice.record), amountDueOf(invoice.record)]).toEqual([400, 600]);
    expect(invoice.record.receipt).toEqual(receiptOf(first.record));
    expect(contentVersionOf(invoice.record)).toBe(contentVersionOf(both.record));
    expect(refundable(voided.record)).toBe(0);
  });

  test('leaves the receipt of a later one, and the last one leaves an invoice that one payment can pay', () => {
    const [, invoice] = voidPayment(first.record, both.record, { reason }, now + 5);
    expect(invoice.record.receipt).toEqual(receiptOf(second.record));
    const [, none] = voidPayment(second.record, invoice.record, { reason }, now + 6);
    expect([none.record.parts, none.record.receipt, amountDueOf(none.record)]).toEqual([
      undefined,
      undefined,
      1000,
    ]);
    const [, paid] = offline(none.record, undefined, 3);
    expect([paid.record.status, paid.record.parts]).toEqual(['paid', undefined]);
  });

  const voidOf = (payment: Payment, invoice: Invoice) => () => voidPayment(payment, invoice, { reason }, now);
  const [byCard, bound] = beginCardPayment(
    identityOf(3),
    both.record,
    { amount: 100, card, pendingRequest: undefined },
    now,
  );
  const [charged, counted] = settlePayment(byCard.record, bound.record, { kind: 'done' }, now);
  const cancelled = cancelInvoice(both.record, now, { payments: 'refund' }).record;
  const [voided, without] = voidOf(second.record, both.record)();

  test.each<[string, () => unknown, string]>([
    ['twice', voidOf(voided.record, without.record), 'voided already'],
    ['by card', voidOf(charged?.record as Payment, counted?.record as Invoice), 'received outside Remit'],
    ['with a refund', voidOf(reserveRefund(second.record, 10).record, both.record), 'has refunds'],
    ['of a cancelled invoice', voidOf(first.record, cancelled), 'is cancelled'],
  ])('cannot be voided %s', (_, decide, text) => {
    const error = refusalOf(decide);
    expect(error?.code).toBe('payment_not_voidable');
    expect(error?.message).toContain(text);
  });

  test('cannot be refunded', () => {
    expect(refusalOf(() => reserveRefund(voided.record, 1))?.code).toBe('payment_not_refundable');
  });
});

describe('the void of a payment of a paid invoice', () => {
  const reason = 'Typed twice';
  const [first, partly] = offline(newInvoice(), 400);
  const [last, paid] = offline({ ...partly.record, reference: 'PO 7', isDocumented: true }, undefined, 2);
  const identity = { ...owner, seq: 4, id: `inv_${'4'.repeat(26)}`, paymentUrl: 'https://pay.example/4' };
  const reissue = (payment: Payment, invoice: Invoice, others: readonly Payment[]) =>
    voidAndReissue(payment, invoice, { identity, others, reason, movesReference: true }, now + 5);

  test('credits it, and issues another one with the other payments', () => {
    const [voided, credited, issued, moved] = reissue(last.record, paid.record, [first.record]);
    expect(voided.record).toMatchObject({
      status: 'completed',
      voidReason: reason,
      invoiceId: paid.record.id,
    });
    expect([voided.issuesDocuments, credited.issuesDocuments]).toEqual([true, undefined]);
    expect([voided, credited, issued, moved].map(typesOf)).toEqual([
      ['payment.voided'],
      ['invoice.updated'],
      ['invoice.created'],
      ['payment.updated'],
    ]);
    expect(JSON.parse(credited.events[0]?.body ?? '').previous).toEqual({
      amountPaid: 1000,
      replacedBy: null,
      reference: 'PO 7',
    });
    expect(credited.record).toMatchObject({ status: 'paid', replacedBy: identity.id });
    expect([
      amountPaidOf(credited.record),
      amountDueOf(credited.record),
      paymentsOf(credited.record),
    ]).toEqual([0, 0, []]);
    expect(issued.record).toMatchObject({
      ...{ status: 'pending', amount: 1000, description: 'Tea', dueDate: paid.record.dueDate },
      ...{ reference: 'PO 7', replaces: paid.record.id, receipt: receiptOf(first.record), version: 1 },
    });
    expect([amountPaidOf(issued.record), amountDueOf(issued.record)]).toEqual([400, 600]);
    expect(moved?.record).toMatchObject({ invoiceId: identity.id, status: 'completed', amountRefunded: 0 });
    expect(moved?.record.filterKeys).toEqual([`#invoice#${paid.record.id}`, `#invoice#${identity.id}`]);
    const [rest, again] = offline(issued.record, undefined, 5);
    expect([again.record.status, amountPaidOf(again.record)]).toEqual(['paid', 1000]);
    const [, , third] = reissue(moved?.record as Payment, again.record, [rest.record]);
    expect([amountDueOf(third.record), paymentsOf(third.record)]).toEqual([400, [rest.record.id]]);
  });

  test('of the only payment leaves an invoice that one payment can pay, and that is overdue a day later', () => {
    const [all, whole] = offline({ ...newInvoice(), dueDate: '2026-01-01T00:00:00.000Z' }, undefined, 3);
    const [, , issued] = reissue(all.record, whole.record, []);
    expect(issued.record).toMatchObject({ status: 'pending', dueDate: '2026-01-01T00:00:00.000Z' });
    expect(issued.record.overdueAt).toBe(now + 5 + 24 * 3_600_000);
    expect(issued.timers).toMatchObject([{ kind: 'overdue', due: issued.record.overdueAt }]);
    expect([issued.record.parts, issued.record.receipt]).toEqual([undefined, undefined]);
  });

  test.each<[string, () => unknown, string]>([
    [
      'another payment has refunds',
      () => reissue(last.record, paid.record, [reserveRefund(first.record, 1).record]),
      'create another invoice',
    ],
    [
      'the invoice has too many payments',
      () => {
        const others = Array(maxPaidParts).fill({ paymentId: 'pay_0', amount: 1 });
        const parts = [...(paid.record.parts ?? []), ...others];
        return reissue(last.record, { ...paid.record, parts }, []);
      },
      `more than ${maxPaidParts} payments`,
    ],
    [
      'it has refunds',
      () => reissue(reserveRefund(last.record, 1).record, paid.record, [first.record]),
      'has refunds',
    ],
    [
      'another void was first',
      () => {
        const [, credited, , moved] = reissue(last.record, paid.record, [first.record]);
        return reissue(moved?.record as Payment, credited.record, []);
      },
      'have just changed',
    ],
  ])('is refused if %s', (_, decide, text) => {
    const error = refusalOf(decide);
    expect(error?.code).toBe('payment_not_voidable');
    expect(error?.message).toContain(text);
  });
});

interface World {
  /** The one that the payer's link leads to. */
  invoice: Invoice;
  /** It, and those that were replaced before. */
  readonly invoices: Map<string, Invoice>;
  readonly payments: Map<string, Payment>;
  readonly checkouts: Checkout[];
  seq: number;
  at: number;
}

const step = fc.oneof(
  fc.record({ kind: fc.constant('offline' as const), amount: fc.integer({ min: 1, max: 700 }) }),
  fc.record({
    kind: fc.constant('card' as const),
    amount: fc.integer({ min: 100, max: 700 }),
    ok: fc.boolean(),
  }),
  fc.record({ kind: fc.constantFrom('open' as const, 'void' as const, 'rest' as const, 'overdue' as const) }),
  fc.record({ kind: fc.constant('money' as const), index: fc.nat(5), over: fc.constantFrom(0, 0, 0, 5, -5) }),
  fc.record({ kind: fc.constant('resolve' as const), index: fc.nat(5), accepts: fc.boolean() }),
  fc.record({ kind: fc.constant('amount' as const), amount: fc.integer({ min: 1, max: 1500 }) }),
  fc.record({ kind: fc.constant('partial' as const), on: fc.boolean() }),
  fc.record({ kind: fc.constant('cancel' as const) }),
  fc.record({ kind: fc.constant('withdraw' as const), index: fc.nat(5) }),
  fc.record({ kind: fc.constant('settle' as const), writeOff: fc.integer({ min: 1, max: 400 }) }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Takes a step, and applies its changes. */
function take(world: World, next: Step): void {
  const { invoice, at, payments, checkouts } = world;
  const keep = (...changes: readonly (Change<Invoice | Payment | Checkout> | undefined)[]) => {
    for (const change of changes) {
      if (!change) continue;
      const { record } = change;
      if (record.id.startsWith('inv_')) {
        const changed = record as Invoice;
        world.invoices.set(record.id, changed);
        const isCurrent = record.id === world.invoice.id || changed.replaces === world.invoice.id;
        if (isCurrent) world.invoice = changed;
      } else if (record.id.startsWith('pay_')) payments.set(record.id, record as Payment);
      else checkouts[checkouts.findIndex(({ id }) => id === record.id)] = record as Checkout;
    }
  };
  const identity = identityOf(++world.seq);
  switch (next.kind) {
    case 'offline':
      keep(...offline(invoice, next.amount, world.seq, at));
      return;
    case 'rest':
      keep(...offline(invoice, undefined, world.seq, at));
      return;
    case 'card': {
      const details = { amount: next.amount, card, pendingRequest: undefined };
      const [begun, bound] = beginCardPayment(identity, invoice, details, at);
      const outcome = next.ok
        ? ({ kind: 'done' } as const)
        : ({ kind: 'refused', code: 'card_declined' } as const);
      keep(begun, bound, ...settlePayment(begun.record, bound.record, outcome, at));
      return;
    }
    case 'open': {
      const id = `co_${String(checkouts.length).padStart(26, '0')}`;
      const [opened, bound] = openCheckout({ ...owner, id, provider: 'stripe', returnUrl: 'u' }, invoice, at);
      checkouts.push(opened.record);
      keep(bound);
      return;
    }
    case 'void': {
      const open = checkouts.find(({ id }) => id === invoice.openCheckout);
      if (!open || open.paymentId !== undefined) return;
      const [, released, ended] = abandonCheckout(open, invoice, 'voided', undefined, at);
      keep(released, ended);
      return;
    }
    case 'money': {
      const paid = checkouts[next.index];
      if (!paid || paid.status === 'completed' || paid.paymentId !== undefined) return;
      const money = {
        card: null,
        reference: paid.id,
        amountMinor: paid.amount + next.over,
        refundedMinor: 0,
        fees: undefined,
      };
      if (money.amountMinor < 1) return;
      const of = world.invoices.get(paid.invoiceId) as Invoice;
      const target = { checkout: paid, invoice: of, payment: { identity } };
      const [payment, changed, ended] = completeCheckout(target, money, undefined, at);
      keep(payment, changed, ended);
      return;
    }
    case 'resolve': {
      const held = [...payments.values()].filter(isHeld)[next.index];
      if (!held) return;
      const of = world.invoices.get(held.invoiceId) as Invoice;
      keep(...(next.accepts ? acceptPayment : returnPayment)(held, of, at));
      return;
    }
    case 'settle': {
      const details = {
        amount: undefined,
        reference: null,
        settle: { writeOff: next.writeOff, reason: 'tds' },
      } as const;
      keep(...recordOffline(identity, invoice, details, at, 30));
      return;
    }
    case 'withdraw': {
      const wrong = [...payments.values()][next.index];
      if (!wrong) return;
      const of = world.invoices.get(wrong.invoiceId) as Invoice;
      if (of.status !== 'paid') keep(...voidPayment(wrong, of, { reason: 'Wrong' }, at));
      else {
        const id = `inv_${String(world.seq).padStart(26, '0')}`;
        const replacement = { ...owner, seq: world.seq, id, paymentUrl: id };
        const others = paymentsOf(of).filter((other) => other !== wrong.id);
        const present = others.map((other) => payments.get(other) as Payment);
        const plan = { identity: replacement, others: present, reason: 'Wrong', movesReference: false };
        keep(...voidAndReissue(wrong, of, plan, at));
      }
      return;
    }
    case 'amount':
      keep(updateInvoice(invoice, { amount: next.amount }, at));
      return;
    case 'partial':
      keep(updateInvoice(invoice, { acceptPartial: next.on }, at));
      return;
    case 'overdue':
      keep(makeOverdue({ ...invoice, overdueAt: at - 1 }, at));
      return;
    case 'cancel':
      keep(cancelInvoice(invoice, at));
      return;
  }
}

/** Each payment counts, or its money goes back. What counts comes to what the invoice says. */
function expectSound({ invoice, invoices, payments }: World, before: Invoice): void {
  const stages = { pending: 0, overdue: 1, paid: 2, cancelled: 2 };
  if (invoice.id !== before.id) expect([before.status, invoice.status]).toEqual(['paid', 'pending']);
  else if (invoice.status !== before.status)
    expect(stages[invoice.status]).toBeGreaterThan(stages[before.status]);
  const counted = paymentsOf(invoice);
  expect(new Set(counted).size).toBe(counted.length);
  let sum = 0;
  for (const payment of payments.values()) {
    if (payment.status !== 'completed') continue;
    if (payment.voidedAt !== undefined) expect(counted).not.toContain(payment.id);
    else if (counted.includes(payment.id)) expect(payment.invoiceId).toBe(invoice.id);
    if (payment.voidedAt !== undefined) continue;
    if (counted.includes(payment.id)) sum += payment.amount - (payment.amountOver ?? 0);
    else expect([payment.pendingCompensation, refundable(payment)]).toEqual(['refund', 0]);
  }
  expect(amountPaidOf(invoice)).toBe(sum);
  for (const other of invoices.values())
    if (other.id !== invoice.id) expect([other.status, amountPaidOf(other)]).toEqual(['paid', 0]);
  const settled = sum + amountWrittenOffOf(invoice);
  expect(settled).toBeLessThanOrEqual(invoice.amount);
  if (invoice.status !== 'cancelled') expect(invoice.status === 'paid').toBe(settled === invoice.amount);
  expect(amountDueOf(invoice)).toBe(isPayable(invoice) ? invoice.amount - settled : 0);
}

test('property: in every order of steps each payment counts or goes back, and the invoice is paid exactly when nothing is due', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(fc.boolean(), fc.array(step, { maxLength: 25, size: 'max' }), (partial, steps) => {
      const first = newInvoice(1000, partial);
      const world: World = {
        invoice: first,
        invoices: new Map([[first.id, first]]),
        payments: new Map(),
        checkouts: [],
        seq: 0,
        at: now,
      };
      for (const next of steps) {
        world.at += 1000;
        const before = world.invoice;
        const error = refusalOf(() => take(world, next));
        if (error) expect(world.invoice).toBe(before);
        seen.add(`${next.kind} ${error?.code ?? (world.invoice.id === before.id ? 'done' : 'replaced')}`);
        seen.add(`${world.invoice.status} with ${Math.min(3, (world.invoice.parts ?? []).length)}`);
        expectSound(world, before);
      }
    }),
    { numRuns: 600 },
  );
  for (const each of [
    'offline done',
    'card done',
    'money done',
    'resolve done',
    'withdraw done',
    'withdraw replaced',
    'amount invalid_amount',
  ])
    expect(seen).toContain(each);
  for (const each of ['paid with 0', 'paid with 3', 'pending with 2', 'overdue with 1', 'cancelled with 0'])
    expect(seen).toContain(each);
});
