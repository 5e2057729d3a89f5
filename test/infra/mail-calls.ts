/** Makes the calls of the functions of mails. */
import { expect } from '@jest/globals';
import { type SesReport, sesRecord } from '../../infra/local/mail/ses-events.ts';
import { newSesBehavior } from '../../infra/local/mail/ses-rules.ts';
import type { Stack } from '../../infra/local/stack.ts';
import type { Owner } from '../../shared/base/ids.ts';
import { updateSettings } from '../../shared/domain/accounts/settings-store.ts';
import { newestApiVersion } from '../../shared/domain/versions/versions.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { invoiceBody } from '../support/api.ts';
import type { TestTable } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type ObservedFunctions, queueEvent } from './observed-calls.ts';

interface MailDriver extends Pick<ObservedFunctions, 'request' | 'run'> {
  readonly stack: Pick<Stack, 'mail'>;
  readonly table: TestTable;
  readonly owner: Owner;
  readonly relayAll: () => Promise<void>;
  readonly closeMinutes: () => Promise<unknown>;
  /** Sets the clock ahead. Sign-ins are recent afterwards only if it goes back. */
  readonly setAhead: (ms: number) => void;
}

/** Runs all code paths of the functions of mails. The account has a seller profile. */
export async function driveMails(driver: MailDriver): Promise<void> {
  const { run, request, stack, table, owner, relayAll, closeMinutes, setAhead } = driver;
  const { now } = await import('../../shared/base/time.ts');
  await updateSettings(owner.account, {
    mailInvoice: true,
    mailReceipt: true,
    mailRefund: true,
    mailFailure: true,
  });
  const customerId = `cust_${'0'.repeat(26)}`;
  const create = { body: invoiceBody({ customerId }), prefer: 'wait' };
  const { id } = await request('functions/invoices/create.ts', 'POST', '/api/invoices', create);
  const path = `/api/invoices/${id}/send`;
  const send = (body: object, idempotencyKey?: string) =>
    request('functions/invoices/send.ts', 'POST', path, {
      id,
      body,
      ...(idempotencyKey && { idempotencyKey }),
    });
  expect(await send({})).toMatchObject({ statusCode: 400 });
  const body = { to: 'dorji@example.bt' };
  const mail = await send(body, 'mail one');
  expect(mail).toMatchObject({ statusCode: 200 });
  expect(await send(body, 'mail one')).toMatchObject({ id: mail.id });
  for (const [kind, about] of [
    ['refund', `ref_${'0'.repeat(26)}`],
    ['failure', `pay_${'0'.repeat(26)}`],
  ])
    expect(await send({ ...body, kind, about })).toMatchObject({ statusCode: 400 });
  // The relay sends the message of the first mail, and the sweep that of the second one.
  await relayAll();
  await send({ to: 'pema@example.bt' });
  await table.delete(tableKeys.watermark);
  setAhead(120_000);
  await run('functions/background/sweep.ts', {});
  setAhead(0);

  const reference = `${owner.account}/${owner.mode}/${mail.id}`;
  const work = async () => {
    const event = queueEvent({ reference, kind: 'mail', due: 1, minute: 1 });
    expect(await run('functions/background/send-mail.ts', event)).toEqual({ batchItemFailures: [] });
  };
  // The address of a member, because this is not recognized as the double.
  const { AWS_ENDPOINT_URL_SESV2 } = process.env;
  process.env.AWS_ENDPOINT_URL_SESV2 = stack.mail.url.replace('127.0.0.1', 'localhost');
  await work();
  process.env.AWS_ENDPOINT_URL_SESV2 = AWS_ENDPOINT_URL_SESV2;
  const skipped = await table.get(tableKeys.mail(owner, mail.id));
  expect(skipped).toMatchObject({ state: 'skipped', reason: 'test_mode' });
  // Its time is ahead of the real time, as after a move of the clock.
  const queued = { state: 'queued', createdAt: now() + 60_000 };
  await table.put({ ...skipped, ...tableKeys.mail(owner, mail.id), ...queued });
  // SES refuses it twice for now, so the worker sets a timer: without the marks, and in closed minutes.
  Object.assign(stack.mail.behavior, { maxPerDay: 0 });
  await table.delete(tableKeys.watermark);
  await work();
  await closeMinutes();
  await work();
  Object.assign(stack.mail.behavior, newSesBehavior());
  await work();
  await driveOutcomes(driver, mail.id);
  await driveReceipt(driver);
  await driveReminder(driver);
  await driveNotices(driver);
  const list = await request('functions/mails/list.ts', 'GET', '/api/mails');
  expect(list.data).toContainEqual(expect.objectContaining({ id: mail.id, state: 'complained' }));
  const ofInvoice = `/api/invoices/${id}/mails`;
  const listed = await request('functions/invoices/list-mails.ts', 'GET', ofInvoice, { id });
  expect(listed.data).toHaveLength(2);
  await table.delete(tableKeys.watermark);
}

/** What SES reports of a mail, and a message that is no report. */
async function driveOutcomes({ run, request, stack }: MailDriver, id: string): Promise<void> {
  const mail = stack.mail.accepted.find(({ tags }) => tags.remit_mail === id);
  if (!mail) throw new Error(`The double has no mail ${id}.`);
  const record = (report: SesReport) => sesRecord({ ...mail, configurationSet: 'set' }, report, Date.now());
  const bodies = [record('delivery'), record('permanent bounce'), record('complaint'), 'no report'];
  for (const body of bodies) {
    const event = { Records: [{ messageId: '1', eventSource: 'aws:sqs', body }] };
    const answer = await run('functions/background/record-mail-outcome.ts', event);
    expect(answer).toEqual({ batchItemFailures: [] });
  }
  const allow = { id, idempotencyKey: 'allow one' };
  for (let time = 0; time < 2; time++) {
    const path = `/api/mails/${id}/allow-address`;
    expect(await request('functions/mails/allow-address.ts', 'POST', path, allow)).toMatchObject({
      statusCode: 200,
      id,
    });
  }
}

/** Relays until an invoice has a document of a kind. A mail waits for it. */
const untilDocumented = ({ request, relayAll }: MailDriver, id: string, kind: string) =>
  waitUntil(`the ${kind} is issued`, async () => {
    await relayAll();
    const path = `/api/invoices/${id}/documents`;
    const { data } = await request('functions/invoices/list-documents.ts', 'GET', path, { id });
    return data.some((document: { kind: string }) => document.kind === kind);
  });

/** A reminder of an invoice that is due today, and its reader, who wants no more of them. */
async function driveReminder(driver: MailDriver): Promise<void> {
  const { run, request, owner } = driver;
  const { now } = await import('../../shared/base/time.ts');
  const { unsubscribeUrl } = await import('../../shared/domain/mails/unsubscribe-token.ts');
  await updateSettings(owner.account, { mailReminders: '0', mailReminderHour: 0 });
  const dueDate = new Date(now()).toISOString().slice(0, 10);
  const invoices = [];
  for (let count = 0; count < 2; count++)
    invoices.push(
      await request('functions/invoices/create.ts', 'POST', '/api/invoices', {
        body: invoiceBody({ customerId: 'reminded@example.bt', dueDate }),
      }),
    );
  const remind = async (id: string) => {
    const reference = `${owner.account}/${owner.mode}/${id}/reminder/0`;
    const event = queueEvent({ reference, kind: 'mail', due: 1, minute: 1 });
    expect(await run('functions/background/send-mail.ts', event)).toEqual({ batchItemFailures: [] });
    const ofInvoice = `/api/invoices/${id}/mails`;
    const listed = await request('functions/invoices/list-mails.ts', 'GET', ofInvoice, { id });
    return listed.data[0];
  };
  const [one, two] = invoices;
  for (const { id } of invoices) await untilDocumented(driver, id, 'invoice');
  const mail = await remind(one.id);
  expect(mail).toMatchObject({ kind: 'reminder', state: 'sent' });
  const url = new URL(await unsubscribeUrl('https://pay.example/pay/inv', mail.id));
  const path = `/pay/${one.id}/reminders`;
  const query = Object.fromEntries(url.searchParams);
  const shown = await request('functions/pay/show-reminders.ts', 'GET', path, {
    id: one.id,
    query,
    form: {},
  });
  expect(shown).toMatchObject({ statusCode: 200 });
  const form = { 'List-Unsubscribe': 'One-Click' };
  // The table learns of a hundred views of pages at once.
  const wrong = { id: one.id, query: { ...query, token: 'wrong' }, form };
  for (const [file, method] of [
    ['functions/pay/show-reminders.ts', 'GET'],
    ['functions/pay/stop-reminders.ts', 'POST'],
  ] as const)
    for (let count = 0; count < 100; count++)
      expect(await request(file, method, path, wrong)).toMatchObject({ statusCode: 404 });
  const sent = await request('functions/pay/stop-reminders.ts', 'POST', path, { id: one.id, query, form });
  expect(sent).toMatchObject({ statusCode: 200 });
  expect(await remind(two.id)).toMatchObject({ state: 'skipped', reason: 'unsubscribed' });
  await driveWithdrawal(driver, dueDate, remind);
  await updateSettings(owner.account, { mailReminders: null, mailReminderHour: null });
}

/** A reminder that waits for the mail service while somebody pauses the reminders of its invoice. */
async function driveWithdrawal(
  driver: MailDriver,
  dueDate: string,
  remind: (id: string) => Promise<unknown>,
): Promise<void> {
  const { request, stack } = driver;
  const { id } = await request('functions/invoices/create.ts', 'POST', '/api/invoices', {
    body: invoiceBody({ customerId: 'withdrawn@example.bt', dueDate }),
  });
  await untilDocumented(driver, id, 'invoice');
  Object.assign(stack.mail.behavior, { isPaused: true });
  expect(await remind(id)).toMatchObject({ state: 'queued', reason: 'sending_paused' });
  Object.assign(stack.mail.behavior, newSesBehavior());
  const paused = { id, body: { reminders: [] }, apiVersion: newestApiVersion };
  await request('functions/invoices/update.ts', 'PATCH', `/api/invoices/${id}`, paused);
  expect(await remind(id)).toMatchObject({ state: 'skipped', reason: 'reminders_paused' });
}

/** Notices to an owner about an invoice, a payment, a schedule and an API key. */
async function driveNotices({ run, request, owner }: MailDriver): Promise<void> {
  const { changeMembers, deleteMembers } = await import('../../shared/domain/users/member-store.ts');
  const { id: invoiceId } = await request('functions/invoices/create.ts', 'POST', '/api/invoices', {
    body: invoiceBody(),
  });
  const payment = await request('functions/payments/create.ts', 'POST', '/api/payments', {
    body: { invoiceId, method: 'offline' },
  });
  const identity = { user: `usr_${'0'.repeat(26)}`, issuer: 'https://issuer.example', subject: 'owner' };
  const member = { ...identity, email: 'owner@shop.example', role: 'owner', since: 1 } as const;
  await changeMembers(owner.account, (current) => ({ ...current, members: [member] }));
  await updateSettings(owner.account, { mailNotices: 'paid, disputed, schedule, key' });
  for (const [kind, about] of [
    ['paid', invoiceId],
    ['disputed', payment.id],
    ['schedule', `sch_${'0'.repeat(26)}`],
    ['key', 'key_0000000000000000'],
  ]) {
    const reference = [owner.account, owner.mode, 'notice', kind, 1, kind, about, '', ''].join('/');
    const event = queueEvent({ reference, kind: 'mail', due: 1, minute: 1 });
    expect(await run('functions/background/send-mail.ts', event)).toEqual({ batchItemFailures: [] });
  }
  await updateSettings(owner.account, { mailNotices: null });
  await deleteMembers(owner.account);
}

/** A receipt that goes by itself, to the address of a customer. Its timer fires again before it is sent. */
async function driveReceipt(driver: MailDriver): Promise<void> {
  const { run, request, owner } = driver;
  const customer = await request('functions/customers/create.ts', 'POST', '/api/customers', {
    body: { name: 'Lhamo', email: 'lhamo@example.bt' },
  });
  const { id } = await request('functions/invoices/create.ts', 'POST', '/api/invoices', {
    body: invoiceBody({ customerId: customer.id }),
  });
  const sent = { body: invoiceBody({ customerId: customer.id, send: true }), apiVersion: newestApiVersion };
  expect(await request('functions/invoices/create.ts', 'POST', '/api/invoices', sent)).toMatchObject({
    statusCode: 201,
  });
  // The clock stands still, so only this decides which of the two changes is relayed first.
  await untilDocumented(driver, id, 'invoice');
  const payment = await request('functions/payments/create.ts', 'POST', '/api/payments', {
    body: { invoiceId: id, method: 'offline' },
  });
  await untilDocumented(driver, id, 'receipt');
  const refund = await request('functions/refunds/create.ts', 'POST', '/api/refunds', {
    body: { paymentId: payment.id },
  });
  for (const step of ['receipt', `refund/${refund.id}`]) {
    const reference = `${owner.account}/${owner.mode}/${id}/${step}`;
    const event = queueEvent({ reference, kind: 'mail', due: 1, minute: 1 });
    for (let time = 0; time < 2; time++)
      expect(await run('functions/background/send-mail.ts', event)).toEqual({ batchItemFailures: [] });
  }
}
