import { expect, test } from '@jest/globals';
import { balanceFaults } from '../../support/audit-balances.ts';
import { readMoney } from '../../support/history-stories.ts';
import type { TestItem } from '../../support/table.ts';

const owner = 'acct_1#test';
const record = (pk: string, fields: TestItem): TestItem => ({
  ...{ pk, sk: 'RECORD', account: 'acct_1', mode: 'test', seq: 1, createdAt: 0, updatedAt: 0, ...fields },
});
const deed = (key: string, asked: string, amountMinor: number, kind = 'done'): TestItem => ({
  ...{ pk: `TESTPROVIDER#${key}`, sk: 'TESTPROVIDER', key, asked: { deed: asked, amountMinor } },
  outcome: { kind },
});
const page = (list: string, sets: TestItem): TestItem => ({
  ...{ pk: `INDEX#${owner}#${list}`, sk: 'PAGE#0000000000', ...sets },
});
const event = (position: number, type: string, objectVersion: number, data: TestItem): TestItem => ({
  ...{ pk: `EVENTS#${owner}`, sk: String(position), body: JSON.stringify({ type, objectVersion, data }) },
});
const one = new Set([Uint8Array.of(1)]);

const invoice = record('inv_1', { status: 'paid', amount: 100, receipt: { paymentId: 'pay_1' } });
const payment = record('pay_1', {
  ...{ invoiceId: 'inv_1', status: 'completed', method: 'card', card: { brand: 'visa', last4: '4242' } },
  ...{
    amount: 100,
    amountRefunded: 40,
    amountReserved: 0,
    dimensions: ['#invoice#inv_1'],
    failureCode: null,
  },
});
const refund = record('ref_1', {
  ...{ paymentId: 'pay_1', invoiceId: 'inv_1', status: 'processed', amount: 40, failureCode: null },
  dimensions: ['#payment#pay_1'],
});
const books = [deed('pay_1', 'capture', 100), deed('ref_1', 'refund', 40)];
const pages = ['payment', 'payment#invoice#inv_1', 'refund', 'refund#payment#pay_1'].map((list) =>
  page(list, { c: one, p: one }),
);
const events = [
  event(1, 'payment.completed', 2, { id: 'pay_1', status: 'completed' }),
  event(2, 'refund.processed', 2, { id: 'ref_1', status: 'processed' }),
];
const all = [invoice, payment, refund, ...books, ...pages, ...events];

/** The same table, but for one item that is changed (or gone) and what else there is. */
const but = (item: TestItem, change: TestItem | undefined, ...others: TestItem[]): TestItem[] => [
  ...all.flatMap((other) => (other === item ? (change ? [{ ...item, ...change }] : []) : [other])),
  ...others,
];
const [captured, givenBack] = books as [TestItem, TestItem];
const [completed, processed] = events as [TestItem, TestItem];

const faultsOf = (items: readonly TestItem[]) =>
  [...balanceFaults(items, owner), ...readMoney(items, owner).faults].join('\n');

test('accepts a table in which all agrees', () => {
  expect(faultsOf(all)).toBe('');
});

test('accepts money on a cancelled invoice that went back in full', () => {
  const whole = { amount: 100 };
  const items = but(invoice, { status: 'cancelled', receipt: undefined }).map((item) => {
    if (item.pk === 'pay_1') return { ...item, amountRefunded: 100 };
    if (item.pk === 'ref_1') return { ...item, ...whole };
    return item === givenBack ? deed('ref_1', 'refund', 100) : item;
  });
  expect(faultsOf(items)).toBe('');
});

test.each<[string, TestItem[], RegExp]>([
  ['an invoice that is still bound', but(invoice, { paymentInProgress: 'pay_9' }), /still bound to pay_9/],
  [
    'two completed payments of an invoice',
    but(refund, {}, { ...payment, pk: 'pay_2', seq: 2 }),
    /2 completed payments/,
  ],
  ['a paid invoice without a payment', but(payment, { status: 'failed' }), /paid, without/],
  ['a paid invoice of another amount', but(invoice, { amount: 90 }), /costs 90, it was paid with 100/],
  ['the receipt of another payment', but(invoice, { receipt: { paymentId: 'pay_9' } }), /receipt/],
  ['a completed payment of an open invoice', but(invoice, { status: 'overdue' }), /is overdue, and pay_1/],
  [
    'money kept on a cancelled invoice',
    but(invoice, { status: 'cancelled' }),
    /is cancelled, of pay_1 40 of 100 is refunded/,
  ],
  ['a payment without an outcome', but(payment, { status: 'pending' }), /pay_1 is still pending/],
  ['an amount that is still kept', but(payment, { amountReserved: 5 }), /5 reserved/],
  ['a refund that is still owed', but(payment, { owed: 'refund' }), /still owes a refund/],
  ['a request without an answer', but(payment, { request: { keyHash: 'k' } }), /request to answer/],
  ['a refund without an outcome', but(refund, { status: 'pending' }), /ref_1 is still pending/],
  ['more refunded than was paid', but(payment, { amountRefunded: 140 }), /completed over 100, and 140/],
  ['a failed payment that was refunded', but(payment, { status: 'failed' }), /failed over 100, and 40/],
  [
    'refunds that do not add up to what is refunded',
    but(refund, { amount: 30 }),
    /40 is refunded, by refunds 30/,
  ],
  ['money that the provider never took', but(captured, undefined), /provider has -40 of it/],
  [
    'another amount at the provider',
    but(captured, { asked: { deed: 'capture', amountMinor: 90 } }),
    /the provider captured 90/,
  ],
  [
    'a failed payment whose money the provider kept',
    but(payment, { status: 'failed', amountRefunded: 0 }),
    /the provider has 60 of it, our records say 0/,
  ],
  [
    'a refund that the provider refused',
    but(givenBack, { outcome: { kind: 'refused' } }),
    /ref_1 is processed, the provider gave back 0/,
  ],
  [
    'a failed refund that the provider made',
    but(refund, { status: 'failed' }),
    /failed, the provider gave back 40/,
  ],
  [
    'a capture that no record knows',
    but(refund, {}, deed('pay_9', 'capture', 5)),
    /pay_9, which is no record's/,
  ],
  [
    'a payment that a list does not have',
    but(pages[1] as TestItem, { p: new Set() }),
    /index lacks .*payment#invoice#inv_1 p 1/,
  ],
  [
    'a state that a list has wrongly',
    but(pages[0] as TestItem, { f: one }),
    /index has .*payment f 1 wrongly/,
  ],
  ['a completed payment without its event', but(completed, undefined), /its events are none/],
  [
    'an event twice',
    but(refund, {}, event(3, 'payment.completed', 2, { id: 'pay_1', status: 'completed' })),
    /payment.completed,payment.completed/,
  ],
  [
    'the event of another outcome',
    but(processed, event(2, 'refund.failed', 2, { id: 'ref_1', status: 'failed' })),
    /its events are refund.failed/,
  ],
  [
    'an event of another version',
    but(completed, event(1, 'payment.completed', 3, { id: 'pay_1', status: 'completed' })),
    /of version 3/,
  ],
  ['an event without a record', but(refund, undefined), /refund.processed of ref_1, which has no record/],
])('rejects: %s', (_, items, expected) => {
  expect(faultsOf(items)).toMatch(expected);
});
