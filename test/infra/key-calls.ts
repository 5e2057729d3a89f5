/** Runs the functions of API keys through all code paths, including rare ones. */
import { expect } from '@jest/globals';
import { maxUsableKeys } from '../../shared/accounts/account.ts';
import { permissions } from '../../shared/auth/permissions.ts';
import { modes } from '../../shared/ids.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import type { TestTable } from '../support/table.ts';
import type { ObservedFunctions } from './observed-calls.ts';

const file = (name: string) => `functions/keys/${name}.ts`;

export async function driveKeys({
  request,
  table,
}: Pick<ObservedFunctions, 'request'> & { readonly table: TestTable }): Promise<void> {
  const { createAccount } = await import('../../shared/accounts/store.ts');
  const { createKey } = await import('../../shared/accounts/key-store.ts');
  const { accountId: account } = await createAccount({ name: 'Keys', plan: 'enterprise' });
  const owner = { account, mode: modes[0] };
  const { value: key } = await createKey({ owner, name: 'Manager', permissions });
  const create = (idempotencyKey: string) =>
    request(file('create'), 'POST', '/api/keys', { key, body: { name: 'New' }, idempotencyKey });
  const { id, ...created } = await create('one');
  expect(created).toMatchObject({ statusCode: 201, status: 'active' });
  expect(await create('one')).toMatchObject({ statusCode: 201, id });
  expect(await request(file('list'), 'GET', '/api/keys', { key })).toMatchObject({
    pagination: { total: 3 },
  });
  const path = `/api/keys/${id}`;
  expect(await request(file('get'), 'GET', path, { key, id })).toMatchObject({ id });
  const change = { key, id, body: { note: 'x', allowedAddresses: ['192.0.2.1'] }, idempotencyKey: 'two' };
  expect(await request(file('update'), 'PATCH', path, change)).toMatchObject({ note: 'x' });
  const rollOver = { key, id, body: {}, idempotencyKey: 'three' };
  expect(await request(file('roll-over'), 'POST', `${path}/roll-over`, rollOver)).toMatchObject({
    replaces: id,
  });
  const revoke = { key, id, idempotencyKey: 'four' };
  expect(await request(file('revoke'), 'DELETE', path, revoke)).toMatchObject({ id, statusCode: 200 });

  // The first check counts the keys in the list. One of them is missing there, so only the second check finds the limit.
  const missing = await createKey({ owner, name: 'Missing' });
  for (let count = 4; count < maxUsableKeys; count++) await createKey({ owner, name: `Key ${count}` });
  await table.delete(tableKeys.accountKey(owner, missing.createdAt, missing.keyId));
  expect(await create('five')).toMatchObject({ statusCode: 400 });
}
