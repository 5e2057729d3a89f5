/**
 * Tests how many capacity units each request costs. One more unit is a failure. Also tests the sizes of items, because
 * an item of more than 1 KB costs one unit more, and two units more in a transaction.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { sizeOf, sumOf } from '../support/capacity-units.ts';
import { type PricedRequest, priceLongDescriptions, priceRequests } from '../support/priced-requests.ts';
import { startTestStack } from '../support/stack.ts';
import { pricePayments } from './payments/priced-payments.ts';
import { priceWebhooks } from './webhooks/priced-webhooks.ts';

let stack: Stack;
let priced: PricedRequest[];
let payments: PricedRequest[];
let webhooks: PricedRequest[];
let longDescriptions: PricedRequest[];

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  priced = await priceRequests(stack);
  payments = await pricePayments(stack);
  webhooks = await priceWebhooks(stack);
  longDescriptions = await priceLongDescriptions(stack);
});
afterAll(() => stack.close());

const unitsOf = (part: 'request' | 'background', of = priced) =>
  Object.fromEntries(of.map((one) => [one.name, [sumOf(one[part], 'write'), sumOf(one[part], 'read')]]));

test('write and read units of requests', () => {
  expect(unitsOf('request')).toEqual({
    create: [7, 0],
    'create, with key': [9, 1],
    'create, replayed': [3, 1],
    update: [5, 1],
    'update, with key': [7, 2],
    'update of the due date, with key': [7, 2],
    'update that changes nothing, with key': [5, 2],
    cancel: [7, 1],
    'cancel, with key': [9, 2],
    get: [1, 1],
    'list, 3 rows of one page': [1, 4],
  });
});

test('write and read units of the background work of requests', () => {
  expect(unitsOf('background')).toEqual({
    create: [11, 2],
    'create, with key': [11, 2],
    'create, replayed': [0, 0],
    update: [8, 2],
    'update, with key': [8, 2],
    'update of the due date, with key': [9, 2],
    'update that changes nothing, with key': [0, 0],
    cancel: [10, 2],
    'cancel, with key': [10, 2],
    get: [0, 0],
    'list, 3 rows of one page': [0, 0],
  });
});

test('write and read units of payments and refunds', () => {
  expect(unitsOf('request', payments)).toEqual({
    offline: [14, 1],
    'offline, with key': [16, 2],
    card: [20, 1],
    'card, with key': [24, 2],
    'card declined, with key': [20, 2],
    'card pending, with key': [20, 2],
    'card, replayed': [6, 2],
    refund: [10, 1],
    'refund, with key': [12, 2],
  });
});

test('write and read units of the background work of payments and refunds', () => {
  expect(unitsOf('background', payments)).toEqual({
    offline: [18, 2],
    'offline, with key': [18, 2],
    card: [23, 3],
    'card, with key': [23, 3],
    'card declined, with key': [16, 3],
    'card pending, with key': [11, 2],
    'card, replayed': [0, 0],
    refund: [6, 1],
    'refund, with key': [6, 1],
  });
});

test('write and read units of webhook endpoints and deliveries', () => {
  expect(unitsOf('request', webhooks)).toEqual({
    create: [7, 1],
    'create, with key': [9, 2],
    'create, replayed': [1, 2],
    update: [5, 1],
    'update, with key': [7, 2],
    'rotate, with key': [7, 2],
    test: [7, 2],
    get: [1, 1],
    'list of 2': [1, 1],
    'delete, with key': [9, 3],
    'relay to 1 endpoint': [13, 3],
    deliver: [2, 4],
    'relay to 1 endpoint again': [13, 3],
    'deliver, failing first': [7, 5],
    'deliver, failing again': [6, 5],
    'deliver after failures': [3, 4],
    redeliver: [7, 6],
    'deliveries, 2 of them': [1, 2],
    'relay to none of 1': [11, 2],
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
  for (const name of audited) expect({ name, units: background[name] }).toEqual({ name, units: [2, 0] });
});

test('write and read units of a create whose description has 5,000 characters', () => {
  expect(unitsOf('request', longDescriptions)).toEqual({ letters: [39, 1], emoji: [127, 1] });
  expect(unitsOf('background', longDescriptions)).toEqual({ letters: [26, 2], emoji: [71, 2] });
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
