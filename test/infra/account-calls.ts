/** Makes the calls of the functions of the account. */
import { expect } from '@jest/globals';
import { png } from '../support/pictures.ts';
import type { ObservedFunctions } from './observed-calls.ts';

/** Runs all code paths of the functions of the account. */
export async function driveAccount({ request }: Pick<ObservedFunctions, 'request'>): Promise<void> {
  const { createAccount } = await import('../../shared/domain/accounts/account-store.ts');
  const { createKey } = await import('../../shared/domain/accounts/key-store.ts');
  const { accountId: account } = await createAccount({ name: 'Seller', plan: 'enterprise' });
  const owner = { account, mode: 'test' } as const;
  const { value: key } = await createKey({
    owner,
    name: 'Seller',
    permissions: ['account:read', 'account:write'],
  });
  const path = '/api/account';
  const update = (seller: object, idempotencyKey: string) =>
    request('functions/account/update.ts', 'PATCH', path, { key, body: { seller }, idempotencyKey });
  const series = { invoice: { next: 12 } };
  const logo = { data: png().toString('base64') };
  const seller = { legalName: 'Druk Crafts', address: { country: 'BT' }, series, logo };
  expect(await update({ footer: 'Thanks' }, 'seller one')).toMatchObject({ statusCode: 400 });
  expect(await update(seller, 'seller two')).toMatchObject({ statusCode: 200 });
  expect(await update(seller, 'seller two')).toMatchObject({ statusCode: 200 });
  expect(await update({ footer: 'Thanks' }, 'seller three')).toMatchObject({ statusCode: 200 });
  expect(await update({ footer: 'Thanks' }, 'seller four')).toMatchObject({ statusCode: 200 });
  const plan = { reminders: [3], reminderHour: 8, daysOff: ['sunday'] };
  const sender = {
    senderName: 'Druk',
    replyTo: 'a@b.example',
    locale: 'dz',
    notices: ['key'],
    noticesTo: 'c@d.example',
  };
  const mail = { invoice: true, receipt: true, refund: true, failure: true, ...plan, ...sender };
  const switchOn = { key, body: { mail }, idempotencyKey: 'mail one' };
  expect(await request('functions/account/update.ts', 'PATCH', path, switchOn)).toMatchObject({ mail });
  expect(await request('functions/account/get.ts', 'GET', path, { key })).toMatchObject({
    seller: { footer: 'Thanks' },
  });
}
