/** Tests the rate limits of accounts and of source addresses, and their response headers. */
import { Agent } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { Permission } from '../../shared/domain/auth/permissions.ts';
import { accountStateAttributes } from '../../shared/store/account-state.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { type Api, apiOf, invoiceBody, newAccount, type TestAccount } from '../support/api.ts';
import { setClock } from '../support/clock.ts';
import { freshAddress, type HttpResponse } from '../support/http.ts';
import { interceptCalls } from '../support/intercept-calls.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestTable, tableOf } from '../support/table.ts';

const hourMs = 3_600_000;
/** The start of the next clock hour. */
const hour = Math.ceil(Date.now() / hourMs) * hourMs;
const hourName = (instant: number) => accountStateAttributes.hour(Math.floor(instant / hourMs));
const at = (instant: number) => setClock(() => instant);

let stack: Stack;
let table: TestTable;
let account: TestAccount;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: hourMs });
  table = tableOf(stack);
});
beforeEach(async () => {
  at(hour + 1_234_567);
  account = await newAccount(stack.baseUrl, 'standard');
  api = account.test;
});
afterAll(() => stack.close());

const windowOf = ({ headers }: HttpResponse) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers[`x-ratelimit-${name}`]));
const remainingOf = (response: HttpResponse) => windowOf(response)[1];
const list = (client: Api, options = {}) => client.get('/api/invoices', options);
const accountStateKey = (mode: 'test' | 'live' = 'test') =>
  tableKeys.accountState({ account: account.accountId, mode });
const changeAccountState = async (fields: object) =>
  table.put({ ...(await table.get(accountStateKey())), ...fields });
const newKey = async (fields: { permissions?: Permission[]; expiresAt?: number } = {}) => {
  const { createKey } = await import('../../shared/domain/accounts/key-store.ts');
  const key = await createKey({
    owner: { account: account.accountId, mode: 'test' },
    name: 'Key',
    ...fields,
  });
  return { ...key, api: apiOf(stack.baseUrl, key.value) };
};

function expectError(response: HttpResponse, status: number, code: string): void {
  expect([response.status, response.json.error.code]).toEqual([status, code]);
}
function expectTooMany(response: HttpResponse, limit: number, retryAfter: number): void {
  expectError(response, 429, 'rate_limit_exceeded');
  expect(response.json.error.type).toBe('rate_limit_error');
  expect(windowOf(response)).toEqual([limit, 0, (hour + hourMs) / 1000]);
  expect(response.headers['retry-after']).toBe(String(retryAfter));
}

test('of 1500 parallel requests on a standard plan, exactly 1000 are served, with 999 to 0 remaining', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 200 });
  const responses = await Promise.all(Array.from({ length: 1500 }, () => list(api, { agent })));
  agent.destroy();
  const passed = responses.filter(({ status }) => status === 200);
  expect(passed.map(remainingOf).sort((a = 0, b = 0) => b - a)).toEqual(
    Array.from({ length: 1000 }, (_, index) => 999 - index),
  );
  const refused = responses.filter((response) => !passed.includes(response));
  expect(refused).toHaveLength(500);
  // 1234.567 s of the hour have passed.
  for (const response of refused) expectTooMany(response, 1000, 3600 - 1234);
  for (const response of passed) expect(response.headers['retry-after']).toBeUndefined();
  expect(await table.get(accountStateKey())).toMatchObject({ [hourName(hour)]: 1000 });
});

test('the window is a clock hour, and the next hour starts with the full limit', async () => {
  at(hour + hourMs - 1);
  await list(api);
  await changeAccountState({ [hourName(hour)]: 999 });
  expect(windowOf(await list(api))).toEqual([1000, 0, (hour + hourMs) / 1000]);
  expectTooMany(await list(api), 1000, 1);
  at(hour + hourMs);
  expect(windowOf(await list(api))).toEqual([1000, 999, (hour + 2 * hourMs) / 1000]);
});

test('test and live mode have separate windows, and all keys of a mode share one window', async () => {
  const second = (await newKey()).api;
  expect([await list(api), await list(second), await list(api)].map(remainingOf)).toEqual([999, 998, 997]);
  expect([await list(account.live), await list(second)].map(remainingOf)).toEqual([999, 996]);
  await changeAccountState({ [hourName(hour)]: 1000 });
  for (const client of [api, second]) expectError(await list(client), 429, 'rate_limit_exceeded');
  expect((await list(account.live)).status).toBe(200);
});

test('every request with a valid key counts, with any outcome except 429', async () => {
  const reader = (await newKey({ permissions: ['invoices:read'] })).api;
  const outcomes = [
    await api.post('/api/invoices', invoiceBody()),
    await api.post('/api/invoices', invoiceBody({ amount: 0 })),
    await api.post('/api/invoices', '{'),
    await api.get(`/api/invoices/inv_${'0'.repeat(26)}`),
    await api.get('/api/nothing'),
    await reader.post('/api/invoices', invoiceBody()),
    await api.send('HEAD', '/api/invoices'),
  ];
  expect(outcomes.map(({ status }) => status)).toEqual([201, 400, 400, 404, 404, 403, 200]);
  expect(outcomes.map(remainingOf)).toEqual([999, 998, 997, 996, 995, 994, 993]);
  await changeAccountState({ [hourName(hour)]: 1000 });
  for (let time = 0; time < 3; time++) {
    at(hour + 2_000_000 + time * 6_000);
    expectError(await list(api), 429, 'rate_limit_exceeded');
  }
  expect(await table.get(accountStateKey())).toMatchObject({ [hourName(hour)]: 1000 });
});

test('429 precedes 403, 404 and 400, and the request has no effect', async () => {
  const reader = (await newKey({ permissions: ['invoices:read'] })).api;
  await changeAccountState({ [hourName(hour)]: 1000 });
  for (const client of [api, reader]) {
    expectError(await client.post('/api/invoices', invoiceBody()), 429, 'rate_limit_exceeded');
    expectError(await client.post('/api/invoices', '{'), 429, 'rate_limit_exceeded');
    expectError(await client.get('/api/nothing'), 429, 'rate_limit_exceeded');
  }
  expect(await table.all(`INDEX#${account.accountId}`)).toEqual([]);
  expect(await table.get(accountStateKey())).not.toHaveProperty('si');
});

test('an enterprise plan allows 5000 requests per hour', async () => {
  const { test: enterprise, accountId } = await newAccount(stack.baseUrl, 'enterprise');
  expect(windowOf(await list(enterprise))).toEqual([5000, 4999, (hour + hourMs) / 1000]);
  const accountState = await table.get(tableKeys.accountState({ account: accountId, mode: 'test' }));
  await table.put({ ...accountState, [hourName(hour)]: 4999 });
  expect(remainingOf(await list(enterprise))).toBe(0);
  expectTooMany(await list(enterprise), 5000, 3600 - 1234);
});

test('a larger plan and a reset limit apply as soon as the instance forgets the last refusal', async () => {
  const { setPlan, resetLimit } = await import('../../shared/domain/accounts/account-store.ts');
  const start = hour + 100_000;
  at(start);
  await changeAccountState({ [hourName(hour)]: 1000 });
  expectError(await list(api), 429, 'rate_limit_exceeded');
  await setPlan(account.accountId, 'enterprise');
  at(start + 5_000);
  expect(windowOf(await list(api)).slice(0, 2)).toEqual([5000, 3999]);
  await setPlan(account.accountId, 'standard');
  expect((await list(api)).headers['x-ratelimit-limit']).toBe('1000');
  await resetLimit(account.accountId, start);
  at(start + 10_000);
  expect(windowOf(await list(api)).slice(0, 2)).toEqual([1000, 999]);
});

test('requests without a usable key count against their source address, never against the account', async () => {
  const revoked = await newKey();
  const expired = await newKey({ expiresAt: hour + 1_000_000 });
  const { revokeKey } = await import('../../shared/domain/accounts/key-store.ts');
  await revokeKey({ account: account.accountId, mode: 'test' }, revoked.keyId);
  const localAddress = freshAddress();
  const forged = api.apiKey.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  const unusable = [undefined, 'nonsense', forged, revoked.value, expired.value];
  for (const [index, value] of unusable.entries()) {
    const response = await list(apiOf(stack.baseUrl, value), { localAddress });
    expect(response.status).toBe(401);
    expect(windowOf(response)).toEqual([1000, 999 - index, (hour + hourMs) / 1000]);
  }
  expect(remainingOf(await list(apiOf(stack.baseUrl, undefined)))).toBe(999);
  expect(await table.get(accountStateKey())).not.toHaveProperty(hourName(hour));
  expect(remainingOf(await list(api, { localAddress }))).toBe(999);
});

test('an address with more than 1000 requests gets 429 instead of 401, and a valid key still works there', async () => {
  const localAddress = freshAddress();
  const known = new Set((await table.all('SOURCE#')).map(({ pk }) => pk));
  const stranger = apiOf(stack.baseUrl, undefined);
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  const isSourceWrite = ({ body }: { body: string }) => body.includes('"SOURCE#');
  const second = Promise.withResolvers<void>();
  let writes = 0;
  // The first write arrives after the second, which can happen to parallel requests.
  const interception = interceptCalls(async (call, send) => {
    const number = isSourceWrite(call) ? writes++ : undefined;
    if (number === 0) await second.promise;
    const answer = await send();
    if (number === 1) second.resolve();
    return answer;
  });
  const headers = { 'X-Forwarded-For': '10.1.2.3' };
  const allowed = await Promise.all(
    Array.from({ length: 1000 }, () => list(stranger, { localAddress, agent, headers })),
  );
  interception.remove();
  agent.destroy();
  expect(new Set(allowed.map(({ status }) => status))).toEqual(new Set([401]));
  // A request that writes learns the count of the table, which can contain parallel requests that came after it.
  const remaining = allowed.map((response) => remainingOf(response) ?? Number.NaN).sort((a, b) => b - a);
  expect(remaining.filter((count, index) => !(count <= 999 - index))).toEqual([]);
  expect(remaining.at(-1)).toBe(0);
  expect(new Set(remaining).size).toBeGreaterThanOrEqual(900);
  expect(interception.calls.filter(isSourceWrite)).toHaveLength(100);
  const [source] = (await table.all('SOURCE#')).filter(({ pk }) => !known.has(pk));
  expect(source).toMatchObject({ count: 1000 });
  expect(JSON.stringify(source)).not.toContain(localAddress);
  const wrong = apiOf(stack.baseUrl, `${api.apiKey}x`);
  for (const client of [stranger, wrong])
    expectTooMany(await list(client, { localAddress }), 1000, 3600 - 1234);
  expect((await list(api, { localAddress })).status).toBe(200);
  expect((await list(stranger, { localAddress: freshAddress() })).status).toBe(401);
  at(hour + hourMs + 1);
  expect((await list(stranger, { localAddress })).status).toBe(401);
});

test('an instance learns from the table what others counted, at most nine requests late', async () => {
  const { tableHash } = await import('../../shared/platform/secrets/deployment-secret.ts');
  const localAddress = freshAddress();
  const stranger = apiOf(stack.baseUrl, undefined);
  const source = tableKeys.source(await tableHash('source', `${localAddress}/32`), Math.floor(hour / hourMs));
  await table.put({ ...source, count: 985 });
  const responses = [];
  for (let count = 0; count < 16; count++) responses.push(await list(stranger, { localAddress }));
  expect(responses.map(remainingOf)).toEqual([
    999, 998, 997, 996, 995, 994, 993, 992, 991, 5, 4, 3, 2, 1, 0, 0,
  ]);
  expect(responses.map(({ status }) => status)).toEqual([...Array(15).fill(401), 429]);
});

test('the counts of past hours are removed from the account state, and its keys and limit stay', async () => {
  for (const hours of [0, 1, 5, 9, 30]) {
    at(hour + hours * hourMs + 1);
    expect(remainingOf(await list(api))).toBe(999);
  }
  const accountState = (await table.get(accountStateKey())) ?? {};
  expect(Object.keys(accountState).filter((name) => name.startsWith('h:'))).toEqual([
    hourName(hour + 30 * hourMs),
  ]);
  expect(remainingOf(await list(api))).toBe(998);
});

test('an account state with ten used keys, all restricted and expiring, costs one write unit', async () => {
  const permissions: Permission[] = ['invoices:read', 'events:read'];
  for (let key = 1; key < 10; key++) await list((await newKey({ permissions, expiresAt: hour + 9e8 })).api);
  await expect(newKey()).rejects.toMatchObject({ code: 'key_limit_reached' });
  await list(api);
  const next = hourName(hour + hourMs);
  expect(await changeAccountState({ si: 999_999_999, [hourName(hour)]: 5000, [next]: 5000, l: 5000 })).toBe(
    1,
  );
});
