/** Tests that the timeline of an invoice names the events that its changes announced. */
import { expect, test } from '@jest/globals';
import { cancelInvoice, createInvoice, updateInvoice } from '../../../shared/domain/invoices/transitions.ts';
import { recordOffline } from '../../../shared/domain/payments/transitions.ts';
import { voidAndReissue } from '../../../shared/domain/payments/void-payment.ts';
import { createRefund, settleRefund } from '../../../shared/domain/refunds/transitions.ts';
import { timelineOf } from '../../../shared/web/dashboard/invoices/timeline.ts';

const owner = { account: 'acct_1', mode: 'test' } as const;
const identity = {
  ...owner,
  id: 'inv_1',
  seq: 1,
  filterKeys: [],
  paymentUrl: 'https://example.com/pay/inv_1',
};
const body = { customerId: 'cust_1', amount: 5000, currency: 'USD', description: 'Design' } as const;
const created = createInvoice(identity, body, 1_000);

test('a paid and refunded invoice has each event once, newest first', () => {
  const [payment, paid] = recordOffline(
    { ...owner, id: 'pay_1', seq: 1 },
    created.record,
    { amount: undefined, reference: null },
    2_000,
  );
  const details = { amount: 1000, reason: null };
  const [refund, reserved] = createRefund({ ...owner, id: 'ref_1', seq: 1 }, payment.record, details, 3_000);
  const settled = settleRefund(refund.record, reserved.record, paid.record, { kind: 'done' }, 4_000);
  const [processed, refunded, invoice] = settled.map((change) => change?.record);
  const { moments, unlisted } = timelineOf(invoice as never, [refunded as never], [processed as never]);
  expect(moments.map(({ kind }) => kind)).toEqual([
    'refund.processed',
    'refund.created',
    'invoice.paid',
    'payment.completed',
    'invoice.created',
  ]);
  const announced = [settled[0], paid, payment, created].flatMap((change) => change?.events ?? []);
  expect(moments.flatMap(({ event }) => event ?? [])).toEqual(announced.map(({ id }) => id));
  expect(unlisted).toBe(0);
});

test('both invoices of a void name its events, and a payment that has moved keeps the moment of its money', () => {
  const partial = createInvoice(identity, { ...body, acceptPartial: true }, 1_000).record;
  const pay = (invoice: typeof partial, id: string, amount: number | undefined, at: number) =>
    recordOffline({ ...owner, id, seq: 1 }, invoice, { amount, reference: null }, at);
  const [first, partly] = pay(partial, 'pay_1', 1000, 2_000);
  const [last, paid] = pay(partly.record, 'pay_2', undefined, 3_000);
  const next = { ...owner, id: 'inv_2', seq: 2, paymentUrl: 'https://example.com/pay/inv_2' };
  const plan = { identity: next, others: [first.record], reason: 'Wrong', movesReference: false };
  const [voided, credited, issued, moved] = voidAndReissue(last.record, paid.record, plan, 4_000);
  const payments = [voided.record, moved?.record as typeof voided.record];
  const old = timelineOf(credited.record, payments, []);
  expect(old.moments.map(({ kind, at }) => [kind, at])).toEqual([
    ['payment.voided', 4_000],
    ['invoice.updated', 4_000],
    ['payment.completed', 3_000],
    ['payment.completed', 2_000],
    ['invoice.created', 1_000],
  ]);
  const changes = [voided, credited, last, first];
  const announced = changes.flatMap(({ events }) => events.map(({ id }) => id));
  expect(old.moments.slice(0, 4).map(({ event }) => event)).toEqual(announced);
  const { moments } = timelineOf(issued.record, [moved?.record as typeof voided.record], []);
  expect(moments.map(({ event }) => event)).toEqual([issued.events[0]?.id, first.events[0]?.id]);
});

test('the changes between the first and the last one are counted', () => {
  const first = updateInvoice(created.record, { amount: 1 }, 2_000);
  const second = updateInvoice(first?.record ?? created.record, { amount: 2 }, 3_000);
  const cancelled = cancelInvoice(second?.record ?? created.record, 4_000);
  const { moments, unlisted } = timelineOf(cancelled.record, [], []);
  expect(moments.map(({ event }) => event)).toEqual([cancelled.events[0]?.id, created.events[0]?.id]);
  expect(unlisted).toBe(2);
});

test('each mail is a moment with its last state, at the time at which it was sent or asked for', () => {
  const mail = {
    ...owner,
    invoiceId: created.record.id,
    kind: 'invoice',
    to: 'dorji@example.bt',
    version: 3,
  };
  const sent = { ...mail, id: 'mail_1', state: 'sent', createdAt: 5_000, sentAt: 6_000 };
  const skipped = { ...mail, id: 'mail_2', state: 'skipped', reason: 'invoice_paid', createdAt: 5_500 };
  const { moments, unlisted } = timelineOf(created.record, [], [], [skipped as never, sent as never]);
  expect(moments.map(({ kind, at }) => [kind, at])).toEqual([
    ['mail.sent', 6_000],
    ['mail.skipped', 5_500],
    ['invoice.created', created.record.createdAt],
  ]);
  expect(moments[1]?.mail).toEqual({
    ...{ kind: 'invoice', to: 'dorji@example.bt', state: 'skipped', reason: 'invoice_paid' },
  });
  expect(unlisted).toBe(0);
});
