/** Tests that invoices and receipts are sent by e-mail at most once, as their state allows, and with what they must contain. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import PostalMime from 'postal-mime';
import type { AcceptedMail } from '../../infra/local/mail/ses-double.ts';
import { newSesBehavior } from '../../infra/local/mail/ses-rules.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { newestApiVersion } from '../../shared/domain/versions/versions.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import type { TimerMessage } from '../../shared/store/timers/timer-item.ts';
import { observeCalls, queueEvent } from '../infra/observed-calls.ts';
import { apiOf, invoiceBody, newAccount } from '../support/api.ts';
import { countUnits, sumOf } from '../support/capacity-units.ts';
import { setClock } from '../support/clock.ts';
import { expectError } from '../support/expectations.ts';
import {
  type DynamodbAttempt,
  injectFault,
  interceptCalls,
  loseResponse,
} from '../support/intercept-calls.ts';
import { switchMailsOn } from '../support/mails.ts';
import { cardPaymentBody, cards } from '../support/pay.ts';
import { isExhaustive } from '../support/run.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, tableOf } from '../support/table.ts';
import { untilRelayed } from '../support/until-relayed.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type MailAccount, newMailAccount } from './mail-account.ts';

const headers = { 'X-API-Version': newestApiVersion };

let stack: Stack;
let account: MailAccount;
beforeAll(async () => {
  stack = await startTestStack();
});
beforeEach(async () => {
  Object.assign(stack.mail.behavior, newSesBehavior());
  stack.mail.faults.clear();
  account = await newMailAccount(stack);
});
afterAll(() => stack?.close());

const acceptedTo = (to: string) => stack.mail.accepted.filter((mail) => mail.to.includes(to));
const parse = ({ source }: AcceptedMail) => PostalMime.parse(source);

test('an invoice is sent with its PDF, a button, the message and our id', async () => {
  const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
  await changeSeller(account.accountId, { legalName: 'Druk Crafts', address: { country: 'BT' } });
  const invoice = await account.create({ description: 'A "site" <b>& more</b>' });
  const asked = await account.send(invoice.id, {
    to: 'dorji@example.bt',
    message: 'Kadrinche!\nSee you <soon>',
  });
  expect(asked).toMatchObject({ invoiceId: invoice.id, kind: 'invoice', to: 'dorji@example.bt' });
  expect(asked).toMatchObject({ state: 'queued', reason: null, sentAt: null });
  const sent = await account.waitForState(invoice.id, 'sent');
  expect(sent).toMatchObject({ id: asked.id, sentAt: expect.stringMatching(/^\d{4}-/) });

  const [mail, ...more] = acceptedTo('dorji@example.bt') as [AcceptedMail];
  expect(more).toEqual([]);
  expect(mail).toMatchObject({ from: 'invoices@shop.example', tags: { remit_mail: asked.id } });
  const email = await parse(mail);
  expect(email.from).toMatchObject({ name: 'Druk Crafts', address: 'invoices@shop.example' });
  expect(email.to).toMatchObject([{ address: 'dorji@example.bt' }]);
  expect(email.subject).toBe('Test mode: Invoice INV-0001 from Druk Crafts: $25.00');
  expect(email.headers.find(({ key }) => key === 'x-remit-mail')?.value).toBe(asked.id);
  expect(email.html).toContain('A &quot;site&quot; &lt;b&gt;&amp; more&lt;/b&gt;');
  expect(email.html).toContain('See you &lt;soon&gt;');
  expect(email.html).toContain(`href="${invoice.paymentUrl}"`);
  expect(email.html).not.toMatch(/<img|<script|<link|url\(/i);
  expect(email.text).toContain('A "site" <b>& more</b>');
  expect(email.text).toContain(`Pay $25.00:\n${invoice.paymentUrl}`);
  expect(email.text).toContain('Message from Druk Crafts:\nKadrinche!\nSee you <soon>');
  expect(email.attachments).toMatchObject([{ filename: 'INV-0001.pdf', mimeType: 'application/pdf' }]);
  const pdf = Buffer.from(email.attachments[0]?.content as ArrayBuffer);
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
});

test('a mail in the language of its invoice goes to the customer; a paid invoice sends its receipt', async () => {
  await switchMailsOn(account.accountId);
  const customer = await account.api.post(
    '/api/customers',
    { name: 'Pema', email: 'lhamo@example.bt' },
    { headers },
  );
  const { id } = await account.create({ customerId: customer.json.id, locale: 'hi' });
  await account.send(id);
  await account.waitForState(id, 'sent');
  const email = await parse(acceptedTo('lhamo@example.bt')[0] as AcceptedMail);
  expect(email.subject).toContain('बीजक');
  expect(email.html).toContain('lang="hi-IN"');
  expect(email.attachments).toEqual([]);

  // The receipt goes by itself. Somebody can also ask for it.
  await account.pay(id);
  await waitUntil('the receipt is sent', async () => acceptedTo('lhamo@example.bt').length === 2);
  const receipt = await parse(acceptedTo('lhamo@example.bt')[1] as AcceptedMail);
  expect(receipt.subject).toContain('रसीद');
  expect(await account.send(id, { to: 'again@example.bt' })).toMatchObject({ kind: 'receipt' });
  await waitUntil('it is sent again', async () => acceptedTo('again@example.bt').length === 1);
  const kinds = (await account.mailsOf(id)).map(({ kind }: { kind: string }) => kind);
  expect(kinds).toEqual(['receipt', 'receipt', 'invoice']);
});

test('a receipt goes by itself with its document, only if the kind is on and the invoice has an address', async () => {
  const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
  const off = await account.create({ customerId: 'off@example.bt' });
  await account.pay(off.id);
  await waitUntil('the payment is announced', async () => {
    const { json } = await account.api.get('/api/events?type=invoice.paid');
    return json.data.length === 1;
  });
  await changeSeller(account.accountId, { legalName: 'Druk Crafts', address: { country: 'BT' } });
  await switchMailsOn(account.accountId, ['receipt']);
  const unknown = await account.create({ customerId: 'cust_17' });
  await account.pay(unknown.id);
  const { id } = await account.create({ customerId: 'receipt@example.bt' });
  await account.pay(id);
  const sent = await account.waitForState(id, 'sent');
  expect(sent).toMatchObject({ kind: 'receipt', to: 'receipt@example.bt' });
  const email = await parse(acceptedTo('receipt@example.bt')[0] as AcceptedMail);
  expect(email.attachments).toMatchObject([{ filename: 'RCP-0002.pdf' }]);
  await waitUntil('no timer of a mail is left', account.hasNoTimerOfMail);
  expect(acceptedTo('receipt@example.bt')).toHaveLength(1);
  for (const { id: other } of [off, unknown]) expect(await account.mailsOf(other)).toEqual([]);
});

describe('a receipt whose record follows with its outcome', () => {
  /** Pays an invoice, and returns the timer of its receipt. Nothing fires by itself meanwhile. */
  const payAndFind = async (to: string) => {
    await switchMailsOn(account.accountId, ['receipt']);
    const { id } = await account.create({ customerId: to });
    await stack.queues.pause();
    await account.pay(id);
    const timer = await waitUntil('the timer of the receipt', async () =>
      (await account.timersOfMails()).find(({ reference }) => String(reference).includes(id)),
    );
    const { sendMail } = await import('../../shared/web/mails/send-mail.ts');
    const send = () => sendMail(timer as unknown as TimerMessage, Date.now());
    return { id, timer, send };
  };
  afterEach(() => stack.queues.resume());

  test('costs six write units with its timer, and one call to the mail service', async () => {
    const to = `units-${account.accountId}@example.bt`;
    const { id, send } = await payAndFind(to);
    const counter = countUnits(stack);
    try {
      await send();
    } finally {
      counter.remove();
    }
    // The relay has put the timer. What else the stack does meanwhile is no part of the mail.
    const ofMail = (kind: string) => ['TIMER', 'MAIL', 'MAILS', 'ATTEMPTS'].includes(kind);
    const calls = counter.take().filter(({ items }) => items.every(({ kind }) => ofMail(kind)));
    expect(1 + sumOf(calls, 'write')).toBe(6);
    expect(await account.mailsOf(id)).toMatchObject([{ kind: 'receipt', state: 'sent', to }]);
    expect(acceptedTo(to)).toHaveLength(1);
  });

  test('keeps a report that is faster, and has no address if an erasure is', async () => {
    const to = `fast-${account.accountId}@example.bt`;
    const { id, timer, send } = await payAndFind(to);
    const { promise: until, resolve } = Promise.withResolvers<void>();
    stack.mail.faults.inject({ fault: { kind: 'hold', until } });
    const owner = { account: account.accountId, mode: 'test' } as const;
    const sending = send();
    const mark = await waitUntil('the step is marked', () =>
      tableOf(stack).get(tableKeys.invoiceMail(id, 'receipt')),
    );
    expect(await account.mailsOf(id)).toEqual([]);
    // A second message leaves the mail to the first, and a timer looks at it later.
    await send();
    const again = (await account.timersOfMails()).filter(({ reference }) => reference === timer.reference);
    expect(again.some(({ due }) => Number(due) > Date.now() + 60_000)).toBe(true);
    const { eraseMails } = await import('../../shared/operations/erasure/mails.ts');
    const records = new Map([[id, { resource: 'invoice' }]]) as unknown as Parameters<typeof eraseMails>[1];
    await eraseMails({ owner, dryRun: false } as Parameters<typeof eraseMails>[0], records, []);
    resolve();
    const { messageId } = await waitUntil('the mail is accepted', async () => acceptedTo(to)[0]);
    const { recordMailOutcome } = await import('../../shared/domain/mails/mail-outcome-store.ts');
    const report = { ...owner, id: String(mark.mail), sesId: messageId, to };
    const reported = recordMailOutcome({ ...report, acceptedAt: Date.now(), state: 'delivered' }, Date.now());
    await Promise.all([sending, reported]);
    expect(await account.mailsOf(id)).toMatchObject([
      { id: mark.mail, kind: 'receipt', state: 'delivered', to: '[erased]', sentAt: expect.any(String) },
    ]);
    expect(acceptedTo(to)).toHaveLength(1);
  });
});

test('each refund mails its payer once, with its credit note, and none if it fails or the kind is off', async () => {
  const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
  await changeSeller(account.accountId, { legalName: 'Druk Crafts', address: { country: 'BT' } });
  const payByCard = async (card: string) => {
    const { id } = await account.create({ customerId: 'refund@example.bt' });
    const { json } = await account.api.post('/api/payments', cardPaymentBody(id, card));
    return { id, paymentId: json.id };
  };
  const refund = async (body: object) => {
    const { json, status, text } = await account.api.post('/api/refunds', body);
    if (status !== 201) throw new Error(text);
    return waitUntil(`the refund ${json.id} has an outcome`, async () => {
      const { json: now } = await account.api.get(`/api/refunds/${json.id}`);
      return now.status !== 'pending' && now;
    });
  };
  const { id, paymentId } = await payByCard(cards.completes);
  // The kind is still off.
  await refund({ paymentId, amount: 100 });
  await untilRelayed(tableOf(stack), `${account.accountId}#test`);
  await switchMailsOn(account.accountId, ['refund']);
  const refunds = [await refund({ paymentId, amount: 400 }), await refund({ paymentId, amount: 600 })];
  const mails = await waitUntil('both mails are sent', async () => {
    const all = await account.mailsOf(id);
    return all.length === 2 && all.every(({ state }: { state: string }) => state === 'sent') && all;
  });
  expect(mails).toMatchObject(Array(2).fill({ kind: 'refund', to: 'refund@example.bt' }));
  const emails = await Promise.all(acceptedTo('refund@example.bt').map(parse));
  expect(emails.map(({ subject }) => subject).sort()).toEqual([
    'Test mode: Invoice INV-0001: $4.00 refunded by Druk Crafts',
    'Test mode: Invoice INV-0001: $6.00 refunded by Druk Crafts',
  ]);
  const [first] = emails.filter(({ subject }) => subject?.includes('$4.00'));
  expect(first?.attachments).toMatchObject([{ filename: 'CN-0002.pdf', mimeType: 'application/pdf' }]);
  expect(first?.text).toContain('Refunded by Druk Crafts\n$4.00');
  expect(first?.text).toContain('Banks can take some days to show a refund.');

  // A timer that fires again changes nothing, and neither does that of a refund that has failed.
  const failing = await payByCard(cards.refundFailsLater);
  const failed = await refund({ paymentId: failing.paymentId });
  expect(failed.status).toBe('failed');
  const { run } = await observeCalls(stack, '');
  const step = (invoiceId: string, refundId: string) => {
    const reference = [account.accountId, 'test', invoiceId, 'refund', refundId].join('/');
    return run(
      'functions/background/send-mail.ts',
      queueEvent({ reference, kind: 'mail', due: 1, minute: 1 }),
    );
  };
  for (const { id: refundId } of refunds) await step(id, refundId);
  await step(failing.id, failed.id);
  await account.waitForState(failing.id, 'skipped', 'refund_failed');
  await waitUntil('no timer of a mail is left', account.hasNoTimerOfMail);
  expect(acceptedTo('refund@example.bt')).toHaveLength(2);
});

test('a payment that failed mails its payer once, and none if the invoice is paid or cancelled', async () => {
  await switchMailsOn(account.accountId, ['failure']);
  const { run } = await observeCalls(stack, '');
  const decline = async (id: string) => {
    await account.api.post('/api/payments', cardPaymentBody(id, cards.declined));
    const { json } = await account.api.get(`/api/payments?invoiceId=${id}`);
    return json.data[0].id as string;
  };
  const fire = async (invoiceId: string, paymentId: string) => {
    const reference = [account.accountId, 'test', invoiceId, 'failure', paymentId].join('/');
    const event = queueEvent({ reference, kind: 'mail', due: 1, minute: 1 });
    expect(await run('functions/background/send-mail.ts', event)).toEqual({ batchItemFailures: [] });
  };
  const { id } = await account.create({ customerId: 'failure@example.bt' });
  const paymentId = await decline(id);
  for (let time = 0; time < 2; time++) await fire(id, paymentId);
  await account.waitForState(id, 'sent');
  const [mail, ...more] = acceptedTo('failure@example.bt') as [AcceptedMail];
  expect(more).toEqual([]);
  const email = await parse(mail);
  expect(email.subject).toBe('Test mode: Payment failed: Invoice: $25.00');
  expect(email.text).toContain('Your payment failed\n$25.00');
  expect(email.text).toContain('This invoice is still to be paid.');
  expect(email.text).toContain('Pay $25.00:\n');

  const [paid, cancelled] = [await account.create(), await account.create()];
  const payments = [await decline(paid.id), await decline(cancelled.id)];
  await account.pay(paid.id);
  await account.api.delete(`/api/invoices/${cancelled.id}`);
  await fire(paid.id, payments[0] ?? '');
  await fire(cancelled.id, payments[1] ?? '');
  await account.waitForState(paid.id, 'skipped', 'invoice_paid');
  await account.waitForState(cancelled.id, 'skipped', 'invoice_cancelled');
});

test('an invoice that is created with send goes out once, also if its request crashes and is repeated', async () => {
  const { request } = await observeCalls(stack, account.api.apiKey);
  const body = (to: string) => invoiceBody({ customerId: to, send: true });
  const ids = new Map<string, string>();
  for (let number = 1, crashed = true; crashed; number++) {
    const to = `create-${number}@example.bt`;
    let calls = 0;
    const crash = () => ++calls >= number;
    const call = { body: body(to), idempotencyKey: to, apiVersion: newestApiVersion };
    const create = (more = {}) =>
      request('functions/invoices/create.ts', 'POST', '/api/invoices', { ...call, ...more });
    await create({ crash }).catch(() => {});
    crashed = calls >= number;
    const [first, second] = [await create(), await create()];
    expect(first).toMatchObject({ statusCode: 201, id: second.id });
    ids.set(to, first.id);
  }
  expect(ids.size).toBeGreaterThan(3);
  for (const id of ids.values()) await account.waitForState(id, 'sent');
  await waitUntil('no timer of a mail is left', account.hasNoTimerOfMail);
  for (const to of ids.keys()) expect(acceptedTo(to)).toHaveLength(1);

  const plain = await account.create({ customerId: 'plain@example.bt', send: false });
  expect(plain.send).toBeUndefined();
  expect(await account.mailsOf(plain.id)).toEqual([]);
  const earlier = await account.api.post('/api/invoices', body('first@example.bt'));
  expectError(earlier, 400, 'unknown_parameter', 'send');
});

test('a mail of an invoice that is created with send says why it is not sent, and can be sent again', async () => {
  await Promise.all([stack.queues.pause(), stack.schedule.pause()]);
  const { json: customer } = await account.api.post('/api/customers', {
    name: 'Dorji',
    email: 'lost@example.bt',
  });
  const [off, lost, none] = await Promise.all([
    account.create({ customerId: 'switched-off@example.bt', send: true }),
    account.create({ customerId: customer.id, send: true }),
    account.create({ customerId: 'mail-off@example.bt', send: true }),
  ]);
  await waitUntil('three timers', async () => (await account.timersOfMails()).length === 3);
  const { run } = await observeCalls(stack, '');
  const fire = async (id: string) => {
    const timer = (await account.timersOfMails()).find(({ reference }) => String(reference).includes(id));
    await run('functions/background/send-mail.ts', queueEvent(timer as object));
  };
  const { MAIL_FROM } = process.env;
  try {
    await account.api.patch(`/api/customers/${customer.id}`, { email: null });
    await fire(lost.id);
    await switchMailsOn(account.accountId, ['receipt']);
    await fire(off.id);
    process.env.MAIL_FROM = '';
    await switchMailsOn(account.accountId, ['invoice']);
    await fire(none.id);
  } finally {
    process.env.MAIL_FROM = MAIL_FROM;
    stack.queues.resume();
    stack.schedule.resume();
  }
  const [mail] = await account.mailsOf(off.id);
  expect(mail).toMatchObject({ state: 'skipped', reason: 'switched_off', to: 'switched-off@example.bt' });
  expect(await account.mailsOf(lost.id)).toMatchObject([
    { state: 'skipped', reason: 'no_recipient', to: '' },
  ]);
  expect(await account.mailsOf(none.id)).toMatchObject([{ state: 'skipped', reason: 'mail_off' }]);
  await waitUntil('no timer of a mail is left', account.hasNoTimerOfMail);
  await account.send(off.id, { kind: 'invoice' });
  await account.waitForState(off.id, 'sent');
  expect(acceptedTo('switched-off@example.bt')).toHaveLength(1);
});

test('a receipt waits while a limit is reached, and a refund before it makes it needless', async () => {
  await switchMailsOn(account.accountId, ['invoice', 'receipt']);
  await stack.schedule.pause();
  const to = `limited-${account.accountId}@example.bt`;
  const invoices = [await account.create({ customerId: to }), await account.create({ customerId: to })];
  for (let mail = 0; mail < 3; mail++) await account.send(invoices[0].id, { to });
  for (const { id } of invoices) await account.pay(id);
  for (const { id } of invoices) await account.waitForState(id, 'queued', 'limit_reached');
  const { json: payments } = await account.api.get(`/api/payments?invoiceId=${invoices[1].id}`);
  await account.api.post('/api/refunds', { paymentId: payments.data[0].id });
  await waitUntil('the refund is processed', async () => {
    const { json } = await account.api.get('/api/refunds?status=processed');
    return json.pagination.total === 1;
  });
  // The limits of the next hour apply.
  setClock(() => Date.now() + 3_600_000);
  try {
    await account.fireTimersOfMails();
  } finally {
    setClock();
    stack.schedule.resume();
  }
  await account.waitForState(invoices[0].id, 'sent');
  await account.waitForState(invoices[1].id, 'skipped', 'payment_returned');
});

test('the state of the invoice decides when the mail is sent', async () => {
  await stack.queues.pause();
  const [paid, cancelled] = [await account.create(), await account.create()];
  for (const { id } of [paid, cancelled]) await account.send(id, { to: `${id}@example.bt` });
  await account.api.post('/api/payments', { invoiceId: paid.id, method: 'offline' });
  await account.api.delete(`/api/invoices/${cancelled.id}`);
  stack.queues.resume();
  await account.waitForState(paid.id, 'skipped', 'invoice_paid');
  await account.waitForState(cancelled.id, 'skipped', 'invoice_cancelled');
  expect([paid, cancelled].flatMap(({ id }) => acceptedTo(`${id}@example.bt`))).toEqual([]);
  await waitUntil('no timer of a mail is left', account.hasNoTimerOfMail);
});

const waits = [
  ['not_verified', { isInSandbox: true }],
  ['not_verified', { isMailFromVerified: false }],
  ['sending_paused', { isPaused: true }],
  ['throttled', { maxPerDay: 0 }],
  // A function waits 20 seconds for the rate.
  ...(isExhaustive ? ([['throttled', { maxPerSecond: 0 }]] as const) : []),
] as const;

test.each(waits)(
  'a mail that SES does not accept yet waits (%s, %p) and is then sent once',
  async (reason, behavior) => {
    Object.assign(stack.mail.behavior, behavior);
    const { id } = await account.create();
    const to = `${id}@example.bt`;
    await account.send(id, { to });
    await account.waitForState(id, 'queued', reason);
    Object.assign(stack.mail.behavior, newSesBehavior());
    await account.waitForState(id, 'sent');
    expect(acceptedTo(to)).toHaveLength(1);
  },
);

test('a mail of test mode goes only to members, unless it goes to the double', async () => {
  const { changeMembers } = await import('../../shared/domain/users/member-store.ts');
  const to = `member-${account.accountId}@example.bt`;
  const identity = { user: `usr_${'0'.repeat(26)}`, issuer: 'https://issuer.example', subject: 'owner' };
  const member = { ...identity, email: to, role: 'viewer', since: 1 } as const;
  await changeMembers(account.accountId, (current) => ({ ...current, members: [member] }));
  await Promise.all([stack.queues.pause(), stack.schedule.pause()]);
  const invoices = [await account.create(), await account.create()];
  const addresses = [to.toUpperCase().replace('EXAMPLE.BT', 'example.bt'), `x-${to}`];
  for (const [index, { id }] of invoices.entries()) await account.send(id, { to: addresses[index] });
  await waitUntil('both timers', async () => (await account.timersOfMails()).length === 2);
  const { AWS_ENDPOINT_URL_SESV2 } = process.env;
  try {
    // Only an address of the loopback interface is that of the double.
    process.env.AWS_ENDPOINT_URL_SESV2 = stack.mail.url.replace('127.0.0.1', 'localhost');
    await account.fireTimersOfMails();
  } finally {
    process.env.AWS_ENDPOINT_URL_SESV2 = AWS_ENDPOINT_URL_SESV2;
    stack.queues.resume();
    stack.schedule.resume();
  }
  await account.waitForState(invoices[0].id, 'sent');
  await account.waitForState(invoices[1].id, 'skipped', 'test_mode');
  expect(acceptedTo(`x-${to}`)).toEqual([]);
});

test('a mail that SES rejects has failed', async () => {
  stack.mail.behavior.rejects = () => true;
  const { id } = await account.create();
  await account.send(id);
  await account.waitForState(id, 'failed', 'rejected');
});

test.each(['before', 'after'] as const)(
  'a call that is lost %s SES has it is never repeated',
  async (when) => {
    stack.mail.faults.inject({ fault: { kind: 'lose', when } });
    const { id } = await account.create();
    const to = `${id}@example.bt`;
    await account.send(id, { to });
    await account.waitForState(id, 'unknown', 'no_answer');
    expect(acceptedTo(to)).toHaveLength(when === 'after' ? 1 : 0);
    // Only an explicit request sends it again.
    await account.send(id, { to });
    await account.waitForState(id, 'sent');
  },
);

test.each([
  ['sending', 'unknown', 0],
  ['sent', 'sent', 1],
] as const)(
  'a write of the state %s whose answer is lost leaves the mail %s',
  async (written, state, count) => {
    await Promise.all([stack.queues.pause(), stack.schedule.pause()]);
    const { id: invoiceId } = await account.create();
    const to = `lost-${written}@example.bt`;
    const { id } = await account.send(invoiceId, { to });
    const { sendMail } = await import('../../shared/web/mails/send-mail.ts');
    const { now } = await import('../../shared/base/time.ts');
    const timer = {
      kind: 'mail',
      reference: [account.accountId, 'test', id].join('/'),
      due: 1,
      minute: 1,
    } as const;
    const isWrite = ({ operation, body }: DynamodbAttempt) =>
      operation === 'PutItem' && body.includes(id) && body.includes(`"state":{"S":"${written}"}`);
    const fault = injectFault(isWrite, loseResponse);
    const interception = interceptCalls(fault);
    try {
      await sendMail(timer, now());
      expect(fault.left()).toBe(0);
      // Nobody knows whether a worker is at it, so another timer looks at it again.
      const timers = await tableOf(stack).all('TIMER#');
      const isLater = ({ reference, due }: TestItem) =>
        reference === timer.reference && Number(due) > now() + 60_000;
      expect(timers.some(isLater)).toBe(written === 'sending');
      await sendMail(timer, now() + 120_000);
    } finally {
      interception.remove();
      stack.queues.resume();
      stack.schedule.resume();
    }
    expect((await account.mailsOf(invoiceId))[0].state).toBe(state);
    expect(acceptedTo(to)).toHaveLength(count);
  },
);

test('an erasure during the call to SES does not lose its outcome', async () => {
  const { promise: until, resolve } = Promise.withResolvers<void>();
  stack.mail.faults.inject({ fault: { kind: 'hold', until } });
  const { id } = await account.create();
  const { id: mailId } = await account.send(id, { to: 'erased@example.bt' });
  await account.waitForState(id, 'sending');
  const key = tableKeys.mail({ account: account.accountId, mode: 'test' }, mailId);
  const item = await tableOf(stack).get(key);
  await tableOf(stack).put({ ...item, ...key, to: 'erased', version: Number(item?.version) + 1 });
  resolve();
  expect(await account.waitForState(id, 'sent')).toMatchObject({ to: 'erased' });
});

test('a repetition under the same idempotency key is one mail; its answer has the same bytes', async () => {
  const { id } = await account.create();
  const to = `${id}@example.bt`;
  const request = () =>
    account.api.post(`/api/invoices/${id}/send`, { to }, { headers: { 'Idempotency-Key': `send-${id}` } });
  const [first, second] = [await request(), await request()];
  expect(second.text).toBe(first.text);
  await account.waitForState(id, 'sent');
  expect(await account.mailsOf(id)).toHaveLength(1);
  expect(acceptedTo(to)).toHaveLength(1);
});

describe('what came of a mail', () => {
  const mailOf = async (invoice: string) => (await account.mailsOf(invoice))[0];
  const sesIdOf = (to: string) => acceptedTo(to).at(-1)?.messageId ?? '';
  const events = async () => (await account.api.get('/api/events?type=mail.bounced')).json.data;
  const sendTo = async (to: string) => {
    const { id } = await account.create({ customerId: to });
    await account.send(id);
    return id;
  };

  test('a delivered mail says so, and a complaint replaces it, also if SES repeats itself in another order', async () => {
    const to = `delivered-${account.accountId}@example.bt`;
    const id = await sendTo(to);
    const sent = await account.waitForState(id, 'sent');
    expect(sent.outcomeAt).toBeNull();
    await stack.mail.report(sesIdOf(to), 'delivery');
    const delivered = await account.waitForState(id, 'delivered');
    expect(delivered).toMatchObject({ sentAt: sent.sentAt, outcomeAt: expect.stringMatching(/^\d{4}-/) });
    await stack.mail.report(sesIdOf(to), 'complaint');
    await account.waitForState(id, 'complained');
    for (const report of ['transient bounce', 'delivery', 'complaint'] as const)
      await stack.mail.report(sesIdOf(to), report);
    const next = await sendTo(to.toUpperCase().replace('EXAMPLE.BT', 'example.bt'));
    await account.waitForState(next, 'skipped', 'address_complained');
    expect(await mailOf(id)).toMatchObject({ state: 'complained' });
    expect(acceptedTo(to)).toHaveLength(1);
    expect(await events()).toEqual([]);
  });

  test('a permanent bounce is an event, and stops all mails of the account to the address', async () => {
    const to = `bounce+${account.accountId.slice(5)}@simulator.amazonses.com`;
    await switchMailsOn(account.accountId);
    const id = await sendTo(to);
    const bounced = await account.waitForState(id, 'bounced', 'bounced_permanently');
    await waitUntil('the event is there', async () => (await events()).length === 1);
    const [{ data, ...event }] = await events();
    expect(event).toMatchObject({ type: 'mail.bounced', mode: 'test' });
    expect(data).toEqual(bounced);
    await account.waitForState(await sendTo(to), 'skipped', 'address_bounced');
    await account.pay(id);
    await waitUntil('the receipt is skipped', async () => {
      const receipt = (await account.mailsOf(id)).find(({ kind }: { kind: string }) => kind === 'receipt');
      return receipt?.state === 'skipped' && receipt.reason === 'address_bounced';
    });
    expect(acceptedTo(to)).toHaveLength(1);
    // Another account knows nothing of it.
    const other = await newAccount(stack.baseUrl);
    await switchMailsOn(other.accountId, ['invoice']);
    const { json } = await other.test.post('/api/invoices', invoiceBody());
    await other.test.post(`/api/invoices/${json.id}/send`, { to });
    await waitUntil('it is sent', async () => acceptedTo(to).length === 2);
  });

  test('after a transient bounce, later mails are sent', async () => {
    const to = `transient-${account.accountId}@example.bt`;
    const id = await sendTo(to);
    await account.waitForState(id, 'sent');
    await stack.mail.report(sesIdOf(to), 'transient bounce');
    await account.waitForState(id, 'bounced', 'bounced_temporarily');
    await account.waitForState(await sendTo(to), 'sent');
  });

  test.each(['sending', 'unknown'] as const)(
    'a report about a mail that is %s stores what the answer of SES would have',
    async (state) => {
      const to = `${state}-${account.accountId}@example.bt`;
      const { promise: until, resolve } = Promise.withResolvers<void>();
      stack.mail.faults.inject({
        fault: state === 'sending' ? { kind: 'hold', until } : { kind: 'lose', when: 'after' },
      });
      const id = await sendTo(to);
      const mail = await account.waitForState(id, state, state === 'unknown' ? 'no_answer' : null);
      const { recordMailOutcome } = await import('../../shared/domain/mails/mail-outcome-store.ts');
      const sesId = sesIdOf(to) || 'early-000000';
      const outcome = {
        id: mail.id,
        account: account.accountId,
        mode: 'test',
        sesId,
        acceptedAt: Date.now(),
        to,
        state: 'delivered',
      } as const;
      await recordMailOutcome(outcome, Date.now());
      const delivered = await mailOf(id);
      expect(delivered).toMatchObject({ state: 'delivered', sentAt: expect.any(String) });
      resolve();
      await waitUntil('no timer of a mail is left', account.hasNoTimerOfMail);
      expect(await mailOf(id)).toEqual(delivered);
    },
  );

  test('reports of mails that do not exist, or that are erased, harm nothing; malformed ones are set aside', async () => {
    const { run } = await observeCalls(stack, '');
    const { sesRecord } = await import('../../infra/local/mail/ses-events.ts');
    const file = 'functions/background/record-mail-outcome.ts';
    const handle = async (body: string) =>
      expect(await run(file, { Records: [{ messageId: '1', eventSource: 'aws:sqs', body }] })).toEqual({
        batchItemFailures: [],
      });
    const to = `erased-${account.accountId}@example.bt`;
    const id = await sendTo(to);
    const { id: mailId } = await account.waitForState(id, 'sent');
    const key = tableKeys.mail({ account: account.accountId, mode: 'test' }, mailId);
    const item = await tableOf(stack).get(key);
    await tableOf(stack).put({ ...item, ...key, to: '[erased]', version: Number(item?.version) + 1 });
    const [accepted] = acceptedTo(to) as [AcceptedMail];
    const mail = { ...accepted, configurationSet: 'set' };
    await handle(sesRecord(mail, 'complaint', Date.now()));
    expect(await mailOf(id)).toMatchObject({ state: 'complained', to: '[erased]' });
    // The reader said that no mails are wanted, and the address is stored as a hash alone.
    await account.waitForState(await sendTo(to), 'skipped', 'address_complained');

    const tags = { ...accepted.tags, remit_mail: `mail_${'0'.repeat(26)}` };
    const acceptedAt = accepted.acceptedAt - 3_600_000;
    await handle(sesRecord({ ...mail, tags, acceptedAt }, 'permanent bounce', Date.now()));
    await handle('Successfully validated SNS topic for Amazon SES event publishing.');
    const setAside = async () => (await tableOf(stack).all('SETASIDE')).length;
    const before = await setAside();
    await handle('no JSON');
    await handle('{"eventType":"Bounce"}');
    expect(await setAside()).toBe(before + 2);
  });
});

const invalid = [
  ['invalid_to', { to: 'a@example.bt, b@example.bt' }],
  ['invalid_to', { to: 'a@example.bt\r\nBcc: b@example.bt' }],
  ['invalid_to', { to: '"a b"@example.bt' }],
  ['invalid_to', { to: 'a@localhost' }],
  ['invalid_to', { to: `${'a'.repeat(260)}@example.bt` }],
  ['invalid_to', { to: 7 }],
  ['invalid_message', { message: 'See https://evil.example' }],
  ['invalid_message', { message: 'Pay at evil.example now' }],
  ['invalid_message', { message: 'Write to a@example' }],
  ['invalid_message', { message: 'x'.repeat(1001) }],
  ['invalid_message', { message: 'My card is 4242 4242 4242 4242' }],
  ['invalid_message', { message: 'hidden \u202e text' }],
  ['invalid_kind', { kind: 'receipt' }],
  ['unknown_parameter', { cc: 'a@example.bt' }],
] as const;

test.each(invalid)('a request with a wrong field is refused: %s %p', async (code, body) => {
  const { id } = await account.create();
  const [field] = Object.keys(body);
  expectError(await account.api.post(`/api/invoices/${id}/send`, body), 400, code, field);
});

test('an address gets three mails an hour from an account, in any case; other addresses are not affected', async () => {
  const { id } = await account.create();
  for (const to of ['often@example.bt', 'Often@example.bt', 'often@EXAMPLE.bt'])
    await account.send(id, { to });
  const refused = await account.api.post(`/api/invoices/${id}/send`, { to: 'often@example.bt' });
  expectError(refused, 429, 'mail_limit_reached');
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  await account.send(id, { to: 'other@example.bt' });
});

test('the list of mails is newest first, by pages, and shows no mail of another account', async () => {
  const { id } = await account.create();
  const asked: string[] = [];
  for (let mail = 0; mail < 3; mail++)
    asked.unshift((await account.send(id, { to: `list-${mail}@example.bt` })).id);
  const first = (await account.api.get('/api/mails?limit=2')).json;
  expect(first.data.map((mail: { id: string }) => mail.id)).toEqual(asked.slice(0, 2));
  expect(first.cursor).toEqual({ hasMore: true, next: asked[1] });
  const rest = (await account.api.get(`/api/mails?limit=2&before=${asked[1]}`)).json;
  expect(rest.data.map((mail: { id: string }) => mail.id)).toEqual(asked.slice(2));
  const page = (await account.api.get(`/api/invoices/${id}/mails?limit=1&before=${asked[0]}`)).json;
  expect(page.data.map((mail: { id: string }) => mail.id)).toEqual([asked[1]]);
  const { test: stranger } = await newAccount(stack.baseUrl);
  expect((await stranger.get('/api/mails')).json.data).toEqual([]);
  expectError(await stranger.get(`/api/invoices/${id}/mails`), 404, 'invoice_not_found');
  expectError(await stranger.post(`/api/invoices/${id}/send`, {}), 404, 'invoice_not_found');
});

const dayMs = 24 * 60 * 60 * 1000;
const clockPath = '/api/test/clock';
/** Moves the clock of test mode, and waits until it has arrived. */
const moveClockTo = async (at: number) => {
  const moved = await account.api.post(clockPath, { to: new Date(at).toISOString() });
  if (moved.status !== 200) throw new Error(moved.text);
  return waitUntil('the clock', async () => (await account.api.get(clockPath)).json.status === 'ready');
};
const remindersOf = async (invoice: string): Promise<{ reminderDay: number; state: string }[]> =>
  (await account.mailsOf(invoice)).filter(({ kind }: { kind: string }) => kind === 'reminder').reverse();
const daysOf = async (invoice: string) => (await remindersOf(invoice)).map(({ reminderDay }) => reminderDay);
/** Makes the timer of a reminder fire now, as if it was due then. */
const fireReminder = async (invoiceId: string, day: number) => {
  const { run } = await observeCalls(stack, '');
  const reference = [account.accountId, 'test', invoiceId, 'reminder', day].join('/');
  const event = queueEvent({ reference, kind: 'mail', due: 1, minute: 1 });
  expect(await run('functions/background/send-mail.ts', event)).toEqual({ batchItemFailures: [] });
};

describe('reminders', () => {
  /** Sets the plan of the account, with a key that may. */
  const plan = async (fields = {}) => {
    const { createKey } = await import('../../shared/domain/accounts/key-store.ts');
    const owner = { account: account.accountId, mode: 'test' } as const;
    const { value } = await createKey({ owner, name: 'Settings', permissions: ['account:write'] });
    const mail = { reminders: [-3, 0, 3], receipt: true, ...fields };
    const { json, status, text } = await apiOf(stack.baseUrl, value).patch(
      '/api/account',
      { mail },
      { headers },
    );
    if (status !== 200) throw new Error(text);
    return json.mail;
  };
  const dueIn = (days: number) => new Date(Date.now() + days * dayMs).toISOString();

  test('a clock of test mode moves through a whole plan: each once, in order, and a paid invoice gets the receipt only', async () => {
    expect(await plan()).toMatchObject({ reminders: [-3, 0, 3], reminderHour: 9, daysOff: [] });
    const to = `plan-${account.accountId}@example.bt`;
    const other = await account.create({ customerId: `other-${to}`, dueDate: dueIn(10) });
    const { id, dueDate } = await account.create({ customerId: to, dueDate: dueIn(10) });
    await account.pay(other.id);
    await moveClockTo(Date.parse(dueDate) + dayMs);
    expect(await daysOf(id)).toEqual([-3, 0]);
    await moveClockTo(Date.parse(dueDate) + 30 * dayMs);
    expect(await remindersOf(id)).toMatchObject([
      { reminderDay: -3, state: 'sent', to },
      { reminderDay: 0, state: 'sent' },
      { reminderDay: 3, state: 'sent' },
    ]);
    const [first] = acceptedTo(to) as [AcceptedMail];
    const email = await parse(first);
    expect(email.subject).toBe('Test mode: Reminder: Invoice: $25.00');
    expect(email.text).toContain('Pay $25.00:\n');
    await account.pay(id);
    await waitUntil('the receipt', async () => acceptedTo(to).length === 4);
    await moveClockTo(Date.parse(dueDate) + 60 * dayMs);
    expect(acceptedTo(to)).toHaveLength(4);
    expect(acceptedTo(`other-${to}`)).toHaveLength(1);
  });

  test('the reader of a reminder stops them with one click or on a page, for this account and address only', async () => {
    await plan();
    const to = `stop-${account.accountId}@example.bt`;
    const { id } = await account.create({ customerId: to, dueDate: dueIn(-2) });
    await fireReminder(id, 0);
    await account.waitForState(id, 'sent');
    const email = await parse(acceptedTo(to)[0] as AcceptedMail);
    const headerOf = (name: string) => email.headers.find(({ key }) => key === name)?.value ?? '';
    expect(headerOf('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    const url = headerOf('list-unsubscribe').replace(/^<(.*)>$/, '$1');
    expect(email.text).toContain(`Stop reminders: ${url}`);
    expect(email.html).toContain(`href="${url.replaceAll('&', '&amp;')}"`);

    const page = await fetch(url);
    expect([page.status, await page.text()]).toEqual([
      200,
      expect.stringContaining('Stop reminders</button>'),
    ]);
    for (const wrong of [url.replace(/token=./, 'token=!'), url.replace(/mail=mail_./, 'mail=mail_1')])
      for (const method of ['GET', 'POST']) expect((await fetch(wrong, { method })).status).toBe(404);
    // The standard lets programs for mail send either kind of form.
    const oneClick = { 'List-Unsubscribe': 'One-Click' };
    const multipart = new FormData();
    multipart.set('List-Unsubscribe', 'One-Click');
    for (const body of [multipart, new URLSearchParams(oneClick)]) {
      const stopped = await fetch(url, { method: 'POST', body });
      expect([stopped.status, await stopped.text()]).toEqual([
        200,
        expect.stringContaining('Reminders stopped'),
      ]);
    }

    const next = await account.create({ customerId: to.toUpperCase(), dueDate: dueIn(-2) });
    await fireReminder(next.id, 0);
    await account.waitForState(next.id, 'skipped', 'unsubscribed');
    const other = await account.create({ customerId: `x-${to}`, dueDate: dueIn(-2) });
    await fireReminder(other.id, 0);
    await account.waitForState(other.id, 'sent');
    expect(acceptedTo(to)).toHaveLength(1);
    // Invoices and receipts still go there, and have no such link.
    await account.pay(id);
    await waitUntil('the receipt', async () => acceptedTo(to).length === 2);
    const receipt = await parse(acceptedTo(to)[1] as AcceptedMail);
    expect(receipt.headers.some(({ key }) => key.startsWith('list-'))).toBe(false);
  });

  test('a timer finds whether its reminder is due: only the last one, once, as the invoice is then', async () => {
    await plan();
    // A due date of the past is that of an imported invoice. Its former reminders are not sent.
    const { id } = await account.create({ dueDate: dueIn(-2) });
    await fireReminder(id, -3);
    await fireReminder(id, 3);
    await fireReminder(id, 7);
    expect(await daysOf(id)).toEqual([]);
    await Promise.all([fireReminder(id, 0), fireReminder(id, 0)]);
    await account.waitForState(id, 'sent');
    await fireReminder(id, 0);
    expect(await remindersOf(id)).toMatchObject([{ reminderDay: 0, state: 'sent' }]);

    const [paid, cancelled, inProgress] = [
      await account.create({ dueDate: dueIn(-2) }),
      await account.create({ dueDate: dueIn(-2) }),
      await account.create({ dueDate: dueIn(-2) }),
    ];
    await plan({ receipt: false });
    await account.pay(paid.id);
    await account.api.delete(`/api/invoices/${cancelled.id}`);
    await tableOf(stack).put({
      ...(await tableOf(stack).get(tableKeys.record(inProgress.id))),
      ...tableKeys.record(inProgress.id),
      paymentInProgress: `pay_${'0'.repeat(26)}`,
    });
    for (const { id: each } of [paid, cancelled, inProgress]) {
      await fireReminder(each, 0);
      expect(await account.mailsOf(each)).toEqual([]);
    }
    await plan({ reminders: [] });
    const off = await account.create({ dueDate: dueIn(-2) });
    await fireReminder(off.id, 0);
    expect(await account.mailsOf(off.id)).toEqual([]);
  });

  test('reminders wait while a claim of the payer is open, and go on after its rejection', async () => {
    await plan();
    const claimed = await account.create({ dueDate: dueIn(-2), reminders: [0, 1] });
    const { claim } = await account.claim(claimed);
    await fireReminder(claimed.id, 0);
    expect(await account.mailsOf(claimed.id)).toEqual([]);
    const rejection = { claimId: claim, reason: 'No such transfer' };
    const path = `/api/invoices/${claimed.id}/claim/reject`;
    expect((await account.api.post(path, rejection, { headers })).status).toBe(200);
    await fireReminder(claimed.id, 1);
    expect(await daysOf(claimed.id)).toEqual([1]);
  });

  test('a reminder that somebody asks for needs no plan, goes out once as the invoice is then, and can be stopped', async () => {
    const ask = (id: string, more = {}) => account.send(id, { kind: 'reminder', ...more });
    const to = `asked-${account.accountId}@example.bt`;
    const { id } = await account.create({ customerId: to, reminders: [] });
    const key = { headers: { 'Idempotency-Key': `remind-${id}` } };
    const once = () =>
      account.api.post(`/api/invoices/${id}/send`, { kind: 'reminder', message: 'Kadrinche' }, key);
    const [first, second] = [await once(), await once()];
    expect([first.status, second.text]).toEqual([200, first.text]);
    const sent = await account.waitForState(id, 'sent');
    expect(sent).toMatchObject({ kind: 'reminder', to, reminderDay: null });
    expect((await account.api.get('/api/mails')).json.data).toEqual([sent]);
    const [mail, ...more] = acceptedTo(to) as [AcceptedMail];
    expect(more).toEqual([]);
    const email = await parse(mail);
    expect(email.subject).toBe('Test mode: Reminder: Invoice: $25.00');
    expect(email.text).toContain('Kadrinche');
    const stop = email.headers.find(({ key: name }) => name === 'list-unsubscribe')?.value ?? '';
    expect((await fetch(stop.replace(/^<(.*)>$/, '$1'), { method: 'POST' })).status).toBe(200);

    const state = (days: number) => account.create({ customerId: `${days}-${to}`, dueDate: dueIn(days) });
    const [paid, cancelled, claimed, off] = [
      await state(1),
      await state(2),
      await state(-3),
      await state(-4),
    ];
    await stack.queues.pause();
    for (const each of [paid, cancelled, claimed]) await ask(each.id);
    await account.pay(paid.id);
    await account.api.delete(`/api/invoices/${cancelled.id}`);
    await account.claim(claimed);
    stack.queues.resume();
    await account.waitForState(paid.id, 'skipped', 'invoice_paid');
    await account.waitForState(cancelled.id, 'skipped', 'invoice_cancelled');
    await account.waitForState(claimed.id, 'skipped', 'claim_open');
    const refused = [
      [paid.id, 'invoice_already_paid'],
      [cancelled.id, 'invoice_already_cancelled'],
      [claimed.id, 'claim_open'],
    ] as const;
    for (const [each, code] of refused)
      expectError(await account.api.post(`/api/invoices/${each}/send`, { kind: 'reminder' }), 400, code);
    await ask(id);
    await account.waitForState(id, 'skipped', 'unsubscribed');

    // Days of a plan switch reminders on, too. Without them and without mails of invoices, they are off.
    await switchMailsOn(account.accountId, ['reminder']);
    await ask(off.id);
    await account.waitForState(off.id, 'sent');
    await switchMailsOn(account.accountId, ['receipt']);
    const body = { kind: 'reminder' };
    expectError(await account.api.post(`/api/invoices/${off.id}/send`, body), 400, 'mail_kind_off');
  });

  test('a payer who disputes a part gets no reminder', async () => {
    await plan({ receipt: false });
    const part = await account.create({ dueDate: dueIn(-2), acceptPartial: true });
    const { json: payment } = await account.api.post(
      '/api/payments',
      { invoiceId: part.id, method: 'offline', amount: 100 },
      { headers },
    );
    const table = tableOf(stack);
    const key = tableKeys.record(payment.id);
    const opened = { reference: 'dp_1', reason: 'fraud', amount: 100, openedAt: 1, isRefundable: false };
    const store = async (status: string) =>
      table.put({ ...(await table.get(key)), ...key, dispute: { ...opened, status } });
    await store('open');
    await fireReminder(part.id, 0);
    expect(await daysOf(part.id)).toEqual([]);
    await account.send(part.id, { kind: 'reminder' });
    await account.waitForState(part.id, 'skipped', 'payment_disputed');
    await store('won');
    await fireReminder(part.id, 0);
    expect(await daysOf(part.id)).toContain(0);
  });

  test('a reminder whose plan has moved to a later hour keeps a timer', async () => {
    await plan({ reminders: [] });
    const { id, dueDate } = await account.create({ dueDate: dueIn(1) });
    await plan({ reminders: [0], reminderHour: 23 });
    await fireReminder(id, 0);
    const due = Date.parse(dueDate.slice(0, 10)) + 23 * 3_600_000;
    const timers = (await account.timersOfMails()).filter(({ reference }) => String(reference).includes(id));
    expect(timers.map((timer) => timer.due)).toEqual([due]);
  });

  test('the first reconciliation after days without one sets the timers that are missing', async () => {
    const owner = { account: account.accountId, mode: 'test' } as const;
    const { invoiceType } = await import('../../shared/domain/invoices/record.ts');
    const { readRecord } = await import('../../shared/store/records.ts');
    const { setReminderTimers } = await import(
      '../../shared/operations/reconciliation/set-reminder-timers.ts'
    );
    await plan({ reminders: [-8, -1], reminderHour: 0 });
    const { id } = await account.create({ dueDate: dueIn(-0.5) });
    const { record } = await readRecord(invoiceType, owner, id);
    const timersAfter = async (days: number, createdDaysAgo: number) => {
      if (!record) throw new Error(id);
      const createdAt = Date.now() - createdDaysAgo * dayMs;
      const known = (await account.timersOfMails()).length;
      await setReminderTimers(owner, [{ ...record, createdAt }], Date.now(), Date.now() - days * dayMs);
      return (await account.timersOfMails()).length - known;
    };
    expect(await timersAfter(3, 30)).toBe(0);
    expect(await timersAfter(9, 0)).toBe(0);
    // That of eight days before was set in time.
    expect(await timersAfter(9, 30)).toBe(1);
    await account.fireTimersOfMails();
    await waitUntil('the reminder', async () => (await daysOf(id)).includes(-1));
  });

  test('an invoice has reminders on days of its own, or none while they are paused', async () => {
    await plan();
    const own = await account.create({ dueDate: dueIn(-2), reminders: [30, 1] });
    expect(own.reminders).toEqual([1, 30]);
    await fireReminder(own.id, 0);
    expect(await daysOf(own.id)).toEqual([]);
    await fireReminder(own.id, 1);
    expect(await daysOf(own.id)).toEqual([1]);

    const { id, reminders } = await account.create({ dueDate: dueIn(-2) });
    expect(reminders).toBeNull();
    const set = async (days: number[] | null) => {
      const { json, status } = await account.api.patch(
        `/api/invoices/${id}`,
        { reminders: days },
        { headers },
      );
      expect([status, json.reminders]).toEqual([200, days]);
    };
    await set([]);
    await fireReminder(id, 0);
    expect(await daysOf(id)).toEqual([]);
    await set(null);
    await fireReminder(id, 0);
    expect(await daysOf(id)).toEqual([0]);
    const first = await account.api.patch(`/api/invoices/${id}`, { reminders: [] });
    expectError(first, 400, 'unknown_parameter', 'reminders');
  });

  test('a customer gets no reminders while they are paused', async () => {
    await plan();
    const { json: customer } = await account.api.post('/api/customers', {
      name: 'Pema',
      email: `paused-${account.accountId}@example.bt`,
      remindersPaused: true,
    });
    const { id } = await account.create({ customerId: customer.id, dueDate: dueIn(-2) });
    await fireReminder(id, 0);
    expect(await account.mailsOf(id)).toEqual([]);
    await account.api.patch(`/api/customers/${customer.id}`, { remindersPaused: false });
    await fireReminder(id, 0);
    expect(await remindersOf(id)).toMatchObject([{ reminderDay: 0, to: customer.email }]);
  });

  describe('a reminder that waits is judged again', () => {
    /** Changes an invoice or a customer. */
    const change = async (path: string, body: object) => {
      const { status, text } = await account.api.patch(`/api/${path}`, body, { headers });
      if (status !== 200) throw new Error(text);
    };
    /** Creates an invoice whose reminder of yesterday waits for the mail service. Nothing fires by itself meanwhile. */
    const waiting = async (fields = {}) => {
      const to = `waiting-${Math.random()}@example.bt`;
      const { id } = await account.create({ customerId: to, dueDate: dueIn(1), reminders: [-2], ...fields });
      stack.mail.behavior.isPaused = true;
      await fireReminder(id, -2);
      stack.mail.behavior.isPaused = false;
      expect(await remindersOf(id)).toMatchObject([{ state: 'queued', reason: 'sending_paused' }]);
      return { id, to };
    };
    const reasonsOf = async (id: string) =>
      ((await remindersOf(id)) as unknown as { reminderDay: number; state: string; reason: string }[]).map(
        ({ reminderDay, state, reason }) => `${reminderDay} ${state} ${reason}`,
      );
    beforeEach(async () => {
      await plan({ reminders: [-2], reminderHour: 0 });
      await Promise.all([stack.queues.pause(), stack.schedule.pause()]);
    });
    afterEach(() => {
      stack.queues.resume();
      stack.schedule.resume();
    });

    test('of several, only the last goes out', async () => {
      const { id, to } = await waiting();
      await change(`invoices/${id}`, { reminders: [-2, -1] });
      await fireReminder(id, -2);
      await fireReminder(id, -1);
      await account.fireTimersOfMails();
      expect((await reasonsOf(id)).sort()).toEqual(['-1 sent null', '-2 skipped superseded']);
      expect(acceptedTo(to)).toHaveLength(1);
    });

    test('it follows a due date that has moved', async () => {
      const { id, to } = await waiting();
      await change(`invoices/${id}`, { dueDate: dueIn(30) });
      await account.fireTimersOfMails();
      expect(await reasonsOf(id)).toEqual(['-2 skipped rescheduled']);
      await fireReminder(id, -2);
      expect(await daysOf(id)).toEqual([-2]);
      await change(`invoices/${id}`, { dueDate: dueIn(1) });
      for (let time = 0; time < 2; time++) await fireReminder(id, -2);
      expect((await reasonsOf(id)).sort()).toEqual(['-2 sent null', '-2 skipped rescheduled']);
      expect(acceptedTo(to)).toHaveLength(1);
    });

    test('its new time has a timer if it is near', async () => {
      const { id } = await waiting();
      await change(`invoices/${id}`, { dueDate: dueIn(3) });
      // The first round withdraws it, and the second fires its new timer as if that was due.
      for (let round = 0; round < 2; round++) await account.fireTimersOfMails();
      expect((await reasonsOf(id)).sort()).toEqual(['-2 sent null', '-2 skipped rescheduled']);
    });

    test('a pause of the invoice or of the customer, and a day that the plan loses, hold it back', async () => {
      const customer = (
        await account.api.post('/api/customers', {
          name: 'Pema',
          email: `held-${account.accountId}@example.bt`,
        })
      ).json;
      const [paused, ofCustomer, unplanned] = [
        await waiting(),
        await waiting({ customerId: customer.id }),
        await waiting(),
      ];
      await change(`invoices/${paused.id}`, { reminders: [] });
      await change(`customers/${customer.id}`, { remindersPaused: true });
      await change(`invoices/${unplanned.id}`, { reminders: [7] });
      await account.fireTimersOfMails();
      expect(await reasonsOf(paused.id)).toEqual(['-2 skipped reminders_paused']);
      expect(await reasonsOf(ofCustomer.id)).toEqual(['-2 skipped reminders_paused']);
      expect(await reasonsOf(unplanned.id)).toEqual(['-2 skipped not_planned']);
      for (const to of [paused.to, customer.email, unplanned.to]) expect(acceptedTo(to)).toEqual([]);
    });

    test('one that another writer changes at the same moment is judged once more', async () => {
      const { id, to } = await waiting();
      await change(`invoices/${id}`, { reminders: [] });
      const [mail] = (await account.mailsOf(id)) as { id: string }[];
      const key = tableKeys.mail({ account: account.accountId, mode: 'test' }, mail?.id ?? '');
      const { run } = await observeCalls(stack, '');
      const reference = [account.accountId, 'test', id, 'reminder', -2].join('/');
      let isFirst = true;
      await run(
        'functions/background/send-mail.ts',
        queueEvent({ reference, kind: 'mail', due: 1, minute: 1 }),
        async (actions) => {
          const skips = actions.some(
            ({ name, partition }) => `${name} ${partition}` === 'DeleteItem invoiceMail',
          );
          if (skips && isFirst) {
            isFirst = false;
            const item = (await tableOf(stack).get(key)) ?? {};
            await tableOf(stack).put({ ...item, ...key, version: Number(item.version) + 1 });
          }
          return false;
        },
      );
      expect(isFirst).toBe(false);
      expect(await reasonsOf(id)).toEqual(['-2 queued sending_paused']);
      expect(await account.hasNoTimerOfMail()).toBe(false);
      await account.fireTimersOfMails();
      expect(await reasonsOf(id)).toEqual(['-2 skipped reminders_paused']);
      expect(acceptedTo(to)).toEqual([]);
    });

    test('one that somebody asked for goes out in any case', async () => {
      const { id } = await account.create({ dueDate: dueIn(30), reminders: [] });
      const to = `asked-${id}@example.bt`;
      stack.mail.behavior.isPaused = true;
      await account.send(id, { kind: 'reminder', to });
      await waitUntil('its timer', async () => !(await account.hasNoTimerOfMail()));
      await account.fireTimersOfMails();
      await account.waitForState(id, 'queued', 'sending_paused');
      stack.mail.behavior.isPaused = false;
      await account.fireTimersOfMails();
      await account.waitForState(id, 'sent');
      expect(acceptedTo(to)).toHaveLength(1);
    });
  });

  test('the daily reconciliation sets a timer for each reminder that is near, and moves it with the due date and the plan', async () => {
    const owner = { account: account.accountId, mode: 'test' } as const;
    await plan();
    const { invoiceType } = await import('../../shared/domain/invoices/record.ts');
    const { readRecord } = await import('../../shared/store/records.ts');
    const { setReminderTimers } = await import(
      '../../shared/operations/reconciliation/set-reminder-timers.ts'
    );
    const reconcile = async (id: string) => {
      const { record } = await readRecord(invoiceType, owner, id);
      if (!record) throw new Error(id);
      await setReminderTimers(owner, [record], Date.now());
    };
    const timersOfInvoice = async (id: string) =>
      (await account.timersOfMails())
        .filter(({ reference }) => String(reference).includes(id))
        .map(
          ({ reference, due }) =>
            `${String(reference).split('/').at(-1)} ${new Date(Number(due)).toISOString()}`,
        )
        .sort();
    const at = (dueDate: string, day: number) => {
      const midnight = Date.parse(dueDate.slice(0, 10)) + day * dayMs;
      return `${day} ${new Date(midnight + 9 * 3_600_000).toISOString()}`;
    };
    const far = await account.create({ dueDate: dueIn(20) });
    const near = await account.create({ dueDate: dueIn(4.5) });
    for (const { id } of [far, near, far, near]) await reconcile(id);
    expect(await timersOfInvoice(near.id)).toEqual([at(near.dueDate, -3)]);
    expect(await timersOfInvoice(far.id)).toEqual([]);
    const { json: moved } = await account.api.patch(`/api/invoices/${far.id}`, { dueDate: dueIn(1.5) });
    await reconcile(far.id);
    expect(await timersOfInvoice(far.id)).toEqual([at(moved.dueDate, 0)]);
    // A plan that changes holds for the invoices that exist.
    await plan({ reminders: [0, 1] });
    await reconcile(far.id);
    await reconcile(far.id);
    expect(await timersOfInvoice(far.id)).toEqual([at(moved.dueDate, 0), at(moved.dueDate, 1)]);
  });

  test('a change sets the timers of near reminders, and the daily reconciliation sets no others', async () => {
    const owner = { account: account.accountId, mode: 'test' } as const;
    const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
    const { invoiceType } = await import('../../shared/domain/invoices/record.ts');
    const { readRecord } = await import('../../shared/store/records.ts');
    const { setReminderTimers } = await import(
      '../../shared/operations/reconciliation/set-reminder-timers.ts'
    );
    await plan({ reminders: [1, 2, 9] });
    const plain = await account.create({ dueDate: dueIn(0.5) });
    const ofOwnDays = await account.create({ dueDate: dueIn(0.5), reminders: [1, 8] });
    await changeSeller(account.accountId, {
      legalName: 'Druk Crafts',
      address: { country: 'BT' },
      // The relay can come before or after it, and finds the same time zone.
      timeZone: 'UTC',
    });
    const documented = await account.create({ dueDate: dueIn(30) });
    const timersOf = async (id: string) =>
      (await account.timersOfMails())
        .filter(({ reference }) => String(reference).includes(`${id}/reminder`))
        .map(({ reference, due, minute }) => `${reference} ${due} ${minute}`)
        .sort();
    await waitUntil('the timers of the plan', async () => (await timersOf(plain.id)).length === 2);
    await waitUntil('the timer of the own day', async () => (await timersOf(ofOwnDays.id)).length === 1);
    expect(await timersOf(documented.id)).toEqual([]);
    await account.api.patch(`/api/invoices/${documented.id}`, { dueDate: dueIn(0.5) });
    await waitUntil('the timers of the moved day', async () => (await timersOf(documented.id)).length === 2);
    for (const { id } of [plain, ofOwnDays, documented]) {
      const before = await timersOf(id);
      const { record } = await readRecord(invoiceType, owner, id);
      await setReminderTimers(owner, record ? [record] : [], Date.now());
      expect(await timersOf(id)).toEqual(before);
    }
  });

  test('many invoices of one morning get their reminder once each, at the rate of the mail service', async () => {
    await plan({ reminders: [0] });
    Object.assign(stack.mail.behavior, { maxPerSecond: 8 });
    const invoices = await Promise.all(
      Array.from({ length: 24 }, (_, number) =>
        account.create({
          customerId: `morning-${number}-${account.accountId}@example.bt`,
          dueDate: dueIn(-1),
        }),
      ),
    );
    await Promise.all([...invoices, ...invoices].map(({ id }) => fireReminder(id, 0)));
    // A second message of a mail asks again later.
    let waits = 0;
    // A worker of the queue that is at a mail while the clock jumps would have been at it for too long.
    await Promise.all([stack.queues.pause(), stack.schedule.pause()]);
    try {
      while (!(await account.hasNoTimerOfMail())) {
        setClock(() => Date.now() + ++waits * 600_000);
        await account.fireTimersOfMails();
      }
    } finally {
      setClock();
      stack.queues.resume();
      stack.schedule.resume();
    }
    for (const { id } of invoices) expect(await remindersOf(id)).toMatchObject([{ state: 'sent' }]);
    for (const { customerId } of invoices) expect(acceptedTo(customerId)).toHaveLength(1);
  });
});
