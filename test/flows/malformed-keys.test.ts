/**
 * Writes the items of API keys, profiles and account states with each attribute missing, of another type and unknown, directly into
 * the table. A malformed one harms only itself: nothing shows or changes it, and other keys and accounts work as before.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { Owner } from '../../shared/base/ids.ts';
import type { CreatedKey } from '../../shared/domain/accounts/key-store.ts';
import { keyHashOf, tableKeys } from '../../shared/store/keys.ts';
import { type Api, apiOf, newAccount } from '../support/api.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';

let stack: Stack;
let table: TestTable;
let owner: Owner;
let other: Api;
let manager: Api;
let bad: CreatedKey;
let badApi: Api;
let good: CreatedKey;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
});
beforeEach(async () => {
  const { createKey } = await import('../../shared/domain/accounts/key-store.ts');
  const account = await newAccount(stack.baseUrl);
  owner = { account: account.accountId, mode: 'test' };
  ({ test: other } = await newAccount(stack.baseUrl));
  const settings = { note: 'x', allowedAddresses: ['127.0.0.1'], permissions: ['invoices:read'] as const };
  const { permissions } = await import('../../shared/domain/auth/permissions.ts');
  manager = apiOf(stack.baseUrl, (await createKey({ owner, name: 'Manager', permissions })).value);
  bad = await createKey({ owner, name: 'Bad', expiresAt: Date.now() + 86_400_000, ...settings });
  good = await createKey({ owner, name: 'Good', permissions: ['invoices:read'] });
  badApi = apiOf(stack.baseUrl, bad.value);
});
afterAll(() => stack?.close());

const keyParts = new Set(['pk', 'sk']);
/** Returns an item with each of its attributes missing, and of two other types. */
function* malformationsOf(item: TestItem, optional: readonly string[]) {
  for (const name of Object.keys(item).filter((each) => !keyParts.has(each))) {
    const { [name]: original, ...rest } = item;
    if (!optional.includes(name)) yield { label: `${name} is missing`, item: rest };
    yield { label: `${name} is an object`, item: { ...item, [name]: { garbage: [1] } } };
    yield {
      label: `${name} has another type`,
      item: { ...item, [name]: typeof original === 'number' ? 'lots' : 7 },
    };
  }
}
const optionalOfKeys = [
  'note',
  'permissions',
  'allowedAddresses',
  'apiVersion',
  'validUntil',
  'revokedAt',
  'lastUsed',
];

const listedItem = async () => {
  const items = await table.all(tableKeys.accountKeys(owner).pk);
  const item = items.find(({ name }) => name === 'Bad');
  if (!item) throw new Error('The key is not listed.');
  return item;
};
const codeOf = async (answer: Promise<{ status: number; json: TestItem }>) => {
  const { status, json } = await answer;
  return status === 200 ? 200 : json.error.code;
};
/** What the reconciliation says of API keys. */
const differencesOfKeys = async () => {
  const { findKeyDifferences } = await import('../../shared/operations/reconciliation/key-differences.ts');
  return (await findKeyDifferences(owner)).map(({ id, rule }) => `${rule} ${id}`);
};
const expectOthersWork = async (label: string) => {
  const status = async (api: Api) => (await api.get('/api/invoices')).status;
  const found = [await status(other), await status(manager), await status(apiOf(stack.baseUrl, good.value))];
  expect([label, ...found]).toEqual([label, 200, 200, 200]);
};

test('the own item of a key', async () => {
  const keyHash = keyHashOf((await listedItem()).sk);
  const item = (await table.get(tableKeys.apiKey({ owner, keyHash }))) as TestItem;
  expect(await codeOf(badApi.get('/api/invoices'))).toBe(200);
  for (const { label, item: malformed } of malformationsOf(item, optionalOfKeys)) {
    await table.put(malformed);
    expect([label, await codeOf(badApi.get('/api/invoices'))]).toEqual([label, 'record_unreadable']);
    expect(await table.get(tableKeys.apiKey({ owner, keyHash }))).toEqual(malformed);
  }
  await expectOthersWork('the own item of a key');
  expect(await differencesOfKeys()).toEqual([`key_malformed ${bad.keyId}`]);
  await table.put({ ...item, unknown: { from: 'a later version' } });
  expect(await codeOf(badApi.get('/api/invoices'))).toBe(200);
});

test('the item of a key in the list', async () => {
  const item = await listedItem();
  const before = (await manager.get('/api/keys')).json;
  const idsOf = (data: readonly TestItem[]) => data.map(({ id }) => id);
  const others = idsOf(before.data).filter((id) => id !== bad.keyId);
  for (const { label, item: malformed } of malformationsOf(item, optionalOfKeys)) {
    await table.put(malformed);
    const { status, json, headers } = await manager.get('/api/keys');
    expect({ label, status, ...json, data: idsOf(json.data), warning: headers['remit-warning'] }).toEqual({
      label,
      status: 200,
      data: others,
      pagination: before.pagination,
      warning: `malformed_records ${bad.keyId}`,
    });
    const path = `/api/keys/${bad.keyId}`;
    expect([label, await codeOf(manager.get(path))]).toEqual([label, 'record_unreadable']);
    expect([label, await codeOf(manager.patch(path, { note: 'y' }))]).toEqual([label, 'record_unreadable']);
    expect([label, await codeOf(manager.delete(path))]).toEqual([label, 'record_unreadable']);
    expect(await table.get({ pk: item.pk, sk: item.sk })).toEqual(malformed);
  }
  // Other keys change, and the malformed one keeps its entry: its own item still allows requests.
  expect(await codeOf(manager.patch(`/api/keys/${good.keyId}`, { note: 'y' }))).toBe(200);
  expect((await manager.post('/api/keys', { name: 'Newer', permissions: ['invoices:read'] })).status).toBe(
    201,
  );
  expect(await codeOf(badApi.get('/api/invoices'))).toBe(200);
  await expectOthersWork('the item of a key in the list');
  expect(await differencesOfKeys()).toEqual([`key_malformed ${bad.keyId}`]);
  await table.put({ ...item, unknown: 1 });
  expect(await codeOf(manager.delete(`/api/keys/${bad.keyId}`))).toBe(200);
  expect(await codeOf(badApi.get('/api/invoices'))).toBe('revoked_api_key');
});

test('the profile of an account', async () => {
  const { listAccounts, readAccount } = await import('../../shared/domain/accounts/account-store.ts');
  const item = (await table.get(tableKeys.account(owner.account))) as TestItem;
  const before = (await listAccounts()).filter(({ accountId }) => accountId !== owner.account);
  for (const { label, item: malformed } of malformationsOf(item, ['displayName'])) {
    await table.put(malformed);
    await expect(readAccount(owner.account)).rejects.toThrow(`${owner.account} is malformed`);
    expect([label, await listAccounts()]).toEqual([label, before]);
  }
  await table.put({ ...item, unknown: 1 });
  expect(await readAccount(owner.account)).toMatchObject({ name: item.name });
});

test('the account state', async () => {
  const key = tableKeys.accountState(owner);
  const item = (await table.get(key)) as TestItem;
  for (const { label, item: malformed } of malformationsOf(item, [])) {
    // An object is what the entries are. A request with a key puts its own.
    if (/^h:|^k is an object/.test(label)) continue;
    await table.put(malformed);
    expect([label, await codeOf(manager.get('/api/invoices'))]).toEqual([label, 'record_unreadable']);
    expect([label, (await other.get('/api/invoices')).status]).toEqual([label, 200]);
  }
  await table.put({ ...item, unknown: 1 });
  expect(await codeOf(manager.get('/api/invoices'))).toBe(200);
});
