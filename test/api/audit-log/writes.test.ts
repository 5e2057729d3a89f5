/**
 * Tests which requests the audit log records: each one that took effect, once, and no other. A new route that changes
 * something is tested automatically.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { keyIdOf } from '../../../shared/base/ids.ts';
import type { ShownAuditEntry } from '../../../shared/domain/audit/entry.ts';
import {
  changes,
  type Endpoint,
  exampleOf,
  newAccountWithAllPermissions,
  newKey,
  rowsOf,
} from '../../contract/examples.ts';
import { type Api, apiOf, invoiceBody, newAccount, type TestAccount } from '../../support/api.ts';
import { startTestStack } from '../../support/stack.ts';
import { tableOf } from '../../support/table.ts';
import { waitUntil } from '../../support/wait-until.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.close());

const keyIdFor = async ({ apiKey }: Api) => {
  const { hashApiKey } = await import('../../../shared/domain/auth/api-key.ts');
  return keyIdOf(hashApiKey(apiKey));
};

/** Returns all entries of an account's test mode, after everything that was committed is relayed. */
async function allEntries({ accountId, test: api }: TestAccount): Promise<ShownAuditEntry[]> {
  await waitUntil('the outbox is empty', async () => {
    const waiting = await tableOf(stack).outboxOf(`${accountId}#test`);
    return waiting.length === 0;
  });
  const response = await api.get('/api/audit-log?limit=100');
  expect(response.status).toBe(200);
  expect(response.json.cursor.hasMore).toBe(false);
  return response.json.data;
}

/** A clock that has the real time is reset without an effect. */
const resetsClock = ({ name }: Endpoint) => name === 'resetTestClock';

describe.each(rowsOf(changes))('%s', (_, endpoint) => {
  test('a request that takes effect has one entry, also if it is repeated under its idempotency key', async () => {
    const { audit } = endpoint.route;
    expect(audit).toBeDefined();
    const account = await newAccountWithAllPermissions(stack.baseUrl);
    const { path, body } = await exampleOf(endpoint, account.test);
    if (resetsClock(endpoint)) await account.test.post(path, { advanceSeconds: 60 });
    const headers = { 'Idempotency-Key': 'once' };
    const first = await account.test.send(endpoint.method, path, { body, headers });
    expect(first.status).toBe(endpoint.route.status);
    const second = await account.test.send(endpoint.method, path, { body, headers });
    expect(second.headers['idempotent-replayed']).toBe('true');
    const entries = (await allEntries(account)).filter(({ action }) => action === audit);
    const own = entries.filter(({ requestId }) => requestId === first.headers['x-request-id']);
    expect(own).toMatchObject([
      {
        id: expect.stringMatching(/^aud_[0-9a-hjkmnp-tv-z]{26}$/),
        actor: { type: 'key', id: await keyIdFor(account.test) },
        outcome: 'done',
        resource:
          /dlv_\w+|key_\w+|inv_\w+(?=\/(?:replace|send))|drft_\w+|st_\w+(?=\/rows)/.exec(path)?.[0] ??
          first.json.id ??
          /wh_\w+/.exec(path)?.[0] ??
          null,
        source: expect.stringMatching(/^[\w-]{11}$/),
      },
    ]);
    expect(Math.abs(Date.parse(own[0]?.timestamp ?? '') - Date.now())).toBeLessThan(120_000);
    expect(entries.map(({ requestId }) => requestId)).not.toContain(second.headers['x-request-id']);
    expect(JSON.stringify(own)).not.toMatch(/127\.0\.0\.1["/]|whsec_|sk_test/);
  });

  test('requests that are refused or change nothing have no entry', async () => {
    const account = await newAccount(stack.baseUrl);
    const weak = apiOf(stack.baseUrl, await newKey(account, { permissions: ['invoices:read'] }));
    const { method, path } = endpoint;
    for (const [api, options] of [
      [weak, { body: {} }],
      [apiOf(stack.baseUrl, undefined), { body: {} }],
      [account.test, { body: { color: 'red' } }],
      [account.test, { body: {}, headers: { 'Idempotency-Key': 'refused' } }],
    ] as const) {
      // A draft can lack every field.
      if (endpoint.name === 'createDraft' && api === account.test && !('color' in options.body)) continue;
      const { status } = await api.send(method, path, options);
      if (!resetsClock(endpoint) || api !== account.test) expect(status).toBeGreaterThanOrEqual(400);
    }
    expect((await allEntries(account)).filter(({ actor }) => actor.type === 'key')).toEqual([]);
  });
});

test('a request that changes nothing has no entry, with and without a key', async () => {
  const account = await newAccount(stack.baseUrl);
  const { json: invoice } = await account.test.post('/api/invoices', invoiceBody({ amount: 5 }));
  const same = { amount: 5 };
  await account.test.patch(`/api/invoices/${invoice.id}`, same);
  await account.test.patch(`/api/invoices/${invoice.id}`, same, { headers: { 'Idempotency-Key': 'same' } });
  expect((await allEntries(account)).map(({ action }) => action)).toEqual(['invoice.create']);
});

test('parallel requests under one key have one entry', async () => {
  const account = await newAccount(stack.baseUrl);
  const headers = { 'Idempotency-Key': 'parallel' };
  const create = () => account.test.post('/api/invoices', invoiceBody(), { headers });
  await Promise.all(Array.from({ length: 8 }, create));
  expect(await allEntries(account)).toHaveLength(1);
});

test('an entry of an endpoint shows its settings before and after, without the secret parts of its URL', async () => {
  const account = await newAccount(stack.baseUrl);
  const { test: api } = account;
  const url = 'https://hooks.example.com/services/T0/token?key=hidden';
  const { json: webhook } = await api.post('/api/webhooks', { url, events: ['*'], description: 'Mr. Dorji' });
  await api.patch(`/api/webhooks/${webhook.id}`, { events: ['invoice.paid', 'invoice.overdue'] });
  await api.patch(`/api/webhooks/${webhook.id}`, { status: 'disabled' });
  await api.patch(`/api/webhooks/${webhook.id}`, { url: `${url}2` });
  await api.patch(`/api/webhooks/${webhook.id}`, { description: 'Ms. Dorji' });
  await api.delete(`/api/webhooks/${webhook.id}`);
  const entries = await allEntries(account);
  const shownUrl = expect.stringMatching(/^https:\/\/hooks\.example\.com\/… \([\w-]{8}\)$/);
  expect(entries.map(({ action, changes: changed }) => [action, changed])).toEqual([
    [
      'webhook.delete',
      [
        { field: 'url', before: shownUrl, after: null },
        { field: 'events', before: 'invoice.paid, invoice.overdue', after: null },
        { field: 'status', before: 'disabled', after: null },
      ],
    ],
    ['webhook.update', []],
    ['webhook.update', [{ field: 'url', before: shownUrl, after: shownUrl }]],
    ['webhook.update', [{ field: 'status', before: 'enabled', after: 'disabled' }]],
    ['webhook.update', [{ field: 'events', before: '*', after: 'invoice.paid, invoice.overdue' }]],
    [
      'webhook.create',
      [
        { field: 'url', before: null, after: shownUrl },
        { field: 'events', before: null, after: '*' },
        { field: 'status', before: null, after: 'enabled' },
      ],
    ],
  ]);
  expect(new Set(entries.map(({ resource }) => resource))).toEqual(new Set([webhook.id]));
  expect(JSON.stringify(entries)).not.toMatch(/token|hidden|Dorji/);
});
