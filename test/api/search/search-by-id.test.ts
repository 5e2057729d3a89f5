/** Searches the ID of one record of each kind: who finds it, and who does not. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { type Permission, permissions } from '../../../shared/domain/auth/permissions.ts';
import {
  type SearchType,
  searchKinds,
  searchPermissions,
  searchTypes,
} from '../../../shared/domain/search/search.ts';
import { newKey } from '../../contract/examples.ts';
import { createOneOfEach } from '../../contract/one-of-each.ts';
import { type Api, apiOf, newAccount, type TestAccount } from '../../support/api.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { startTestStack } from '../../support/stack.ts';

let stack: Stack;
let account: TestAccount;
let api: Api;
/** The ID of a record of each kind. */
let ids: Readonly<Record<SearchType, string>>;

beforeAll(async () => {
  stack = await startTestStack();
  account = await newAccount(stack.baseUrl);
  api = inNewestVersion(apiOf(stack.baseUrl, await newKey(account, { permissions })));
  ids = await createOneOfEach(stack, account, api);
});
afterAll(() => stack?.close());

const find = async (q: string, of: Api = api) => {
  const { status, json } = await of.get(`/api/search?q=${q}`);
  expect([q, status]).toEqual([q, 200]);
  return json.data.map(({ type, id, matchedBy }: Record<string, string>) => [type, id, matchedBy]);
};

test('each ID finds its record, and only the owner in this mode finds it', async () => {
  const other = await newAccount(stack.baseUrl);
  const strangers = [
    apiOf(stack.baseUrl, await newKey(account, { permissions, mode: 'live' })),
    apiOf(stack.baseUrl, await newKey(other, { permissions })),
  ];
  for (const type of searchTypes) {
    const id = ids[type];
    expect(await find(id)).toEqual([[type, id, 'id']]);
    const missing = id.replace(/.{6}$/, '000000');
    expect([missing, await find(missing)]).toEqual([missing, []]);
    for (const stranger of strangers) expect([id, await find(id, stranger)]).toEqual([id, []]);
  }
});

test('a key finds the ID of a record only if it may read the kind', async () => {
  const typesFor = async (...list: Permission[]) => {
    const { json: key } = await api.post('/api/keys', { name: 'Reader', permissions: list });
    const reader = apiOf(stack.baseUrl, key.value);
    const results = await Promise.all(searchTypes.map((type) => find(ids[type], reader)));
    expect((await api.delete(`/api/keys/${key.id}`)).status).toBe(200);
    return results.flat().map(([type]) => type);
  };
  for (const permission of searchPermissions) {
    // The rows of an export are invoices.
    const readable = searchTypes.filter(
      (type) => type !== 'export' && searchKinds[type].permission === permission,
    );
    expect([permission, await typesFor(permission)]).toEqual([permission, readable]);
  }
  expect(await typesFor('exports:read', 'invoices:read')).toContain('export');
});
