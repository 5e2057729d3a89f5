/** Tests the receipts of parts, the credit notes of voided payments, and that each mail can be sent again. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import PostalMime from 'postal-mime';
import type { AcceptedMail } from '../../infra/local/mail/ses-double.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { newestApiVersion } from '../../shared/domain/versions/versions.ts';
import { observeCalls, queueEvent } from '../infra/observed-calls.ts';
import { expectError } from '../support/expectations.ts';
import { switchMailsOn } from '../support/mails.ts';
import { cardPaymentBody, cards } from '../support/pay.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type MailAccount, newMailAccount } from './mail-account.ts';

const headers = { 'X-API-Version': newestApiVersion };

let stack: Stack;
let account: MailAccount;
beforeAll(async () => {
  stack = await startTestStack();
});
beforeEach(async () => {
  account = await newMailAccount(stack);
});
afterAll(() => stack?.close());

const acceptedTo = (to: string) => stack.mail.accepted.filter((mail) => mail.to.includes(to));
const parse = (mail: AcceptedMail | undefined) => PostalMime.parse(mail?.source ?? '');
const kindsOf = async (id: string) =>
  (await account.mailsOf(id)).map(({ kind }: { kind: string }) => kind).sort();
const payPart = async (invoiceId: string, amount: number) => {
  const body = { invoiceId, method: 'offline', amount };
  const { json, status, text } = await account.api.post('/api/payments', body, { headers });
  if (status !== 201) throw new Error(text);
  return json.id as string;
};

/** Handles the timer of a step once more. */
const fireStep = async (invoiceId: string, kind: string, about: string) => {
  const { run } = await observeCalls(stack, '');
  const reference = [account.accountId, 'test', invoiceId, kind, about].join('/');
  const event = queueEvent({ reference, kind: 'mail', due: 1, minute: 1 });
  expect(await run('functions/background/send-mail.ts', event)).toEqual({ batchItemFailures: [] });
};

/** Waits until an invoice has as many mails, and all of them are sent. */
const untilSent = (id: string, count: number) =>
  waitUntil(`${count} mails are sent`, async () => {
    const mails = await account.mailsOf(id);
    return mails.length === count && mails.every(({ state }: { state: string }) => state === 'sent');
  });

test('a part has a receipt that says what is still due, once; the last payment has that of the invoice', async () => {
  await switchMailsOn(account.accountId, ['receipt']);
  const { id } = await account.create({ customerId: 'part@example.bt', acceptPartial: true });
  const part = await payPart(id, 1_000);
  await untilSent(id, 1);
  await fireStep(id, 'part_receipt', part);
  const email = await parse(acceptedTo('part@example.bt')[0]);
  expect(email.subject).toBe('Test mode: Invoice: $10.00 paid');
  expect(email.text).toContain('Part payment received\n$10.00');
  expect(email.text).toContain('Still to be paid: $15.00');
  expect(email.text).toContain('View invoice:\n');
  expect(email.attachments).toEqual([]);
  await payPart(id, 1_500);
  await untilSent(id, 2);
  await waitUntil('no timer of a mail is left', account.hasNoTimerOfMail);
  expect(await kindsOf(id)).toEqual(['part_receipt', 'receipt']);
  expect(acceptedTo('part@example.bt')).toHaveLength(2);

  const again = { to: 'again@example.bt', kind: 'part_receipt', about: part };
  expect(await account.send(id, again)).toMatchObject({ kind: 'part_receipt' });
  await untilSent(id, 3);
  const other = await account.create();
  expectError(await account.api.post(`/api/invoices/${other.id}/send`, again), 400, 'invalid_about', 'about');
});

test('a receipt that waits says that its payment was voided', async () => {
  await switchMailsOn(account.accountId, ['receipt']);
  await stack.queues.pause();
  const [part, paid] = [
    await account.create({ customerId: 'wrong-part@example.bt', acceptPartial: true }),
    await account.create({ customerId: 'wrong@example.bt' }),
  ];
  for (const [id, amount] of [
    [part.id, 1_000],
    [paid.id, 2_500],
  ] as const) {
    const payment = await payPart(id, amount);
    const body = { reason: 'Wrong invoice' };
    expect((await account.api.post(`/api/payments/${payment}/void`, body)).status).toBe(200);
  }
  stack.queues.resume();
  for (const { id } of [part, paid]) await account.waitForState(id, 'skipped', 'payment_voided');
});

test('no receipt of a part goes out if the kind is off', async () => {
  const { id } = await account.create({ customerId: 'off@example.bt', acceptPartial: true });
  const part = await payPart(id, 1_000);
  await fireStep(id, 'part_receipt', part);
  expect(await account.mailsOf(id)).toEqual([]);
});

test('the credit note of a voided payment goes out once, and can be sent again', async () => {
  const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
  await changeSeller(account.accountId, { legalName: 'Druk Crafts', address: { country: 'BT' } });
  await switchMailsOn(account.accountId, ['refund']);
  const { id } = await account.create({ customerId: 'void@example.bt' });
  const paymentId = await payPart(id, 2_500);
  const early = await account.api.post(`/api/invoices/${id}/send`, { kind: 'credit_note', about: paymentId });
  expectError(early, 400, 'invalid_about', 'about');
  const voided = await account.api.post(
    `/api/payments/${paymentId}/void`,
    { reason: 'Typed by mistake' },
    { headers },
  );
  expect(voided.status).toBe(200);
  await untilSent(id, 1);
  await fireStep(id, 'credit_note', paymentId);
  const [first, ...more] = acceptedTo('void@example.bt');
  expect(more).toEqual([]);
  const email = await parse(first);
  expect(email.subject).toBe('Test mode: Credit note CN-0001 from Druk Crafts: $25.00');
  expect(email.text).toContain('Credit note: CN-0001\n');
  expect(email.text).toContain('Another invoice replaces it.');
  expect(email.attachments).toMatchObject([{ filename: 'CN-0001.pdf', mimeType: 'application/pdf' }]);
  await account.send(id, { kind: 'credit_note', about: paymentId });
  await untilSent(id, 2);
  expect(await kindsOf(id)).toEqual(['credit_note', 'credit_note']);
});

test('mails about a refund and a failed payment are sent again, and only with what they are about', async () => {
  await switchMailsOn(account.accountId, ['refund', 'failure']);
  const { id } = await account.create({ customerId: 'again-refund@example.bt' });
  const failed = await account.api.post('/api/payments', cardPaymentBody(id, cards.declined));
  const { json: payments } = await account.api.get(`/api/payments?invoiceId=${id}`);
  const about = failed.json.id ?? payments.data[0].id;
  expect(await account.send(id, { kind: 'failure', about })).toMatchObject({ kind: 'failure', about });
  await untilSent(id, 1);
  const { json: payment } = await account.api.post('/api/payments', cardPaymentBody(id, cards.completes));
  const { json: refund } = await account.api.post('/api/refunds', { paymentId: payment.id, amount: 400 });
  await untilSent(id, 2);
  const again = await account.send(id, { kind: 'refund', about: refund.id });
  expect(again).toMatchObject({ kind: 'refund', about: refund.id });
  await untilSent(id, 3);
  expect(await kindsOf(id)).toEqual(['failure', 'refund', 'refund']);
  const { json: mails } = await account.api.get('/api/mails');
  const abouts = mails.data.map((mail: { about: string | null }) => mail.about);
  expect(abouts).toEqual([refund.id, refund.id, about]);

  const send = (body: object) => account.api.post(`/api/invoices/${id}/send`, body);
  expectError(await send({ kind: 'refund' }), 400, 'invalid_about', 'about');
  expectError(await send({ kind: 'refund', about: payment.id }), 400, 'invalid_about', 'about');
  expectError(await send({ kind: 'failure', about }), 400, 'invoice_already_paid');
});

test('money that comes after the invoice was paid has no receipt, and its refund does not take that of the invoice away', async () => {
  await switchMailsOn(account.accountId, ['receipt']);
  const { id } = await account.create({ customerId: 'twice@example.bt' });
  await payPart(id, 2_500);
  await untilSent(id, 1);
  const body = { invoiceId: id, method: 'offline', amount: 2_500, acceptOver: true };
  const { json: more } = await account.api.post('/api/payments', body, { headers });
  const { json: refund } = await account.api.post('/api/refunds', { paymentId: more.id }, { headers });
  await waitUntil('the refund is processed', async () => {
    return (await account.api.get(`/api/refunds/${refund.id}`)).json.status === 'processed';
  });
  await waitUntil('no timer of a mail is left', account.hasNoTimerOfMail);
  expect(await kindsOf(id)).toEqual(['receipt']);
  const wrong = { to: 'more@example.bt', kind: 'part_receipt', about: more.id };
  expectError(
    await account.api.post(`/api/invoices/${id}/send`, wrong, { headers }),
    400,
    'invalid_about',
    'about',
  );
  expect(await account.send(id, { to: 'more@example.bt' })).toMatchObject({ kind: 'receipt' });
  await untilSent(id, 2);
  expect(acceptedTo('more@example.bt')).toHaveLength(1);
});

test('the void of a payment of an invoice without documents has no credit note, also if the invoice that replaces it has some', async () => {
  await switchMailsOn(account.accountId, ['refund']);
  const { id } = await account.create({ customerId: 'undocumented@example.bt' });
  const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
  await changeSeller(account.accountId, { legalName: 'Druk Crafts', address: { country: 'BT' } });
  const paymentId = await payPart(id, 2_500);
  const reason = { reason: 'Typed by mistake' };
  const voided = await account.api.post(`/api/payments/${paymentId}/void`, reason, { headers });
  expect(voided.status).toBe(200);
  const { replacedBy } = (await account.api.get(`/api/invoices/${id}`, { headers })).json;
  const [issued] = await waitUntil('the replacement has its document', async () => {
    const { data } = (await account.api.get(`/api/invoices/${replacedBy}/documents`)).json;
    return data.length > 0 && data;
  });
  expect(issued).toMatchObject({ kind: 'invoice', number: 'INV-0001' });
  await waitUntil('no timer of a mail is left', account.hasNoTimerOfMail);
  expect(await account.mailsOf(id)).toEqual([]);
  const setAside = (await tableOf(stack).all('SETASIDE')).filter((item) =>
    JSON.stringify(item).includes(account.accountId),
  );
  expect(setAside).toEqual([]);
});

test('credit that pays parts of a new invoice has no receipts, and the invoice is sent', async () => {
  await switchMailsOn(account.accountId, ['invoice', 'receipt']);
  const customerId = 'credits@example.bt';
  for (const amount of [100, 200]) {
    const { id } = await account.create({ customerId, amount });
    await payPart(id, amount);
    const body = { invoiceId: id, method: 'offline', amount, acceptOver: true };
    const more = await account.api.post('/api/payments', body, { headers });
    expect(more.status).toBe(201);
  }
  const { id, amountDue } = await account.create({ customerId, amount: 1_000, useCredit: true, send: true });
  expect(amountDue).toBe(700);
  await untilSent(id, 1);
  await waitUntil('no timer of a mail is left', account.hasNoTimerOfMail);
  expect(await kindsOf(id)).toEqual(['invoice']);
});
