/** Calls every operation of the API with the client. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Remit, verifyWebhook } from '../../client/src/remit.ts';
import { type Route, routes } from '../../shared/api/routes.ts';
import { newAccount } from '../support/api.ts';
import { claimOnPage } from '../support/claims.ts';
import { switchMailsOn } from '../support/mails.ts';
import { waitUntil } from '../support/wait-until.ts';
import { body, type ClientFixture, readAll, startClientFixture } from './client-fixture.ts';
import { type MessageLog, startMessageLog } from './message-log.ts';

let fixture: ClientFixture;
let remit: Remit;
let log: MessageLog;
beforeAll(async () => {
  fixture = await startClientFixture();
  remit = await fixture.createClient();
  log = await startMessageLog();
});
afterAll(async () => {
  await log?.close();
  await fixture?.close();
});

test('invoices are created, updated, retrieved, listed and cancelled', async () => {
  const created = await remit.invoices.create({ ...body, dueDate: '2090-01-31T00:00:00Z' });
  expect(created).toMatchObject({ ...body, status: 'pending', dueDate: '2090-01-31T00:00:00Z' });
  const updated = await remit.invoices.update(created.id, { amount: 3000 });
  expect(updated).toMatchObject({ id: created.id, amount: 3000 });
  expect(await remit.invoices.update(created.id, updated)).toEqual(updated);
  expect(await remit.invoices.retrieve(created.id)).toEqual(updated);
  const page = await remit.invoices.list({ status: 'pending', customerId: body.customerId, limit: 5 });
  expect(page).toEqual({ data: [updated], pagination: { total: 1, limit: 5, offset: 0, hasMore: false } });
  const replacing = await remit.invoices.replace(created.id, { customerId: 'c_8' });
  expect(replacing).toMatchObject({ customerId: 'c_8', amount: 3000, replaces: created.id });
  expect(await remit.invoices.cancel(replacing.id)).toEqual({
    id: replacing.id,
    status: 'cancelled',
    deletedAt: expect.any(String),
  });
});

test('payments and refunds are created, retrieved and listed', async () => {
  const { id: invoiceId } = await remit.invoices.create(body);
  const payment = await remit.payments.create({ invoiceId, method: 'offline', reference: 'Receipt 17' });
  expect(payment).toMatchObject({ invoiceId, status: 'completed', amount: body.amount });
  expect(await remit.payments.retrieve(payment.id)).toEqual(payment);
  expect((await remit.payments.list({ invoiceId }).page()).data).toEqual([payment]);
  const decided = remit.payments.resolve(payment.id, { action: 'accept' });
  await expect(decided).rejects.toMatchObject({ code: 'payment_not_resolvable' });
  const { id: partly } = await remit.invoices.create({ ...body, acceptPartial: true });
  const part = await remit.payments.create({ invoiceId: partly, method: 'offline', amount: 100 });
  const voided = await remit.payments.void(part.id, { reason: 'Typed by mistake' });
  expect(voided).toMatchObject({ id: part.id, voidReason: 'Typed by mistake' });
  const refund = await remit.refunds.create({ paymentId: payment.id, amount: 500, reason: 'Less' });
  expect(refund).toMatchObject({ paymentId: payment.id, amount: 500, status: 'pending' });
  const processed = await waitUntil('the refund', async () => {
    const now = await remit.refunds.retrieve(refund.id);
    return now.status === 'processed' && now;
  });
  expect((await remit.refunds.list({ paymentId: payment.id })).data).toEqual([processed]);
});

test('drafts are created, updated, retrieved, listed, finalized and deleted', async () => {
  const created = await remit.drafts.create({ customerId: body.customerId });
  expect(created).toMatchObject({ customerId: body.customerId, status: 'open', amount: null });
  const { currency, amount, description } = body;
  const updated = await remit.drafts.update(created.id, { currency, amount, description });
  expect(await remit.drafts.retrieve(created.id)).toEqual(updated);
  expect((await remit.drafts.list()).data).toEqual([updated]);
  expect(await remit.drafts.finalize(created.id)).toMatchObject({ ...body, status: 'pending' });
  const other = await remit.drafts.create({});
  expect(await remit.drafts.delete(other.id)).toMatchObject({ id: other.id });
});

test('schedules are created, retrieved, listed, updated, skipped, made now and previewed', async () => {
  const created = await remit.schedules.create({
    every: { n: 1, unit: 'month' },
    startOn: '2099-01-31',
    invoice: body,
  });
  expect(await remit.schedules.retrieve(created.id)).toEqual(created);
  expect((await remit.schedules.list()).data).toEqual([created]);
  expect((await remit.schedules.preview(created.id)).data).toHaveLength(12);
  expect(await remit.schedules.skip(created.id)).toMatchObject({ next: 2 });
  expect((await remit.schedules.listOccurrences(created.id)).data).toMatchObject([{ status: 'skipped' }]);
  expect(await remit.schedules.run(created.id)).toMatchObject({ status: 'active' });
  expect(await remit.schedules.update(created.id, { status: 'ended' })).toMatchObject({ status: 'ended' });
});

test('exports are created, retrieved and listed', async () => {
  const { id } = await remit.exports.create({ kind: 'customers', format: 'jsonl' });
  await waitUntil('the export is completed', async () => {
    return (await remit.exports.retrieve(id)).status === 'completed';
  });
  expect((await remit.exports.retrieve(id)).parts[0]?.url).toMatch(/^http/);
  expect((await remit.exports.list()).data).toMatchObject([{ id, parts: [{ url: null }] }]);
});

test('statements are created, retrieved and listed, and their rows are matched and ignored', async () => {
  const remit = await fixture.createClient();
  const { id: invoiceId, amount, currency } = await remit.invoices.create(body);
  const rows = [
    { day: '2026-03-31', amount, reference: 'FT 1' },
    { day: '2026-03-31', amount: -5, text: 'Fee' },
    { day: '2026-03-31', amount, reference: 'FT 2' },
  ];
  const created = await remit.statements.create({ bank: 'Bank of Bhutan', currency, rows });
  expect(created).toMatchObject({ currency, rowCount: 3, firstDay: '2026-03-31' });
  expect(await remit.statements.retrieve(created.id)).toMatchObject({ id: created.id });
  expect((await remit.statements.list()).data).toMatchObject([{ id: created.id }]);
  const [one, fee, recorded] = await readAll(remit.statements.listRows(created.id, { limit: 1 }));
  const payment = await remit.statements.matchRow(created.id, one?.id ?? '', { invoiceId });
  expect(payment).toMatchObject({ invoiceId, amount, statementRow: one?.id });
  const { id: paidInvoice } = await remit.invoices.create(body);
  const { id: paymentId } = await remit.payments.create({ invoiceId: paidInvoice, method: 'offline' });
  expect(await remit.statements.matchRow(created.id, recorded?.id ?? '', { paymentId })).toMatchObject({
    id: paymentId,
    statementRow: recorded?.id,
  });
  const { id: refundId } = await remit.refunds.create({ paymentId, amount: 5 });
  expect(await remit.statements.matchRow(created.id, fee?.id ?? '', { refundId })).toMatchObject({
    id: paymentId,
  });
  expect(await remit.refunds.retrieve(refundId)).toMatchObject({ statementRow: fee?.id });
  const ignored = { id: fee?.id, statementId: created.id, status: 'ignored' };
  expect(await remit.statements.ignoreRow(created.id, fee?.id ?? '')).toEqual(ignored);
  expect((await remit.statements.listRows(created.id, { status: 'unmatched' })).data).toEqual([]);
  const content = new Uint8Array(Buffer.from('Date,Amount\n2026-03-31,25.00\n'));
  const { file, uploadUrl } = await remit.statements.linkFile({ size: content.length });
  expect((await fetch(uploadUrl, { method: 'PUT', body: content })).ok).toBe(true);
  expect(await remit.statements.previewFile({ file, currency })).toMatchObject({ rowCount: 1 });
  const fromFile = await remit.statements.create({ bank: 'Bank of Bhutan', currency, file });
  expect(fromFile).toMatchObject({ rowCount: 1 });
});

test('a claim of a payer is rejected, and the next one is confirmed by a payment', async () => {
  const remit = await fixture.createClient();
  const invoice = await remit.invoices.create(body);
  const claim = async () => {
    expect((await claimOnPage(invoice)).status).toBe(303);
    return (await remit.invoices.retrieve(invoice.id)).claim?.id ?? '';
  };
  const reason = 'No such transfer has arrived';
  const rejected = await remit.invoices.rejectClaim(invoice.id, { claimId: await claim(), reason });
  expect(rejected).toMatchObject({ status: 'pending', claim: { status: 'rejected', reason } });
  const confirmed = { invoiceId: invoice.id, method: 'offline', claim: await claim() } as const;
  const unknown = remit.invoices.confirmClaim(invoice.id, { claimId: confirmed.claim, paymentId: 'pay_1' });
  await expect(unknown).rejects.toMatchObject({ code: 'invalid_payment' });
  expect(await remit.payments.create(confirmed)).toMatchObject({ ...confirmed, amount: body.amount });
});

test('customers are created, updated, retrieved, listed and deleted', async () => {
  const created = await remit.customers.create({ name: 'Dorji', email: 'dorji@example.bt' });
  expect(created).toMatchObject({ name: 'Dorji', email: 'dorji@example.bt', taxIds: [], metadata: {} });
  const updated = await remit.customers.update(created.id, { name: null, address: { country: 'BT' } });
  expect(updated).toMatchObject({ id: created.id, name: null, address: { country: 'BT', city: null } });
  expect(await remit.customers.retrieve(created.id)).toEqual(updated);
  expect((await remit.customers.list({ email: 'dorji@example.bt' })).data).toEqual([updated]);
  const balance = { customerId: created.id, hasMore: false, currencies: [] };
  expect(await remit.customers.balance({ customerId: created.id })).toMatchObject(balance);
  const deletion = { id: created.id, deletedAt: expect.any(String) };
  expect(await remit.customers.delete(created.id)).toEqual(deletion);
});

test('products are created, updated, retrieved, listed and deleted', async () => {
  const created = await remit.products.create({ name: 'Tea', unitAmounts: { BTN: 5000 } });
  expect(created).toMatchObject({ name: 'Tea', unitAmounts: { BTN: 5000 }, tax: 'none', status: 'active' });
  const updated = await remit.products.update(created.id, { status: 'archived' });
  expect(updated).toMatchObject({ id: created.id, status: 'archived' });
  expect(await remit.products.retrieve(created.id)).toEqual(updated);
  expect((await remit.products.list()).data).toEqual([updated]);
  const deletion = { id: created.id, deletedAt: expect.any(String) };
  expect(await remit.products.delete(created.id)).toEqual(deletion);
});

test('webhooks are configured, tested and recovered, and their messages are verified', async () => {
  // Uses its own account, because events of other tests could still be delivered to a new endpoint.
  const remit = await fixture.createClient();
  const created = await remit.webhooks.create({ url: log.url, events: ['*'] });
  const { secret, ...webhook } = created;
  expect(await remit.webhooks.retrieve(webhook.id)).toEqual(webhook);
  expect((await remit.webhooks.list()).data).toEqual([webhook]);
  const { secret: next } = await remit.webhooks.rotateSecret(webhook.id, { overlapHours: 1 });

  const tested = await remit.webhooks.test(webhook.id);
  expect(tested).toMatchObject({ succeeded: true, status: 204 });
  const message = await log.next();
  for (const each of [secret, next]) {
    const event = await verifyWebhook(message.body, message.headers, each);
    expect(event).toMatchObject({ type: 'webhook.test', id: tested.eventId, data: { id: webhook.id } });
  }

  const invoice = await remit.invoices.create(body);
  const arrived = await log.next();
  const event = await verifyWebhook(arrived.body, arrived.headers, next);
  expect(event).toMatchObject({ type: 'invoice.created', data: invoice });
  if (event.type === 'invoice.created') expect(event.data.paymentUrl).toBe(invoice.paymentUrl);

  const [delivery] = await waitUntil('the delivery', async () => {
    const { data } = await remit.webhooks.listDeliveries(webhook.id, { status: 'succeeded' });
    return data.length > 0 ? data : undefined;
  });
  expect(delivery).toMatchObject({ eventId: event.id, eventType: 'invoice.created' });
  expect(await remit.webhooks.redeliver(webhook.id, delivery?.id ?? '')).toMatchObject({
    id: delivery?.id,
    status: 'succeeded',
    attempts: [{ number: 1 }, { number: 2 }],
  });
  const since = '2026-01-01T00:00:00.000Z';
  expect(await remit.webhooks.recover(webhook.id, { since })).toEqual({ id: webhook.id, since });
  expect(await remit.webhooks.update(webhook.id, { status: 'disabled' })).toMatchObject({
    status: 'disabled',
    disabledReason: 'manual',
  });
  expect(await remit.webhooks.delete(webhook.id)).toMatchObject({ id: webhook.id });
});

test('the clock of test mode is retrieved, reset and moved', async () => {
  expect(await remit.testClock.retrieve()).toMatchObject({ status: 'ready', offsetSeconds: 0 });
  expect(await remit.testClock.reset()).toMatchObject({ status: 'ready', offsetSeconds: 0 });
  const other = await fixture.createClient();
  expect(await other.testClock.move({ advanceSeconds: 60 })).toMatchObject({ offsetSeconds: 60 });
});

test('the account is retrieved, and its seller profile is changed', async () => {
  const { createKey } = await import('../../shared/domain/accounts/key-store.ts');
  const { newAccount } = await import('../support/api.ts');
  const owner = { account: (await newAccount(fixture.stack.baseUrl)).accountId, mode: 'test' } as const;
  const permissions = ['account:read', 'account:write'] as const;
  const { value: apiKey } = await createKey({ owner, name: 'Seller', permissions });
  const other = await fixture.createClient(undefined, { apiKey });
  const account = await other.account.retrieve();
  expect(account).toMatchObject({ mode: 'test', seller: null });
  const seller = { legalName: 'Druk Crafts', address: { country: 'BT' } };
  expect(await other.account.update({ seller })).toMatchObject({ id: account.id, seller });
  expect(await other.account.retrieve()).toMatchObject({ seller });
});

test('API keys are created, retrieved, listed, updated, rolled over and revoked', async () => {
  const { createKey } = await import('../../shared/domain/accounts/key-store.ts');
  const { newAccount } = await import('../support/api.ts');
  const { accountId } = await newAccount(fixture.stack.baseUrl);
  const owner = { account: accountId, mode: 'test' } as const;
  const names = ['keys:read', 'keys:write', 'invoices:read'] as const;
  const { value: apiKey } = await createKey({ owner, name: 'Manager', permissions: names });
  const remit = await fixture.createClient(undefined, { apiKey });
  const { value, ...created } = await remit.keys.create({ name: 'Shop' });
  expect(value).toMatch(/^sk_test_/);
  expect(created).toMatchObject({ name: 'Shop', permissions: ['invoices:read'], status: 'active' });
  expect(await remit.keys.retrieve(created.id)).toEqual(created);
  const updated = await remit.keys.update(created.id, { note: 'Ask Dorji' });
  expect(updated).toEqual({ ...created, note: 'Ask Dorji' });
  expect((await remit.keys.list({ status: 'active', limit: 1 })).data).toEqual([updated]);
  const next = await remit.keys.rollOver(created.id, { overlapHours: 1 });
  expect(next).toMatchObject({ replaces: created.id, note: 'Ask Dorji' });
  expect(await remit.keys.revoke(created.id)).toEqual({ id: created.id, revokedAt: expect.any(String) });
});

test('the audit log is listed, page by page', async () => {
  const remit = await fixture.createClient();
  const { id } = await remit.invoices.create(body);
  await remit.invoices.cancel(id);
  const entries = await waitUntil('both entries', async () => {
    const all = await readAll(remit.auditLog.list({ limit: 1 }));
    return all.length === 2 && all;
  });
  expect(entries).toMatchObject([
    { action: 'invoice.cancel', resource: id },
    { action: 'invoice.create', resource: id },
  ]);
});

test('events are retrieved, and listed in both directions', async () => {
  const { data } = await remit.events.list({ type: 'invoice.created', limit: 1 });
  expect(await remit.events.retrieve(data[0]?.id ?? '')).toEqual(data[0]);
  const newestFirst = await readAll(remit.events.list({ limit: 2 }));
  const oldestFirst = await readAll(remit.events.list({ after: 'start', limit: 2 }));
  expect(newestFirst.length).toBeGreaterThan(4);
  expect(oldestFirst).toEqual(newestFirst.reverse());
});

test('documents of a seller are listed, retrieved, and returned as PDF', async () => {
  const account = await newAccount(fixture.stack.baseUrl);
  const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
  await changeSeller(account.accountId, { legalName: 'Druk Crafts', address: { country: 'BT' } });
  const client = await fixture.createClient(account);
  const { id } = await client.invoices.create(body);
  const document = await waitUntil(
    'the document',
    async () => (await client.invoices.listDocuments(id)).data[0],
  );
  expect((await client.documents.list({ kind: 'invoice' })).data).toEqual([document]);
  expect(await client.documents.retrieve(document.id)).toMatchObject(document);
  const pdf = await client.documents.pdf(document.id, { paper: 'us-letter', locale: 'hi' });
  expect(Buffer.from(pdf).toString('latin1', 0, 5)).toBe('%PDF-');
});

test('an invoice is sent, and its mails are listed', async () => {
  const account = await newAccount(fixture.stack.baseUrl);
  await switchMailsOn(account.accountId);
  const client = await fixture.createClient(account);
  const { id } = await client.invoices.create({ ...body, customerId: 'dorji@example.bt' });
  const sent = await client.invoices.send(id, { message: 'Thank you' });
  expect(sent).toMatchObject({ invoiceId: id, kind: 'invoice', to: 'dorji@example.bt', state: 'queued' });
  const [mail] = await waitUntil('the mail is sent', async () => {
    const { data } = await client.invoices.listMails(id);
    return data[0]?.state === 'sent' ? data : undefined;
  });
  expect((await client.mails.list()).data).toEqual([mail]);
  expect(await client.mails.allowAddress(sent.id)).toEqual(mail);
});

test('the journal, the summary and the search have an invoice', async () => {
  const account = await newAccount(fixture.stack.baseUrl);
  const client = await fixture.createClient(account);
  const { id, amount } = await client.invoices.create(body);
  const entries = await waitUntil('the entry', async () => {
    const all = await readAll(client.journal.list());
    return all.length > 0 && all;
  });
  expect(entries).toMatchObject([{ invoiceId: id, lines: [{ account: 'receivable', amount }, {}] }]);
  expect(await client.summary.retrieve()).toMatchObject({ currencies: [{ outstanding: amount }] });
  expect(await client.search({ q: id })).toMatchObject({ data: [{ id, matchedBy: 'id' }] });
});

test('the client supports every operation', () => {
  const called = Object.values<Route>(routes).filter(({ method, path }) => {
    const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/?]+')}(\\?|$)`);
    return fixture.proxy.requests.some((request) => request.method === method && pattern.test(request.path));
  });
  const served = Object.values<Route>(routes).filter(({ path }) => path.startsWith('/api/'));
  expect(called.map(({ handler }) => handler).sort()).toEqual(served.map(({ handler }) => handler).sort());
});
