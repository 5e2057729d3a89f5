/** Makes the calls that delete a sandbox with items of each kind. */
import { expect } from '@jest/globals';
import { createSandbox } from '../../shared/domain/accounts/account-store.ts';
import { changeSeller } from '../../shared/domain/accounts/seller-change-store.ts';
import { updateSettings } from '../../shared/domain/accounts/settings-store.ts';
import { changeMembers } from '../../shared/domain/users/member-store.ts';
import { newestApiVersion } from '../../shared/domain/versions/versions.ts';
import { sandboxDrainMs, sandboxSettleMs } from '../../shared/operations/sandboxes/delete-sandboxes.ts';
import { bucket, bucketKeys } from '../../shared/store/bucket.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { setClock, type TestClock } from '../support/clock.ts';
import { cardPaymentBody, cards } from '../support/pay.ts';
import { png } from '../support/pictures.ts';
import type { TestTable } from '../support/table.ts';
import type { ObservedFunctions } from './observed-calls.ts';
import { futureSchedule } from './schedule-calls.ts';

interface Driver extends Pick<ObservedFunctions, 'run' | 'request'> {
  readonly table: TestTable;
  readonly clock: TestClock;
  readonly relayAll: () => Promise<void>;
}

const dayMs = 86_400_000;

/** Fills a sandbox, and runs the hourly function until it is deleted. The clock is set back at the end. */
export async function driveSandboxes({ run, request, table, clock, relayAll }: Driver): Promise<void> {
  const { accountId, keys } = await createSandbox({ name: 'Sandbox', plan: 'standard', days: 1 });
  const owner = { account: accountId, mode: 'test' } as const;
  const post = (file: string, path: string, body: object) =>
    request(`functions/${file}/create.ts`, 'POST', path, {
      key: keys.test,
      apiVersion: newestApiVersion,
      body,
    });
  const logo = { data: png().toString('base64') };
  await changeSeller(accountId, { legalName: 'Druk Crafts', address: { country: 'BT' }, logo });
  const logos = () => bucket.list(bucketKeys.logo(accountId, ''));
  expect(await logos()).toHaveLength(1);
  const invoice = { amount: 2500, currency: 'USD', description: 'Website design', reference: 'S-1' };
  const { id } = await post('invoices', '/api/invoices', { customerId: 'cust_1', ...invoice });
  const payment = await post('payments', '/api/payments', cardPaymentBody(id, cards.completes));
  expect(await post('refunds', '/api/refunds', { paymentId: payment.id })).toMatchObject({ statusCode: 201 });
  const received = { method: 'offline', bank: 'Bank of Bhutan', reference: 'FT 1' };
  const second = await post('invoices', '/api/invoices', {
    ...invoice,
    customerId: 'cust_1',
    reference: 'S-2',
  });
  await post('payments', '/api/payments', { invoiceId: second.id, ...received });
  const third = { ...invoice, customerId: 'cust_1', reference: 'S-3', acceptPartial: true };
  const { id: kept } = await post('invoices', '/api/invoices', third);
  await post('payments', '/api/payments', {
    invoiceId: kept,
    method: 'offline',
    amount: 100,
    reference: 'Slip 1',
  });
  const cancelled = { key: keys.test, id: kept, query: { payments: 'credit' } };
  expect(await request('functions/invoices/cancel.ts', 'DELETE', '/', cancelled)).toMatchObject({
    statusCode: 200,
  });
  await updateSettings(accountId, { mailReceipt: true });
  const send = { key: keys.test, id, body: { to: 'dorji@example.bt' } };
  const mail = await request('functions/invoices/send.ts', 'POST', `/api/invoices/${id}/send`, send);
  expect(mail).toMatchObject({ statusCode: 200, kind: 'receipt' });
  const { unsubscribe } = await import('../../shared/domain/mails/mail-address-store.ts');
  await unsubscribe(owner, 'dorji@example.bt', clock.now());
  await post('drafts', '/api/drafts', { description: 'Cups' });
  const rows = [{ day: '2026-03-31', amount: 2500 }];
  const schedule = await post('schedules', '/api/schedules', futureSchedule());
  await request('functions/schedules/skip.ts', 'POST', `/api/schedules/${schedule.id}/skip`, {
    id: schedule.id,
    key: keys.test,
  });
  const statement = await post('statements', '/api/statements', { bank: 'BNB', currency: 'USD', rows });
  expect(statement).toMatchObject({ statusCode: 201 });
  const made = await post('exports', '/api/exports', { kind: 'customers' });
  expect(made).toMatchObject({ statusCode: 201 });
  await post('products', '/api/products', { name: 'Tea', unitAmounts: { BTN: 500 } });
  await post('customers', '/api/customers', { name: 'Dorji', email: 'dorji@example.bt' });
  const endpoint = { url: 'https://example.com/hook', events: ['invoice.paid'] };
  const webhook = await post('webhooks', '/api/webhooks', endpoint);
  // With a second endpoint, no outbox item waits for the first attempt.
  await post('webhooks', '/api/webhooks', endpoint);
  await relayAll();
  const ofDocuments = () =>
    Promise.all([`DOCUMENTS#${accountId}`, `SERIES#${accountId}`].map((prefix) => table.all(prefix)));
  for (const items of await ofDocuments()) expect(items).not.toEqual([]);
  await table.put({ ...tableKeys.delivery(webhook.id, 'dlv_1'), ...owner });
  await table.put({ ...tableKeys.erasure(owner, '#customer#hash'), pseudonym: 'erased' });
  const person = { issuer: 'https://issuer.example', subject: '9', email: 'pema@example.bt' };
  await changeMembers(accountId, (members) => ({
    ...members,
    members: [{ ...person, user: 'usr_9', role: 'owner', since: 1 }],
  }));
  let passedMs = 0;
  for (const waitMs of [2 * dayMs, sandboxDrainMs, sandboxSettleMs]) {
    passedMs += waitMs;
    setClock(() => clock.now() + passedMs);
    await run('functions/background/delete-sandboxes.ts', {});
  }
  expect(await table.get(tableKeys.account(accountId))).toMatchObject({ deletedAt: expect.any(Number) });
  expect(await table.get(tableKeys.seller(accountId))).toBeUndefined();
  expect(await ofDocuments()).toEqual([[], []]);
  expect(await logos()).toEqual([]);
  expect(await table.get(tableKeys.invoiceNumber(id))).toBeUndefined();
  expect(await table.get(tableKeys.statementRows(statement.id, 1))).toBeUndefined();
  for (const { id } of [schedule, made]) expect(await table.all(id)).toEqual([]);
  expect(await table.all(tableKeys.rowUse(owner, '').pk)).toEqual([]);
  setClock(clock.now);
}
