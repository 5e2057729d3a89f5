/** Tests GET /api/audit-log: order, pages, filters, months, expiry, the permission, and the isolation of accounts. */

import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import type { AuditAction } from '../../../shared/base/audit-origin.ts';
import { type Owner, timeOfAuditEntry } from '../../../shared/base/ids.ts';
import { newAuditEntry } from '../../../shared/domain/audit/entry.ts';
import { newKey } from '../../contract/examples.ts';
import { type Api, apiOf, newAccount, type TestAccount } from '../../support/api.ts';
import { appendAuditEntries } from '../../support/append-entries.ts';
import { setClock, stopClock } from '../../support/clock.ts';
import { expectError, expectHeaders } from '../../support/expectations.ts';
import { startTestStack } from '../../support/stack.ts';

const dayMs = 24 * 60 * 60 * 1000;

let stack: Stack;
let account: TestAccount;
let owner: Owner;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
});
beforeEach(async () => {
  account = await newAccount(stack.baseUrl);
  owner = { account: account.accountId, mode: 'live' };
  api = account.live;
});
afterAll(() => stack.close());

async function add(at: number, fields: { action?: AuditAction; actor?: string; resource?: string } = {}) {
  const { action = 'invoice.create', actor = 'key_0000000000000000', resource = null } = fields;
  const entry = newAuditEntry(`${at} ${JSON.stringify(fields)}`, at, {
    actor: { type: 'key', id: actor },
    action,
    outcome: 'done',
    resource,
    requestId: null,
    source: null,
    changes: [],
  });
  await appendAuditEntries(owner, [entry]);
  return entry;
}

/** Lists the ids of all pages that follow one another. */
async function allPages(query: string): Promise<{ ids: string[]; pages: number }> {
  const ids: string[] = [];
  let next = '';
  for (let pages = 1; ; pages++) {
    const { status, json } = await api.get(`/api/audit-log?${query}${next}`);
    expect(status).toBe(200);
    ids.push(...json.data.map(({ id }: { id: string }) => id));
    if (!json.cursor.hasMore) return { ids, pages };
    next = `&before=${json.cursor.next}`;
  }
}

test('entries of 400 days are listed newest first, in pages that continue over months', async () => {
  const now = Date.now();
  const times = [0, 1, 2, 40, 41, 100, 365, 399].map((days) => now - days * dayMs);
  const entries = await Promise.all(times.map((at) => add(at)));
  await add(now - 401 * dayMs);
  const expected = entries.map(({ id }) => id);
  for (const limit of [1, 3, 8, 100]) {
    const { ids } = await allPages(`limit=${limit}`);
    expect(ids).toEqual(expected);
  }
  const response = await api.get('/api/audit-log?limit=1');
  expectHeaders(response);
  expect(response.json.data).toEqual([
    {
      id: expected[0],
      timestamp: new Date(now).toISOString(),
      actor: { type: 'key', id: 'key_0000000000000000' },
      action: 'invoice.create',
      outcome: 'done',
      resource: null,
      requestId: null,
      source: null,
      changes: [],
    },
  ]);
});

test('an empty log has no cursor', async () => {
  const expected = { data: [], cursor: { hasMore: false, next: null } };
  expect((await api.get('/api/audit-log')).json).toEqual(expected);
  for (const id of [`aud_${'0'.repeat(26)}`, `aud_${'z'.repeat(26)}`]) {
    expect((await api.get(`/api/audit-log?before=${id}`)).json).toEqual(expected);
  }
});

test('filters find the entries of an actor, an action and a resource, and examine 100 entries in a request', async () => {
  const now = Date.now();
  const times = Array.from({ length: 230 }, (_, index) => now - 1 - index);
  for (const at of times) await add(at);
  const wanted = await add(now - 1_000, { actor: 'key_1', action: 'webhook.update', resource: 'wh_1' });
  const other = await add(now - 2_000, { actor: 'key_1', action: 'webhook.delete', resource: 'wh_1' });
  const both = [wanted.id, other.id];
  expect(await allPages('actor=key_1')).toEqual({ ids: both, pages: 3 });
  expect(await allPages('resource=wh_1&limit=1')).toMatchObject({ ids: both });
  expect(await allPages('action=webhook.update')).toEqual({ ids: [wanted.id], pages: 3 });
  expect(await allPages('actor=key_1&action=webhook.delete')).toMatchObject({ ids: [other.id] });
  expect(await allPages('actor=key_2')).toEqual({ ids: [], pages: 3 });
});

test.each([
  ['limit=0', 'invalid_limit', 'limit'],
  ['limit=101', 'invalid_limit', 'limit'],
  ['before=nonsense', 'invalid_before', 'before'],
  [`before=evt_${'0'.repeat(26)}`, 'invalid_before', 'before'],
  ['actor=', 'invalid_actor', 'actor'],
  ['action=delete', 'invalid_action', 'action'],
  ['resource=', 'invalid_resource', 'resource'],
  ['offset=1', 'unknown_parameter', 'offset'],
])('%s is refused', async (query, code, field) => {
  expectError(await api.get(`/api/audit-log?${query}`), 400, code, field);
});

test('an account sees its own entries in the mode of the key, and only with the permission', async () => {
  await add(Date.now());
  const other = await newAccount(stack.baseUrl);
  expect((await api.get('/api/audit-log')).json.data).toHaveLength(1);
  expect((await account.test.get('/api/audit-log')).json.data).toEqual([]);
  expect((await other.live.get('/api/audit-log')).json.data).toEqual([]);
  const everythingElse = await newKey(account, {
    permissions: ['events:read', 'invoices:read'],
    mode: 'live',
  });
  expectError(
    await apiOf(stack.baseUrl, everythingElse).get('/api/audit-log'),
    403,
    'insufficient_permissions',
  );
  const auditor = apiOf(stack.baseUrl, await newKey(account, { permissions: ['audit:read'], mode: 'live' }));
  expect((await auditor.get('/api/audit-log')).status).toBe(200);
  expectError(await auditor.get('/api/invoices'), 403, 'insufficient_permissions');
});

test('an entry is added once, with the first content, and expires after 400 days', async () => {
  const clock = stopClock();
  try {
    const at = clock.now();
    const entry = await add(at);
    await appendAuditEntries(owner, [{ ...entry, action: 'invoice.cancel' }]);
    const { data } = (await api.get('/api/audit-log')).json;
    expect(data).toMatchObject([{ id: entry.id, action: 'invoice.create' }]);
    expect(timeOfAuditEntry(entry.id)).toBe(at);
    clock.advance(400 * dayMs + 1_000);
    expect((await api.get('/api/audit-log')).json.data).toEqual([]);
  } finally {
    setClock();
  }
});
