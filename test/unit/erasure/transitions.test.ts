import { expect, test } from '@jest/globals';
import type { Invoice } from '../../../shared/domain/invoices/invoice.ts';
import type { Payment } from '../../../shared/domain/payments/payment.ts';
import type { Refund } from '../../../shared/domain/refunds/refund.ts';
import { compensationReason } from '../../../shared/domain/refunds/transitions.ts';
import { eraseEventBody } from '../../../shared/operations/erasure/copies.ts';
import {
  type Erasure,
  eraseAttempts,
  eraseInvoice,
  erasePayment,
  eraseRefund,
  eraseShown,
} from '../../../shared/operations/erasure/transitions.ts';

const erasure: Erasure = { pseudonym: 'erased-1', from: '#customer#old', to: '#customer#new' };
const base = {
  account: 'acct_1',
  mode: 'test',
  version: 3,
  objectVersion: 2,
  seq: 7,
  amount: 100,
  currency: 'USD',
  createdAt: 1,
  updatedAt: 2,
} as const;
const receipt = { paymentId: 'pay_1', method: 'offline', card: null, reference: 'From Dorji' } as const;
const invoice: Invoice = {
  ...base,
  id: 'inv_1',
  status: 'paid',
  filterKeys: ['#customer#old'],
  customerId: 'dorji@example.bt',
  description: 'Wedding of Dorji',
  dueDate: '2027-01-31T12:00:00Z',
  overdueAt: 5,
  paymentUrl: 'http://localhost/pay/inv_1',
  receipt,
};
const payment: Payment = {
  ...base,
  id: 'pay_1',
  status: 'completed',
  filterKeys: ['#invoice#inv_1', '#customer#old'],
  invoiceId: 'inv_1',
  customerId: 'dorji@example.bt',
  method: 'offline',
  card: null,
  reference: 'From Dorji',
  amountRefunded: 0,
  amountReserved: 0,
  failureCode: null,
};
const refund: Refund = {
  ...base,
  id: 'ref_1',
  status: 'failed',
  filterKeys: ['#payment#pay_1', '#invoice#inv_1'],
  paymentId: 'pay_1',
  invoiceId: 'inv_1',
  reason: 'Dorji was ill',
  failureCode: null,
};

test('an invoice keeps all but the personal data, moves to the new list, and announces nothing', () => {
  const { record, ...followUps } = eraseInvoice(erasure, invoice) ?? {};
  expect(record).toEqual({
    ...invoice,
    version: 4,
    filterKeys: ['#customer#new'],
    customerId: 'erased-1',
    description: '[erased]',
    receipt: { ...receipt, reference: '[erased]' },
  });
  const facts = { createdAt: invoice.createdAt, currency: invoice.currency };
  const indexEntry = { resource: 'invoice', seq: 7, filterKeys: ['#customer#new'], status: 'paid', facts };
  expect(followUps).toEqual({ indexEntry, events: [], timers: [] });
});

test('a payment and a refund keep all but the personal data', () => {
  expect(erasePayment(erasure, payment)?.record).toEqual({
    ...payment,
    version: 4,
    filterKeys: ['#invoice#inv_1', '#customer#new'],
    customerId: 'erased-1',
    reference: '[erased]',
  });
  expect(eraseRefund(erasure, refund)).toEqual({
    record: { ...refund, version: 4, reason: '[erased]' },
    indexEntry: undefined,
    events: [],
    timers: [],
  });
});

test('what is erased already, and what belongs to another customer, stays', () => {
  const { receipt: _, ...unpaid } = invoice;
  for (const each of [invoice, unpaid]) {
    const erased = eraseInvoice(erasure, each)?.record as Invoice;
    expect(eraseInvoice(erasure, erased)).toBeUndefined();
  }
  expect(erasePayment(erasure, erasePayment(erasure, payment)?.record as Payment)).toBeUndefined();
  expect(eraseRefund(erasure, { ...refund, reason: '[erased]' })).toBeUndefined();
  expect(eraseInvoice(erasure, { ...invoice, filterKeys: ['#customer#other'] })).toBeUndefined();
});

test('metadata is removed, and the own reference of an invoice is replaced, also in shown resources', () => {
  const metadata = '{"note":"Dorji"}';
  const erased = eraseInvoice(erasure, { ...invoice, reference: 'Dorji 7', metadata })?.record as Invoice;
  expect([erased.reference, erased.metadata]).toEqual(['[erased]', undefined]);
  expect(eraseInvoice(erasure, erased)).toBeUndefined();
  const erasedPayment = erasePayment(erasure, { ...payment, metadata })?.record as Payment;
  expect(erasedPayment.metadata).toBeUndefined();
  expect(erasePayment(erasure, erasedPayment)).toBeUndefined();
  const erasedRefund = eraseRefund(erasure, { ...refund, reason: null, metadata })?.record as Refund;
  expect(erasedRefund.metadata).toBeUndefined();
  expect(eraseRefund(erasure, erasedRefund)).toBeUndefined();
  expect(
    eraseShown(erasure, 'inv_1', { id: 'inv_1', reference: 'Dorji 7', metadata: { note: 'Dorji' } }),
  ).toEqual({
    id: 'inv_1',
    reference: '[erased]',
    metadata: {},
  });
});

test('the address in an event of a mail is erased with the mails of its invoice', () => {
  const id = `mail_${'0'.repeat(26)}`;
  const data = { id, invoiceId: 'inv_1', to: 'dorji@example.bt', state: 'bounced' };
  const event = JSON.stringify({ id: 'evt_1', type: 'mail.bounced', data });
  const scope = { erasure, ids: new Set([id]), mailed: new Set(['inv_1']) };
  const text = eraseEventBody(scope, event) ?? '';
  expect(JSON.parse(text).data).toEqual({ ...data, to: '[erased]' });
  expect(eraseEventBody(scope, text)).toBeUndefined();
  expect(eraseEventBody({ ...scope, mailed: new Set() }, event)).toBeUndefined();
});

test('the former values in an event are erased, too', () => {
  const former = { description: 'Wedding of Dorji', metadata: { note: 'Dorji' }, amount: 7 };
  const event = { id: 'evt_1', type: 'invoice.updated', data: { id: 'inv_1' }, previous: former };
  const scope = { erasure, ids: new Set(['inv_1']), mailed: new Set<string>() };
  const text = eraseEventBody(scope, JSON.stringify(event)) ?? '';
  expect(JSON.parse(text).previous).toEqual({ description: '[erased]', metadata: {}, amount: 7 });
  expect(eraseEventBody(scope, text)).toBeUndefined();
});

test('empty texts stay empty, and the text of the service stays', () => {
  expect(erasePayment(erasure, { ...payment, reference: null })?.record.reference).toBeNull();
  expect(eraseRefund(erasure, { ...refund, reason: null })).toBeUndefined();
  expect(eraseRefund(erasure, { ...refund, reason: compensationReason })).toBeUndefined();
  expect(eraseAttempts([{ answer: 'Dorji' }, { answer: '' }])).toEqual([
    { answer: '[erased]' },
    { answer: '' },
  ]);
});

test('a record with a status that only a newer release knows is not changed', () => {
  expect(() => eraseInvoice(erasure, { ...invoice, status: 'disputed' as 'paid' })).toThrow(
    'This release does not know the status disputed of inv_1.',
  );
});

test('a shown resource keeps its fields in their order', () => {
  const shown = { id: 'pay_1', customerId: 'dorji@example.bt', amount: 1, reference: 'Dorji', card: null };
  expect(JSON.stringify(eraseShown(erasure, 'pay_1', shown))).toBe(
    '{"id":"pay_1","customerId":"erased-1","amount":1,"reference":"[erased]","card":null}',
  );
});

test('a shown field that nobody declared does not survive', () => {
  const shown = { id: 'inv_1', nickname: 'Dorji 7', buyer: { name: 'Dorji' } };
  expect(eraseShown(erasure, 'inv_1', shown)).toEqual({ id: 'inv_1', nickname: '[erased]', buyer: null });
});

test('the parts of an object are erased one by one, and what a newer release stored in it stays in the record', () => {
  const dispute = {
    reference: 'dp_1',
    status: 'open',
    reason: 'fraudulent',
    amount: 7,
    openedAt: 3,
  } as const;
  const stored: Payment = { ...payment, dispute: { ...dispute, isRefundable: false, newPart: 'x' } as never };
  expect(erasePayment(erasure, stored)?.record.dispute).toEqual(stored.dispute);
  const shown = { id: 'pay_1', dispute: { ...dispute, newPart: 'Dorji', newObject: { name: 'Dorji' } } };
  expect(eraseShown(erasure, 'pay_1', shown)).toEqual({
    id: 'pay_1',
    dispute: { ...dispute, newPart: '[erased]', newObject: null },
  });
});
