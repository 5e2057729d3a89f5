/** Tests what the log line of a request says about its API key. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { createKey, revokeKey } from '../../shared/domain/accounts/key-store.ts';
import { apiOf, invoiceBody, listenToRequestLog, newAccount } from '../support/api.ts';
import { startTestStack } from '../support/stack.ts';

let stack: Stack;
let log: Awaited<ReturnType<typeof listenToRequestLog>>;
beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  log = await listenToRequestLog();
});
afterAll(() => stack?.close());

async function newKey() {
  const { accountId } = await newAccount(stack.baseUrl);
  const owner = { account: accountId, mode: 'test' } as const;
  const key = await createKey({ owner, name: 'Audited' });
  return { owner, ...key, api: apiOf(stack.baseUrl, key.value) };
}

test('the line of a write names key, account, mode and route, and contains no part of the value', async () => {
  const { owner, keyId, value, api } = await newKey();
  const line = log.lineOf(await api.post('/api/invoices', invoiceBody()));
  expect(line).toMatchObject({ key: keyId, ...owner, route: 'POST /api/invoices', status: 201 });
  expect(JSON.stringify(line)).not.toContain(value.slice(-32));
});

test('the line of a refused request names the key, if it is one of this deployment', async () => {
  const { owner, keyId, value, api } = await newKey();
  await revokeKey(owner, keyId);
  const refused = await api.post('/api/invoices', invoiceBody());
  expect(log.lineOf(refused)).toMatchObject({ status: 401, code: 'revoked_api_key', key: keyId });
  const forged = await apiOf(stack.baseUrl, `${value.slice(0, -1)}${value.endsWith('0') ? 1 : 0}`).get(
    '/api/invoices',
  );
  expect(log.lineOf(forged)).toMatchObject({ status: 401, code: 'invalid_api_key' });
  expect(log.lineOf(forged)).toHaveProperty('key', undefined);
});
