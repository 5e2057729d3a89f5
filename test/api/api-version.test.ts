/** Tests the header `X-API-Version` of requests and responses. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { apiVersions, firstApiVersion } from '../../shared/domain/versions/versions.ts';
import { exhaustRateLimit, newKey } from '../contract/examples.ts';
import { type Api, apiOf, invoiceBody, newAccount, type TestAccount } from '../support/api.ts';
import { expectError } from '../support/expectations.ts';
import { startTestStack } from '../support/stack.ts';

const second = '2026-11-23';
let stack: Stack;
let account: TestAccount;
let api: Api;
beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
});
beforeEach(async () => {
  account = await newAccount(stack.baseUrl);
  api = account.test;
});
afterAll(() => stack?.close());

const asking = (version: string | readonly string[], more = {}) => ({
  headers: { 'X-API-Version': version, ...more },
});

test.each(apiVersions)('a request can ask for version %s, and the response names it', async (version) => {
  const created = await api.post('/api/invoices', invoiceBody(), asking(version));
  const missing = await api.get('/api/invoices/inv_none', asking(version));
  const invalid = await api.get('/api/invoices?limit=0', asking(version));
  const unknown = await api.get('/api/none', asking(version));
  const all = [created, missing, invalid, unknown];
  expect(all.map(({ status, headers }) => [status, headers['x-api-version']])).toEqual(
    [201, 404, 400, 404].map((status) => [status, version]),
  );
});

test('without the header, the response names the version of the key', async () => {
  const { headers } = await api.get('/api/invoices');
  expect(headers['x-api-version']).toBe(firstApiVersion);
});

test('a refused request names the version of new keys if its key is unknown, else the asked one', async () => {
  const unauthorized = await apiOf(stack.baseUrl, undefined).get('/api/invoices', asking(second));
  expect([unauthorized.status, unauthorized.headers['x-api-version']]).toEqual([401, firstApiVersion]);
  const reader = apiOf(stack.baseUrl, await newKey(account, { permissions: ['events:read'] }));
  const forbidden = await reader.get('/api/invoices', asking(second));
  expect([forbidden.status, forbidden.headers['x-api-version']]).toEqual([403, second]);
  await exhaustRateLimit(account.accountId);
  // The instance remembers the second refusal.
  for (let count = 0; count < 2; count++) {
    const limited = await api.get('/api/invoices', asking(second));
    expect([limited.status, limited.headers['x-api-version']]).toEqual([429, second]);
  }
});

test.each([
  ['an unknown one', '2020-01-01'],
  ['an empty one', ''],
  ['two', [firstApiVersion, second]],
  ['the same twice', [second, second]],
  ['a list', `${firstApiVersion}, ${second}`],
  ['a very long one', '2'.repeat(5_000)],
  ['a name of JavaScript', '__proto__'],
  ['another form of a date', '20261123'],
])('%s gets 400 and the list of versions', async (_, version) => {
  for (const response of [
    await api.get('/api/invoices', asking(version)),
    await api.post('/api/invoices', invoiceBody(), asking(version)),
    await api.post('/api/invoices', {}, asking(version, { 'Idempotency-Key': '' })),
  ]) {
    expectError(response, 400, 'invalid_api_version', 'X-API-Version');
    expect(response.json.error.message).toContain(apiVersions.join(', '));
    expect(response.headers['x-api-version']).toBe(firstApiVersion);
  }
  expect((await api.get('/api/invoices')).json.pagination.total).toBe(0);
});

test('a missing key, a missing permission and an unknown path are judged before the version', async () => {
  const wrong = asking('2020-01-01');
  const reader = apiOf(stack.baseUrl, await newKey(account, { permissions: ['events:read'] }));
  expect((await apiOf(stack.baseUrl, undefined).get('/api/invoices', wrong)).status).toBe(401);
  expect((await reader.get('/api/invoices', wrong)).status).toBe(403);
  expect((await api.get('/api/none', wrong)).json.error.code).toBe('route_not_found');
});

test('a repeated request is the same in every version, but not with an unknown version', async () => {
  const key = { 'Idempotency-Key': 'one' };
  const first = await api.post('/api/invoices', invoiceBody(), { headers: key });
  for (const version of apiVersions) {
    const again = await api.post('/api/invoices', invoiceBody(), asking(version, key));
    expect([again.status, again.json.id, again.headers['idempotent-replayed']]).toEqual([
      201,
      first.json.id,
      'true',
    ]);
    expect(again.headers['x-api-version']).toBe(version);
  }
  const wrong = await api.post('/api/invoices', invoiceBody(), asking('2020-01-01', key));
  expectError(wrong, 400, 'invalid_api_version', 'X-API-Version');
});
