/**
 * Tests that 10,000 reminders that are due at the same moment go out once each, as fast as the mail service accepts them. It takes about
 * 15 minutes: the rate is that of the real time.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';
import { addressOfInvoice, allTimersOfMails, storeRemindedInvoices } from './reminded-invoices.ts';

/** An account sends 500 mails a day. A message that the queue repeats can count, although its mail is sent once. */
const [accounts, invoicesOfAccount] = [25, 400];
const mailsPerSecond = 25;

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack();
  Object.assign(stack.mail.behavior, { maxPerSecond: mailsPerSecond });
});
afterAll(() => stack?.close());

test('10,000 reminders of one morning go out once each, at the rate of the mail service', async () => {
  const due = () => Date.now() + 90_000;
  const ids = await storeRemindedInvoices(stack, accounts, invoicesOfAccount, due);
  const { accepted } = stack.mail;
  const patiently = { deadlineMs: 3_000_000, everyMs: 10_000 };
  await waitUntil('as many mails went out', () => accepted.length >= ids.length, patiently);
  // Messages that the queue has repeated are handled after that. Reading the timers is a scan, so it begins here.
  const isMailLeft = async () => (await allTimersOfMails(stack)).length > 0;
  await waitUntil('no timer of a mail is left', async () => !(await isMailLeft()), patiently);
  const to = accepted.map(({ to: [address] }) => address ?? '').sort();
  expect(to).toEqual(ids.map(addressOfInvoice).sort());
  const states = (await tableOf(stack).all('MAILS#')).map(({ state }) => state);
  expect(states).toEqual(ids.map(() => 'sent'));
}, 6_200_000);
