/** Tests idempotency keys: replays, their scope and expiry, and requests that differ or run in parallel. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { Permission } from '../../shared/domain/auth/permissions.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { type Api, apiOf, invoiceBody, newAccount, type TestAccount } from '../support/api.ts';
import { setClock } from '../support/clock.ts';
import type { HttpResponse } from '../support/http.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestTable, tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

const hourMs = 3_600_000;
let stack: Stack;
let table: TestTable;
let account: TestAccount;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: hourMs });
  table = tableOf(stack);
});
beforeEach(async () => {
  setClock();
  account = await newAccount(stack.baseUrl);
  api = account.test;
});
afterAll(() => stack.close());

const underKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });
const isReplay = ({ headers }: HttpResponse) => headers['idempotent-replayed'] === 'true';
const newInvoice = async () => (await api.post('/api/invoices', invoiceBody())).json;
const totalOf = async (client: Api) => (await client.get('/api/invoices')).json.pagination.total;

function expectReplayOf(first: HttpResponse, again: HttpResponse): void {
  expect(again.status).toBe(first.status);
  expect(again.text).toBe(first.text);
  expect([isReplay(first), isReplay(again)]).toEqual([false, true]);
}
function expectError(response: HttpResponse, status: number, code: string): void {
  expect([response.status, response.json.error.code]).toEqual([status, code]);
  expect(response.headers['idempotent-replayed']).toBeUndefined();
}

test('a repeated create gets the bytes of its first response, even after the invoice changed or was cancelled', async () => {
  const create = () => api.post('/api/invoices', invoiceBody(), underKey('key'));
  const first = await create();
  expect(first.status).toBe(201);
  const path = `/api/invoices/${first.json.id}`;
  await api.patch(path, { amount: 9 });
  expectReplayOf(first, await create());
  await api.delete(path);
  expectReplayOf(first, await create());
  expect(await totalOf(api)).toBe(1);
  expect((await api.get(path)).json).toMatchObject({ status: 'cancelled', amount: 9 });
});

test('a repeated update or cancellation gets its first response in every later state of the invoice', async () => {
  const path = `/api/invoices/${(await newInvoice()).id}`;
  const update = () => api.patch(path, { amount: 9, status: 'pending' }, underKey('update'));
  const cancel = () => api.delete(path, underKey('cancel'));
  const updated = await update();
  await api.patch(path, { amount: 10 });
  expectReplayOf(updated, await update());
  expect((await api.get(path)).json.amount).toBe(10);
  const cancelled = await cancel();
  for (let time = 0; time < 3; time++) expectReplayOf(cancelled, await cancel());
  expectReplayOf(updated, await update());
});

test('a replay adds the invoice to its lists again if the index page was lost', async () => {
  const create = () => api.post('/api/invoices', invoiceBody(), underKey('key'));
  const first = await create();
  const owner = `${account.accountId}#test`;
  await waitUntil('the outbox is empty', async () => (await table.outboxOf(owner)).length === 0);
  for (const page of await table.all(`INDEX#${owner}`)) await table.delete(page as never);
  expect(await totalOf(api)).toBe(0);
  expectReplayOf(first, await create());
  const list = (await api.get('/api/invoices?customerId=cust_1')).json;
  expect(list).toMatchObject({ data: [first.json], pagination: { total: 1 } });
});

test('bodies are compared as parsed JSON, paths and queries after normalization', async () => {
  const first = await api.post('/api/invoices', invoiceBody(), underKey('key'));
  const reversed = JSON.stringify(
    Object.fromEntries(Object.entries(invoiceBody({ amount: 2500 })).reverse()),
    null,
    3,
  );
  const escaped = reversed.replace('2500', '25e2').replace('Website', 'W\\u0065bsite');
  for (const body of [reversed, escaped]) {
    expectReplayOf(first, await api.post('/api/invoices', body, underKey('key')));
  }
  expectReplayOf(first, await api.post('//api/invoices/', invoiceBody(), underKey('key')));

  const withQuery = await api.post('/api/invoices?a=1&b=2', invoiceBody(), underKey('query'));
  expectReplayOf(withQuery, await api.post('/api/invoices?b=2&a=1', invoiceBody(), underKey('query')));
  expect(await totalOf(api)).toBe(2);
});

test('a different request under a used key is validated first and then rejected', async () => {
  const { id } = (await api.post('/api/invoices', invoiceBody(), underKey('key'))).json;
  const post = (path: string, body: unknown) => api.post(path, body, underKey('key'));
  expectError(await post('/api/invoices', invoiceBody({ amount: 2501 })), 400, 'idempotency_key_reused');
  expectError(await post('/api/invoices?x=1', invoiceBody()), 400, 'idempotency_key_reused');
  expectError(await api.patch(`/api/invoices/${id}`, {}, underKey('key')), 400, 'idempotency_key_reused');
  expectError(await api.delete(`/api/invoices/${id}`, underKey('key')), 400, 'idempotency_key_reused');
  expectError(await post('/api/invoices', invoiceBody({ amount: 0 })), 400, 'invalid_amount');
  expectError(await post('/api/invoices', { ...invoiceBody(), x: 1 }), 400, 'unknown_parameter');
  expectError(await post('/api/invoices', '{'), 400, 'invalid_json');
  expect(await totalOf(api)).toBe(1);
});

test.each([
  ['is not JSON', 'nonsense', 'invalid_json'],
  ['is not an object', '[]', 'invalid_json'],
  ['has repeated keys', '{"amount":1,"amount":1}', 'invalid_json'],
  ['is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'invalid_json'],
  ['is too large', `{"description":"${'x'.repeat(66_000)}"}`, 'body_too_large'],
])(
  'a body that %s is rejected, even under the key of a request with an empty body',
  async (_, body, code) => {
    const path = `/api/invoices/${(await newInvoice()).id}`;
    expect((await api.patch(path, {}, underKey('empty'))).status).toBe(200);
    expectError(await api.patch(path, body, underKey('empty')), 400, code);
  },
);

test('an idempotency key is valid for one account and mode, with all of its API keys', async () => {
  const other = (await newAccount(stack.baseUrl)).test;
  const { createKey } = await import('../../shared/domain/accounts/key-store.ts');
  const owner = { account: account.accountId, mode: 'test' } as const;
  const second = apiOf(stack.baseUrl, (await createKey({ owner, name: 'Second' })).value);
  const create = (client: Api) => client.post('/api/invoices', invoiceBody(), underKey('shared'));
  const first = await create(api);
  const [live, stranger] = [await create(account.live), await create(other)];
  expect([live, stranger].map(isReplay)).toEqual([false, false]);
  expect(new Set([first, live, stranger].map(({ json }) => json.id)).size).toBe(3);
  expectReplayOf(first, await create(second));
});

test('a response is stored for 24 hours, and then the key can be used for a new request', async () => {
  const start = Math.floor(Date.now() / 1000) * 1000;
  const at = (seconds: number) => setClock(() => start + seconds * 1000);
  const create = () => api.post('/api/invoices', invoiceBody(), underKey('key'));
  at(0);
  const first = await create();
  at(24 * 3600 - 1);
  expectReplayOf(first, await create());
  at(24 * 3600 + 1);
  const later = await create();
  expect([later.status, isReplay(later)]).toEqual([201, false]);
  expect(later.json.id).not.toBe(first.json.id);
  expectReplayOf(later, await create());
  at(48 * 3600 + 2);
  expect((await api.post('/api/invoices', invoiceBody({ amount: 1 }), underKey('key'))).status).toBe(201);
});

test('responses without effect are not stored: validation, permission, unknown resource and state errors', async () => {
  const { createKey } = await import('../../shared/domain/accounts/key-store.ts');
  const owner = { account: account.accountId, mode: 'test' } as const;
  const permissions: Permission[] = ['invoices:read'];
  const reader = apiOf(stack.baseUrl, (await createKey({ owner, name: 'Reader', permissions })).value);
  const create = (client: Api, fields = {}) =>
    client.post('/api/invoices', invoiceBody(fields), underKey('key'));
  expectError(await create(api, { currency: 'EUR' }), 400, 'invalid_currency');
  expectError(await create(reader), 403, 'insufficient_permissions');
  expectError(await create(apiOf(stack.baseUrl, undefined)), 401, 'missing_api_key');
  const { id } = (await create(api)).json;

  const path = `/api/invoices/${id}`;
  await api.delete(path);
  for (let time = 0; time < 2; time++) {
    expectError(await api.patch(path, { amount: 1 }, underKey('state')), 400, 'invoice_not_pending');
    expectError(await api.delete(path, underKey('state')), 400, 'invoice_already_cancelled');
    const absent = `/api/invoices/inv_${'0'.repeat(26)}`;
    expectError(await api.delete(absent, underKey('state')), 404, 'invoice_not_found');
  }
  expect((await create(api, { amount: 3 })).json.error.code).toBe('idempotency_key_reused');
  expect((await api.post('/api/invoices', invoiceBody(), underKey('state'))).status).toBe(201);
});

test('the response to an update that changes nothing is stored, and is replayed after a later change', async () => {
  const invoice = await newInvoice();
  const path = `/api/invoices/${invoice.id}`;
  const noChange = () => api.patch(path, { amount: invoice.amount }, underKey('key'));
  const first = await noChange();
  expect(first.json).toEqual(invoice);
  await api.patch(path, { amount: 1 });
  expectReplayOf(first, await noChange());
  expect((await api.get(path)).json.amount).toBe(1);
  expectError(await api.patch(path, { amount: 2 }, underKey('key')), 400, 'idempotency_key_reused');
});

test('a replay has its own request id and rate-limit headers, and counts against the rate limit', async () => {
  const create = () => api.post('/api/invoices', invoiceBody(), underKey('key'));
  const [first, second, third] = [await create(), await create(), await create()];
  const remaining = [first, second, third].map(({ headers }) => Number(headers['x-ratelimit-remaining']));
  expect(remaining).toEqual([4999, 4998, 4997]);
  expect(new Set([first, second, third].map(({ headers }) => headers['x-request-id'])).size).toBe(3);
  expect(second.headers['x-ratelimit-limit']).toBe('5000');
});

test('of two parallel cancellations under one key, one takes effect and the other replays it', async () => {
  for (let run = 0; run < 10; run++) {
    const path = `/api/invoices/${(await newInvoice()).id}`;
    const cancel = () => api.delete(path, underKey(`cancel ${run}`));
    const answers = await Promise.all([cancel(), cancel()]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0]?.text).toBe(answers[1]?.text);
    expect(answers.filter(isReplay)).toHaveLength(1);
  }
});

test('of two different parallel requests under one key, one takes effect and the other is rejected', async () => {
  for (let run = 0; run < 10; run++) {
    const create = (amount: number) =>
      api.post('/api/invoices', invoiceBody({ amount }), underKey(`create ${run}`));
    const answers = await Promise.all([create(1), create(2)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
    expect(answers.find(({ status }) => status === 400)?.json.error.code).toBe('idempotency_key_reused');
  }
  expect(await totalOf(api)).toBe(10);
});

test('keys of 1 to 255 printable characters are accepted, others are rejected, and GET ignores them', async () => {
  const create = (key: string | string[]) =>
    api.post('/api/invoices', invoiceBody(), { headers: { 'Idempotency-Key': key } });
  for (const key of ['x'.repeat(255), 'a b~!"', '0']) expect((await create(key)).status).toBe(201);
  for (const key of ['', 'x'.repeat(256), 'käse', 'tab\there', ['one', 'two']]) {
    expectError(await create(key), 400, 'invalid_idempotency_key');
  }
  expect((await api.get('/api/invoices', underKey(''))).status).toBe(200);
});

test('an idempotency record contains only hashes and the response, neither the key nor the request', async () => {
  await api.post('/api/invoices', invoiceBody(), underKey('a very secret key'));
  const [record, ...more] = await table.all(`IDEMPOTENCY#${account.accountId}#test`);
  expect(more).toEqual([]);
  expect(JSON.stringify(record)).not.toContain('a very secret key');
  expect(Object.keys(record ?? {}).sort()).toEqual(
    ['body', 'expiresAt', 'fingerprint', 'indexEntries', 'pk', 'sk', 'status'].sort(),
  );
  expect(record?.sk).toBe(tableKeys.idempotency({ account: account.accountId, mode: 'test' }, '').sk);
});
