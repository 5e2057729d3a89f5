/** Tests how many DynamoDB calls of each request wait for one another. One more call is a failure. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { now } from '../../shared/base/time.ts';
import { newestApiVersion } from '../../shared/domain/versions/versions.ts';
import { accountStateAttributes } from '../../shared/store/account-state.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import {
  type Api,
  apiOf,
  invoiceBody,
  listenToRequestLog,
  newAccount,
  type TestAccount,
} from '../support/api.ts';
import { setClock } from '../support/clock.ts';
import { freshAddress, type HttpResponse } from '../support/http.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

const hourMs = 3_600_000;
let stack: Stack;
let log: Awaited<ReturnType<typeof listenToRequestLog>>;
let account: TestAccount;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: hourMs });
  log = await listenToRequestLog();
});
beforeEach(async () => {
  // Away from the end of an hour, so all requests of a test are in the same hour.
  setClock(() => Math.floor(Date.now() / hourMs) * hourMs + 60_000);
  account = await newAccount(stack.baseUrl);
  api = account.test;
});
afterAll(() => stack.close());

const underKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });
const newInvoicePath = async () =>
  `/api/invoices/${(await api.post('/api/invoices', invoiceBody())).json.id}`;
const cardBody = (invoiceId: string, number: string) => ({
  invoiceId,
  method: 'card',
  card: { number, expMonth: 12, expYear: 2040, cvc: '123' },
});
const payByCard = async (number: string, options = {}) => {
  const invoiceId = (await newInvoicePath()).slice('/api/invoices/'.length);
  return api.post('/api/payments', cardBody(invoiceId, number), options);
};
const newKey = async (fields: { expiresAt?: number; allowedAddresses?: string[] }) => {
  const { createKey } = await import('../../shared/domain/accounts/key-store.ts');
  return createKey({ owner: { account: account.accountId, mode: 'test' }, name: 'Key', ...fields });
};

function expectCalls(response: HttpResponse, status: number, inSequence: number, calls: number): void {
  const { dynamodbCallsInSequence, dynamodbCalls } = log.lineOf(response);
  expect({ status: response.status, inSequence: dynamodbCallsInSequence, calls: dynamodbCalls }).toEqual({
    status,
    inSequence,
    calls,
  });
}

test('get: 1', async () => {
  const path = await newInvoicePath();
  expectCalls(await api.get(path), 200, 1, 3);
  expectCalls(await api.send('HEAD', path), 200, 1, 3);
  expectCalls(await api.get(`/api/invoices/inv_${'0'.repeat(26)}`), 404, 1, 3);
  expectCalls(await api.get('/api/invoices/nonsense'), 404, 1, 2);
});

test('list: 2 with every filter and offset, 1 if it has no rows', async () => {
  expectCalls(await api.get('/api/invoices'), 200, 1, 3);
  for (let count = 0; count < 3; count++) await newInvoicePath();
  await api.delete(await newInvoicePath());
  // Rows whose status can change and other rows are read in two parallel calls.
  for (const [query, calls] of [
    ['', 5],
    ['?offset=3', 4],
    ['?limit=100', 5],
    ['?status=pending&offset=2', 4],
    ['?customerId=cust_1', 5],
    ['?customerId=cust_1&status=cancelled&limit=1', 4],
  ] as const) {
    expectCalls(await api.get(`/api/invoices${query}`), 200, 2, calls);
  }
  expectCalls(await api.get('/api/invoices?offset=4'), 200, 1, 3);
});

test('create: 3, with and without a key', async () => {
  expectCalls(await api.post('/api/invoices', invoiceBody()), 201, 3, 5);
  expectCalls(await api.post('/api/invoices', invoiceBody(), underKey('key')), 201, 3, 6);
});

test('update: 2, with and without a key; without a key, 1 if nothing changes', async () => {
  const path = await newInvoicePath();
  expectCalls(await api.patch(path, { amount: 1 }), 200, 2, 4);
  expectCalls(await api.patch(path, { amount: 2, dueDate: '2031-01-01' }, underKey('key')), 200, 2, 5);
  expectCalls(await api.patch(path, { amount: 2 }), 200, 1, 3);
  expectCalls(await api.patch(path, { amount: 2 }, underKey('nothing new')), 200, 2, 5);
});

test('cancel: 3, with and without a key', async () => {
  expectCalls(await api.delete(await newInvoicePath()), 200, 3, 6);
  expectCalls(await api.delete(await newInvoicePath(), underKey('key')), 200, 3, 7);
});

test('customers: get 1, list 2, update 2, create and delete 3', async () => {
  const create = async (options = {}) =>
    api.post('/api/customers', { name: 'Dorji', email: 'dorji@example.bt' }, options);
  const first = await create();
  expectCalls(first, 201, 3, 5);
  expectCalls(await create(underKey('create')), 201, 3, 6);
  const path = `/api/customers/${first.json.id}`;
  expectCalls(await api.get(path), 200, 1, 3);
  expectCalls(await api.get('/api/customers?limit=1'), 200, 2, 4);
  expectCalls(await api.get('/api/customers?email=dorji@example.bt'), 200, 2, 4);
  expectCalls(await api.patch(path, { name: 'Pema' }), 200, 2, 4);
  expectCalls(await api.patch(path, { email: 'pema@example.bt' }), 200, 2, 6);
  expectCalls(await api.patch(path, { email: 'tashi@example.bt' }, underKey('update')), 200, 2, 7);
  expectCalls(await api.delete(path), 200, 3, 5);
  expectCalls(await api.delete(path, underKey('delete')), 404, 2, 5);
});

test('products: get 1, list 2, update 2, create and delete 3; those of the lines of an invoice are read beside the others', async () => {
  const { json, ...first } = await api.post('/api/products', { name: 'Tea', unitAmounts: { USD: 5 } });
  expectCalls({ json, ...first }, 201, 3, 4);
  const path = `/api/products/${json.id}`;
  expectCalls(await api.get(path), 200, 1, 3);
  expectCalls(await api.get('/api/products'), 200, 2, 4);
  expectCalls(await api.patch(path, { name: 'Green tea' }), 200, 2, 4);
  const options = { headers: { 'X-API-Version': newestApiVersion } };
  const lines = [1, 2].map((quantity) => ({ quantity: String(quantity), product: json.id }));
  const body = { ...invoiceBody(), amount: undefined, currency: 'USD', lines };
  const created = await api.post('/api/invoices', body, options);
  expectCalls(created, 201, 3, 6);
  const others = created.json.lines.map(({ product: _, ...line }: { product: string }) => line);
  expectCalls(await api.post('/api/invoices', { ...body, lines: others }, options), 201, 3, 5);
  const invoice = `/api/invoices/${created.json.id}`;
  expectCalls(await api.patch(invoice, { lines: lines.slice(1) }, options), 200, 2, 5);
  expectCalls(await api.patch(invoice, { lines: created.json.lines }, options), 200, 2, 4);
  expectCalls(await api.delete(path), 200, 3, 5);
});

test('offline payment: 3, with and without a key', async () => {
  const pay = async (options = {}) => {
    const invoiceId = (await newInvoicePath()).slice('/api/invoices/'.length);
    return api.post('/api/payments', { invoiceId, method: 'offline' }, options);
  };
  expectCalls(await pay(), 201, 3, 9);
  expectCalls(await pay(underKey('key')), 201, 3, 10);
});

test('card payment: 4 with every outcome, with and without a key, not counting the test provider', async () => {
  for (const [number, calls] of [
    ['4242424242424242', 10],
    ['4000000000000002', 8],
    ['4000000000000077', 8],
  ] as const) {
    expectCalls(await payByCard(number), 201, 4, calls);
    expectCalls(await payByCard(number, underKey(number)), 201, 4, calls + 1);
  }
});

test('refund: 3, with and without a key', async () => {
  const paymentId = (await payByCard('4242424242424242')).json.id;
  const refund = (options = {}) => api.post('/api/refunds', { paymentId, amount: 1 }, options);
  expectCalls(await refund(), 201, 3, 7);
  expectCalls(await refund(underKey('key')), 201, 3, 8);
});

test('a payment or a refund: 1; their lists: 2 with every filter and offset', async () => {
  for (const kind of ['payments', 'refunds']) expectCalls(await api.get(`/api/${kind}`), 200, 1, 3);
  const { id: paymentId, invoiceId } = (await payByCard('4242424242424242')).json;
  const refund = (await api.post('/api/refunds', { paymentId })).json;
  await waitUntil('the refund is processed', async () => {
    const { status } = (await api.get(`/api/refunds/${refund.id}`)).json;
    return status === 'processed';
  });
  // A list adds the index entries that a worker has not added yet.
  for (const kind of ['payments', 'refunds']) await api.get(`/api/${kind}`);
  expectCalls(await api.get(`/api/payments/${paymentId}`), 200, 1, 3);
  expectCalls(await api.get(`/api/refunds/${refund.id}`), 200, 1, 3);
  expectCalls(await api.get(`/api/refunds/ref_${'0'.repeat(26)}`), 404, 1, 3);
  expectCalls(await api.get('/api/payments'), 200, 2, 4);
  expectCalls(await api.get('/api/payments?status=completed&limit=1'), 200, 2, 4);
  expectCalls(await api.get(`/api/payments?invoiceId=${invoiceId}&customerId=cust_1`), 200, 2, 5);
  expectCalls(await api.get('/api/refunds'), 200, 2, 4);
  expectCalls(await api.get(`/api/refunds?invoiceId=${invoiceId}&paymentId=${paymentId}`), 200, 2, 5);
  for (const kind of ['payments', 'refunds']) expectCalls(await api.get(`/api/${kind}?offset=1`), 200, 1, 3);
});

test('a payment or refund that the state does not allow: 1, with a key 2', async () => {
  const { id: paymentId, invoiceId } = (await payByCard('4000000000000002')).json;
  await api.delete(`/api/invoices/${invoiceId}`);
  const pay = (options = {}) => api.post('/api/payments', { invoiceId, method: 'offline' }, options);
  const refund = (options = {}) => api.post('/api/refunds', { paymentId }, options);
  expectCalls(await pay(), 400, 1, 3);
  expectCalls(await refund(), 400, 1, 3);
  expectCalls(await pay(underKey('pay')), 400, 2, 5);
  expectCalls(await refund(underKey('refund')), 400, 2, 5);
});

test('a card payment replayed: 2', async () => {
  const first = await payByCard('4242424242424242', underKey('key'));
  const { invoiceId } = first.json;
  const again = await api.post('/api/payments', cardBody(invoiceId, '4242424242424242'), underKey('key'));
  expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
  expectCalls(again, 201, 2, 9);
});

test('replay: 2, or 1 if there is no index entry to add', async () => {
  const create = () => api.post('/api/invoices', invoiceBody(), underKey('create'));
  const path = `/api/invoices/${(await create()).json.id}`;
  const update = () => api.patch(path, { amount: 1 }, underKey('update'));
  const cancel = () => api.delete(path, underKey('cancel'));
  await update();
  await cancel();
  const [created, updated, cancelled] = [await create(), await update(), await cancel()];
  for (const { headers } of [created, updated, cancelled])
    expect(headers['idempotent-replayed']).toBe('true');
  expectCalls(created, 201, 2, 5);
  expectCalls(updated, 200, 1, 4);
  expectCalls(cancelled, 200, 2, 6);
});

test('an event: 2, its position and the event; the list: 1, or 2 from an event on', async () => {
  expectCalls(await api.get('/api/events'), 200, 1, 3);
  await payByCard('4242424242424242');
  const { data } = await waitUntil('all events are in the list', async () => {
    const { json } = await api.get('/api/events');
    return json.data.length === 3 && json;
  });
  const [{ id: newest }, { id: middle }] = data;
  for (const query of ['', '?limit=1', '?after=start', '?type=invoice.paid&limit=1']) {
    expectCalls(await api.get(`/api/events${query}`), 200, 1, 3);
  }
  for (const query of [`before=${middle}`, `after=${middle}&type=invoice.paid`, `after=${newest}`]) {
    expectCalls(await api.get(`/api/events?${query}`), 200, 2, 4);
  }
  expectCalls(await api.get(`/api/events/${newest}`), 200, 2, 4);
  const unknown = `evt_${'0'.repeat(26)}`;
  // An event that a plain read does not find is read again in a transaction.
  expectCalls(await api.get(`/api/events/${unknown}`), 404, 2, 4);
  expectCalls(await api.get(`/api/events?after=${unknown}`), 400, 2, 4);
  expectCalls(await api.get('/api/events/nonsense'), 404, 1, 2);
});

const newWebhookPath = async (fields = {}) => {
  const body = { url: 'http://127.0.0.1:9/', events: ['*'], ...fields };
  return `/api/webhooks/${(await api.post('/api/webhooks', body)).json.id}`;
};

test('webhook endpoints: 1 to read, 2 to change, 3 to test, with and without a key; 1 if nothing changes', async () => {
  const body = { url: 'http://127.0.0.1:9/', events: ['*'] };
  const create = () => api.post('/api/webhooks', body, underKey('create'));
  expectCalls(await api.post('/api/webhooks', body), 201, 2, 4);
  expectCalls(await create(), 201, 2, 5);
  expectCalls(await create(), 201, 1, 4);
  const path = await newWebhookPath();
  expectCalls(await api.get('/api/webhooks'), 200, 1, 3);
  expectCalls(await api.get(path), 200, 1, 3);
  expectCalls(await api.get('/api/webhooks/nonsense'), 404, 1, 2);
  expectCalls(await api.patch(path, { description: 'x' }), 200, 2, 4);
  expectCalls(await api.patch(path, { description: 'y' }, underKey('update')), 200, 2, 5);
  expectCalls(await api.patch(path, { description: 'y' }), 200, 1, 3);
  expectCalls(await api.patch(path, { description: 'y' }, underKey('same')), 200, 2, 5);
  expectCalls(await api.post(`${path}/rotate-secret`), 200, 2, 4);
  expectCalls(await api.post(`${path}/rotate-secret`, {}, underKey('rotate')), 200, 2, 5);
  expectCalls(await api.post(`${path}/test`), 200, 3, 7);
  expectCalls(await api.post(`${path}/test`, {}, underKey('test')), 200, 3, 8);
  expectCalls(await api.delete(path), 200, 2, 5);
  expectCalls(await api.delete(await newWebhookPath(), underKey('delete')), 200, 2, 6);
});

test('audit log: 1 for a page of this month, 2 if it continues in earlier months', async () => {
  const { test: other } = await newAccount(stack.baseUrl);
  // One query of the latest month, and one of each of the 13 earlier ones that can contain entries.
  const { dynamodbCallsInSequence, dynamodbCalls } = log.lineOf(await other.get('/api/audit-log'));
  expect(dynamodbCallsInSequence).toBe(2);
  expect(dynamodbCalls).toBeGreaterThanOrEqual(14);
  expect(dynamodbCalls).toBeLessThanOrEqual(16);
  await other.post('/api/invoices', invoiceBody());
  await waitUntil('the entry exists', async () => (await other.get('/api/audit-log')).json.data.length > 0);
  await other.post('/api/invoices', invoiceBody());
  await waitUntil('both entries exist', async () => (await other.get('/api/audit-log')).json.data.length > 1);
  expectCalls(await other.get('/api/audit-log?limit=1'), 200, 1, 3);
});

test('enabling an endpoint again: 2, because the same transaction resets its health', async () => {
  const path = await newWebhookPath();
  expectCalls(await api.patch(path, { status: 'disabled' }), 200, 2, 4);
  expectCalls(await api.patch(path, { status: 'enabled' }), 200, 2, 4);
});

test('the list of deliveries: 1; a redelivery: 3; a recovery: 2, with and without a key', async () => {
  const path = await newWebhookPath();
  await newInvoicePath();
  const [{ id }] = await waitUntil('a delivery exists', async () => {
    const { data } = (await api.get(`${path}/deliveries`)).json;
    return data.length > 0 && data;
  });
  expectCalls(await api.get(`${path}/deliveries`), 200, 1, 4);
  expectCalls(await api.get(`${path}/deliveries?status=failed&limit=1`), 200, 1, 4);
  expectCalls(await api.get('/api/webhooks/nonsense/deliveries'), 404, 1, 2);
  expectCalls(await api.post(`${path}/deliveries/${id}/redeliver`), 200, 3, 8);
  expectCalls(await api.post(`${path}/deliveries/${id}/redeliver`, {}, underKey('again')), 200, 3, 9);
  const since = { since: '2026-01-01T00:00:00Z' };
  expectCalls(await api.post(`${path}/recover`, since), 200, 2, 4);
  expectCalls(await api.post(`${path}/recover`, since, underKey('recover')), 200, 2, 5);
});

test('an invalid request: 1, the authorization; an unknown route: 2, the key and the limit', async () => {
  expectCalls(await api.post('/api/invoices', '{'), 400, 1, 2);
  expectCalls(await api.patch(await newInvoicePath(), { amount: 0 }), 400, 1, 2);
  expectCalls(await api.get('/api/invoices?limit=0'), 400, 1, 2);
  expectCalls(await api.get('/api/nothing'), 404, 2, 2);
});

test('a state error: 1, with a key 2', async () => {
  const path = await newInvoicePath();
  await api.delete(path);
  expectCalls(await api.delete(path), 400, 1, 3);
  expectCalls(await api.patch(path, { amount: 1 }), 400, 1, 3);
  expectCalls(await api.delete(path, underKey('key')), 400, 2, 5);
});

test('an API key that is missing, malformed or forged: 0, and 1 to write every ten of them', async () => {
  const forged = api.apiKey.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  const localAddress = freshAddress();
  const path = await newInvoicePath();
  const options = { ...underKey('key'), localAddress };
  for (const [index, value] of [undefined, 'nonsense', forged, forged, forged].entries()) {
    const stranger = apiOf(stack.baseUrl, value);
    expectCalls(await stranger.get(path, { localAddress }), 401, 0, 0);
    const calls = index < 4 ? 0 : 1;
    expectCalls(await stranger.post('/api/invoices', invoiceBody(), options), 401, calls, calls);
  }
});

test('an API key that was revoked or has expired: 1, the account state and the key', async () => {
  const { revokeKey } = await import('../../shared/domain/accounts/key-store.ts');
  const revoked = await newKey({});
  await revokeKey({ account: account.accountId, mode: 'test' }, revoked.keyId);
  const expired = await newKey({ expiresAt: now() });
  const post = (value: string) => apiOf(stack.baseUrl, value).post('/api/invoices', invoiceBody());
  const refused = [await post(revoked.value), await post(expired.value)];
  expect(refused.map(({ json }) => json.error.code)).toEqual(['revoked_api_key', 'expired_api_key']);
  expectCalls(refused[0] as HttpResponse, 401, 1, 2);
  expectCalls(refused[1] as HttpResponse, 401, 1, 2);
});

test('an API key from an address that may not use it: 1, and from one that may: as without ranges', async () => {
  const localAddress = freshAddress();
  const path = await newInvoicePath();
  const { value } = await newKey({ allowedAddresses: [`${localAddress}/32`, '2001:db8::/48'] });
  const guarded = apiOf(stack.baseUrl, value);
  const elsewhere = { localAddress: freshAddress() };
  expectCalls(await guarded.post('/api/invoices', invoiceBody(), elsewhere), 403, 1, 2);
  expectCalls(await guarded.get('/api/nothing', elsewhere), 403, 1, 1);
  expectCalls(await guarded.get(path, { localAddress }), 200, 1, 3);
});

test('over the limit: 1, then 0 while the instance remembers the refusal, on every route', async () => {
  const path = await newInvoicePath();
  const accountState = tableKeys.accountState({ account: account.accountId, mode: 'test' });
  const table = tableOf(stack);
  const item = (await table.get(accountState)) ?? {};
  const hour = accountStateAttributes.hour(Math.floor(now() / hourMs));
  await table.put({ ...item, [hour]: 5000 });
  expectCalls(await api.post('/api/invoices', invoiceBody()), 429, 1, 2);
  expectCalls(await api.post('/api/invoices', invoiceBody()), 429, 0, 0);
  expectCalls(await api.post('/api/invoices', invoiceBody(), underKey('key')), 429, 0, 0);
  expectCalls(await api.get(path), 429, 0, 0);
  expectCalls(await api.get('/api/invoices'), 429, 0, 0);
  expectCalls(await api.patch(path, { amount: 1 }, underKey('key')), 429, 0, 0);
  expectCalls(await api.delete(path), 429, 0, 0);
});

test('a source address that other instances have seen too often: 1, then 0 for the rest of the hour', async () => {
  const { tableHash } = await import('../../shared/platform/secrets/deployment-secret.ts');
  const localAddress = freshAddress();
  const stranger = apiOf(stack.baseUrl, undefined);
  const list = () => stranger.get('/api/invoices', { localAddress });
  const hour = Math.floor(now() / hourMs);
  const source = tableKeys.source(await tableHash('source', `${localAddress}/32`), hour);
  await tableOf(stack).put({ ...source, count: 1000 });
  for (let count = 1; count < 10; count++) expectCalls(await list(), 401, 0, 0);
  expectCalls(await list(), 429, 1, 1);
  expectCalls(await list(), 429, 0, 0);
});
