import { expect, test } from '@jest/globals';
import { balanceViolations } from '../../model/audit-balances.ts';
import { readLifecycles } from '../../model/stored-lifecycles.ts';
import type { TestItem } from '../../support/table.ts';

const owner = 'acct_1#test';
const record = (pk: string, fields: TestItem): TestItem => ({
  pk,
  sk: 'RECORD',
  account: 'acct_1',
  mode: 'test',
  seq: 1,
  createdAt: 0,
  updatedAt: 0,
  ...fields,
});
const providerItem = (key: string, operation: string, amountMinor: number): TestItem => ({
  pk: `TESTPROVIDER#${key}`,
  sk: 'TESTPROVIDER',
  key,
  request: { operation, amountMinor },
  outcome: { kind: 'done' },
});
const indexPage = (list: string, sets: TestItem): TestItem => ({
  pk: `INDEX#${owner}#${list}`,
  sk: 'PAGE#0000000000',
  ...sets,
});
const event = (position: number, type: string, objectVersion: number, data: TestItem): TestItem => ({
  pk: `EVENTS#${owner}`,
  sk: String(position),
  body: JSON.stringify({ type, objectVersion, data }),
});
/** The set with the sequence number 1. */
const one = new Set([Uint8Array.of(1)]);

const invoice = record('inv_1', { status: 'paid', amount: 100, receipt: { paymentId: 'pay_1' } });
const payment = record('pay_1', {
  invoiceId: 'inv_1',
  status: 'completed',
  method: 'card',
  card: { brand: 'visa', last4: '4242' },
  amount: 100,
  amountRefunded: 40,
  amountReserved: 0,
  filterKeys: ['#invoice#inv_1'],
  failureCode: null,
});
const refund = record('ref_1', {
  paymentId: 'pay_1',
  invoiceId: 'inv_1',
  status: 'processed',
  amount: 40,
  failureCode: null,
  filterKeys: ['#payment#pay_1'],
});
const capture = providerItem('pay_1', 'capture', 100);
const providerRefund = providerItem('ref_1', 'refund', 40);
const [paymentPage, paymentsOfInvoicePage, ...refundPages] = [
  'payment',
  'payment#invoice#inv_1',
  'refund',
  'refund#payment#pay_1',
].map((list) => indexPage(list, { c: one, p: one })) as [TestItem, TestItem, ...TestItem[]];
const completedEvent = event(1, 'payment.completed', 2, { id: 'pay_1', status: 'completed' });
const processedEvent = event(2, 'refund.processed', 2, { id: 'ref_1', status: 'processed' });
const consistentItems = [
  invoice,
  payment,
  refund,
  capture,
  providerRefund,
  paymentPage,
  paymentsOfInvoicePage,
  ...refundPages,
  completedEvent,
  processedEvent,
];

/** Returns the consistent items, except that one item has other fields. */
const changed = (item: TestItem, fields: TestItem): TestItem[] =>
  consistentItems.map((other) => (other === item ? { ...item, ...fields } : other));
const without = (item: TestItem): TestItem[] => consistentItems.filter((other) => other !== item);
const replaced = (item: TestItem, replacement: TestItem): TestItem[] => [...without(item), replacement];
const withItem = (item: TestItem): TestItem[] => [...consistentItems, item];

const violationsOf = (items: readonly TestItem[]) =>
  [...balanceViolations(items, owner), ...readLifecycles(items, owner).violations].join('\n');

test('accepts items that agree', () => {
  expect(violationsOf(consistentItems)).toBe('');
});

test('accepts a payment of a cancelled invoice that is refunded in full', () => {
  const items = changed(invoice, { status: 'cancelled', receipt: undefined }).map((item) => {
    if (item.pk === 'pay_1') return { ...item, amountRefunded: 100 };
    if (item.pk === 'ref_1') return { ...item, amount: 100 };
    return item === providerRefund ? providerItem('ref_1', 'refund', 100) : item;
  });
  expect(violationsOf(items)).toBe('');
});

test.each<[string, TestItem[], RegExp]>([
  [
    'an invoice with a payment in progress',
    changed(invoice, { paymentInProgress: 'pay_9' }),
    /still has the payment pay_9 in progress/,
  ],
  [
    'two completed payments of an invoice',
    withItem({ ...payment, pk: 'pay_2', seq: 2 }),
    /2 completed payments/,
  ],
  [
    'a paid invoice without a payment',
    changed(payment, { status: 'failed' }),
    /is paid, but has no completed payment/,
  ],
  [
    'a paid invoice with another amount than its payment',
    changed(invoice, { amount: 90 }),
    /is over 90, but its payment is over 100/,
  ],
  [
    'the receipt of another payment',
    changed(invoice, { receipt: { paymentId: 'pay_9' } }),
    /receipt of another payment/,
  ],
  [
    'a completed payment of an unpaid invoice',
    changed(invoice, { status: 'overdue' }),
    /is overdue, but its payment pay_1 is completed/,
  ],
  [
    'a payment of a cancelled invoice that is not refunded in full',
    changed(invoice, { status: 'cancelled' }),
    /is cancelled, but only 40 of 100 of pay_1 is refunded/,
  ],
  ['a payment without an outcome', changed(payment, { status: 'pending' }), /pay_1 is still pending/],
  ['a reserved amount', changed(payment, { amountReserved: 5 }), /still has 5 reserved/],
  [
    'a pending compensation',
    changed(payment, { pendingCompensation: 'refund' }),
    /still needs a compensation \(refund\)/,
  ],
  [
    'a request without a response',
    changed(payment, { pendingRequest: { keyHash: 'k' } }),
    /its request still has no response/,
  ],
  ['a refund without an outcome', changed(refund, { status: 'pending' }), /ref_1 is still pending/],
  [
    'a refunded amount that exceeds the payment',
    changed(payment, { amountRefunded: 140 }),
    /is completed over 100, but 140 of it is refunded/,
  ],
  [
    'a refunded amount of a failed payment',
    changed(payment, { status: 'failed' }),
    /is failed over 100, but 40 of it is refunded/,
  ],
  [
    'refunds that do not add up to the refunded amount',
    changed(refund, { amount: 30 }),
    /has 40 refunded, but its processed refunds add up to 30/,
  ],
  ['a payment that the provider did not capture', without(capture), /the provider kept -40/],
  [
    'a capture of another amount',
    changed(capture, { request: { operation: 'capture', amountMinor: 90 } }),
    /the provider captured 90/,
  ],
  [
    'a failed payment that the provider captured',
    changed(payment, { status: 'failed', amountRefunded: 0 }),
    /the provider kept 60, but the records have 0/,
  ],
  [
    'a processed refund that the provider refused',
    changed(providerRefund, { outcome: { kind: 'refused' } }),
    /ref_1 is processed, but the provider refunded 0/,
  ],
  [
    'a failed refund that the provider processed',
    changed(refund, { status: 'failed' }),
    /ref_1 is failed, but the provider refunded 40/,
  ],
  [
    'a capture without a record',
    withItem(providerItem('pay_9', 'capture', 5)),
    /the key pay_9, which belongs to no record/,
  ],
  [
    'a missing index entry',
    changed(paymentsOfInvoicePage, { p: new Set() }),
    /lacks the entry .*payment#invoice#inv_1 p 1/,
  ],
  ['a wrong index entry', changed(paymentPage, { f: one }), /has the wrong entry .*payment f 1/],
  ['a completed payment without its event', without(completedEvent), /its events are none/],
  [
    'a duplicate event',
    withItem(event(3, 'payment.completed', 2, { id: 'pay_1', status: 'completed' })),
    /payment.completed,payment.completed/,
  ],
  [
    'an event with another outcome',
    replaced(processedEvent, event(2, 'refund.failed', 2, { id: 'ref_1', status: 'failed' })),
    /its events are refund.failed/,
  ],
  [
    'an event with another version',
    replaced(completedEvent, event(1, 'payment.completed', 3, { id: 'pay_1', status: 'completed' })),
    /has version 3, expected 2/,
  ],
  [
    'an event without a record',
    without(refund),
    /the event refund.processed is about ref_1, which has no record/,
  ],
])('rejects: %s', (_, items, expected) => {
  expect(violationsOf(items)).toMatch(expected);
});
