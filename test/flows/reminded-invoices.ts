/** Invoices of several accounts with one reminder each, which is due at the same moment. */
import { expect } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { Owner } from '../../shared/base/ids.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { invoiceBody, newAccount } from '../support/api.ts';
import { switchMailsOn } from '../support/mails.ts';
import { tableOf } from '../support/table.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** Returns the address of the buyer of an invoice. */
export const addressOfInvoice = (id: string) => `${id}@example.bt`;

interface RemindedInvoices {
  readonly owner: Owner;
  readonly ids: readonly string[];
}

/** Stores invoices that were due yesterday. Only what the worker of mails reads is stored. */
async function storeInvoices(stack: Stack, accountNumber: number, length: number): Promise<RemindedInvoices> {
  const { accountId, test: api } = await newAccount(stack.baseUrl);
  await switchMailsOn(accountId, ['reminder']);
  const { json, status, text } = await api.post('/api/invoices', invoiceBody());
  expect([status, text]).toEqual([201, text]);
  const table = tableOf(stack);
  const record = await table.get(tableKeys.record(json.id));
  const dueDate = new Date(Date.now() - dayMs).toISOString();
  const ids = Array.from({ length }, (_, number) => {
    const suffix = `${String(accountNumber).padStart(2, '0')}${String(number).padStart(4, '0')}`;
    return `${json.id.slice(0, -suffix.length)}${suffix}`;
  });
  await table.putAll(
    ids.map((id) => ({ ...record, ...tableKeys.record(id), id, dueDate, customerId: addressOfInvoice(id) })),
  );
  return { owner: { account: accountId, mode: 'test' }, ids };
}

/**
 * Stores invoices, and sets the timer of a reminder of each.
 * @param due when the timers fire
 * @returns the ids of the invoices
 */
export async function storeRemindedInvoices(
  stack: Stack,
  accounts: number,
  invoicesOfAccount: number,
  due: () => number,
): Promise<readonly string[]> {
  const { setTimer } = await import('../../shared/store/timers/timers.ts');
  const { stepTimer } = await import('../../shared/domain/mails/mail-timer.ts');
  const { limitConcurrency } = await import('../../shared/base/limit-concurrency.ts');
  const stored: RemindedInvoices[] = [];
  for (let account = 0; account < accounts; account++)
    stored.push(await storeInvoices(stack, account, invoicesOfAccount));
  const limited = limitConcurrency(16);
  const at = due();
  const timers = stored.flatMap(({ owner, ids }) =>
    ids.map((invoiceId) => stepTimer({ ...owner, invoiceId, kind: 'reminder', reminderDay: 0 }, at)),
  );
  await Promise.all(timers.map((timer) => limited(() => setTimer(timer, Date.now()))));
  return stored.flatMap(({ ids }) => ids);
}

/** Returns the timers of mails. It reads the whole table. */
export const allTimersOfMails = async (stack: Stack) =>
  (await tableOf(stack).all('TIMER#')).filter(({ kind }) => kind === 'mail');
