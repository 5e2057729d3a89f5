/**
 * Tests what somebody can do who can write every item that the functions of the API can write. No entry and no list item may
 * make, widen or revive an API key, or keep one from being revoked.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { keyIdOf, type Owner } from '../../shared/base/ids.ts';
import { createKey, listKeys, revokeKey } from '../../shared/domain/accounts/key-store.ts';
import { hashApiKey, newApiKey } from '../../shared/domain/auth/api-key.ts';
import { reconcileNow } from '../../shared/operations/reconciliation/reconcile-now.ts';
import { isRepairable, repair } from '../../shared/operations/reconciliation/repair.ts';
import { accountStateAttributes } from '../../shared/store/account-state.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { apiOf, newAccount } from '../support/api.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { type Interception, interceptCalls } from '../support/intercept-calls.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';

const { keys: keysName } = accountStateAttributes;

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let owner: Owner;
let firstKey: string;
const interceptions: Interception[] = [];

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  clock = stopClock();
});
beforeEach(async () => {
  const account = await newAccount(stack.baseUrl);
  owner = { account: account.accountId, mode: 'test' };
  firstKey = account.test.apiKey;
});
afterEach(() => {
  for (const { remove } of interceptions.splice(0)) remove();
});
afterAll(() => stack.close());

const get = (apiKey: string, path = '/api/invoices') => apiOf(stack.baseUrl, apiKey).get(path);
const outcomeOf = async (apiKey: string, path?: string) => {
  const { status, json } = await get(apiKey, path);
  return status === 200 ? 'allowed' : json.error.code;
};
const readState = async (): Promise<TestItem> => (await table.get(tableKeys.accountState(owner))) ?? {};
const listItemOf = async (value: string): Promise<TestItem> => {
  const items = await table.all(tableKeys.accountState(owner).pk);
  return items.find(({ sk }) => String(sk).endsWith(`#${hashApiKey(value)}`)) ?? {};
};
const ownItemOf = (value: string) => table.get(tableKeys.apiKey({ owner, keyHash: hashApiKey(value) }));

/** Changes the entries, as a function that is taken over could. */
async function attack(change: (entries: Record<string, TestItem>) => void): Promise<void> {
  const state = await readState();
  const entries = structuredClone(state[keysName]);
  change(entries);
  await table.put({ ...tableKeys.accountState(owner), ...state, [keysName]: entries });
}

/** Returns the differences that a reconciliation finds, and repairs them. */
async function reconcile() {
  const { differences, failures } = await reconcileNow(owner, { full: true, waitsMs: [] });
  expect(failures).toEqual([]);
  for (const difference of differences.filter(isRepairable)) await repair(difference);
  return differences.map(({ resource, id, rule }) => ({ resource, id, rule }));
}

/** Returns the calls of a request. Nothing else runs meanwhile. */
async function callsOf(apiKey: string, path = '/api/webhooks'): Promise<string[]> {
  const interception = interceptCalls();
  interceptions.push(interception);
  await get(apiKey, path);
  interception.remove();
  return interception.calls.map(({ operation, body }) => `${operation} ${body}`);
}

describe('an entry that no command made', () => {
  test('gives a new key no access, and is found by the reconciliation and removed by a repair', async () => {
    const hash = hashApiKey(await newApiKey(owner));
    await attack((entries) => {
      entries[hash] = {};
    });
    const difference = { resource: 'api_key', id: keyIdOf(hash), rule: 'key_unknown' };
    expect(await reconcile()).toEqual([difference]);
    expect(Object.keys((await readState())[keysName])).toEqual([hashApiKey(firstKey)]);
    expect(await reconcile()).toEqual([]);
  });

  test('is removed by the first request with it', async () => {
    const minted = await newApiKey(owner);
    await attack((entries) => {
      entries[hashApiKey(minted)] = {};
    });
    expect(await outcomeOf(minted)).toBe('invalid_api_key');
    expect(Object.keys((await readState())[keysName])).toEqual([hashApiKey(firstKey)]);
    expect(await outcomeOf(minted)).toBe('invalid_api_key');
    expect(await outcomeOf(firstKey)).toBe('allowed');
  });

  test('does not become valid when a command changes the keys of the account', async () => {
    const minted = await newApiKey(owner);
    await attack((entries) => {
      entries[hashApiKey(minted)] = {};
    });
    const { value } = await createKey({ owner, name: 'Second' });
    expect(await Promise.all([minted, firstKey, value].map((key) => outcomeOf(key)))).toEqual([
      'invalid_api_key',
      'allowed',
      'allowed',
    ]);
    expect(Object.keys((await readState())[keysName]).sort()).toEqual(
      [firstKey, value].map(hashApiKey).sort(),
    );
  });
});

describe('a changed entry', () => {
  test('does not give more permissions or a longer life', async () => {
    const expiresAt = clock.now() + 60_000;
    const permissions = ['events:read'] as const;
    const { value, keyId } = await createKey({ owner, name: 'A', permissions, expiresAt });
    const widen = () =>
      attack((entries) => {
        entries[hashApiKey(value)] = {};
      });
    await widen();
    expect(await outcomeOf(value)).toBe('insufficient_permissions');
    expect((await reconcile()).map(({ id, rule }) => [id, rule])).toEqual([[keyId, 'key_expiry_differs']]);
    await widen();
    clock.advance(60_000);
    expect(await outcomeOf(value, '/api/events')).toBe('expired_api_key');
  });

  test('does not revive a revoked key, not even with all entries from before', async () => {
    const { value, keyId } = await createKey({ owner, name: 'A' });
    expect(await outcomeOf(value)).toBe('allowed');
    const before = await readState();
    await revokeKey(owner, keyId);
    await attack((entries) => Object.assign(entries, before[keysName]));
    expect((await reconcile()).map(({ rule }) => rule)).toEqual(['key_revoked']);
    await attack((entries) => Object.assign(entries, before[keysName]));
    expect(await outcomeOf(value)).toBe('revoked_api_key');
    expect(Object.keys((await readState())[keysName])).toEqual([hashApiKey(firstKey)]);
    clock.advance(6_000);
    expect(await outcomeOf(value)).toBe('revoked_api_key');
    expect(await outcomeOf(firstKey)).toBe('allowed');
    const listed = (await listKeys(owner)).find((key) => key.keyId === keyId);
    expect(listed?.revokedAt).toBe(clock.now() - 6_000);
  });

  test('that is missing is corrected by the next request', async () => {
    await attack((entries) => {
      delete entries[hashApiKey(firstKey)];
    });
    const difference = { resource: 'api_key', id: keyIdOf(hashApiKey(firstKey)), rule: 'key_entry_missing' };
    const { differences } = await reconcileNow(owner, { full: true, waitsMs: [] });
    expect(differences).toMatchObject([difference]);
    expect(await outcomeOf(firstKey)).toBe('allowed');
    expect(await reconcile()).toEqual([]);
    const { headers } = await get(firstKey);
    expect(headers['x-ratelimit-remaining']).toBe('4998');
  });
});

describe('a changed item in the list of keys', () => {
  test.each([
    ['nonsense', () => 'nonsense'],
    [
      'the hash of a key of another account',
      async () => hashApiKey((await newAccount(stack.baseUrl)).test.apiKey),
    ],
  ])('with %s as an attribute hash does not keep the key from being revoked', async (_, hashOf) => {
    const { value, keyId } = await createKey({ owner, name: 'Stolen' });
    await table.put({ ...(await listItemOf(value)), hash: await hashOf() } as TestItem);
    expect((await reconcile()).map(({ rule }) => rule)).toEqual([]);
    await revokeKey(owner, keyId);
    expect(await outcomeOf(value)).toBe('revoked_api_key');
    expect((await ownItemOf(value))?.revokedAt).toBe(clock.now());
  });

  test('that shows a key as revoked, or with other rights, changes nothing and is found', async () => {
    const { value, keyId } = await createKey({ owner, name: 'A', permissions: ['events:read'] });
    const item = await listItemOf(value);
    const find = async () => (await reconcile()).map(({ id, rule }) => [id, rule]);
    await table.put({ ...item, permissions: undefined } as TestItem);
    expect(await find()).toEqual([[keyId, 'key_items_differ']]);
    expect(await outcomeOf(value)).toBe('insufficient_permissions');
    await table.put({ ...item, revokedAt: clock.now() } as TestItem);
    expect(await find()).toEqual([[keyId, 'key_items_differ']]);
    expect(await outcomeOf(value, '/api/events')).toBe('allowed');
  });

  test('that has no own item, or an own item that is not listed, is found', async () => {
    const { value, keyId } = await createKey({ owner, name: 'A' });
    const [own, listed] = [(await ownItemOf(value)) as TestItem, await listItemOf(value)];
    await table.delete(own as never);
    expect((await reconcile()).map(({ id, rule }) => [id, rule])).toEqual([
      [keyId, 'key_item_missing'],
      [keyId, 'key_unknown'],
    ]);
    expect(await outcomeOf(value)).toBe('invalid_api_key');
    await expect(revokeKey(owner, keyId)).rejects.toThrow('could not be marked as revoked');
    await table.put(own);
    await table.delete(listed as never);
    expect(await outcomeOf(value)).toBe('allowed');
    expect((await reconcile()).map(({ id, rule }) => [id, rule])).toEqual([[keyId, 'key_unlisted']]);
  });
});

test('a request reads the item of its key beside the call that counts it', async () => {
  expect(await outcomeOf(firstKey)).toBe('allowed');
  const calls = await callsOf(firstKey);
  expect(calls.filter((call) => /^GetItem .*"KEY#/.test(call))).toHaveLength(1);
  expect(calls.filter((call) => call.startsWith('UpdateItem '))).toHaveLength(1);
});
