/** Runs the functions of API keys through all code paths, including rare ones. */
import { expect } from '@jest/globals';
import { modes } from '../../shared/base/ids.ts';
import { maxUsableKeys } from '../../shared/domain/accounts/account.ts';
import { permissions } from '../../shared/domain/auth/permissions.ts';
import type { ObservedFunctions } from './observed-calls.ts';

const file = (name: string) => `functions/keys/${name}.ts`;

interface KeyDriver extends Pick<ObservedFunctions, 'request'> {
  /** Sets the clock ahead. */
  readonly setAhead: (ms: number) => void;
}

const dayMs = 86_400_000;

export async function driveKeys({ request, setAhead }: KeyDriver): Promise<void> {
  const { createAccount } = await import('../../shared/domain/accounts/account-store.ts');
  const { createKey } = await import('../../shared/domain/accounts/key-store.ts');
  const { now } = await import('../../shared/base/time.ts');
  const { accountId: account } = await createAccount({ name: 'Keys', plan: 'enterprise' });
  const owner = { account, mode: modes[0] };
  const { value: key } = await createKey({ owner, name: 'Manager', permissions });
  const create = (idempotencyKey: string, body: object = { name: 'New' }) =>
    request(file('create'), 'POST', '/api/keys', { key, body, idempotencyKey });
  const full = {
    name: 'Full',
    note: 'x',
    permissions: ['invoices:read'],
    allowedAddresses: ['127.0.0.1'],
    expiresAt: new Date(now() + dayMs).toISOString(),
  };
  // Each change removes the entry of an expired key, whose last use then goes to the list.
  let expired = 0;
  const expireUsedKey = async () => {
    expired += 1;
    const { value } = await createKey({ owner, name: 'Expiring', expiresAt: now() + 60_000 });
    expect(await request('functions/invoices/list.ts', 'GET', '/api/invoices', { key: value })).toMatchObject(
      {
        statusCode: 200,
      },
    );
    setAhead(expired * 61_000);
  };
  await expireUsedKey();
  const { id, ...created } = await create('one');
  expect(created).toMatchObject({ statusCode: 201, status: 'active' });
  expect(await create('one')).toMatchObject({ statusCode: 201, id });
  expect(await create('full', full)).toMatchObject({ statusCode: 201, note: 'x' });
  expect(await request(file('list'), 'GET', '/api/keys', { key })).toMatchObject({
    pagination: { total: 4 + expired },
  });
  const path = `/api/keys/${id}`;
  expect(await request(file('get'), 'GET', path, { key, id })).toMatchObject({ id });
  await expireUsedKey();
  const change = { key, id, body: { note: 'x', allowedAddresses: ['192.0.2.1'] }, idempotencyKey: 'two' };
  expect(await request(file('update'), 'PATCH', path, change)).toMatchObject({ note: 'x' });
  await expireUsedKey();
  const body = { expiresAt: new Date(now() + dayMs).toISOString() };
  const rollOver = { key, id, body, idempotencyKey: 'three' };
  expect(await request(file('roll-over'), 'POST', `${path}/roll-over`, rollOver)).toMatchObject({
    replaces: id,
  });
  await expireUsedKey();
  const revoke = { key, id, idempotencyKey: 'four' };
  expect(await request(file('revoke'), 'DELETE', path, revoke)).toMatchObject({ id, statusCode: 200 });

  const usable = ['Default', 'Manager', 'Full', 'the replacement'];
  for (let count = usable.length; count < maxUsableKeys; count++)
    await createKey({ owner, name: `Key ${count}` });
  expect(await create('five')).toMatchObject({ statusCode: 400 });
  setAhead(0);
}
