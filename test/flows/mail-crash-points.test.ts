/** Tests that a mail goes out at most once if the relay or the worker crashes before any of its calls. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { observeCalls, queueEvent, streamEvent } from '../infra/observed-calls.ts';
import { setClock } from '../support/clock.ts';
import { exhaustiveTest } from '../support/exhaustive-test.ts';
import { switchMailsOn } from '../support/mails.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { type MailAccount, newMailAccount } from './mail-account.ts';

let stack: Stack;
let { accountId, api, create, send, pay, mailsOf, fireTimersOfMails, hasNoTimerOfMail } = {} as MailAccount;
beforeAll(async () => {
  stack = await startTestStack();
});
beforeEach(async () => {
  ({ accountId, api, create, send, pay, mailsOf, fireTimersOfMails, hasNoTimerOfMail } =
    await newMailAccount(stack));
});
afterAll(() => stack?.close());

const acceptedTo = (to: string) => stack.mail.accepted.filter((mail) => mail.to.includes(to));

test('a relay and a worker that crash before any of their calls make one receipt', async () => {
  await switchMailsOn(accountId, ['receipt']);
  await Promise.all([stack.stream.pause(), stack.queues.pause(), stack.schedule.pause()]);
  const { run } = await observeCalls(stack, '');
  const crashAt = (number: number) => {
    let calls = 0;
    const crash = () => ++calls >= number;
    return { crash, hasCrashed: () => calls >= number };
  };
  const relay = async (crash?: () => boolean) => {
    const items = (await tableOf(stack).all('OUTBOX#')).filter(({ account }) => account === accountId);
    await run('functions/background/publish-outbox.ts', streamEvent(items), crash).catch(() => {});
  };
  const outcomes: string[] = [];
  try {
    for (const crashing of ['relay', 'worker'] as const) {
      for (let number = 1, crashed = true; crashed; number++) {
        const to = `${crashing}-${number}@example.bt`;
        const { id } = await create({ customerId: to });
        await relay();
        await pay(id);
        const point = crashAt(number);
        if (crashing === 'relay') await relay(point.crash);
        await relay();
        if (crashing === 'worker') await fireTimersOfMails(run, point.crash);
        crashed = point.hasCrashed();
        for (const laterMs of [0, 120_000, 240_000, 480_000]) {
          setClock(() => Date.now() + laterMs);
          await fireTimersOfMails(run);
        }
        setClock();
        const mails = await mailsOf(id);
        outcomes.push(
          `${crashing}: ${mails.map(({ state }: { state: string }) => state)} ${acceptedTo(to).length}`,
        );
      }
    }
  } finally {
    setClock();
    stack.stream.resume();
    stack.queues.resume();
    stack.schedule.resume();
  }
  const ofWorker = outcomes.filter((outcome) => outcome.startsWith('worker'));
  expect(outcomes.filter((outcome) => !outcome.startsWith('worker')).length).toBeGreaterThan(5);
  for (const outcome of outcomes.slice(0, -ofWorker.length)) expect(outcome).toBe('relay: sent 1');
  // Only a call to SES without an answer is unknown, and it is not made again.
  expect(ofWorker.join(', ')).toMatch(
    /^(worker: sent 1, )+(worker: unknown [01], )+worker: sent 1(, worker: sent 1)*$/,
  );
});

test('a worker that crashes before any of its calls sends a mail at most once, and says what it does not know', async () => {
  await Promise.all([stack.queues.pause(), stack.schedule.pause()]);
  const { run } = await observeCalls(stack, '');
  const { id: invoiceId } = await create();
  const outcomes: string[] = [];
  try {
    for (let crashAt = 1, crashed = true; crashed; crashAt++) {
      const to = `crash-${crashAt}@example.bt`;
      const { id } = await send(invoiceId, { to });
      const reference = [accountId, 'test', id].join('/');
      const event = queueEvent({ reference, kind: 'mail', due: 1, minute: 1 });
      let calls = 0;
      crashed = false;
      const crash = () => {
        if (++calls === crashAt) crashed = true;
        return crashed;
      };
      await run('functions/background/send-mail.ts', event, crash);
      // The queue delivers the message again at once, and the sweep does so when the lease has ended.
      for (const laterMs of [0, 120_000, 240_000]) {
        setClock(() => Date.now() + laterMs);
        await run('functions/background/send-mail.ts', event);
      }
      setClock();
      const { state } = (await mailsOf(invoiceId)).find((mail: { id: string }) => mail.id === id);
      outcomes.push(`${state} ${acceptedTo(to).length}`);
    }
  } finally {
    setClock();
    stack.queues.resume();
    stack.schedule.resume();
  }
  // Until the mail is marked, a crash changes nothing. Then its outcome is lost, until that is stored.
  expect(outcomes.join(', ')).toMatch(/^(sent 1, )+(unknown 1, )+sent 1(, sent 1)*$/);
});

exhaustiveTest(
  'a worker that crashes before any of its calls sends a notice to each owner at most once',
  async () => {
    const { changeMembers } = await import('../../shared/domain/users/member-store.ts');
    await Promise.all([stack.queues.pause(), stack.schedule.pause()]);
    const { run } = await observeCalls(stack, '');
    const outcomes: string[] = [];
    try {
      for (let crashAt = 1, crashed = true; crashed; crashAt++) {
        const emails = ['one', 'two'].map((name) => `${name}-${crashAt}@shop.example`);
        const members = emails.map((email) => {
          const identity = { user: `usr_${email}`, issuer: 'https://issuer.example', subject: email };
          return { ...identity, email, role: 'owner', since: 1 } as const;
        });
        await changeMembers(accountId, (current) => ({ ...current, members }));
        const reference = [accountId, 'test', 'notice', 'key', 1_000, `crash${crashAt}`, 'key_1', '', ''];
        const event = queueEvent({ reference: reference.join('/'), kind: 'mail', due: 1, minute: 1 });
        let calls = 0;
        crashed = false;
        const crash = () => {
          if (++calls === crashAt) crashed = true;
          return crashed;
        };
        await run('functions/background/send-mail.ts', event, crash).catch(() => {});
        for (const laterMs of [0, 120_000, 240_000]) {
          setClock(() => Date.now() + laterMs);
          await run('functions/background/send-mail.ts', event);
          await fireTimersOfMails(run);
        }
        setClock();
        const { data } = (await api.get('/api/mails?limit=100')).json;
        for (const email of emails) {
          const states = data.filter(({ to }: { to: string }) => to === email);
          expect(states).toHaveLength(1);
          expect(acceptedTo(email).length).toBeLessThanOrEqual(1);
          outcomes.push(states[0].state);
        }
      }
    } finally {
      setClock();
      stack.queues.resume();
      stack.schedule.resume();
    }
    expect(new Set(outcomes)).toEqual(new Set(['sent', 'unknown']));
    expect(outcomes.slice(0, 2)).toEqual(['sent', 'sent']);
  },
);

// The last test, because its clock is ahead of that of the others.
exhaustiveTest(
  'reminders whose timers the daily check has set go out at most once, with workers killed at random',
  async () => {
    const { invoiceType } = await import('../../shared/domain/invoices/record.ts');
    const { readRecord } = await import('../../shared/store/records.ts');
    const { setReminderTimers } = await import(
      '../../shared/operations/reconciliation/set-reminder-timers.ts'
    );
    await switchMailsOn(accountId, ['reminder']);
    await Promise.all([stack.queues.pause(), stack.schedule.pause()]);
    const owner = { account: accountId, mode: 'test' } as const;
    const { run } = await observeCalls(stack, '');
    const random = seededRandom('reminders', 1);
    const dueDate = new Date(Date.now() + 86_400_000).toISOString();
    const stored = Array.from({ length: 40 }, async (_, number) => {
      const { id } = await create({ customerId: `killed-${number}-${accountId}@example.bt`, dueDate });
      return (await readRecord(invoiceType, owner, id)).record ?? [];
    });
    const invoices = (await Promise.all(stored)).flat();
    let round = 0;
    try {
      // The daily check comes twice, and its timers fire until none is left. The workers of the first rounds are killed.
      for (; round < 2 || !(await hasNoTimerOfMail()); round++) {
        if (round < 2) await setReminderTimers(owner, invoices, Date.now());
        setClock(() => Date.now() + round * 600_000);
        const crash = round < 8 ? () => random.chance(0.1) : undefined;
        await Promise.all([fireTimersOfMails(run, crash), fireTimersOfMails(run, crash)]);
        setClock();
      }
    } finally {
      setClock();
      stack.queues.resume();
      stack.schedule.resume();
    }
    const states = await Promise.all(
      invoices.map(async ({ id, customerId }) => {
        const [mail, ...more] = await mailsOf(id);
        expect(more).toEqual([]);
        return `${mail?.state} ${acceptedTo(customerId).length}`;
      }),
    );
    expect(states).toContain('sent 1');
    // A worker that is killed between the mark and the outcome leaves a mail whose outcome nobody knows.
    expect(states.filter((state) => !/^(sent 1|unknown [01])$/.test(state))).toEqual([]);
    expect(states.filter((state) => state.startsWith('unknown'))).not.toEqual([]);
  },
);
