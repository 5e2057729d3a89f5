/**
 * Tests that 10,000 reminders that are due at the same moment go out once each, as fast as the mail service accepts them. It takes about
 * 15 minutes: the rate is that of the real time.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { Owner } from '../../shared/base/ids.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { invoiceBody, newAccount } from '../support/api.ts';
import { switchMailsOn } from '../support/mails.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

/** An account sends 500 mails a day. A message that the queue repeats can count, although its mail is sent once. */
const [accounts, invoicesOfAccount] = [25, 400];
const mailsPerSecond = 25;
const dayMs = 24 * 60 * 60 * 1000;

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack();
  Object.assign(stack.mail.behavior, { maxPerSecond: mailsPerSecond });
});
afterAll(() => stack?.close());

/** Returns the address of the buyer of an invoice. */
const addressOf = (id: string) => `${id}@example.bt`;

/** Stores invoices that were due yesterday, and returns their ids. Only what the worker of mails reads is stored. */
async function storeInvoices(accountNumber: number): Promise<{ owner: Owner; ids: string[] }> {
  const { accountId, test: api } = await newAccount(stack.baseUrl);
  await switchMailsOn(accountId, ['reminder']);
  const { json, status, text } = await api.post('/api/invoices', invoiceBody());
  expect([status, text]).toEqual([201, text]);
  const table = tableOf(stack);
  const record = await table.get(tableKeys.record(json.id));
  const dueDate = new Date(Date.now() - dayMs).toISOString();
  const ids = Array.from({ length: invoicesOfAccount }, (_, number) => {
    const suffix = `${String(accountNumber).padStart(2, '0')}${String(number).padStart(4, '0')}`;
    return `${json.id.slice(0, -suffix.length)}${suffix}`;
  });
  await table.putAll(
    ids.map((id) => ({ ...record, ...tableKeys.record(id), id, dueDate, customerId: addressOf(id) })),
  );
  return { owner: { account: accountId, mode: 'test' }, ids };
}

test('10,000 reminders of one morning go out once each, at the rate of the mail service', async () => {
  const { setTimer } = await import('../../shared/store/timers/timers.ts');
  const { stepTimer } = await import('../../shared/domain/mails/mail-timer.ts');
  const { limitConcurrency } = await import('../../shared/base/limit-concurrency.ts');
  const stored = [];
  for (let account = 0; account < accounts; account++) stored.push(await storeInvoices(account));
  const limited = limitConcurrency(16);
  const due = Date.now() + 90_000;
  const timers = stored.flatMap(({ owner, ids }) =>
    ids.map((invoiceId) => stepTimer({ ...owner, invoiceId, kind: 'reminder', reminderDay: 0 }, due)),
  );
  await Promise.all(timers.map((timer) => limited(() => setTimer(timer, Date.now()))));
  const { accepted } = stack.mail;
  const patiently = { deadlineMs: 3_000_000, everyMs: 10_000 };
  await waitUntil('as many mails went out', () => accepted.length >= timers.length, patiently);
  // Messages that the queue has repeated are handled after that. Reading the timers is a scan, so it begins here.
  const isMailLeft = async () => (await tableOf(stack).all('TIMER#')).some(({ kind }) => kind === 'mail');
  await waitUntil('no timer of a mail is left', async () => !(await isMailLeft()), patiently);
  const to = accepted.map(({ to: [address] }) => address ?? '').sort();
  expect(to).toEqual(stored.flatMap(({ ids }) => ids.map(addressOf)).sort());
  const states = (await tableOf(stack).all('MAILS#')).map(({ state }) => state);
  expect(states).toEqual(Array(accounts * invoicesOfAccount).fill('sent'));
}, 6_200_000);
