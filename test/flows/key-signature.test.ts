/**
 * Tests what somebody can do who can write every item that the functions of the API can write. API keys must not get more
 * rights than commands gave them, and requests must not cost more while nobody does this.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { signKeys } from '../../shared/accounts/key-entries.ts';
import { createKey, listKeys, revokeKey } from '../../shared/accounts/key-store.ts';
import { hashApiKey, newApiKey } from '../../shared/auth/api-key.ts';
import { keyIdOf, type Owner } from '../../shared/ids.ts';
import { reconcileNow } from '../../shared/reconciliation/reconcile-now.ts';
import { isRepairable, repair } from '../../shared/reconciliation/repair.ts';
import { accountStateAttributes } from '../../shared/store/account-state.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { apiOf, newAccount } from '../support/api.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { type Interception, interceptCalls } from '../support/intercept-calls.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';

const { keys: keysName, keySignature } = accountStateAttributes;

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

/** Changes the entries without a new signature, as a function that is taken over could. */
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
async function callsOf(apiKey: string): Promise<string[]> {
  const interception = interceptCalls();
  interceptions.push(interception);
  expect(await outcomeOf(apiKey, '/api/webhooks')).toBe('allowed');
  interception.remove();
  return interception.calls.map(({ operation, body }) => `${operation} ${body}`);
}

describe('an entry that no command made', () => {
  test('gives a new key no access, is found by the reconciliation and removed by a repair', async () => {
    const minted = await newApiKey(owner);
    const hash = hashApiKey(minted);
    await attack((entries) => {
      entries[hash] = {};
    });
    expect(await outcomeOf(minted)).toBe('invalid_api_key');
    expect(await outcomeOf(firstKey)).toBe('allowed');
    const difference = { resource: 'api_key', id: keyIdOf(hash), rule: 'key_unknown' };
    expect(await reconcile()).toEqual([difference]);
    expect(Object.keys((await readState())[keysName])).toEqual([hashApiKey(firstKey)]);
    expect(await reconcile()).toEqual([]);
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

  test('does not give a key of another account or mode access', async () => {
    const other = await newAccount(stack.baseUrl);
    const foreign = other.test.apiKey;
    await attack((entries) => {
      entries[hashApiKey(foreign)] = {};
    });
    expect(await outcomeOf(foreign)).toBe('allowed');
    expect((await reconcile()).map(({ rule }) => rule)).toEqual(['key_unknown']);
  });
});

describe('a changed entry', () => {
  test('does not give more permissions or a longer life', async () => {
    const expiresAt = clock.now() + 60_000;
    const { value, loggedAs } = await createKey({
      owner,
      name: 'A',
      permissions: ['events:read'],
      expiresAt,
    });
    expect(await outcomeOf(value)).toBe('insufficient_permissions');
    await attack((entries) => {
      entries[hashApiKey(value)] = {};
    });
    expect(await outcomeOf(value)).toBe('insufficient_permissions');
    expect(await outcomeOf(value, '/api/events')).toBe('allowed');
    expect((await reconcile()).map(({ id, rule }) => [id, rule])).toEqual([
      [loggedAs, 'key_permissions_differ'],
      [loggedAs, 'key_expiry_differs'],
    ]);
    await attack((entries) => {
      entries[hashApiKey(value)] = {};
    });
    clock.advance(60_000);
    expect(await outcomeOf(value, '/api/events')).toBe('expired_api_key');
  });

  test('does not revive a revoked key, not even with the entries and the signature from before', async () => {
    const { value, keyId } = await createKey({ owner, name: 'A' });
    expect(await outcomeOf(value)).toBe('allowed');
    const before = await readState();
    await revokeKey(owner, keyId);
    expect(await outcomeOf(value)).toBe('revoked_api_key');
    await attack((entries) => Object.assign(entries, before[keysName]));
    expect(await outcomeOf(value)).toBe('revoked_api_key');
    expect(await outcomeOf(firstKey)).toBe('allowed');
    expect((await reconcile()).map(({ rule }) => rule)).toEqual(['key_revoked']);
    const listed = (await listKeys(owner)).find((key) => key.keyId === keyId);
    expect(listed?.revokedAt).toBe(clock.now());
  });
});

describe('the cost of a request', () => {
  test('is one call with a signed entry, and one more without a signature, until the keys are signed', async () => {
    expect(await outcomeOf(firstKey)).toBe('allowed');
    const signed = await callsOf(firstKey);
    const state = await readState();
    await table.put({ ...tableKeys.accountState(owner), ...state, [keySignature]: undefined });
    const unsigned = await callsOf(firstKey);
    expect(unsigned.filter((call) => /KEY#/.test(call)).length).toBe(1);
    expect(unsigned).toHaveLength(signed.length + 1);
    expect(await reconcile()).toEqual([]);
    expect(await signKeys(owner, clock.now())).toBe(true);
    expect(await signKeys(owner, clock.now())).toBe(false);
    expect((await readState())[keySignature]).toEqual(state[keySignature]);
    expect(await callsOf(firstKey)).toHaveLength(signed.length);
  });
});

test('a key that a command of the release before adds or revokes works as it should', async () => {
  const { value } = await createKey({ owner, name: 'A' });
  const added = await createKey({ owner, name: 'B' });
  const state = await readState();
  // Commands of the release before change the entries and leave the signature as it is.
  const { [hashApiKey(added.value)]: entry, ...others } = state[keysName];
  await table.put({ ...tableKeys.accountState(owner), ...state, [keysName]: others });
  expect(await outcomeOf(added.value)).toBe('revoked_api_key');
  expect(await outcomeOf(value)).toBe('allowed');
  await table.put({
    ...tableKeys.accountState(owner),
    ...state,
    [keysName]: { ...others, [hashApiKey(added.value)]: entry },
  });
  // An instance remembers a revoked key for five seconds.
  clock.advance(6_000);
  expect(await outcomeOf(added.value)).toBe('allowed');
});

test('two commands at once leave a valid signature of all keys', async () => {
  const created = await Promise.all(['A', 'B', 'C'].map((name) => createKey({ owner, name })));
  for (const { value } of created) expect(await outcomeOf(value)).toBe('allowed');
  expect(await signKeys(owner, clock.now())).toBe(false);
});
