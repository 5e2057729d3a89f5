/**
 * Tests that 2,000 reminders that are due at the same moment go out at most once, with workers killed at random. Set REMINDERS_OF_ACCOUNT
 * to try it with fewer than 100 reminders for each of 20 accounts.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { limitConcurrency } from '../../shared/base/limit-concurrency.ts';
import { observeCalls, queueEvent } from '../infra/observed-calls.ts';
import { setClock } from '../support/clock.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, tableOf } from '../support/table.ts';
import { addressOfInvoice, allTimersOfMails, storeRemindedInvoices } from './reminded-invoices.ts';

/** A worker that is killed has counted its mail, and the next one counts it again. No account may reach its limit of 500 by that. */
const [accounts, invoicesOfAccount] = [20, Number(process.env.REMINDERS_OF_ACCOUNT ?? 100)];
/** In how many rounds workers are killed, and how likely at each of their calls. */
const [deadlyRounds, killRate] = [4, 0.03];
/** More than an attempt lasts. */
const roundMs = 600_000;

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack();
  await Promise.all([stack.queues.pause(), stack.schedule.pause()]);
});
afterAll(() => stack?.close());

/** Handles all timers until none is left. Each message comes twice, and the workers of the first rounds are killed. */
async function handleTimers(): Promise<void> {
  const { run } = await observeCalls(stack, '');
  const random = seededRandom('morning', 1);
  const limited = limitConcurrency(16);
  let timers = await allTimersOfMails(stack);
  for (let round = 0; timers.length > 0; round++) {
    const crash = round < deadlyRounds ? () => random.chance(killRate) : undefined;
    const handle = (timer: TestItem) =>
      limited(() => run('functions/background/send-mail.ts', queueEvent(timer), crash));
    setClock(() => Date.now() + round * roundMs);
    try {
      await Promise.all(timers.flatMap((timer) => [handle(timer), handle(timer)]));
    } finally {
      setClock();
    }
    timers = await allTimersOfMails(stack);
  }
}

test('reminders of one morning go out at most once, with workers killed at random', async () => {
  const ids = await storeRemindedInvoices(stack, accounts, invoicesOfAccount, Date.now);
  await handleTimers();
  const accepted = new Map<string, number>();
  for (const [to] of stack.mail.accepted.map((mail) => mail.to))
    accepted.set(String(to), (accepted.get(String(to)) ?? 0) + 1);
  const mails = await tableOf(stack).all('MAILS#');
  expect(mails.map(({ to }) => to).sort()).toEqual(ids.map(addressOfInvoice).sort());
  const outcomes = mails.map(({ to, state }) => `${state} ${accepted.get(to) ?? 0}`);
  // A worker that is killed between the mark and the outcome leaves a mail whose outcome nobody knows.
  expect(outcomes.filter((outcome) => !/^(sent 1|unknown [01])$/.test(outcome))).toEqual([]);
  expect(outcomes).toContain('sent 1');
  expect(outcomes.filter((outcome) => outcome.startsWith('unknown'))).not.toEqual([]);
}, 1_200_000);
