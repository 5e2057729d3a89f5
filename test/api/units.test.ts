/**
 * Tests how many capacity units each request costs. One more unit is a failure. Also tests the sizes of items, because
 * an item of more than 1 KB costs one unit more, and two units more in a transaction.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { sizeOf, sumOf } from '../support/capacity-units.ts';
import {
  type PricedRequest,
  priceDocuments,
  priceLongDescriptions,
  priceOwnData,
  priceReminders,
  priceRequests,
  priceSchedules,
} from '../support/priced-requests.ts';
import { startTestStack } from '../support/stack.ts';
import { pricePayments } from './payments/priced-payments.ts';
import { priceWebhooks } from './webhooks/priced-webhooks.ts';

let stack: Stack;
let priced: PricedRequest[];
let payments: PricedRequest[];
let webhooks: PricedRequest[];
let longDescriptions: PricedRequest[];
let ownData: PricedRequest[];
let documents: PricedRequest[];
let schedules: PricedRequest[];
let reminders: PricedRequest[];

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  priced = await priceRequests(stack);
  payments = await pricePayments(stack);
  webhooks = await priceWebhooks(stack);
  longDescriptions = await priceLongDescriptions(stack);
  ownData = await priceOwnData(stack);
  documents = await priceDocuments(stack);
  schedules = await priceSchedules(stack);
  reminders = await priceReminders(stack);
});
afterAll(() => stack.close());

const unitsOf = (part: 'request' | 'background', of = priced) =>
  Object.fromEntries(of.map((one) => [one.name, [sumOf(one[part], 'write'), sumOf(one[part], 'read')]]));

test('write and read units of requests', () => {
  expect(unitsOf('request')).toEqual({
    create: [7, 1],
    'create, with key': [9, 2],
    'create, replayed': [3, 2],
    // The item of the reference costs two.
    'create, with key, reference and metadata': [11, 2],
    'create, with key, reference, metadata and 40 characters': [11, 2],
    update: [5, 2],
    'update, with key': [7, 3],
    'update of the due date, with key': [7, 3],
    'update that changes nothing, with key': [5, 3],
    cancel: [7, 2],
    'cancel, with key': [9, 3],
    get: [1, 2],
    'list, 3 rows of one page': [1, 5],
  });
});

test('write and read units of invoices with three lines and of their documents', () => {
  expect(unitsOf('request', documents)).toEqual({
    'without a seller': [9, 2],
    'with a seller': [9, 2],
    get: [1, 2],
    'documents of an invoice': [1, 4],
    'offline payment': [14, 2],
  });
  // The number, the document and its event take ten, and so does a receipt. The search takes one for each number.
  expect(unitsOf('background', documents)).toMatchObject({
    'without a seller': [18, 5],
    'with a seller': [29, 10],
    'offline payment': [34, 14],
  });
});

test('write and read units of the background work of requests', () => {
  expect(unitsOf('background')).toEqual({
    // The due date is a month ahead, so it has no timer yet. The journal, the sums of the day and those of the due date take six, and the search one.
    create: [18, 5],
    'create, with key': [18, 5],
    'create, replayed': [0, 0],
    'create, with key, reference and metadata': [18, 5],
    'create, with key, reference, metadata and 40 characters': [18, 5],
    // A changed amount has another item of the search, and the former one is deleted.
    // A changed amount deletes a term of the search. Whether the invoice has the term again is one read.
    update: [19, 4],
    'update, with key': [19, 4],
    'update of the due date, with key': [17, 3],
    'update that changes nothing, with key': [0, 0],
    cancel: [17, 5],
    'cancel, with key': [17, 5],
    get: [0, 0],
    'list, 3 rows of one page': [0, 0],
  });
});

test('only an account with a plan of reminders pays a read unit for it', () => {
  expect(unitsOf('background', reminders)).toEqual({
    'without a plan': [18, 5],
    'with a plan': [18, 6],
    'with a plan that has ended': [18, 5],
  });
});

test('write and read units of payments and refunds', () => {
  expect(unitsOf('request', payments)).toEqual({
    offline: [14, 2],
    'offline, with key': [16, 3],
    card: [20, 2],
    'card, with key': [24, 3],
    'card declined, with key': [20, 3],
    'card pending, with key': [20, 3],
    'card, replayed': [6, 3],
    refund: [10, 2],
    'refund, with key': [12, 3],
  });
});

test('write and read units of the background work of payments and refunds', () => {
  expect(unitsOf('background', payments)).toEqual({
    // One unit reads whether the account sends receipts.
    offline: [24, 9],
    'offline, with key': [24, 9],
    // An instance reads the marks before its first timer.
    card: [26, 14],
    'card, with key': [26, 13],
    'card declined, with key': [15, 10],
    'card pending, with key': [8, 9],
    'card, replayed': [0, 0],
    refund: [6, 5],
    'refund, with key': [6, 5],
  });
});

test('an invoice of a schedule costs four write units more than one of a request', () => {
  // The sweep leases the timer with two more.
  const leaseUnits = 2;
  const total = Object.fromEntries(
    schedules.map(({ name, request, background }) => [
      name,
      sumOf(request, 'write') + sumOf(background, 'write'),
    ]),
  );
  expect((total.occurrence ?? 0) + leaseUnits).toBeLessThanOrEqual((total.create ?? 0) + 4);
  const items = schedules.flatMap(({ request, background }) =>
    [...request, ...background].flatMap((call) => call.items),
  );
  expect(Math.max(...items.filter(({ kind }) => kind === 'sch').map(({ bytes }) => bytes))).toBeLessThan(900);
});

test('write and read units of webhook endpoints and deliveries', () => {
  expect(unitsOf('request', webhooks)).toEqual({
    create: [7, 2],
    'create, with key': [9, 3],
    'create, replayed': [1, 3],
    update: [5, 2],
    'update, with key': [7, 3],
    'rotate, with key': [7, 3],
    test: [7, 3],
    get: [1, 2],
    'list of 2': [1, 2],
    'delete, with key': [9, 4],
    // Six for the event, its pointer and the cursor, four for the audit entry and its head, two for the timer, in one transaction.
    // Then one for the delivery and one for the outbox item.
    'relay to 1 endpoint': [21, 12],
    // The outcome and the end of the timer, in a transaction.
    deliver: [4, 4],
    'relay to 1 endpoint again': [21, 6],
    // The last read is that of the clock, which test mode alone has.
    'deliver, failing first': [7, 6],
    'deliver, failing again': [6, 6],
    'deliver after failures': [5, 4],
    redeliver: [7, 7],
    'deliveries, 2 of them': [1, 3],
    // The endpoints have changed, so they are read again, in a transaction.
    'relay to none of 1': [18, 10],
  });
});

test('write and read units of the background work of webhook endpoints: the audit entry and the end of its outbox item', () => {
  const background = unitsOf('background', webhooks);
  const audited = [
    'create',
    'update',
    'update, with key',
    'rotate, with key',
    'test',
    'delete, with key',
    'redeliver',
  ];
  for (const name of audited) expect({ name, units: background[name] }).toEqual({ name, units: [5, 1] });
});

test('write and read units of a create whose description has 5,000 characters', () => {
  expect(unitsOf('request', longDescriptions)).toEqual({ letters: [27, 2], emoji: [33, 2] });
  expect(unitsOf('background', longDescriptions)).toEqual({ letters: [27, 5], emoji: [30, 5] });
});

test('a create with typical metadata and a reference costs two write units more', () => {
  const unitsOfRequest = (part: 'request' | 'background') =>
    Object.fromEntries(ownData.map((one) => [one.name, sumOf(one[part], 'write')]));
  // The item of the reference costs two.
  expect(unitsOfRequest('request')).toEqual({
    'without, 40 characters': 9,
    'without, 40 characters, replayed': 3,
    'with, 40 characters': 11,
    'with, 40 characters, replayed': 3,
    'without, 100 characters': 9,
    'without, 100 characters, replayed': 3,
    'with, 100 characters': 11,
    'with, 100 characters, replayed': 3,
  });
  expect(new Set(Object.values(unitsOfRequest('background')))).toEqual(new Set([0, 18]));
});

test('no item is larger than 1 KB, except the outbox item of two events, which has at most 2 KB', () => {
  const items = [...priced, ...payments].flatMap(({ request, background }) =>
    [...request, ...background].flatMap((call) => call.items),
  );
  const larger = items.filter(({ bytes }) => bytes > 1024);
  // A completed payment emits two events, for itself and for the paid invoice, each with the whole resource.
  expect(new Set(larger.map(({ kind }) => kind))).toEqual(new Set(['OUTBOX']));
  expect(Math.max(...larger.map(({ bytes }) => bytes))).toBeLessThanOrEqual(2048);
});

test('sizes are computed by the rules of DynamoDB', () => {
  expect(sizeOf({ pk: { S: 'é1' }, n: { N: '1763724000000' }, m: { N: '-12.5' } })).toBe(
    2 + 3 + 1 + 5 + 1 + 4,
  );
  expect(sizeOf({ zero: { N: '0' }, yes: { BOOL: true }, none: { NULL: true } })).toBe(4 + 1 + 3 + 1 + 4 + 1);
  expect(sizeOf({ b: { B: 'AQID' }, s: { BS: ['AA==', 'AQ=='] } })).toBe(1 + 3 + 1 + 2);
  expect(sizeOf({ l: { L: [{ S: 'ab' }, { S: 'c' }] } })).toBe(1 + 3 + 2 + 3);
  expect(sizeOf({ m: { M: { a: { S: 'b' } } } })).toBe(1 + 3 + 1 + 2);
});
