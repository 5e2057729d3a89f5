/** Tests `/api/keys`: what a key can give to others, and repetitions. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { createKey, listKeys, type NewKey } from '../../shared/domain/accounts/key-store.ts';
import { permissions } from '../../shared/domain/auth/permissions.ts';
import { type Api, apiOf, newAccount } from '../support/api.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { expectError } from '../support/expectations.ts';
import { startTestStack } from '../support/stack.ts';
import { keyRequestNames, keyRequests } from './key-requests.ts';

let stack: Stack;
let clock: TestClock;
let account: string;
let unrestricted: Api;
let manager: Api;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  clock = stopClock();
});
beforeEach(async () => {
  const created = await newAccount(stack.baseUrl);
  account = created.accountId;
  unrestricted = created.test;
  manager = await callerWith({ permissions });
});
afterAll(() => stack?.close());

const ownerOf = () => ({ account, mode: 'test' }) as const;
async function callerWith(asked: Partial<NewKey>): Promise<Api> {
  const { value } = await createKey({ owner: ownerOf(), name: 'Caller', ...asked });
  return apiOf(stack.baseUrl, value);
}
const statusOf = async (value: string, path = '/api/invoices') =>
  (await apiOf(stack.baseUrl, value).get(path)).status;
const withKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });
const callerId = async (api: Api) =>
  (await listKeys(ownerOf())).find(({ last4 }) => api.apiKey.endsWith(last4))?.keyId ?? '';

test('a key is created, used, listed, changed, rolled over and revoked', async () => {
  const asked = {
    name: 'Shop',
    note: 'A\nB',
    permissions: ['invoices:read'],
    allowedAddresses: ['127.0.0.1'],
  };
  const { status, json: created } = await manager.post('/api/keys', asked);
  expect([status, await statusOf(created.value)]).toEqual([201, 200]);
  const { value, ...shown } = created;
  expect(shown).toMatchObject({
    ...asked,
    allowedAddresses: ['127.0.0.1/32'],
    status: 'active',
    expiresAt: null,
    last4: value.slice(-4),
    lastUsedAt: null,
  });
  const path = `/api/keys/${created.id}`;
  expect((await manager.get(path)).json).toMatchObject({ ...shown, lastUsedAt: expect.any(String) });
  const changed = await manager.patch(path, {
    name: 'Store',
    note: null,
    allowedAddresses: ['192.0.2.0/24'],
  });
  expect(changed.json).toMatchObject({ name: 'Store', note: null, allowedAddresses: ['192.0.2.0/24'] });
  expect(await statusOf(value)).toBe(403);
  expect((await manager.patch(path, { allowedAddresses: null })).json).toMatchObject({
    allowedAddresses: null,
  });
  clock.advance(6_000);
  expect(await statusOf(value)).toBe(200);
  const rolledOver = await manager.post(`${path}/roll-over`, { overlapHours: 1 });
  expect(rolledOver.json).toMatchObject({ name: 'Store', replaces: created.id, status: 'active' });
  expect([await statusOf(value), await statusOf(rolledOver.json.value)]).toEqual([200, 200]);
  expect((await manager.get(path)).json).toMatchObject({ replacedBy: rolledOver.json.id });
  const revoked = await manager.delete(path);
  expect(revoked.json).toEqual({ id: created.id, revokedAt: new Date(clock.now()).toISOString() });
  expect(await statusOf(value)).toBe(401);
  const active = await manager.get('/api/keys?status=active&limit=1');
  expect(active.json).toMatchObject({
    data: [{ id: rolledOver.json.id }],
    pagination: { total: 3, limit: 1, offset: 0, hasMore: true },
  });
  expect((await manager.get('/api/keys?status=revoked')).json.data).toMatchObject([{ id: created.id }]);
  expect((await manager.get('/api/keys')).text).not.toContain(value);
});

describe('a key never gives more than it has itself', () => {
  test('an unrestricted key cannot read or manage keys', async () => {
    expectError(await unrestricted.get('/api/keys'), 403, 'insufficient_permissions');
    expectError(await unrestricted.post('/api/keys', { name: 'x' }), 403, 'insufficient_permissions');
  });

  test('permissions: only its own, and by default all of them but those that manage keys', async () => {
    const caller = await callerWith({ permissions: ['invoices:read', 'keys:write'] });
    const { json } = await caller.post('/api/keys', { name: 'A' });
    expect(json.permissions).toEqual(['invoices:read']);
    const same = await caller.post('/api/keys', { name: 'B', permissions: ['keys:write'] });
    expect(same.status).toBe(201);
    for (const wanted of [['invoices:write'], ['invoices:read', 'keys:read']])
      expectError(
        await caller.post('/api/keys', { name: 'C', permissions: wanted }),
        400,
        'invalid_permissions',
        'permissions',
      );
    const only = await callerWith({ permissions: ['keys:write'] });
    expectError(await only.post('/api/keys', { name: 'D' }), 400, 'invalid_permissions', 'permissions');
  });

  test('expiry: not later than its own, also when it replaces itself', async () => {
    const expiresAt = clock.now() + 3_600_000;
    const caller = await callerWith({ permissions: ['invoices:read', 'keys:write'], expiresAt });
    const end = new Date(expiresAt).toISOString();
    expect((await caller.post('/api/keys', { name: 'A' })).json.expiresAt).toBe(end);
    const later = new Date(expiresAt + 60_000).toISOString();
    const past = new Date(clock.now() - 1).toISOString();
    for (const asked of [later, past])
      expectError(
        await caller.post('/api/keys', { name: 'A', expiresAt: asked }),
        400,
        'invalid_expires_at',
        'expiresAt',
      );
    clock.advance(60_000);
    const path = `/api/keys/${await callerId(caller)}/roll-over`;
    expectError(await caller.post(path, { expiresAt: later }), 400, 'invalid_expires_at', 'expiresAt');
    expect((await caller.post(path, {})).json.expiresAt).toBe(end);
  });

  test('addresses: only within its own, and by default the same', async () => {
    const allowedAddresses = ['127.0.0.0/8', '2001:db8::/48'];
    const caller = await callerWith({ permissions: ['invoices:read', 'keys:write'], allowedAddresses });
    const { json } = await caller.post('/api/keys', { name: 'A' });
    expect(json.allowedAddresses).toEqual(allowedAddresses);
    const narrow = ['127.0.0.0/25', '2001:db8:0:1::/64'];
    const created = await caller.post('/api/keys', { name: 'B', allowedAddresses: narrow });
    expect(created.json.allowedAddresses).toEqual(narrow);
    for (const wanted of [['192.0.2.1'], ['127.0.0.1', '2001:db8::/32'], ['::/128']])
      expectError(
        await caller.post('/api/keys', { name: 'C', allowedAddresses: wanted }),
        400,
        'invalid_allowed_addresses',
        'allowedAddresses',
      );
    expectError(
      await caller.patch(`/api/keys/${created.json.id}`, { allowedAddresses: null }),
      400,
      'invalid_allowed_addresses',
      'allowedAddresses',
    );
    const other = await manager.post('/api/keys', { name: 'D', permissions: ['invoices:read'] });
    expectError(
      await caller.patch(`/api/keys/${other.json.id}`, { name: 'E' }),
      403,
      'insufficient_permissions',
    );
  });

  test('a key with more rights cannot be changed or rolled over, but revoked', async () => {
    const caller = await callerWith({ permissions: ['invoices:read', 'keys:write'] });
    for (const stronger of [unrestricted, manager]) {
      const path = `/api/keys/${await callerId(stronger)}`;
      expectError(await caller.post(`${path}/roll-over`, {}), 403, 'insufficient_permissions');
      expectError(await caller.patch(path, { name: 'x' }), 403, 'insufficient_permissions');
      expect((await caller.delete(path)).status).toBe(200);
      expect(await statusOf(stronger.apiKey)).toBe(401);
    }
  });

  test('a key may replace and revoke itself', async () => {
    const { json } = await manager.post(`/api/keys/${await callerId(manager)}/roll-over`, {
      overlapHours: 0,
    });
    expect(await statusOf(manager.apiKey)).toBe(401);
    const next = apiOf(stack.baseUrl, json.value);
    expect((await next.delete(`/api/keys/${json.id}`)).status).toBe(200);
    expect(await statusOf(json.value)).toBe(401);
  });
});

describe.each(keyRequestNames)('a repetition of %s', (name) => {
  test('at the same time takes effect once, and all get the same bytes', async () => {
    const { method, path, body } = await keyRequests[name](manager);
    const before = (await listKeys(ownerOf())).length;
    const key = randomUUID();
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => manager.send(method, path, { body, ...withKey(key) })),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.every(({ status }) => status < 300)).toBe(true);
    expect((await listKeys(ownerOf())).length - before).toBe(
      name === 'create' || name === 'rollOver' ? 1 : 0,
    );
  });
});

test('two different requests at once under one idempotency key make one key', async () => {
  const key = randomUUID();
  const answers = await Promise.all(
    ['A', 'B', 'C'].map((name) => manager.post('/api/keys', { name }, withKey(key))),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
  const names = (await listKeys(ownerOf())).map((each) => each.name);
  expect(names.filter((name) => ['A', 'B', 'C'].includes(name))).toHaveLength(1);
});

test('a request beyond the limit has no effect, and can be sent again under its key', async () => {
  const key = randomUUID();
  for (let count = 2; count < 10; count++) await createKey({ owner: ownerOf(), name: `Key ${count}` });
  expectError(await manager.post('/api/keys', { name: 'A' }, withKey(key)), 400, 'key_limit_reached');
  await manager.delete(`/api/keys/${await callerId(unrestricted)}`);
  const created = await manager.post('/api/keys', { name: 'A' }, withKey(key));
  expect([created.status, await statusOf(created.json.value)]).toEqual([201, 200]);
});

test('a key works until the millisecond of its expiry', async () => {
  const expiresAt = Math.floor(clock.now() / 1000) * 1000 + 2_750;
  const { value } = await createKey({ owner: ownerOf(), name: 'Short', expiresAt });
  clock.advance(expiresAt - clock.now() - 1);
  expect(await statusOf(value)).toBe(200);
  clock.advance(1);
  const { json } = await apiOf(stack.baseUrl, value).get('/api/invoices');
  expect(json.error.code).toBe('expired_api_key');
});

describe('an answer with the value of a key belongs to the key that asked for it', () => {
  const caller = () => callerWith({ permissions: ['invoices:read', 'keys:write'] });

  test('another key that repeats a creation does not get the value', async () => {
    const weak = await callerWith({ permissions: ['keys:write'] });
    const body = { name: 'All', permissions: ['invoices:read', 'payments:read'] };
    const created = await manager.post('/api/keys', body, withKey('create-key-1'));
    const stolen = await weak.post('/api/keys', body, withKey('create-key-1'));
    expectError(stolen, 400, 'idempotency_key_reused');
    expect(stolen.text).not.toContain(created.json.value);
    const again = await manager.post('/api/keys', body, withKey('create-key-1'));
    expect([again.status, again.text]).toEqual([201, created.text]);
  });

  test('another key that repeats a roll over does not get the value', async () => {
    const weak = await callerWith({ permissions: ['keys:write'] });
    const path = `/api/keys/${await callerId(await caller())}/roll-over`;
    const created = await manager.post(path, {}, withKey('roll-over-1'));
    expectError(await weak.post(path, {}, withKey('roll-over-1')), 400, 'idempotency_key_reused');
    expect((await manager.post(path, {}, withKey('roll-over-1'))).text).toBe(created.text);
  });

  test('another key does not get the secret of a webhook endpoint', async () => {
    const writers = await Promise.all([1, 2].map(() => callerWith({ permissions: ['webhooks:write'] })));
    const [first, second] = writers as [Api, Api];
    const body = { url: 'https://example.com/hook', events: ['*'] };
    const created = await first.post('/api/webhooks', body, withKey('webhook-1'));
    expect(created.status).toBe(201);
    expectError(
      await second.post('/api/webhooks', body, withKey('webhook-1')),
      400,
      'idempotency_key_reused',
    );
    expect((await first.post('/api/webhooks', body, withKey('webhook-1'))).text).toBe(created.text);
    const path = `/api/webhooks/${created.json.id}/rotate-secret`;
    const rotated = await first.post(path, {}, withKey('rotate-1'));
    expect(rotated.json.secret).toMatch(/^whsec_/);
    expectError(await second.post(path, {}, withKey('rotate-1')), 400, 'idempotency_key_reused');
    expect((await first.post(path, {}, withKey('rotate-1'))).text).toBe(rotated.text);
  });

  test('the same key does not get it again once it has fewer rights than the key', async () => {
    const own = await caller();
    const created = await own.post('/api/keys', { name: 'All' }, withKey('create-key-2'));
    expect(created.status).toBe(201);
    const change = { allowedAddresses: ['127.0.0.0/8'] };
    expect((await manager.patch(`/api/keys/${await callerId(own)}`, change)).status).toBe(200);
    const repeated = await own.post('/api/keys', { name: 'All' }, withKey('create-key-2'));
    expectError(repeated, 403, 'insufficient_permissions');
    expect(repeated.text).not.toContain(created.json.value);
  });
});
