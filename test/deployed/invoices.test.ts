/** Tests invoices end to end: lifecycle, idempotency, lists, isolation of modes and accounts, and the rate limit. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { apiOf, invoiceBody, newAccount, type TestAccount } from '../support/api.ts';
import { expectError, expectHeaders } from '../support/expectations.ts';
import { startTestStack } from '../support/stack.ts';

let stack: Stack;
let account: TestAccount;
beforeAll(async () => {
  stack = await startTestStack();
  account = await newAccount(stack.baseUrl);
});
afterAll(() => stack.close());

const withIdempotencyKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });
const unknownId = `inv_${'0'.repeat(26)}`;

test('an invoice is created, retrieved, updated and cancelled, and every response has the headers', async () => {
  const { test: api } = account;
  const created = await api.post('/api/invoices', invoiceBody());
  const path = `/api/invoices/${created.json.id}`;
  const retrieved = await api.get(path);
  const updated = await api.patch(path, { amount: 9900, description: 'Grüße, བརྡ་' });
  const cancelled = await api.delete(path);
  const responses = [created, retrieved, updated, cancelled];
  for (const response of responses) expectHeaders(response);
  expect(responses.map(({ status }) => status)).toEqual([201, 200, 200, 200]);
  expect(retrieved.text).toBe(created.text);
  expect(created.json).toMatchObject({ ...invoiceBody(), status: 'pending' });
  expect(created.json.paymentUrl).toBe(`${stack.baseUrl}/pay/${created.json.id}`);
  expect(updated.json).toMatchObject({ amount: 9900, description: 'Grüße, བརྡ་' });
  expect(cancelled.json).toMatchObject({ id: created.json.id, status: 'cancelled' });
  expectError(await api.patch(path, { amount: 1 }), 400, 'invoice_not_pending');
  expectError(await api.delete(path), 400, 'invoice_already_cancelled');
});

test('a list is ordered newest first, has exact totals, and shows a completed change immediately', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  const ids: string[] = [];
  for (const customerId of ['cust_1', 'tashi@example.bt', 'cust_1']) {
    ids.unshift((await api.post('/api/invoices', invoiceBody({ customerId }))).json.id);
  }
  const list = async (query = '') => {
    const { json } = await api.get(`/api/invoices${query}`);
    return [json.data.map(({ id }: { id: string }) => id), json.pagination];
  };
  const page = { limit: 20, offset: 0, hasMore: false };
  expect(await list()).toEqual([ids, { ...page, total: 3 }]);
  expect(await list('?limit=1&offset=1')).toEqual([
    [ids[1]],
    { total: 3, limit: 1, offset: 1, hasMore: true },
  ]);
  expect(await list('?customerId=TASHI@example.bt')).toEqual([[ids[1]], { ...page, total: 1 }]);
  await api.delete(`/api/invoices/${ids[0]}`);
  expect(await list('?status=cancelled&customerId=cust_1')).toEqual([[ids[0]], { ...page, total: 1 }]);
});

test('concurrent requests with one Idempotency-Key create one invoice and get the same response', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  const create = () => api.post('/api/invoices', invoiceBody(), withIdempotencyKey('order-1001'));
  const responses = await Promise.all(Array.from({ length: 5 }, create));
  responses.push(await create());
  expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  const replayed = responses.filter(({ headers }) => headers['idempotent-replayed'] === 'true');
  expect(replayed).toHaveLength(5);
  expect((await api.get('/api/invoices')).json.pagination.total).toBe(1);
  const other = await api.post('/api/invoices', invoiceBody({ amount: 1 }), withIdempotencyKey('order-1001'));
  expectError(other, 400, 'idempotency_key_reused');
});

test('modes and accounts cannot see data of each other', async () => {
  const other = await newAccount(stack.baseUrl);
  const { id } = (await account.test.post('/api/invoices', invoiceBody())).json;
  for (const api of [account.live, other.test, other.live]) {
    expectError(await api.get(`/api/invoices/${id}`), 404, 'invoice_not_found');
    expect((await api.get('/api/invoices')).json.pagination.total).toBe(0);
  }
  expectError(await account.test.get(`/api/invoices/${unknownId}`), 404, 'invoice_not_found');
});

test('the rate limit counts every request, also failed ones, and counts each mode separately', async () => {
  const { test: api, live } = await newAccount(stack.baseUrl, 'standard');
  const windowOf = async (request: ReturnType<typeof api.get>) => {
    const { headers } = await request;
    return [headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']];
  };
  expect(await windowOf(api.get('/api/invoices'))).toEqual(['1000', '999']);
  expect(await windowOf(api.get(`/api/invoices/${unknownId}`))).toEqual(['1000', '998']);
  expect(await windowOf(live.get('/api/invoices'))).toEqual(['1000', '999']);
});

test('a key has only its permissions, and stops working when it is revoked', async () => {
  const { createKey, revokeKey } = await import('../../shared/domain/accounts/key-store.ts');
  const owner = { account: account.accountId, mode: 'test' } as const;
  const { keyId, value } = await createKey({ owner, name: 'Reader', permissions: ['invoices:read'] });
  const reader = apiOf(stack.baseUrl, value);
  expect((await reader.get('/api/invoices')).status).toBe(200);
  expectError(await reader.post('/api/invoices', invoiceBody()), 403, 'insufficient_permissions');
  await revokeKey(owner, keyId);
  expectError(await reader.get('/api/invoices'), 401, 'revoked_api_key');
});
