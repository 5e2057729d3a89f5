/** Tests metadata of invoices, payments, refunds and webhook endpoints: in requests, responses and events. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { expectError } from '../support/expectations.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
/** The same key in the first version of the API, and in the newest one. */
let first: Api;
let api: Api;
beforeAll(async () => {
  stack = await startTestStack();
  first = (await newAccount(stack.baseUrl)).test;
  api = inNewestVersion(first);
});
afterAll(() => stack.close());

const metadata = { orderId: '1047', constructor: 'plain data', '9': 'ཨིན' };
const newInvoice = async () => (await api.post('/api/invoices', invoiceBody())).json.id as string;
const newPayment = async (fields: object = {}) =>
  (await api.post('/api/payments', { invoiceId: await newInvoice(), method: 'offline', ...fields })).json;
const card = { number: '4242424242424242', expMonth: 12, expYear: 2099, cvc: '123' };

const creations: [string, () => Promise<object>, string][] = [
  ['invoices', async () => invoiceBody(), '/api/invoices'],
  ['offline payments', async () => ({ invoiceId: await newInvoice(), method: 'offline' }), '/api/payments'],
  ['card payments', async () => ({ invoiceId: await newInvoice(), method: 'card', card }), '/api/payments'],
  ['refunds', async () => ({ paymentId: (await newPayment()).id }), '/api/refunds'],
  ['webhooks', async () => ({ url: 'http://127.0.0.1:9/', events: ['*'] }), '/api/webhooks'],
];

describe.each(creations)('%s', (name, newBody, path) => {
  test('are created with metadata, and show it in all responses of the newest version only', async () => {
    const headers = { 'Idempotency-Key': `metadata of ${name}` };
    const body = { ...(await newBody()), metadata };
    const created = await api.post(path, body, { headers });
    expect([created.status, created.json.metadata]).toEqual([201, metadata]);
    expect((await api.post(path, body, { headers })).text).toBe(created.text);
    const own = `${path}/${created.json.id}`;
    expect((await api.get(own)).json.metadata).toEqual(metadata);
    const [listed] = (await api.get(`${path}?limit=1`)).json.data;
    expect([listed.id, listed.metadata]).toEqual([created.json.id, metadata]);
    expect((await first.get(own)).json).not.toHaveProperty('metadata');
  });

  test('have none without it', async () => {
    for (const fields of [{}, { metadata: null }, { metadata: {} }]) {
      const { json } = await api.post(path, { ...(await newBody()), ...fields });
      expect(json.metadata).toEqual({});
    }
  });

  test('are refused with invalid metadata', async () => {
    const body = await newBody();
    for (const wrong of [7, 'x', [], { a: 1 }, { a: null }, { '': 'x' }, { a: '\0' }, { a: '\ud800' }])
      expectError(await api.post(path, { ...body, metadata: wrong }), 400, 'invalid_metadata', 'metadata');
    const text = JSON.stringify({ ...body, metadata: {} }).replace(
      '"metadata":{}',
      '"metadata":{"__proto__":"x"}',
    );
    const refused = await api.post(path, text);
    expect([refused.status, refused.json.error.code]).toEqual([400, 'invalid_json']);
  });
});

test.each([
  ['/api/invoices', invoiceBody()],
  ['/api/webhooks', { url: 'http://127.0.0.1:9/', events: ['*'] }],
])('%s: an update merges metadata', async (path, body) => {
  const { json } = await api.post(path, { ...body, metadata: { a: '1', b: '2' } });
  const own = `${path}/${json.id}`;
  const update = async (change: unknown) => (await api.patch(own, { metadata: change })).json.metadata;
  expect(await update({ a: null, c: '3' })).toEqual({ b: '2', c: '3' });
  const { updatedAt } = (await api.get(own)).json;
  expect((await api.patch(own, { metadata: { b: '2', z: null } })).json.updatedAt).toBe(updatedAt);
  const many = Object.fromEntries(Array.from({ length: 19 }, (_, index) => [`k${index}`, 'x']));
  expectError(await api.patch(own, { metadata: many }), 400, 'invalid_metadata', 'metadata');
  // The first version of the API leaves it as it is.
  expect((await first.patch(own, { description: 'Other' })).status).toBe(200);
  expect((await api.get(own)).json.metadata).toEqual({ b: '2', c: '3' });
  expect(await update(null)).toEqual({});
});

test('events of the newest version have metadata, references and the former values of what changed', async () => {
  const created = (await api.post('/api/invoices', invoiceBody({ metadata: { a: '1' }, reference: 'INV-7' })))
    .json;
  const updated = (await api.patch(`/api/invoices/${created.id}`, { amount: 9, metadata: { b: '2' } })).json;
  const { id } = (await api.post('/api/payments', { invoiceId: created.id, method: 'offline', metadata }))
    .json;
  const eventsOf = async (from: Api) => {
    const { data } = (await from.get('/api/events?limit=100')).json;
    const own = data.filter((event: { data: { id: string } }) => [created.id, id].includes(event.data.id));
    return Object.fromEntries(own.map((event: { type: string }) => [event.type, event]));
  };
  await waitUntil('the events are stored', async () => Object.keys(await eventsOf(api)).length === 4);
  const events = await eventsOf(api);
  expect(events['invoice.created'].data).toEqual(created);
  expect(events['invoice.updated'].data).toEqual(updated);
  expect(events['invoice.updated'].previous).toEqual({ amount: created.amount, metadata: { a: '1' } });
  expect(events['payment.completed'].data.metadata).toEqual(metadata);
  expect(events['invoice.paid']).not.toHaveProperty('previous');
  for (const event of Object.values<{ data: object }>(await eventsOf(first))) {
    expect(event).not.toHaveProperty('previous');
    expect(event.data).not.toHaveProperty('metadata');
  }
  expect(Object.keys((await eventsOf(first))['invoice.updated'].data)).toHaveLength(10);
});
