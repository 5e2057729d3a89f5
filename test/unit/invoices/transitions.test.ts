/**
 * Tests which invoice states may follow which: every transition in every state, and the version, event, index entry and
 * timer of each change.
 */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ApiError } from '../../../shared/base/errors.ts';
import { statuses } from '../../../shared/base/statuses.ts';
import { toTimestamp } from '../../../shared/base/time.ts';
import { changedValues } from '../../../shared/domain/events/event.ts';
import type { CreateInvoice, Invoice, UpdateInvoice } from '../../../shared/domain/invoices/invoice.ts';
import { showInvoice } from '../../../shared/domain/invoices/invoice.ts';
import {
  noteRefusal,
  noteRefusedRefund,
  noteUnneededMoney,
  recordRefundedAmount,
} from '../../../shared/domain/invoices/payer-notes.ts';
import {
  bindPayment,
  cancelInvoice,
  contentVersionOf,
  createInvoice,
  isPayable,
  makeOverdue,
  payInvoice,
  releasePayment,
  requirePayable,
  updateInvoice,
} from '../../../shared/domain/invoices/transitions.ts';
import { eventBodyIn, showIn } from '../../../shared/domain/versions/convert.ts';
import { newestApiVersion } from '../../../shared/domain/versions/versions.ts';
import type { Change } from '../../../shared/store/commit/command.ts';

const dayMs = 24 * 60 * 60 * 1000;
const now = Date.UTC(2026, 10, 21);
const later = now + 2000;
const identity = {
  account: 'acct_0000000000000000',
  mode: 'test',
  seq: 3,
  id: `inv_${'0'.repeat(26)}`,
  filterKeys: ['#customer#hash'],
  paymentUrl: `https://pay.example/inv_${'0'.repeat(26)}`,
} as const;
const body: CreateInvoice = {
  customerId: 'cust_1',
  amount: 2500,
  currency: 'USD',
  description: 'Tea',
  dueDate: '2026-12-01T00:00:00.000Z',
};
const dueAt = Date.UTC(2026, 11, 1);
const receipt = { paymentId: 'pay_1', method: 'card', card: null, reference: null } as const;

const create = (dueDate: string | null | undefined) => createInvoice(identity, { ...body, dueDate }, now);
const pending = create(body.dueDate).record;
const overdue = makeOverdue(pending, dueAt)?.record as Invoice;
const states: Readonly<Record<Invoice['status'], Invoice>> = {
  pending,
  overdue,
  paid: payInvoice(pending, receipt, later).record,
  cancelled: cancelInvoice(pending, later).record,
};
const inState = statuses.invoice.map((status) => [status, states[status]] as const);
const bound = (invoice: Invoice): Invoice => ({ ...invoice, paymentInProgress: 'pay_1' });

/** The error that `decide` throws, or undefined. */
function refusalOf(decide: () => unknown): ApiError | undefined {
  try {
    decide();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
const codeOf = (decide: () => unknown) => refusalOf(decide)?.code ?? 'accepted';
const changed = (change: Change<Invoice> | undefined): Change<Invoice> => {
  if (!change) throw new Error('The transition has changed nothing.');
  return change;
};

/** Expects a change that the API shows: with one event, and everything else of the invoice unchanged. */
function expectVisibleChange(
  change: Change<Invoice> | undefined,
  before: Invoice,
  { event, fields, timers = [] }: { event: string; fields: Partial<Invoice>; timers?: readonly object[] },
): void {
  const { record, indexEntry, events, timers: set } = changed(change);
  expect(record).toStrictEqual({
    ...before,
    version: before.version + 1,
    objectVersion: before.objectVersion + 1,
    ...fields,
  });
  const { seq, filterKeys, status } = record;
  const reached = status === before.status ? undefined : { resource: 'invoice', seq, filterKeys, status };
  expect(indexEntry).toEqual(reached);
  const formerly = showInvoice(before);
  const previous =
    event === 'invoice.updated' ? { previous: changedValues(formerly, showInvoice(record)) } : {};
  expectEvent(record, events, event, previous);
  expect(set).toEqual(timers);
}

function expectEvent(
  invoice: Invoice,
  events: Change<Invoice>['events'],
  type: string,
  more: object = {},
): void {
  expect(events.map((event) => event.type)).toEqual([type]);
  expect(JSON.parse(eventBodyIn(newestApiVersion, events[0]?.body ?? ''))).toEqual({
    id: events[0]?.id,
    type,
    timestamp: toTimestamp(invoice.updatedAt),
    mode: 'test',
    objectVersion: invoice.objectVersion,
    data: showIn(newestApiVersion, 'invoices', showInvoice(invoice)),
    apiVersion: newestApiVersion,
    ...more,
  });
}

/** Expects a change that the API does not show. */
function expectInternalChange(
  change: Change<Invoice> | undefined,
  before: Invoice,
  fields: Partial<Invoice>,
): void {
  expect(changed(change)).toStrictEqual({
    record: { ...before, version: before.version + 1, ...fields },
    indexEntry: undefined,
    events: [],
    timers: [],
  });
  expect(showInvoice(changed(change).record)).toEqual(showInvoice(before));
}

describe('a new invoice', () => {
  test('is pending, is in its lists, emits invoice.created and sets a timer for its due date', () => {
    const { record, indexEntry, events, timers } = create(body.dueDate);
    expect(record).toStrictEqual({
      ...identity,
      ...body,
      version: 1,
      objectVersion: 1,
      status: 'pending',
      overdueAt: dueAt,
      createdAt: now,
      updatedAt: now,
    });
    expect(indexEntry).toEqual({
      resource: 'invoice',
      seq: 3,
      filterKeys: identity.filterKeys,
      status: 'pending',
    });
    expectEvent(record, events, 'invoice.created');
    expect(timers).toEqual([{ due: dueAt, kind: 'overdue', reference: identity.id }]);
  });

  test.each([[undefined], [null]])('with a due date of %s is due in 30 days', (dueDate) => {
    const { record, timers } = create(dueDate);
    expect(record.dueDate).toBe('2026-12-21T00:00:00.000Z');
    expect(record.overdueAt).toBe(now + 30 * dayMs);
    expect(timers).toEqual([{ due: now + 30 * dayMs, kind: 'overdue', reference: identity.id }]);
  });

  test.each([
    ['in the future turns overdue then', '2026-11-21T00:00:00.001Z', now + 1],
    ['of this very instant turns overdue 24 hours later', '2026-11-21T00:00:00.000Z', now + dayMs],
    ['in the past turns overdue 24 hours after its creation', '1999-12-31', now + dayMs],
  ])('with a due date %s', (_, dueDate, overdueAt) => {
    const { record, timers } = create(dueDate);
    expect(record.status).toBe('pending');
    expect(record.overdueAt).toBe(overdueAt);
    expect(timers).toEqual([{ due: overdueAt, kind: 'overdue', reference: identity.id }]);
  });

  test('shows the due date as sent or in the form of the service', () => {
    expect(create('2026-12-01T17:00:00Z').record.dueDate).toBe('2026-12-01T17:00:00Z');
    expect(create('2026-12-01T17:00Z').record.dueDate).toBe('2026-12-01T17:00:00.000Z');
    expect(create('2026-12-01T17:00:00+06:00').record.dueDate).toBe('2026-12-01T11:00:00.000Z');
    expect(create('2026-12-01').record.dueDate).toBe('2026-12-01T23:59:59.999Z');
  });

  test('with a due date that nobody has validated throws', () => {
    expect(() => create('tomorrow')).toThrow('not validated');
  });
});

describe('an update', () => {
  const update = (change: UpdateInvoice, invoice: Invoice = pending, at = later) =>
    updateInvoice(invoice, change, at);

  test.each([
    ['the amount', { amount: 2501 }],
    ['the description', { description: 'Green tea' }],
    ['both', { amount: 1, description: 'Green tea' }],
  ])('sets %s, emits invoice.updated and sets no timer', (_, fields) => {
    expectVisibleChange(update(fields), pending, {
      event: 'invoice.updated',
      fields: { ...fields, updatedAt: later },
    });
  });

  test.each([
    ['in the future', '2027-01-01T00:00:00Z', '2027-01-01T00:00:00Z', Date.UTC(2027, 0, 1)],
    ['with an offset', '2027-01-01T00:00:00-06:00', '2027-01-01T06:00:00.000Z', Date.UTC(2027, 0, 1, 6)],
    ['in the past', '2026-11-20', '2026-11-20T23:59:59.999Z', later + dayMs],
    ['of the same instant in another form', '2026-12-01T00:00:00Z', '2026-12-01T00:00:00Z', dueAt],
  ])('sets a due date %s, and a timer', (_, dueDate, shown, overdueAt) => {
    expectVisibleChange(update({ dueDate }), pending, {
      event: 'invoice.updated',
      fields: { dueDate: shown, overdueAt, updatedAt: later },
      timers: [{ due: overdueAt, kind: 'overdue', reference: identity.id }],
    });
  });

  test('of metadata sets and removes keys, and the event has the former values of what changed', () => {
    const tagged = createInvoice(identity, { ...body, metadata: { a: '1', b: '2' } }, now).record;
    const change = update({ metadata: { a: null, c: '3' }, amount: 7 }, tagged);
    expectVisibleChange(change, tagged, {
      event: 'invoice.updated',
      fields: { amount: 7, metadata: '{"b":"2","c":"3"}', updatedAt: later },
    });
    expect(JSON.parse(change?.events[0]?.body ?? '').previous).toEqual({
      amount: body.amount,
      metadata: { a: '1', b: '2' },
    });
    expect(update({ metadata: null }, tagged)?.record.metadata).toBeUndefined();
    for (const metadata of [{}, { a: '1' }, { z: null }, { b: '2', a: '1' }])
      expect(update({ metadata }, tagged)).toBeUndefined();
    expect(update({ metadata: null })).toBeUndefined();
    const keys = Object.fromEntries(Array.from({ length: 19 }, (_, index) => [`k${index}`, '']));
    expect(codeOf(() => update({ metadata: keys }, tagged))).toBe('invalid_metadata');
  });

  test('cannot set or change the reference', () => {
    const referenced = createInvoice(identity, { ...body, reference: 'A 1' }, now).record;
    expect(codeOf(() => update({ reference: 'A 2' }, referenced))).toBe('immutable_field');
    expect(codeOf(() => update({ reference: 'A 1' }))).toBe('immutable_field');
    expect(codeOf(() => update({ reference: null }, referenced))).toBe('immutable_field');
    expect(update({ reference: 'A 1', amount: 1 }, referenced)?.record.reference).toBe('A 1');
    expect(update({ reference: null, amount: 1 })?.record.amount).toBe(1);
  });

  test('with nothing new changes nothing', () => {
    const { amount, description, dueDate } = pending;
    expect(update({})).toBeUndefined();
    expect(update({ amount, description, dueDate })).toBeUndefined();
    expect(update({ dueDate: '2026-12-01T06:00+06:00' })).toBeUndefined();
    expect(update(showInvoice(pending))).toBeUndefined();
  });

  test('with a due date that is not new keeps the 24 hours of a due date in the past', () => {
    const imported = create('2020-01-01').record;
    expect(update({ dueDate: '2020-01-01' }, imported)).toBeUndefined();
    const repriced = update({ dueDate: '2020-01-01', amount: 1 }, imported);
    expect([repriced?.record.overdueAt, repriced?.timers]).toEqual([now + dayMs, []]);
  });

  const immutable = [
    'id',
    'customerId',
    'currency',
    'status',
    'paymentUrl',
    'createdAt',
    'updatedAt',
  ] as const;

  test.each(immutable)('accepts only the current value of %s', (field) => {
    for (const [, invoice] of inState) {
      const current = showInvoice(invoice)[field];
      for (const other of [`${current}x`, '', null, 0]) {
        const refusal = refusalOf(() => update({ amount: 1, [field]: other }, invoice));
        expect([refusal?.code, refusal?.field]).toEqual(['immutable_field', field]);
        expect(refusal?.message).toContain(`${field} is read-only`);
      }
    }
    const { [field]: current } = showInvoice(pending);
    expect(update({ [field]: current, amount: 1 })?.record.amount).toBe(1);
  });

  test.each(inState)('of an invoice that is %s', (status, invoice) => {
    const refusal = refusalOf(() => update({ amount: 1 }, invoice));
    expect(refusal?.code).toBe(status === 'pending' ? undefined : 'invoice_not_pending');
    expect(codeOf(() => update({}, invoice))).toBe(status === 'pending' ? 'accepted' : 'invoice_not_pending');
    if (refusal) expect(refusal.message).toContain(`This invoice is ${status}.`);
    expect(refusal?.message.includes('/replace') ?? false).toBe(status === 'overdue');
  });

  test('is refused while a payment is in progress', () => {
    expect(codeOf(() => update({ amount: 1 }, bound(pending)))).toBe('payment_in_progress');
    expect(codeOf(() => update({}, bound(pending)))).toBe('payment_in_progress');
    expect(codeOf(() => update({ amount: 1 }, bound(overdue)))).toBe('invoice_not_pending');
  });
});

describe('the reminders of an invoice', () => {
  test('change alone while it is open, also when it is overdue or a payment is in progress', () => {
    for (const invoice of [pending, overdue, bound(pending)]) {
      // The endpoint adds fields without a value.
      const change = updateInvoice(invoice, { reminders: [7, -1], amount: undefined }, later);
      expect(change?.record).toMatchObject({ reminders: [-1, 7], status: invoice.status });
      const [event] = change?.events ?? [];
      expect(event?.type).toBe('invoice.updated');
      expect(JSON.parse(event?.body ?? '')).toMatchObject({
        data: { reminders: [-1, 7] },
        previous: { reminders: null },
      });
      expect(change?.issuesDocuments).toBeUndefined();
      const paused = updateInvoice(change?.record as Invoice, { reminders: [] }, later + 1)?.record;
      expect(paused?.reminders).toEqual([]);
      expect(updateInvoice(paused as Invoice, { reminders: [] }, later + 2)).toBeUndefined();
      expect(
        updateInvoice(paused as Invoice, { reminders: null }, later + 2)?.record.reminders,
      ).toBeUndefined();
    }
  });

  test('change with other fields, or of an invoice that is closed, as these do', () => {
    const both = { reminders: [1], amount: 1 };
    expect(codeOf(() => updateInvoice(overdue, both, later))).toBe('invoice_not_pending');
    expect(codeOf(() => updateInvoice(bound(pending), both, later))).toBe('payment_in_progress');
    for (const status of ['paid', 'cancelled'] as const)
      expect(codeOf(() => updateInvoice(states[status], { reminders: [] }, later))).toBe(
        'invoice_not_pending',
      );
  });
});

describe('cancellation', () => {
  test.each([
    ['pending', pending],
    ['overdue', overdue],
    ['pending with a payment in progress', bound(pending)],
    ['overdue with a payment in progress', bound(overdue)],
  ])('of an invoice that is %s', (_, invoice) => {
    const at = invoice.updatedAt + 1;
    expectVisibleChange(cancelInvoice(invoice, at), invoice, {
      event: 'invoice.cancelled',
      fields: { status: 'cancelled', updatedAt: at },
    });
  });

  test('of a paid or cancelled invoice is refused', () => {
    expect(codeOf(() => cancelInvoice(states.paid, later))).toBe('invoice_already_paid');
    expect(codeOf(() => cancelInvoice(states.cancelled, later))).toBe('invoice_already_cancelled');
  });
});

describe('an invoice with lines', () => {
  const update = (fields: UpdateInvoice, invoice = pending) => updateInvoice(invoice, fields, later);
  const lines = [
    { description: 'Tea', quantity: '2', unitAmount: 1000, tax: 'bt_gst_5' as const },
    { description: 'Cups', quantity: '1', unitAmount: 500 },
  ];
  const { amount: _, ...plain } = body;
  const withLines = createInvoice(identity, { ...plain, lines }, now).record;

  test('comes to the sum of its lines and taxes, and an amount that is sent must be the same', () => {
    expect(withLines).toMatchObject({ amount: 2600, charges: { totals: { subtotal: 2500, tax: 100 } } });
    expect(createInvoice(identity, { ...plain, lines, amount: 2600 }, now).record).toEqual(withLines);
    expect(refusalOf(() => createInvoice(identity, { ...body, lines }, now))).toMatchObject({
      code: 'invalid_amount',
      message: 'The lines come to 2600, and amount is 2500. Leave amount out, or correct the lines.',
    });
  });

  test.each([
    [{ prices: 'inclusive' }, 'invalid_prices'],
    [{ discount: { percent: '5' } }, 'invalid_discount'],
    [{ roundTo: 100 }, 'invalid_round_to'],
  ] as const)('%j needs lines', (fields, code) => {
    expect(codeOf(() => createInvoice(identity, { ...body, ...fields }, now))).toBe(code);
    expect(codeOf(() => update(fields))).toBe(code);
  });

  test('that is changed is computed again, and its event has the former lines', () => {
    const change = changed(update({ discount: { amount: 100 } }, withLines));
    expect(change.record).toMatchObject({ amount: 2496, charges: { totals: { discount: 100, tax: 96 } } });
    const { previous } = JSON.parse(change.events[0]?.body ?? '');
    expect(Object.keys(previous)).toEqual(
      expect.arrayContaining(['amount', 'discount', 'taxes', 'totals', 'lines']),
    );
    expect(codeOf(() => update({ amount: 1 }, withLines))).toBe('invalid_amount');
    expect(update({ amount: 2600 }, withLines)).toBeUndefined();
    expect(update(showIn(newestApiVersion, 'invoices', showInvoice(withLines)), withLines)).toBeUndefined();
  });

  test('can come from one with an amount alone, which a client can also send back with another amount', () => {
    const shown = showIn(newestApiVersion, 'invoices', showInvoice(pending)) as UpdateInvoice;
    expect(update(shown)).toBeUndefined();
    expect(changed(update({ ...shown, amount: 1 })).record).toMatchObject({ amount: 1 });
    expect(changed(update({ lines })).record).toMatchObject({ amount: 2600 });
  });
});

describe('turning overdue', () => {
  test.each([
    ['pending', pending],
    ['pending with a payment in progress', bound(pending)],
  ])('at overdueAt, not before: an invoice that is %s', (_, invoice) => {
    expect(makeOverdue(invoice, dueAt - 1)).toBeUndefined();
    expectVisibleChange(makeOverdue(invoice, dueAt), invoice, {
      event: 'invoice.overdue',
      fields: { status: 'overdue', updatedAt: dueAt },
    });
  });

  test.each(['overdue', 'paid', 'cancelled'] as const)('never happens to an invoice that is %s', (status) => {
    expect(makeOverdue(states[status], dueAt + dayMs)).toBeUndefined();
  });
});

describe('a payment', () => {
  test.each([
    ['pending', pending, 'accepted'],
    ['overdue', overdue, 'accepted'],
    ['paid', states.paid, 'invoice_already_paid'],
    ['cancelled', states.cancelled, 'invoice_already_cancelled'],
    ['pending with a payment in progress', bound(pending), 'payment_in_progress'],
    ['overdue with a payment in progress', bound(overdue), 'payment_in_progress'],
    ['cancelled with a payment in progress', bound(states.cancelled), 'invoice_already_cancelled'],
  ] as const)('of an invoice that is %s', (_, invoice, code) => {
    expect(codeOf(() => requirePayable(invoice))).toBe(code);
    expect(codeOf(() => bindPayment(invoice, 'pay_2'))).toBe(code);
    if (code === 'accepted') {
      expectInternalChange(bindPayment(invoice, 'pay_2'), invoice, { paymentInProgress: 'pay_2' });
    }
    if (code.startsWith('invoice_')) {
      expect(refusalOf(() => requirePayable(invoice))?.message).toContain('Nothing was charged');
    }
  });

  test('can be received for pending and overdue invoices only', () => {
    const payable = inState.filter(([, invoice]) => isPayable(invoice)).map(([status]) => status);
    expect(payable).toEqual(['pending', 'overdue']);
    expect([isPayable(bound(pending)), isPayable(bound(states.cancelled))]).toEqual([true, false]);
  });

  test('that fails releases the invoice, but not from another payment', () => {
    for (const [, invoice] of inState) {
      expectInternalChange(releasePayment(bound(invoice), 'pay_1'), bound(invoice), {
        paymentInProgress: undefined,
      });
      expect(releasePayment(bound(invoice), 'pay_2')).toBeUndefined();
      expect(releasePayment(invoice, 'pay_1')).toBeUndefined();
    }
  });

  test.each([
    ['pending', bound(pending)],
    ['overdue', bound(overdue)],
  ])('that completes pays an invoice that is %s and releases it', (_, invoice) => {
    const at = invoice.updatedAt + 1;
    expectVisibleChange(payInvoice(invoice, receipt, at), invoice, {
      event: 'invoice.paid',
      fields: {
        status: 'paid',
        receipt,
        paymentInProgress: undefined,
        openCheckout: undefined,
        updatedAt: at,
      },
    });
  });

  test('that is refunded adds up what was refunded, for the payment page only', () => {
    const { paid } = states;
    const refund = (invoice: Invoice, paymentId: string, amountMinor: number, at: number, overMinor = 0) =>
      recordRefundedAmount(invoice, { paymentId, amountMinor, overMinor }, at);
    const own = paid.receipt?.paymentId ?? '';
    const refunded = refund(paid, own, 300, 7).record;
    expectInternalChange(refund(paid, own, 300, 7), paid, {
      refundedMinor: 300,
      payerNote: { refundedAt: 7 },
    });
    expectInternalChange(refund(refunded, 'pay_other', 25, 8), refunded, {
      refundedMinor: 325,
      payerNote: { unneededRefundedMinor: 25, refundedAt: 8, isRefundRefused: false },
    });
    expectInternalChange(refund(refunded, own, 40, 9, 30), refunded, {
      refundedMinor: 340,
      payerNote: { overRefundedMinor: 30, refundedAt: 9 },
    });
  });

  test('notes a refused refund of money that it did not need, until a refund of it succeeds', () => {
    const { paid } = states;
    expect(noteRefusedRefund(paid, { paymentId: paid.receipt?.paymentId ?? '' })).toBeUndefined();
    expect(noteRefusedRefund(paid, { paymentId: 'pay_other', isCredit: true })).toBeUndefined();
    const refused = noteRefusedRefund(paid, { paymentId: 'pay_other' });
    if (!refused) throw new Error('The refused refund was not noted.');
    expectInternalChange(refused, paid, { payerNote: { isRefundRefused: true } });
    const refund = (amountMinor: number) =>
      recordRefundedAmount(refused.record, { paymentId: 'pay_other', amountMinor, overMinor: amountMinor }, 9)
        .record.payerNote;
    expect(refund(25)?.isRefundRefused).toBe(false);
    expect(refund(-25)?.isRefundRefused).toBe(true);
  });

  test('that is refused or not needed leaves a note for the payment page, on the release or alone', () => {
    const invoice = bound(pending);
    expectInternalChange(noteRefusal(invoice, releasePayment(invoice, 'pay_1')), invoice, {
      paymentInProgress: undefined,
      payerNote: { isRefused: true },
    });
    expect(noteRefusal(pending, releasePayment(pending, 'pay_1'))).toBeUndefined();
    const once = noteUnneededMoney(invoice, releasePayment(invoice, 'pay_1'), 5);
    expectInternalChange(once, invoice, { paymentInProgress: undefined, payerNote: { unneededMinor: 5 } });
    expectInternalChange(noteUnneededMoney(once.record, undefined, 6), once.record, {
      payerNote: { unneededMinor: 11 },
    });
  });
});

describe('the content version', () => {
  const other = (invoice: Invoice, sent: UpdateInvoice) =>
    changed(updateInvoice(invoice, sent, later)).record;

  test.each<[string, UpdateInvoice]>([
    ['amount', { amount: 1 }],
    ['description', { description: 'Coffee' }],
    ['dueDate', { dueDate: '2026-12-02T00:00:00.000Z' }],
    ['lines', { lines: [{ description: 'Tea', quantity: '1', unitAmount: 2600 }] }],
  ])('rises by one with another %s', (_, sent) => {
    const labelled = other(pending, { metadata: { order: '1' } });
    for (const invoice of [pending, labelled])
      expect(contentVersionOf(other(invoice, sent))).toBe(contentVersionOf(invoice) + 1);
  });

  test.each<[string, UpdateInvoice]>([
    ['metadata', { metadata: { order: '1' } }],
    ['locale', { locale: 'dz' }],
  ])('stays with other %s, and when the invoice turns overdue then', (_, sent) => {
    const labelled = other(pending, sent);
    const late = changed(makeOverdue(labelled, dueAt)).record;
    for (const invoice of [labelled, late]) expect(contentVersionOf(invoice)).toBe(contentVersionOf(pending));
    expect(late.objectVersion).toBe(3);
  });

  test('needs no attribute of an invoice whose changes all changed the content', () => {
    const updated = other(pending, { amount: 1 });
    for (const invoice of [pending, updated]) {
      const { record } = changed(makeOverdue(invoice, dueAt));
      expect(contentVersionOf(record)).toBe(contentVersionOf(invoice));
      expect([invoice.contentVersion, record.contentVersion]).toEqual([undefined, undefined]);
    }
  });
});

test.each([
  ['an update', (invoice: Invoice, at: number) => updateInvoice(invoice, { amount: 1 }, at)],
  ['a cancellation', cancelInvoice],
  ['a payment', (invoice: Invoice, at: number) => payInvoice(invoice, receipt, at)],
  [
    'turning overdue',
    (invoice: Invoice, at: number) => makeOverdue({ ...invoice, overdueAt: at - dayMs }, at),
  ],
])('%s makes updatedAt strictly later, even if the clock went back', (_, transition) => {
  for (const at of [now - 60_000, now]) expect(transition(pending, at)?.record.updatedAt).toBe(now + 1);
  expect(transition(pending, now + 1)?.record.updatedAt).toBe(now + 1);
  expect(transition(pending, now + 2)?.record.updatedAt).toBe(now + 2);
});

/** A step in the life of an invoice. `afterMs` moves the clock, also back. */
interface Step {
  readonly kind: 'update' | 'cancel' | 'makeOverdue' | 'bind' | 'release' | 'pay' | 'refund';
  readonly afterMs: number;
  readonly update: UpdateInvoice;
  readonly payment: string;
}

const dueDates = ['2026-11-20', '2026-11-21T00:00:05Z', '2026-12-01T00:00:00.000Z', '2026-12-01T06:00+06:00'];
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(
    'update',
    'update',
    'cancel',
    'makeOverdue',
    'bind',
    'bind',
    'release',
    'pay',
    'refund',
  ),
  afterMs: fc.oneof(fc.integer({ min: -3000, max: 3000 }), fc.constantFrom(0, 2 * dayMs)),
  update: fc.record(
    {
      amount: fc.integer({ min: 2499, max: 2501 }),
      description: fc.constantFrom('Tea', 'Green tea'),
      dueDate: fc.constantFrom(...dueDates),
      status: fc.constantFrom(...statuses.invoice),
    },
    { requiredKeys: [] },
  ),
  payment: fc.constantFrom('pay_1', 'pay_2'),
});

/** Follows the callers' rules: pays a payable invoice only, and refunds a paid one only. */
function applyStep(
  invoice: Invoice,
  { kind, update, payment }: Step,
  at: number,
): Change<Invoice> | undefined {
  switch (kind) {
    case 'update':
      return updateInvoice(invoice, update, at);
    case 'cancel':
      return cancelInvoice(invoice, at);
    case 'makeOverdue':
      return makeOverdue(invoice, at);
    case 'bind':
      return bindPayment(invoice, payment);
    case 'release':
      return releasePayment(invoice, payment);
    case 'pay':
      return isPayable(invoice) ? payInvoice(invoice, { ...receipt, paymentId: payment }, at) : undefined;
    case 'refund':
      return invoice.status === 'paid'
        ? recordRefundedAmount(invoice, { paymentId: 'pay_1', amountMinor: 10, overMinor: 0 }, 1)
        : undefined;
  }
}

/** The order in which statuses may follow each other. `paid` and `cancelled` are final. */
const stageOf = { pending: 0, overdue: 1, paid: 2, cancelled: 2 };

function expectSound(before: Invoice, change: Change<Invoice>, { kind }: Step, at: number): void {
  const { record: after, indexEntry, events, timers } = change;
  const { amount, description, dueDate, overdueAt, version, objectVersion, status, updatedAt } = before;

  expect(after.version).toBe(version + 1);
  if (after.status !== status) expect(stageOf[after.status]).toBeGreaterThan(stageOf[status]);
  for (const name of ['account', 'mode', 'id', 'seq', 'filterKeys', 'customerId', 'currency'] as const) {
    expect(after[name]).toEqual(before[name]);
  }
  expect([after.paymentUrl, after.createdAt]).toEqual([before.paymentUrl, before.createdAt]);

  const isVisible = JSON.stringify(showInvoice(after)) !== JSON.stringify(showInvoice(before));
  expect(after.objectVersion).toBe(objectVersion + (isVisible ? 1 : 0));
  expect(events.map(({ body }) => JSON.parse(eventBodyIn(newestApiVersion, body)).data)).toEqual(
    isVisible ? [showIn(newestApiVersion, 'invoices', showInvoice(after))] : [],
  );
  if (isVisible) expect(after.updatedAt).toBeGreaterThan(updatedAt);
  else expect(after.updatedAt).toBe(updatedAt);

  const { seq, filterKeys } = after;
  const reached = { resource: 'invoice', seq, filterKeys, status: after.status };
  expect(indexEntry).toEqual(after.status === status ? undefined : reached);

  const isDueDateSet = after.dueDate !== dueDate;
  expect(timers).toEqual(
    isDueDateSet ? [{ due: after.overdueAt, kind: 'overdue', reference: after.id }] : [],
  );
  if (isDueDateSet) {
    const instant = Date.parse(after.dueDate);
    expect(after.overdueAt).toBe(instant > at ? instant : at + dayMs);
  } else {
    expect(after.overdueAt).toBe(overdueAt);
  }

  const isContentNew = isDueDateSet || after.amount !== amount || after.description !== description;
  if (isContentNew) {
    expect([kind, status, before.paymentInProgress]).toEqual(['update', 'pending', undefined]);
  }
  if (isPayable(after)) {
    expect(contentVersionOf(after) !== contentVersionOf(before)).toBe(isContentNew);
  }
  if (after.status === 'overdue' && status === 'pending') expect(overdueAt).toBeLessThanOrEqual(at);
  expect(after.receipt !== undefined).toBe(after.status === 'paid');
  if (kind === 'pay') expect(after.paymentInProgress).toBeUndefined();
}

test('property: any order of steps and clocks keeps the invoice sound, and a refused step changes nothing', () => {
  const seen = new Set<string>();
  fc.assert(
    // Few random steps reach the due date, so half of the runs start behind it.
    fc.property(fc.boolean(), fc.array(step, { maxLength: 30, size: 'max' }), (startsOverdue, steps) => {
      let at = startsOverdue ? pending.overdueAt : now;
      let invoice = startsOverdue ? overdue : pending;
      for (const next of steps) {
        at += next.afterMs;
        const frozen = structuredClone(invoice);
        let change: Change<Invoice> | undefined;
        const code = codeOf(() => {
          change = applyStep(invoice, next, at);
        });
        expect(invoice).toEqual(frozen);
        seen.add(`${next.kind} ${invoice.status} ${change ? 'changes' : code}`);
        if (!change) continue;
        expectSound(invoice, change, next, at);
        invoice = change.record;
      }
    }),
    { numRuns: 400 },
  );
  for (const status of statuses.invoice) {
    for (const kind of ['update', 'cancel', 'makeOverdue', 'bind', 'release', 'pay']) {
      expect([...seen].some((entry) => entry.startsWith(`${kind} ${status} `))).toBe(true);
    }
  }
  for (const entry of ['update pending changes', 'cancel overdue changes', 'pay overdue changes']) {
    expect(seen).toContain(entry);
  }
});
