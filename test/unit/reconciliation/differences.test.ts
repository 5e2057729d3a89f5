/**
 * Tests the comparison of records: all states that transitions lead to agree, and every change outside a transition is
 * found.
 */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ApiError } from '../../../shared/base/errors.ts';
import { recordId } from '../../../shared/base/ids.ts';
import type { Invoice } from '../../../shared/domain/invoices/invoice.ts';
import { amountDueOf, paymentsOf } from '../../../shared/domain/invoices/received-money.ts';
import { cancelInvoice, createInvoice, makeOverdue } from '../../../shared/domain/invoices/transitions.ts';
import { invoiceBalance, paymentBalance } from '../../../shared/domain/journal/chart.ts';
import { cancelWithPayments } from '../../../shared/domain/payments/cancel-invoice.ts';
import { acceptPayment } from '../../../shared/domain/payments/checkouts/resolve-payment.ts';
import { creditLeftOf, giveCreditBack, payWithCredit } from '../../../shared/domain/payments/credit.ts';
import { amountCreditedOf, type Payment } from '../../../shared/domain/payments/payment.ts';
import { type RowUse, useRow } from '../../../shared/domain/payments/row-use.ts';
import {
  beginCardPayment,
  recordOffline,
  refundable,
  settlePayment,
} from '../../../shared/domain/payments/transitions.ts';
import { voidAndReissue, voidPayment } from '../../../shared/domain/payments/void-payment.ts';
import type { Refund } from '../../../shared/domain/refunds/refund.ts';
import {
  createCompensatingRefund,
  createRefund,
  settleRefund,
} from '../../../shared/domain/refunds/transitions.ts';
import type { Facts, RecordOf } from '../../../shared/operations/reconciliation/facts.ts';
import { findIndexDifferences } from '../../../shared/operations/reconciliation/index-differences.ts';
import { addTo, type Balances } from '../../../shared/operations/reconciliation/journal-records.ts';
import { findMoneyDifferences } from '../../../shared/operations/reconciliation/money-differences.ts';
import type { Change } from '../../../shared/store/commit/command.ts';
import { precedenceOf } from '../../../shared/store/lists/pages/index-pages.ts';

const owner = { account: 'acct_1', mode: 'test' } as const;
const idKey = new Uint8Array(32);
type Resource = Exclude<
  keyof RecordOf,
  'customer' | 'product' | 'draft' | 'statement' | 'schedule' | 'export'
>;

/** The ids of a page's numbers. */
const idsOf = (resource: Resource) =>
  new Map(
    Array.from({ length: 255 }, (_, low) => [low + 1, recordId(idKey, { ...owner, resource }, low + 1)]),
  );
const ids = { invoice: idsOf('invoice'), payment: idsOf('payment'), refund: idsOf('refund') };

/** An account's records, and the lists that were updated for them. */
class World {
  readonly invoice = new Map<string, Invoice>();
  readonly payment = new Map<string, Payment>();
  readonly refund = new Map<string, Refund>();
  readonly lists: Record<Resource, Map<string, Uint8Array>> = {
    invoice: new Map(),
    payment: new Map(),
    refund: new Map(),
  };
  now = 1_000;

  nextNumber(resource: Resource) {
    const seq = this[resource].size + 1;
    return { ...owner, seq, id: ids[resource].get(seq) ?? '' };
  }

  readonly rowUses = new Map<string, RowUse>();

  /** Writes the changes and updates the lists. */
  commit(...changes: readonly (Change<Invoice> | Change<Payment> | Change<Refund> | undefined)[]): void {
    for (const change of changes) {
      if (!change) continue;
      const { record, indexEntry } = change;
      const resource =
        ({ inv: 'invoice', pay: 'payment', ref: 'refund' } as const)[record.id.slice(0, 3)] ?? 'invoice';
      (this[resource] as Map<string, typeof record>).set(record.id, record);
      for (const list of indexEntry ? ['', ...indexEntry.filterKeys] : []) {
        const page = this.lists[resource].get(list) ?? new Uint8Array(256);
        page[record.seq] = Math.max(page[record.seq] ?? 0, precedenceOf(resource, indexEntry?.status ?? ''));
        this.lists[resource].set(list, page);
      }
    }
  }

  facts(resource: Resource): Facts {
    return {
      ...owner,
      resource,
      readAt: this.now,
      page: 0,
      allocated: this[resource].size,
      ids: ids[resource],
      records: this[resource],
      malformed: new Map(),
      lists: this.lists[resource],
      invoices: this.invoice,
      payments: this.payment,
      refunds: [...this.refund.values()],
      rowUses: this.rowUses,
    };
  }

  differences() {
    return (['invoice', 'payment', 'refund'] as const).flatMap((resource) => {
      const facts = this.facts(resource);
      return [...findIndexDifferences(facts), ...findMoneyDifferences(facts)];
    });
  }
}

interface Step {
  readonly kind: string;
  readonly at: number;
  readonly amount: number;
}

const outcomes = {
  done: { kind: 'done' },
  refused: { kind: 'refused', code: 'card_declined' },
  unknown: { kind: 'unknown' },
} as const;

type Operation = (world: World, invoice: Invoice, payment: Payment, refund: Refund, amount: number) => void;

const settlePaymentBy =
  (outcome: keyof typeof outcomes): Operation =>
  (world, _, payment) => {
    const invoice = world.invoice.get(payment.invoiceId);
    if (invoice) world.commit(...settlePayment(payment, invoice, outcomes[outcome], world.now));
  };
const settleRefundBy =
  (outcome: keyof typeof outcomes): Operation =>
  (world, _, __, refund) => {
    const [payment, invoice] = [world.payment.get(refund.paymentId), world.invoice.get(refund.invoiceId)];
    if (payment && invoice)
      world.commit(...settleRefund(refund, payment, invoice, outcomes[outcome], world.now));
  };

const operations: Record<string, Operation> = {
  cancel: (world, invoice) => world.commit(cancelInvoice(invoice, world.now)),
  overdue: (world, invoice) => world.commit(makeOverdue(invoice, invoice.overdueAt)),
  offline: (world, invoice) =>
    world.commit(
      ...recordOffline(
        world.nextNumber('payment'),
        invoice,
        { amount: undefined, reference: null },
        world.now,
      ),
    ),
  card: (world, invoice) =>
    world.commit(
      ...beginCardPayment(
        world.nextNumber('payment'),
        invoice,
        { amount: undefined, card: { brand: 'visa', last4: '4242' }, pendingRequest: undefined },
        world.now,
      ),
    ),
  'payment done': settlePaymentBy('done'),
  'payment refused': settlePaymentBy('refused'),
  'payment unknown': settlePaymentBy('unknown'),
  refund: (world, _, payment, __, amount) =>
    world.commit(...createRefund(world.nextNumber('refund'), payment, { amount, reason: null }, world.now)),
  'compensating refund': (world, _, payment) =>
    world.commit(...createCompensatingRefund(world.nextNumber('refund'), payment, 0, world.now)),
  'refund done': settleRefundBy('done'),
  'refund refused': settleRefundBy('refused'),
};

/** Operations that keep payments as credit of a customer, and use it. */
const creditOperations: Record<string, Operation> = {
  'cancel for credit': cancelBy('credit'),
  'cancel and refund': cancelBy('refund'),
  'use credit of payment': (world, invoice, payment) =>
    world.commit(
      ...payWithCredit(
        world.nextNumber('payment'),
        invoice,
        payment,
        { amount: undefined, isNamed: true },
        world.now,
      ),
    ),
};

function cancelBy(payments: 'credit' | 'refund'): Operation {
  return (world, invoice) => {
    const own = paymentsOf(invoice).flatMap((id) => world.payment.get(id) ?? []);
    const sources = own.flatMap(({ creditFrom = '' }) => world.payment.get(creditFrom) ?? []);
    const known = [...new Map([...own, ...sources].map((payment) => [payment.id, payment])).values()];
    world.commit(...cancelWithPayments(invoice, known, payments, world.now));
  };
}

/** Operations of invoices that are paid in parts. Not every change of a single amount of theirs is a difference. */
const partOperations: Record<string, Operation> = {
  part: (world, invoice, _, __, amount) =>
    world.commit(
      ...recordOffline(
        world.nextNumber('payment'),
        { ...invoice, acceptPartial: true },
        { amount, reference: null },
        world.now,
      ),
    ),
  void: (world, _, payment) => {
    const invoice = world.invoice.get(payment.invoiceId);
    if (!invoice) return;
    const source = world.payment.get(payment.creditFrom ?? '');
    if (invoice.status !== 'paid') {
      world.commit(...voidPayment(payment, invoice, { reason: 'Wrong' }, world.now));
      if (source) world.commit(giveCreditBack(source, payment.id, world.now));
      return;
    }
    const others = paymentsOf(invoice).flatMap((id) =>
      id === payment.id ? [] : (world.payment.get(id) ?? []),
    );
    const identity = { ...world.nextNumber('invoice'), paymentUrl: '' };
    const plan = { identity, others, reason: 'Wrong', movesReference: false };
    world.commit(...voidAndReissue(payment, invoice, plan, world.now));
    const left = world.payment.get(payment.creditFrom ?? '');
    if (left) world.commit(giveCreditBack(left, payment.id, world.now));
  },
};

function create(world: World, customer: number): void {
  const identity = { ...world.nextNumber('invoice'), filterKeys: [`#customer#${customer}`], paymentUrl: '' };
  const body = { customerId: `c${customer}`, amount: 1_000, currency: 'USD', description: 'x' } as const;
  world.commit(createInvoice(identity, body, world.now));
}

function runStep(world: World, { kind, at, amount }: Step): void {
  world.now += 1;
  const pick = <T>(records: Map<string, T>): T => [...records.values()][at % Math.max(1, records.size)] as T;
  const operation = operations[kind] ?? partOperations[kind] ?? creditOperations[kind];
  if (!operation) {
    create(world, at % 3);
    return;
  }
  const [invoice, payment, refund] = [pick(world.invoice), pick(world.payment), pick(world.refund)];
  if (
    !invoice ||
    (/payment|refund|void/.test(kind) && !payment) ||
    (/refund (done|refused)/.test(kind) && !refund)
  )
    return;
  try {
    operation(world, invoice, payment, refund, amount);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

const step = fc.record({
  kind: fc.constantFrom('create', ...Object.keys(operations)),
  at: fc.nat(4),
  amount: fc.integer({ min: 1, max: 1_000 }),
});
const history = fc.array(step, { minLength: 1, maxLength: 100, size: 'max' });
const stepOfParts = fc.record({
  kind: fc.constantFrom('create', 'part', 'part', 'void', 'void', ...Object.keys(operations)),
  at: fc.nat(4),
  amount: fc.integer({ min: 1, max: 1_000 }),
});
const stepOfCredit = fc.record({
  kind: fc.constantFrom(
    ...['create', 'part', 'part', 'void', 'refund', 'refund done', 'refund refused', 'compensating refund'],
    ...['cancel for credit', 'cancel for credit', 'cancel and refund', 'use credit of payment'],
    ...['use credit of payment', 'use credit of payment', 'offline'],
  ),
  at: fc.nat(9),
  amount: fc.integer({ min: 1, max: 1_000 }),
});
const historyOfCredit = fc.array(stepOfCredit, { minLength: 20, maxLength: 120, size: 'max' });
const historyOfParts = fc.array(stepOfParts, { minLength: 1, maxLength: 100, size: 'max' });

const worldOf = (steps: readonly Step[]) => {
  const world = new World();
  for (const each of steps) runStep(world, each);
  return world;
};

test('the operations of requests and workers never cause a difference', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(history, (steps) => {
      const world = worldOf(steps);
      expect(world.differences()).toEqual([]);
      for (const { status, pendingCompensation } of world.payment.values())
        seen.add(`${status} ${pendingCompensation}`);
      for (const { status } of world.refund.values()) seen.add(status);
    }),
    { numRuns: 300 },
  );
  // The histories contain all possible states.
  expect([...seen].sort()).toEqual(
    [
      'completed refund',
      'completed undefined',
      'failed',
      'failed reversal',
      'failed undefined',
      'pending',
      'pending undefined',
      'processed',
    ].sort(),
  );
});

test('payments of parts and voids of payments, also of paid invoices, never cause a difference', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(historyOfParts, (steps) => {
      const world = worldOf(steps);
      expect(world.differences()).toEqual([]);
      for (const invoice of world.invoice.values()) {
        if (invoice.replaces === undefined) continue;
        seen.add(`replaced with ${Math.min(1, paymentsOf(world.invoice.get(invoice.id) as Invoice).length)}`);
        // A relation that only one of the two names is found.
        world.invoice.set(invoice.id, { ...invoice, replaces: undefined });
        expect(world.differences().map(({ rule }) => rule)).toContain('replacement_differs');
        world.invoice.set(invoice.id, invoice);
      }
    }),
    { numRuns: 300 },
  );
  expect([...seen].sort()).toEqual(['replaced with 0', 'replaced with 1']);
});

/** Histories that have what random ones have only most of the time. */
const usedAndRefunded: Step[] = [
  { kind: 'create', at: 0, amount: 1 },
  { kind: 'part', at: 0, amount: 2 },
  { kind: 'refund', at: 0, amount: 1 },
  { kind: 'cancel for credit', at: 0, amount: 1 },
  { kind: 'create', at: 0, amount: 1 },
  { kind: 'refund done', at: 0, amount: 1 },
  { kind: 'use credit of payment', at: 1, amount: 1 },
];
const givenBack: Step[] = [...usedAndRefunded, { kind: 'cancel and refund', at: 1, amount: 1 }];

test('credit of customers never causes a difference, and no money is used or returned twice', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(historyOfCredit, (steps) => {
      const world = worldOf(steps);
      expect(world.differences()).toEqual([]);
      const payments = [...world.payment.values()];
      const balances: Balances = new Map();
      for (const payment of payments) addTo(balances, paymentBalance(payment));
      for (const invoice of world.invoice.values()) addTo(balances, invoiceBalance(invoice));
      const received = payments.filter(
        ({ status, voidedAt, method }) =>
          status === 'completed' && voidedAt === undefined && method !== 'credit',
      );
      expect(balances.get('received:offline USD') ?? 0).toBe(
        received.reduce((sum, { amount }) => sum + amount, 0),
      );
      // What is unapplied is all that is still to be refunded, or pays another invoice.
      for (const payment of payments) {
        const used = amountCreditedOf(payment);
        expect(used + payment.amountRefunded + payment.amountReserved).toBeLessThanOrEqual(payment.amount);
        expect(creditLeftOf(payment)).toBeLessThanOrEqual(refundable(payment));
        if (payment.creditFrom) seen.add(payment.voidedAt === undefined ? 'used' : 'given back');
        if (used > 0 && payment.amountRefunded > 0) seen.add('used and refunded');
      }
      const owed = [...world.invoice.values()].reduce((sum, invoice) => sum + amountDueOf(invoice), 0);
      expect(balances.get('receivable USD') ?? 0).toBe(owed);
      const user = payments.find(({ creditFrom, voidedAt }) => creditFrom && voidedAt === undefined);
      if (!user) return;
      // A use that only one of the two payments names is found.
      world.payment.set(user.id, { ...user, creditFrom: undefined });
      expect(world.differences().map(({ rule }) => rule)).toContain('credit_differs');
    }),
    { numRuns: 300, examples: [[usedAndRefunded], [givenBack]] },
  );
  expect([...seen].sort()).toEqual(['given back', 'used', 'used and refunded']);
});

test('every number that a list shows wrongly is found: behind its record, ahead of it, or without a record', () => {
  fc.assert(
    fc.property(history, fc.nat(), fc.nat(3), (steps, chosen, precedence) => {
      const world = worldOf(steps);
      const pages = Object.values(world.lists).flatMap((lists) => [...lists.values()]);
      const page = pages[chosen % Math.max(1, pages.length)];
      if (!page) return;
      const seq = (chosen % 40) + 1;
      const before = page[seq] ?? 0;
      page[seq] = precedence;
      const found = world.differences();
      if (precedence === before) expect(found).toEqual([]);
      else expect(found.length).toBeGreaterThan(0);
      for (const { rule, seq: number } of found) {
        expect(number).toBe(seq);
        expect(rule).toMatch(
          precedence < before ? /^index_behind$/ : /^(index_ahead|record_missing|number_not_allocated)$/,
        );
      }
    }),
  );
});

test.each([
  [1_300, false],
  [1_300, true],
  [700, false],
] as const)(
  'a payment of %i that the merchant has accepted for 1,000 agrees, with parts: %p',
  (amount, acceptPartial) => {
    const world = new World();
    create(world, 1);
    const latest = <T>(records: Map<string, T>) => [...records.values()].at(-1) as T;
    operations.card?.(world, latest(world.invoice), latest(world.payment), latest(world.refund), 0);
    const held: Payment = {
      ...latest(world.payment),
      status: 'pending',
      method: 'provider',
      pendingReason: 'amount_differs',
      amount,
    };
    const invoice = { ...latest(world.invoice), ...(acceptPartial && { acceptPartial }) };
    world.commit(...acceptPayment(held, invoice, world.now));
    const accepted = latest(world.payment);
    expect([accepted.status, accepted.amountOver]).toEqual(['completed', Math.max(0, amount - 1_000)]);
    expect(world.differences()).toEqual([]);
    world.payment.set(accepted.id, { ...accepted, amountOver: (accepted.amountOver ?? 0) + 1 });
    // An invoice that lists its payments differs, too.
    expect(world.differences()).toContainEqual(expect.objectContaining({ rule: 'amount_differs' }));
  },
);

test('a voided payment agrees if no invoice counts it and nothing of it was refunded', () => {
  const world = new World();
  create(world, 1);
  const [open] = world.invoice.values();
  const part = (invoice: Invoice) =>
    recordOffline(world.nextNumber('payment'), invoice, { amount: 400, reference: null }, world.now);
  world.commit(...part({ ...(open as Invoice), acceptPartial: true }));
  const [partly] = world.invoice.values();
  const [payment] = world.payment.values();
  if (!partly || !payment) throw new Error('No part was recorded.');
  world.commit(...voidPayment(payment, partly, { reason: 'Wrong' }, world.now));
  expect(world.differences()).toEqual([]);
  const voided = world.payment.get(payment.id) as Payment;
  world.payment.set(payment.id, { ...voided, amountRefunded: 1 });
  expect(world.differences()).toContainEqual(expect.objectContaining({ rule: 'voided_payment_counts' }));
  world.payment.set(payment.id, voided);
  world.invoice.set(partly.id, partly);
  const rules = world.differences().map(({ rule }) => rule);
  expect(rules.sort()).toEqual(['amount_paid_differs', 'voided_payment_counts']);
});

test('a payment agrees with the row of a bank statement that made it, and a row with no voided payment', () => {
  const world = new World();
  create(world, 1);
  const [open] = world.invoice.values();
  const row = { id: 'row_1', statementId: 'st_1', amount: 1_000 };
  const details = { amount: undefined, reference: null, statementRow: row.id };
  world.commit(...recordOffline(world.nextNumber('payment'), open as Invoice, details, world.now));
  const [payment] = world.payment.values();
  const [paid] = world.invoice.values();
  if (!payment || !paid) throw new Error('No payment was recorded.');
  const differs = expect.objectContaining({ rule: 'row_differs', expected: 1_000, found: 0 });
  expect(world.differences()).toEqual([differs]);
  const { id: paymentId, invoiceId, amount } = payment;
  const used = useRow(undefined, owner, row, { paymentId, invoiceId, amount }).record as RowUse;
  world.rowUses.set(row.id, used);
  expect(world.differences()).toEqual([]);
  world.rowUses.set(row.id, { ...used, payments: [{ paymentId, invoiceId, amount: 999 }] });
  expect(world.differences()).toMatchObject([{ rule: 'row_differs', expected: 1_000, found: 999 }]);
  world.rowUses.set(row.id, used);
  world.payment.set(paymentId, { ...payment, voidedAt: world.now });
  expect(world.differences()).toContainEqual(expect.objectContaining({ rule: 'row_differs', expected: 0 }));
});

test('a payment that closes an invoice with a difference agrees if both say what is written off', () => {
  const world = new World();
  create(world, 1);
  const [invoice] = world.invoice.values();
  if (!invoice) throw new Error('There is no invoice.');
  const settle = { writeOff: 100, reason: 'tds' } as const;
  const details = { amount: undefined, reference: null, settle };
  world.commit(...recordOffline(world.nextNumber('payment'), invoice, details, world.now, 10));
  expect(world.differences()).toEqual([]);
  const [payment] = world.payment.values();
  if (!payment) throw new Error('There is no payment.');
  world.payment.set(payment.id, { ...payment, settle: { ...settle, writeOff: 99 } });
  expect(world.differences()).toContainEqual(expect.objectContaining({ rule: 'amount_differs' }));
});

test('a payment at a provider without which the merchant went on agrees for 32 days', () => {
  const world = new World();
  create(world, 1);
  const latest = <T>(records: Map<string, T>) => [...records.values()].at(-1) as T;
  operations.card?.(world, latest(world.invoice), latest(world.payment), latest(world.refund), 0);
  const [invoice, payment] = [latest(world.invoice), latest(world.payment)];
  world.invoice.set(invoice.id, { ...invoice, paymentInProgress: undefined });
  expect(world.differences()).toMatchObject([{ rule: 'payment_in_progress' }]);
  world.payment.set(payment.id, { ...payment, method: 'provider' });
  expect(world.differences()).toEqual([]);
  world.now = payment.createdAt + 33 * 24 * 3_600_000;
  expect(world.differences()).toMatchObject([{ rule: 'payment_in_progress' }]);
});

test('every change of a single amount, status or sum of a payment or refund is found', () => {
  let changed = 0;
  fc.assert(
    fc.property(history, fc.nat(), fc.integer({ min: 1, max: 500 }), (steps, chosen, by) => {
      const world = worldOf(steps);
      const changes: (() => void)[] = [];
      for (const [id, payment] of world.payment) {
        const set = (fields: Partial<Payment>) =>
          changes.push(() => world.payment.set(id, { ...payment, ...fields }));
        if (payment.status !== 'failed') set({ amount: payment.amount + by });
        if (payment.status !== 'failed') set({ currency: 'INR' });
        if (payment.status === 'completed') set({ status: 'pending' });
        set({ amountRefunded: payment.amountRefunded + by });
        set({ amountReserved: payment.amountReserved + by });
      }
      for (const [id, refund] of world.refund) {
        const set = (fields: Partial<Refund>) =>
          changes.push(() => world.refund.set(id, { ...refund, ...fields }));
        set({ currency: 'INR' });
        if (refund.status !== 'failed') set({ amount: refund.amount + by });
        if (refund.status !== 'failed') changes.push(() => world.refund.delete(id));
      }
      const change = changes[chosen % Math.max(1, changes.length)];
      if (!change) return;
      change();
      changed += 1;
      expect(world.differences()).not.toEqual([]);
    }),
    { numRuns: 500 },
  );
  expect(changed).toBeGreaterThan(100);
});
