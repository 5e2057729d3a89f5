/** Tests the dashboard's pages and actions of invoices, payments, refunds, webhooks, events and the account over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { setEnvironment } from '../../infra/local/environment.ts';
import { startStripeDouble } from '../../infra/local/provider-doubles/stripe/stripe-double.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { formatDate } from '../../shared/web/pages/dates.ts';
import { type MailboxReceiver, startMailboxReceiver } from '../api/webhooks/receiver.ts';
import { createHeldPayment } from '../contract/examples.ts';
import { invoiceBody, listenToRequestLog } from '../support/api.ts';
import { beginPaying, connectTo } from '../support/checkouts.ts';
import { claimDay, claimOnPage } from '../support/claims.ts';
import { type DashboardAccount, newDashboardAccount, signedIn } from '../support/dashboard-user.ts';
import {
  formsOf,
  headingOf,
  type VisitedPage,
  type Visitor,
  withDashboard,
} from '../support/dashboard-visitor.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { png } from '../support/pictures.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let account: DashboardAccount;
let owner: Visitor;
let receiver: MailboxReceiver;
let log: Awaited<ReturnType<typeof listenToRequestLog>>;

beforeAll(async () => {
  receiver = await startMailboxReceiver();
  process.env.WEBHOOK_ALLOWED_PORTS = new URL(receiver.mailbox().url).port;
  stack = await startTestStack(withDashboard());
  account = await newDashboardAccount(stack);
  owner = await signedIn(stack);
  log = await listenToRequestLog('dashboard request');
});

afterAll(async () => {
  delete process.env.WEBHOOK_ALLOWED_PORTS;
  await stack?.close();
  await receiver?.close();
});

const newInvoice = async (fields: Record<string, unknown> = {}, of: DashboardAccount = account) =>
  (await of.test.post('/api/invoices', invoiceBody(fields))).json;
const invoices = async (of: DashboardAccount = account) => (await of.test.get('/api/invoices')).json;

/** Opens the page with a form, and returns what a browser would send. */
async function formAt(visitor: Visitor, path: string, action = path) {
  const page = await visitor.get(account.path(path));
  const form = formsOf(page).find((each) => each.action.endsWith(account.path(action)));
  if (!form) throw new Error(`No form to ${action}: ${page.status} ${page.text}`);
  return form;
}

async function send(visitor: Visitor, path: string, fields: Record<string, string>, action = path) {
  const { action: link, initial } = await formAt(visitor, path, action);
  return visitor.post(link, { ...initial, ...fields });
}

/** An invoice of Nu. 20.00 with 5 % GST. */
const newInvoiceWithLines = async () => {
  const { amount: _, ...fields } = invoiceBody({ currency: 'BTN' });
  const lines = [{ description: 'Tea', quantity: '2', unit: 'kg', unitAmount: 1000, tax: 'bt_gst_5' }];
  return (await inNewestVersion(account.test).post('/api/invoices', { ...fields, lines })).json;
};

const newInvoiceFields = {
  customerId: 'a@example.com',
  amount: '1,234.50',
  currency: 'BTN',
  description: 'Design',
};

describe('invoices', () => {
  test('with lines show them, and keep them if something else is changed', async () => {
    const { id } = await newInvoiceWithLines();
    const { text } = await owner.get(account.path(`/invoices/${id}`));
    for (const shown of ['Tea', 'kg', 'Nu. 10.00', 'Nu. 20.00', 'GST 5 %', 'Nu. 1.00', 'Nu. 21.00'])
      expect(text).toContain(shown);
    const path = `/invoices/${id}/edit`;
    expect((await send(owner, path, { description: 'Other' })).status).toBe(303);
    const changed = (await inNewestVersion(account.test).get(`/api/invoices/${id}`)).json;
    expect(changed).toMatchObject({ amount: 2100, description: 'Other', lines: [{ description: 'Tea' }] });
    const refused = await send(owner, path, { amount: '5' });
    expect(refused.text).toContain(
      'The lines come to Nu. 21.00. Leave the amount empty, or correct the lines.',
    );
  });

  test('a live invoice that payers cannot pay has a warning, and so have the settings', async () => {
    const invoice = (await account.live.post('/api/invoices', invoiceBody({ currency: 'INR' }))).json;
    const pages = [`/invoices/${invoice.id}`, '/settings'];
    const textsOf = async (mode: 'test' | 'live') =>
      Promise.all(pages.map(async (path) => (await owner.get(account.path(path, mode))).text));
    const [detail, settings] = await textsOf('live');
    expect(detail).toContain('Payers cannot pay this invoice');
    expect(settings).toContain('Payers cannot pay live invoices in BTN, USD, or INR');
    const { updateSettings } = await import('../../shared/domain/accounts/settings-store.ts');
    await updateSettings(account.accountId, { upiId: 'shop@okbank' });
    const [payable, others] = await textsOf('live');
    expect(payable).not.toContain('Payers cannot pay');
    expect(others).toContain('Payers cannot pay live invoices in BTN or USD');
    const testSettings = await owner.get(account.path('/settings'));
    expect(testSettings.text).not.toContain('Payers cannot pay');
    await updateSettings(account.accountId, { upiId: null });
  });

  test('a live invoice shows that its amount is not accepted, or that the provider refused a payment', async () => {
    const double = await startStripeDouble();
    setEnvironment({ STRIPE_API_URL: double.url });
    try {
      const live = await newDashboardAccount(stack);
      const visitor = await signedIn(stack);
      await connectTo(double, { account: live.accountId, mode: 'live' });
      const create = async (amount: number) =>
        (await live.live.post('/api/invoices', invoiceBody({ currency: 'USD', amount }))).json;
      const pageOf = async ({ id }: { id: string }) =>
        (await visitor.get(live.path(`/invoices/${id}`, 'live'))).text;
      const [small, invoice] = [await create(49), await create(2500)];
      expect(await pageOf(small)).toContain('limits of your payment provider');
      expect(await pageOf(invoice)).not.toContain('class="alert"');
      double.behavior.maxAmountMinor = 2_499;
      await beginPaying(invoice.paymentUrl);
      expect(await pageOf(invoice)).toContain('Stripe refused to take a payment for this invoice.');
      expect(await pageOf(invoice)).toContain('ask the provider to raise the limit');
      expect((await live.live.patch(`/api/invoices/${invoice.id}`, { amount: 2400 })).status).toBe(200);
      expect(await pageOf(invoice)).not.toContain('refused');
    } finally {
      delete process.env.STRIPE_API_URL;
      await double.close();
    }
  });

  test('a form creates an invoice with the values that it sends', async () => {
    const answer = await send(owner, '/invoices/new', { ...newInvoiceFields, dueDate: '2099-03-31' });
    expect(answer.status).toBe(303);
    const shown = await owner.open(answer.headers.location ?? '');
    expect(shown.text).toContain('The invoice is created.');
    const id = /\/invoices\/(inv_\w+)/.exec(answer.headers.location ?? '')?.[1];
    expect((await account.test.get(`/api/invoices/${id}`)).json).toMatchObject({
      customerId: 'a@example.com',
      amount: 123_450,
      currency: 'BTN',
      dueDate: '2099-03-31T23:59:59.999Z',
    });
  });

  test('two clicks at once create one invoice, and a third one later too', async () => {
    const own = await newDashboardAccount(stack);
    const page = await owner.get(own.path('/invoices/new'));
    const [form] = formsOf(page).filter(({ action }) => action.endsWith('/invoices/new'));
    const fields = { ...form?.initial, ...newInvoiceFields };
    const click = () => owner.post(form?.action ?? '', fields);
    const answers = await Promise.all([click(), click()]);
    answers.push(await click());
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
    expect(new Set(answers.map(({ headers }) => headers.location)).size).toBe(1);
    expect((await invoices(own)).pagination.total).toBe(1);
    const other = await owner.post(form?.action ?? '', { ...fields, amount: '7' });
    expect(other.status).toBe(409);
    expect((await invoices(own)).pagination.total).toBe(1);
  });

  test('a form with wrong values shows the values again, each error beside its field', async () => {
    const fields = { ...newInvoiceFields, amount: '1,50', customerId: 'a@', description: '<b>"x"' };
    const page = await send(owner, '/invoices/new', fields);
    expect(page.status).toBe(400);
    expect(page.text).toContain('id="amount-error"');
    expect(page.text).toContain('Customer must be an email address');
    expect(page.text).toContain('value="1,50"');
    expect(page.text).toContain('&lt;b&gt;&quot;x&quot;');
    expect(page.text).not.toContain('id="description-error"');
  });

  test('a change is saved, and is refused if the invoice changed after the form was shown', async () => {
    const { id } = await newInvoice({ description: 'Two\r\nlines ' });
    const path = `/invoices/${id}/edit`;
    const form = await formAt(owner, path);
    const typed = { amount: '30', description: 'Two\r\nlines', dueDate: '2099-01-31' };
    expect((await owner.post(form.action, { ...form.initial, ...typed })).status).toBe(303);
    const saved = (await account.test.get(`/api/invoices/${id}`)).json;
    expect(saved).toMatchObject({ amount: 3000, description: 'Two\r\nlines ' });
    const late = await send(owner, path, { ...typed, seen: '1', amount: '40' });
    expect(late.status).toBe(409);
    expect(late.text).toContain('Nothing was saved');
    expect((await account.test.get(`/api/invoices/${id}`)).json).toEqual(saved);
  });

  test('a form that is shown again for a wrong value does not hide that the invoice changed', async () => {
    const { id } = await newInvoice();
    const path = `/invoices/${id}/edit`;
    const form = await formAt(owner, path);
    await account.test.patch(`/api/invoices/${id}`, { description: 'By another person' });
    const typed = { amount: '30', description: 'Mine', dueDate: '2099-01-31' };
    const wrong = await owner.post(form.action, { ...form.initial, ...typed, amount: 'x' });
    expect(wrong.status).toBe(400);
    const warned = await owner.submit(wrong, path, typed);
    expect([warned.status, warned.text.includes('Nothing was saved')]).toEqual([409, true]);
    expect((await account.test.get(`/api/invoices/${id}`)).json.description).toBe('By another person');
    expect((await owner.submit(warned, path, typed)).status).toBe(303);
    expect((await account.test.get(`/api/invoices/${id}`)).json.description).toBe('Mine');
  });

  test('a replacement has the values of the invoice at first, and leads to the new one', async () => {
    const body = invoiceBody({ reference: 'REPLACED-1' });
    const { id, paymentUrl } = (await inNewestVersion(account.test).post('/api/invoices', body)).json;
    const path = `/invoices/${id}/replace`;
    const wrong = await send(owner, path, { customerId: 'no id' });
    expect([wrong.status, wrong.text.includes('customerId')]).toEqual([400, true]);
    const answer = await send(owner, path, { customerId: 'pema@example.bt' });
    const next = /\/invoices\/(inv_\w+)/.exec(answer.headers.location ?? '')?.[1] ?? '';
    expect([answer.status, next === id]).toEqual([303, false]);
    const page = await owner.get(account.path(`/invoices/${next}`));
    expect(page.text).toContain('REPLACED-1');
    expect(page.text).toContain(account.path(`/invoices/${id}`));
    const api = inNewestVersion(account.test);
    const shown = (await api.get(`/api/invoices/${next}`)).json;
    expect(shown).toMatchObject({ customerId: 'pema@example.bt', amount: 2500, replaces: id });
    expect((await api.get(`/api/invoices/${id}`)).json).toMatchObject({
      status: 'cancelled',
      replacedBy: next,
    });
    // Only the redirect. The page itself would remember the providers of the account for the next tests.
    const { headers } = await fetch(paymentUrl, { redirect: 'manual' });
    expect(new URL(headers.get('location') ?? '', paymentUrl).href).toBe(shown.paymentUrl);
    const over = await owner.get(account.path(path));
    expect(over.text).toContain('Only pending and overdue invoices can be replaced.');
  });

  test('a cancellation asks first, and a paid invoice cannot be cancelled', async () => {
    const { id } = await newInvoice();
    const path = `/invoices/${id}/cancel`;
    const { action, initial } = await formAt(owner, path);
    expect((await account.test.get(`/api/invoices/${id}`)).json.status).toBe('pending');
    const clicks = await Promise.all([owner.post(action, initial), owner.post(action, initial)]);
    expect(clicks.map(({ status }) => status)).toEqual([303, 303]);
    expect((await account.test.get(`/api/invoices/${id}`)).json.status).toBe('cancelled');
    const paid = await newInvoice();
    await account.test.post('/api/payments', { invoiceId: paid.id, method: 'offline' });
    const refused = await send(owner, `/invoices/${paid.id}/cancel`, {});
    expect([refused.status, refused.text.includes('already paid')]).toEqual([409, true]);
  });

  test('an owner goes on although the provider does not say whether the payer has paid', async () => {
    const [cancelled, paid] = [await newInvoice({ currency: 'USD' }), await newInvoice({ currency: 'USD' })];
    const double = await startStripeDouble();
    setEnvironment({ STRIPE_API_URL: double.url });
    try {
      await connectTo(double, { account: account.accountId, mode: 'test' });
      for (const { paymentUrl } of [cancelled, paid]) await beginPaying(paymentUrl);
      double.faults.inject({ fault: { kind: 'answer', status: 503 }, times: 99 });
      const cancelPath = `/invoices/${cancelled.id}/cancel`;
      const refused = await send(owner, cancelPath, {});
      expect([refused.status, refused.text.includes('Cancel anyway')]).toEqual([409, true]);
      expect((await owner.submit(refused, cancelPath, {})).status).toBe(303);
      const payPath = `/invoices/${paid.id}/payment`;
      const unsaid = await send(owner, payPath, { reference: 'Receipt 18' });
      expect([unsaid.status, unsaid.text.includes('Mark as paid anyway')]).toEqual([409, true]);
      expect((await owner.submit(unsaid, payPath, {})).status).toBe(303);
      const statuses = [cancelled, paid].map(
        async ({ id }) => (await account.test.get(`/api/invoices/${id}`)).json.status,
      );
      expect(await Promise.all(statuses)).toEqual(['cancelled', 'paid']);
    } finally {
      delete process.env.STRIPE_API_URL;
      await double.close();
    }
  });

  test('an invoice is sent once, after its mails are switched on, and its timeline shows the mail', async () => {
    const { id } = await newInvoice({ customerId: 'pema@example.bt' });
    const path = `/invoices/${id}/send`;
    const { action, initial } = await formAt(owner, path);
    expect(initial).toMatchObject({ to: 'pema@example.bt', message: '' });
    const off = await owner.post(action, initial);
    expect([off.status, off.text.includes('does not send this kind of mail')]).toEqual([409, true]);
    const { updateSettings } = await import('../../shared/domain/accounts/settings-store.ts');
    await updateSettings(account.accountId, { mailInvoice: true });
    const wrong = await send(owner, path, {
      to: 'a@example.bt, b@example.bt',
      message: 'See www.evil.example',
    });
    expect(wrong.status).toBe(400);
    for (const field of ['to', 'message']) expect(wrong.text).toContain(`id="${field}-error"`);
    const fresh = await formAt(owner, path);
    const sendIt = () => owner.post(fresh.action, { ...fresh.initial, message: 'Kadrinche' });
    expect((await Promise.all([sendIt(), sendIt()])).map(({ status }) => status)).toEqual([303, 303]);
    const { data } = (await account.test.get(`/api/invoices/${id}/mails`)).json;
    expect(data).toMatchObject([{ kind: 'invoice', to: 'pema@example.bt' }]);
    await waitUntil('the timeline shows that the mail is sent', async () => {
      const { text } = await owner.get(account.path(`/invoices/${id}`));
      return /Mail sent<[\s\S]*Invoice: <bdi>pema@example\.bt</.test(text);
    });
  });

  test('a payment received outside is recorded once, and then refunded in part', async () => {
    const invoice = await newInvoice({ amount: 5000 });
    const { action, initial } = await formAt(owner, `/invoices/${invoice.id}/payment`);
    const received = { receivedOn: '2026-01-02', bank: 'Bank of Bhutan', note: 'At the counter' };
    const record = () => owner.post(action, { ...initial, ...received, reference: 'Receipt 17' });
    expect((await Promise.all([record(), record()])).map(({ status }) => status)).toEqual([303, 303]);
    const { data } = (await account.test.get(`/api/payments?invoiceId=${invoice.id}`)).json;
    expect(data).toMatchObject([{ status: 'completed', reference: 'Receipt 17', amount: 5000 }]);
    const shown = (await owner.get(account.path(`/payments/${data[0].id}`))).text;
    for (const text of Object.values(received)) expect(shown).toContain(text);
    const other = await newInvoice({ amount: 5000 });
    const used = { ...received, reference: 'receipt17' };
    const refused = await send(owner, `/invoices/${other.id}/payment`, used);
    expect([refused.status, refused.text.includes('Another payment has this reference')]).toEqual([
      400,
      true,
    ]);
    const allowed = { ...used, allowDuplicateReference: 'yes' };
    expect((await owner.submit(refused, `/invoices/${other.id}/payment`, allowed)).status).toBe(303);
    const unnamed = { reference: `Slip of ${other.id}` };
    const answerOf = async () => send(owner, `/invoices/${(await newInvoice()).id}/payment`, unnamed);
    expect((await answerOf()).status).toBe(303);
    const again = await answerOf();
    expect([again.status, again.text.includes('Another payment has this reference')]).toEqual([400, true]);
    const refundPath = `/payments/${data[0].id}/refund`;
    expect(headingOf(await owner.get(account.path(refundPath)))).toBe(
      'Record that you have returned the money',
    );
    const refund = await formAt(owner, refundPath);
    const part = { ...refund.initial, amount: '20.00', reason: 'Less' };
    const answers = await Promise.all([owner.post(refund.action, part), owner.post(refund.action, part)]);
    expect(answers.map(({ status }) => status)).toEqual([303, 303]);
    const refunds = (await account.test.get(`/api/refunds?paymentId=${data[0].id}`)).json;
    expect(refunds).toMatchObject({ data: [{ amount: 2000, reason: 'Less' }], pagination: { total: 1 } });
    const { method } = (await inNewestVersion(account.test).get(`/api/refunds/${refunds.data[0].id}`)).json;
    expect([method, refunds.data[0].method]).toEqual(['offline', undefined]);
    const tooMuch = await send(owner, refundPath, { amount: '30.01' });
    expect([tooMuch.status, tooMuch.text.includes('Only $30.00 is left to refund')]).toEqual([400, true]);
  });

  test('more than what is due is recorded only if the user keeps the rest as credit', async () => {
    const api = inNewestVersion(account.test);
    const { id } = await newInvoice({ amount: 5000 });
    const path = `/invoices/${id}/payment`;
    expect((await owner.get(account.path(path))).text).not.toContain('acceptOver');
    const less = await send(owner, path, { amount: '49.00' });
    expect([less.status, less.text.includes('is paid only as a whole')]).toEqual([400, true]);
    const refused = await send(owner, path, { amount: '60.00' });
    expect([refused.status, refused.text.includes('This is more than what is due')]).toEqual([400, true]);
    // Another mistake keeps the box as the user left it.
    const unknown = await owner.submit(refused, path, { acceptOver: 'yes', receivedOn: 'today' });
    expect([unknown.status, unknown.text.includes('name="acceptOver" value="yes" checked')]).toEqual([
      400,
      true,
    ]);
    const kept = { acceptOver: 'yes', receivedOn: '' };
    expect((await owner.submit(unknown, path, kept)).status).toBe(303);
    const [payment] = (await api.get(`/api/payments?invoiceId=${id}`)).json.data;
    expect(payment).toMatchObject({ amount: 6000, amountOver: 1000, status: 'completed' });

    // The invoice is paid now. A form that was opened before says so, and records the money only when it is sent again.
    const settling = { amount: '7.00', rest: 'tds', due: '50.00', acceptOver: 'yes' };
    const settled = await owner.submit(refused, path, settling);
    expect([settled.status, settled.text.includes('The invoice is paid already.')]).toEqual([400, true]);
    expect(settled.text).not.toContain('Nothing was charged');
    const beside = await owner.submit(refused, path, { amount: '7.00' });
    expect([beside.status, beside.text]).toEqual([
      400,
      expect.stringMatching(/amount-error">The invoice is paid already/),
    ]);
    const done = await owner.submit(beside, path, {});
    expect(done.headers.location).toContain('payment_is_credit');
    const shown = await owner.get(account.path(`/invoices/${id}`));
    expect(shown.text).toMatch(/More than due: [^/]*7\.00/);
    expect(shown.text).toContain('Record more money');
    expect(headingOf(await owner.get(account.path(path)))).toBe('Record more money');
    expect((await send(owner, path, { amount: '60.00' })).headers.location).toContain('payment_is_credit');
    const [more] = (await api.get(`/api/payments?invoiceId=${id}`)).json.data;
    expect(more).toMatchObject({ amount: 6000, amountOver: 6000, status: 'completed' });

    // What goes back of it is not money of the invoice.
    expect((await api.post('/api/refunds', { paymentId: more.id, amount: 6000 })).status).toBe(201);
    for (const each of [`/invoices/${id}`, path, `/invoices/${id}/send`]) {
      const { text } = await owner.get(account.path(each));
      expect([each, /<dt>Refunded/.test(text)]).toEqual([each, false]);
    }

    const claimed = await newInvoice({ amount: 2500 });
    await claimOnPage(claimed, { reference: claimed.id });
    await api.patch(`/api/invoices/${claimed.id}`, { amount: 2000 });
    const page = `/invoices/${claimed.id}`;
    const confirm = `${page}/claim/confirm`;
    const wrong = await send(owner, page, {}, confirm);
    expect([wrong.status, wrong.text.includes('This is more than what is due')]).toEqual([400, true]);
    expect((await owner.submit(wrong, confirm, { acceptOver: 'yes' })).status).toBe(303);
    const [confirmed] = (await api.get(`/api/payments?invoiceId=${claimed.id}`)).json.data;
    expect(confirmed).toMatchObject({ amount: 2500, amountOver: 500 });
    // The form keeps the consent that it was given before, so that it needs both only once.
    const twice = await newInvoice({ amount: 3000 });
    await api.patch(`/api/invoices/${twice.id}`, { acceptPartial: true });
    await claimOnPage(twice, { reference: twice.id });
    const { json: first } = await api.post('/api/payments', {
      ...{ invoiceId: twice.id, method: 'offline', amount: 2500 },
    });
    const twicePage = `/invoices/${twice.id}`;
    const asked = await send(owner, twicePage, {}, `${twicePage}/claim/confirm`);
    expect([asked.status, asked.text.includes(`amount or reference: ${first.id}`)]).toEqual([400, true]);
    const allowed = { allowDuplicateReference: 'yes' };
    const overDue = await owner.submit(asked, `${twicePage}/claim/confirm`, allowed);
    expect([overDue.status, overDue.text.includes('This is more than what is due')]).toEqual([400, true]);
    expect(overDue.text).toContain('name="allowDuplicateReference" value="yes" checked');
    const consents = { ...allowed, acceptOver: 'yes' };
    const both = await owner.submit(overDue, `${twicePage}/claim/confirm`, consents);
    expect(both.status).toBe(303);
    expect((await api.get(`/api/payments?invoiceId=${twice.id}`)).json.data).toHaveLength(2);
  });

  test('a part that was recorded by mistake is voided with a reason, by owners alone', async () => {
    const api = inNewestVersion(account.test);
    const invoice = await newInvoice({ amount: 5000 });
    await api.patch(`/api/invoices/${invoice.id}`, { acceptPartial: true });
    expect((await send(owner, `/invoices/${invoice.id}/payment`, { amount: '20.00' })).status).toBe(303);
    const [part] = (await api.get(`/api/payments?invoiceId=${invoice.id}`)).json.data;
    const path = `/payments/${part.id}/void`;
    expect((await owner.get(account.path(`/payments/${part.id}`))).text).toContain(account.path(path));
    const developer = await signedIn(stack, 'developer');
    expect((await developer.get(account.path(path))).status).toBe(403);
    const empty = await send(owner, path, { reason: ' ' });
    expect([empty.status, empty.text.includes('Reason must be text of 1 to 500 characters')]).toEqual([
      400,
      true,
    ]);
    const { action, initial } = await formAt(owner, path);
    const reason = { ...initial, reason: 'Typed the wrong amount' };
    const answers = await Promise.all([owner.post(action, reason), owner.post(action, reason)]);
    expect(answers.map(({ status }) => status)).toEqual([303, 303]);
    const shown = (await owner.get(account.path(`/payments/${part.id}`))).text;
    for (const text of ['Voided', 'Typed the wrong amount']) expect(shown).toContain(text);
    expect(shown).not.toContain(account.path(path));
    expect((await owner.get(account.path(path))).text).toContain('This payment is voided already.');
    expect((await owner.get(account.path('/payments'))).text).toContain('Voided');
    expect((await api.get(`/api/invoices/${invoice.id}`)).json).toMatchObject({
      amountPaid: 0,
      amountDue: 5000,
    });
    await waitUntil('the timeline shows the void', async () =>
      (await owner.get(account.path(`/invoices/${invoice.id}`))).text.includes('Payment voided'),
    );
  });

  test('a claim of a payer is rejected with a text or confirmed, by one of those who decide at once', async () => {
    const api = inNewestVersion(account.test);
    const newClaimed = async (claimed: Record<string, string> = {}) => {
      const invoice = await newInvoice();
      await claimOnPage(invoice, { reference: `<b>${invoice.id}`, ...claimed });
      return { id: invoice.id as string, page: `/invoices/${invoice.id}`, paymentUrl: invoice.paymentUrl };
    };
    const claimOf = async (id: string) => (await api.get(`/api/invoices/${id}`)).json.claim;
    const paymentsOf = async (id: string) => (await api.get(`/api/payments?invoiceId=${id}`)).json.data;
    const { id, page, paymentUrl } = await newClaimed();
    const shown = (await owner.get(account.path(page))).text;
    for (const text of ['A payer claims to have paid', `&lt;b&gt;${id}`, formatDate(Date.parse(claimDay()))])
      expect(shown).toContain(text);
    const viewer = await signedIn(stack, 'viewer');
    const actions = formsOf(await viewer.get(account.path(page))).map(({ action }) => action);
    expect(actions).toEqual(['/sign-out']);
    const [reject, confirm] = [`${page}/claim/reject`, `${page}/claim/confirm`];
    const empty = await send(owner, page, { reason: ' ' }, reject);
    expect([empty.status, empty.text.includes('Reason must be text of 1 to 500 characters')]).toEqual([
      400,
      true,
    ]);
    const late = await formAt(owner, page, confirm);
    const rejected = await send(owner, page, { reason: 'No such transfer' }, reject);
    expect(rejected.status).toBe(303);
    expect(await claimOf(id)).toMatchObject({ status: 'rejected', reason: 'No such transfer' });
    const refused = await owner.post(late.action, late.initial);
    expect([refused.status, refused.text.includes('Somebody has decided')]).toEqual([409, true]);
    expect(await paymentsOf(id)).toEqual([]);
    await claimOnPage({ paymentUrl }, { reference: `again ${id}` });
    const { action, initial } = await formAt(owner, page, confirm);
    const clicks = await Promise.all([owner.post(action, initial), owner.post(action, initial)]);
    expect(clicks.map(({ status }) => status)).toEqual([303, 303]);
    const { id: claim } = await claimOf(id);
    expect(await paymentsOf(id)).toMatchObject([{ claim, amount: 2500, reference: `again ${id}` }]);
    // The same transfer is claimed for another invoice.
    const other = await newClaimed({ reference: `again ${id}` });
    const used = await send(owner, other.page, {}, `${other.page}/claim/confirm`);
    expect([used.status, used.text.includes('has this reference')]).toEqual([400, true]);
    const allowed = { allowDuplicateReference: 'yes' };
    expect((await owner.submit(used, `${other.page}/claim/confirm`, allowed)).status).toBe(303);
    const less = await newClaimed({ amount: '24.99' });
    const wrong = await send(owner, less.page, {}, `${less.page}/claim/confirm`);
    expect([wrong.status, wrong.text.includes('does not take this amount')]).toEqual([400, true]);
    expect(wrong.text).not.toContain('allowDuplicateReference');
    expect(await claimOf(less.id)).toMatchObject({ status: 'open' });
    // The money is recorded already.
    const { json: parts } = await api.post(
      '/api/invoices',
      invoiceBody({ amount: 5000, acceptPartial: true }),
    );
    await claimOnPage(parts, { reference: parts.id, amount: '10.00' });
    const [recorded, small] = await Promise.all(
      [1000, 100].map(async (amount) => {
        const paid = { invoiceId: parts.id, method: 'offline', amount };
        return (await api.post('/api/payments', paid)).json;
      }),
    );
    const partsPage = `/invoices/${parts.id}`;
    const doubted = await send(owner, partsPage, {}, `${partsPage}/claim/confirm`);
    expect(doubted.status).toBe(400);
    for (const text of [
      `amount or reference: ${recorded.id}`,
      'name="allowDuplicateReference"',
      'It is this payment',
    ])
      expect(doubted.text).toContain(text);
    // Only a payment of its amount or with its number is offered.
    const offered = formsOf(doubted).flatMap(({ initial }) => initial.payment || []);
    expect(offered).toEqual([recorded.id]);
    const form = formsOf(doubted).find(({ initial }) => initial.payment === recorded.id);
    const changed = { ...form?.initial, payment: small.id };
    const unfit = await owner.post(form?.action ?? '', changed);
    expect([unfit.status, unfit.text.includes('neither the amount nor')]).toEqual([400, true]);
    expect((await owner.post(form?.action ?? '', form?.initial ?? {})).status).toBe(303);
    expect(await claimOf(parts.id)).toMatchObject({ status: 'confirmed' });
    expect(await paymentsOf(parts.id)).toContainEqual(
      expect.objectContaining({ id: recorded.id, claim: expect.any(String) }),
    );
  });

  test('the rest of a payment is written off, up to the limit of the account', async () => {
    const own = await newDashboardAccount(stack);
    const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
    const seller = { legalName: 'Druk Crafts', address: { country: 'BT' }, writeOffPercent: 10 };
    await changeSeller(own.accountId, seller);
    const { id } = (await own.test.post('/api/invoices', invoiceBody({ amount: 5000 }))).json;
    const path = own.path(`/invoices/${id}/payment`);
    const pay = async (fields: Readonly<Record<string, string>>) => {
      const page = await owner.get(path);
      return owner.submit(page, path, fields);
    };
    for (const [fields, text] of [
      [{ amount: '44.99', rest: 'tds' }, 'at most 10 % of an invoice'],
      [{ amount: '45.00' }, 'is paid only as a whole'],
      [{ amount: '45.00', rest: 'gift' }, 'Choose what happens to the rest'],
    ] as const) {
      const refused = await pay(fields);
      expect([refused.status, refused.text.includes(text)]).toEqual([400, true]);
    }
    expect((await pay({ amount: '45.00', rest: 'tds' })).status).toBe(303);
    const [payment] = (await inNewestVersion(own.test).get(`/api/payments?invoiceId=${id}`)).json.data;
    expect(payment).toMatchObject({ amount: 4500, settle: { writeOff: 500, reason: 'tds' } });
    expect((await own.test.get(`/api/invoices/${id}`)).json.status).toBe('paid');
  });

  test('a payment of another amount is accepted or refunded on its page', async () => {
    for (const [action, notice, status] of [
      ['accept', 'The payment is accepted', 'Completed'],
      ['refund', 'The payment is refunded', 'Failed'],
    ] as const) {
      const path = `/payments/${await createHeldPayment(account.test)}`;
      const page = await owner.get(account.path(path));
      expect(page.text).toContain('The provider took another amount than that of the invoice.');
      const form = formsOf(page).find(({ initial }) => initial.action === action);
      const decide = async (fields: Record<string, string>) => {
        const answer = await owner.post(form?.action ?? '', { ...form?.initial, ...fields });
        return owner.get(new URL(answer.headers.location ?? '', answer.url).href);
      };
      const shown = await decide({});
      expect(shown.text).toContain(notice);
      expect(shown.text).toContain(status);
      expect(formsOf(shown).some(({ action: link }) => link.endsWith('/resolve'))).toBe(false);
      // The same form in another tab changes nothing.
      expect((await decide({ attempt: '0'.repeat(26) })).text).toContain('Nothing was changed.');
    }
  });

  test('a bookkeeper, who may not refund, accepts a payment of another amount', async () => {
    const bookkeeper = await signedIn(stack, 'bookkeeper');
    const id = await createHeldPayment(account.test);
    const path = `/payments/${id}`;
    const page = await bookkeeper.get(account.path(path));
    const forms = formsOf(page).filter(({ action }) => action.endsWith('/resolve'));
    expect(forms.map(({ initial }) => initial.action)).toEqual(['accept']);
    const statusOf = async () => (await account.test.get(`/api/payments/${id}`)).json.status;
    const refused = await bookkeeper.post(forms[0]?.action ?? '', { ...forms[0]?.initial, action: 'refund' });
    expect([refused.status, await statusOf()]).toEqual([403, 'pending']);
    expect((await bookkeeper.post(forms[0]?.action ?? '', { ...forms[0]?.initial })).status).toBe(303);
    expect(await statusOf()).toBe('completed');
  });

  test('a user who may not refund cancels a partly paid invoice only with credit', async () => {
    const api = inNewestVersion(account.live);
    const pathOf = async () => {
      const { id } = (await api.post('/api/invoices', invoiceBody({ acceptPartial: true }))).json;
      await api.post('/api/payments', { invoiceId: id, method: 'offline', amount: 1000 });
      return { id, path: account.path(`/invoices/${id}/cancel`, 'live') };
    };
    const statusOf = async (id: string) => (await api.get(`/api/invoices/${id}`)).json.status;
    const [developer, late] = [
      await signedIn(stack, 'developer'),
      await signedIn(stack, 'owner', 11 * 60_000),
    ];
    const first = await pathOf();
    const page = await developer.get(first.path);
    expect(page.text).not.toContain('Refund it');
    for (const [visitor, heading] of [
      [developer, 'Your role does not allow this'],
      [late, 'Sign in again to continue'],
    ] as const) {
      const refused = await visitor.submit(await visitor.get(first.path), first.path, { payments: 'refund' });
      expect([refused.status, headingOf(refused)]).toEqual([403, heading]);
      expect(await statusOf(first.id)).toBe('pending');
    }
    expect((await developer.submit(page, first.path, {})).status).toBe(303);
    const second = await pathOf();
    const form = await owner.get(second.path);
    expect(form.text).toContain('Refund it');
    expect((await owner.submit(form, second.path, { payments: 'refund' })).status).toBe(303);
    expect([await statusOf(first.id), await statusOf(second.id)]).toEqual(['cancelled', 'cancelled']);
  });

  test('the list shows the exact total at any offset, with the filters of the API', async () => {
    const own = await newDashboardAccount(stack);
    for (let count = 0; count < 21; count++) await newInvoice({ customerId: `c-${count % 2}` }, own);
    const first = await owner.get(own.path('/invoices'));
    expect(first.text).toContain('1 to 20 of 21');
    const second = await owner.get(own.path('/invoices?offset=20'));
    expect(second.text).toContain('21 to 21 of 21');
    const idsIn = (text: string) => [...text.matchAll(/\/invoices\/(inv_\w+)"/g)].map(([, id]) => id);
    const [, link = ''] = /href="([^"]*)">Oldest first/.exec(first.text) ?? [];
    const turned = await owner.get(link);
    expect(turned.text).toContain('Invoices, oldest first');
    expect(idsIn(turned.text)).toEqual([...idsIn(first.text), ...idsIn(second.text)].reverse().slice(0, 20));
    const filtered = await owner.get(own.path('/invoices?customerId=c-1&status=pending'));
    expect(filtered.text).toContain('1 to 10 of 10');
    const wrong = await owner.get(own.path('/invoices?status=nothing'));
    expect([wrong.status, wrong.text.includes('id="status-error"')]).toEqual([200, true]);
  });

  test.each([
    ['/invoices?createdFrom=2026-02-02&createdTo=2026-01-01', 'Created to must not be before Created from.'],
    ['/payments?createdFrom=yesterday', 'Created from must be a valid date, such as 2026-03-31'],
    ['/refunds?status=lost', 'Status must be one of pending, processed, failed.'],
    [
      '/invoices?paymentReference=AAAA-AAAA&reference=7',
      'Payment reference must be the reference that the payment page shows',
    ],
    ['/events?type=lost', 'Type must be one of invoice.created'],
    ['/settings/audit-log?action=lost', 'Action must be one of'],
  ])('%s: the error names the fields as the page does', async (path, message) => {
    const { text } = await owner.get(account.path(path));
    expect(text).toContain(message);
    const [, wrong = ''] = /class="(?:wrong|alert)[^>]*>(.*?)<\/(?:p|div)>/s.exec(text) ?? [];
    expect(wrong).not.toMatch(/createdFrom|createdTo|paymentReference|customerId/);
  });

  test('a time is chosen like a date, and a form that changes no field changes no invoice', async () => {
    const times = ['2099-03-31T17:00:00Z', '2099-03-31T17:00:00.000Z', '2099-03-31T17:00:05.250Z'];
    for (const dueDate of times) {
      const invoice = await newInvoice({ dueDate });
      const path = `/invoices/${invoice.id}/edit`;
      const page = await owner.get(account.path(path));
      expect(page.text).toMatch(/name="dueDate" type="datetime-local" value="2099-03-31T17:00"/);
      expect((await send(owner, path, {})).status).toBe(303);
      expect((await account.test.get(`/api/invoices/${invoice.id}`)).json).toEqual(invoice);
      expect((await send(owner, path, { dueDate: '2099-04-01T08:30' })).status).toBe(303);
      expect((await account.test.get(`/api/invoices/${invoice.id}`)).json.dueDate).toBe(
        '2099-04-01T08:30:00.000Z',
      );
    }
  });
});

describe('webhooks', () => {
  test('no endpoint leads to the API or the dashboard, in the creation, a change and each attempt', async () => {
    const mailbox = receiver.mailbox();
    const { test: api } = account;
    const other = (await api.post('/api/webhooks', { url: mailbox.url, events: ['*'] })).json;
    const dashboardUrl = stack.dashboard?.url ?? '';
    const own = [stack.baseUrl, dashboardUrl].flatMap((url) => [
      `${url}/x`,
      `${url.replace('127.0.0.1', 'localhost')}/x`,
      `${url.replace('127.0.0.1', '[::1]')}/x`,
    ]);
    // The ports of the service are not the reason.
    const ports = process.env.WEBHOOK_ALLOWED_PORTS;
    process.env.WEBHOOK_ALLOWED_PORTS = [ports, ...own.map((url) => new URL(url).port)].join(',');
    const create = await formAt(owner, '/webhooks/new');
    const edit = await formAt(owner, `/webhooks/${other.id}/edit`);
    try {
      for (const url of own) {
        const answers = [
          await api.post('/api/webhooks', { url, events: ['*'] }),
          await api.patch(`/api/webhooks/${other.id}`, { url }),
          await owner.post(create.action, { ...create.initial, url, events: '*' }),
          await owner.post(edit.action, { ...edit.initial, url, events: '*' }),
        ];
        for (const { status, text } of answers) {
          expect([url, status]).toEqual([url, 400]);
          expect(text).toContain('this service itself');
        }
      }
      // As if the address had become one of the service after the creation.
      const { DASHBOARD_URL = '', OWN_HOSTS = '' } = process.env;
      setEnvironment({ DASHBOARD_URL: '', OWN_HOSTS: '' });
      const { id } = (await api.post('/api/webhooks', { url: `${dashboardUrl}/x`, events: ['*'] })).json;
      setEnvironment({ DASHBOARD_URL, OWN_HOSTS });
      expect((await api.post(`/api/webhooks/${id}/test`)).json).toMatchObject({
        succeeded: false,
        error: 'address_not_allowed',
      });
      await api.delete(`/api/webhooks/${id}`);
    } finally {
      process.env.WEBHOOK_ALLOWED_PORTS = ports;
      await api.delete(`/api/webhooks/${other.id}`);
    }
  });

  test('an endpoint for a target of the deployment is added, tested and moved to another target, without a secret', async () => {
    const { queue, fifoQueue, bus } = stack.targets;
    const fields = { events: '*', description: '' };
    const both = await send(owner, '/webhooks/new', {
      ...fields,
      target: queue.arn,
      url: 'https://a.example',
    });
    expect([both.status, both.text.includes('has no URL')]).toEqual([400, true]);
    const created = await send(owner, '/webhooks/new', { ...fields, target: queue.arn });
    expect([created.status, headingOf(created)]).toEqual([200, 'Endpoint added']);
    expect(created.text).not.toContain('whsec_');
    const [webhook] = (await inNewestVersion(account.test).get('/api/webhooks')).json.data;
    expect(webhook).toMatchObject({ type: 'sqs', target: queue.arn });
    const path = `/webhooks/${webhook.id}`;
    const page = await owner.get(account.path(path));
    expect(page.text).toContain('SQS queue');
    expect(page.text).not.toContain('rotate-secret');
    expect((await send(owner, path, {}, `/webhook-sends/${webhook.id}/test`)).text).toContain('HTTP 200');
    const edit = await owner.get(account.path(`${path}/edit`));
    expect([edit.text.includes(fifoQueue.arn), edit.text.includes(bus)]).toEqual([true, false]);
    expect((await send(owner, `${path}/edit`, { events: '*', target: fifoQueue.arn })).status).toBe(303);
    const refused = await send(owner, `${path}/edit`, { events: '*', target: bus });
    expect([refused.status, refused.text.includes('must be the ARN of an SQS queue')]).toEqual([400, true]);
    expect((await owner.get(account.path('/webhooks'))).text).toContain(fifoQueue.arn);
    expect((await send(owner, `${path}/delete`, {})).status).toBe(303);
  });

  test('an endpoint that failed gets the event again, and a form that is sent again shows the same secret', async () => {
    const mailbox = receiver.mailbox();
    mailbox.respondWith((_, nth) => ({ status: nth === 1 ? 500 : 200, body: 'Answer <script>' }));
    const { action, initial } = await formAt(owner, '/webhooks/new');
    const fields = { ...initial, url: mailbox.url, events: '*', description: 'Main' };
    const created = await owner.post(action, fields);
    expect(created.headers['cache-control']).toBe('no-store');
    const [secret = ''] = /whsec_[A-Za-z0-9+/]{43}=/.exec(created.text) ?? [];
    expect(secret).not.toBe('');
    const { setClock } = await import('../support/clock.ts');
    setClock(() => Date.now() + 10_000);
    const again = await owner.post(action, fields);
    setClock();
    expect(again.status).toBe(200);
    expect(again.text).toContain(secret);
    const [webhook] = (await account.test.get('/api/webhooks')).json.data;
    const versionOf = async () =>
      (await account.test.get(`/api/webhooks/${webhook.id}`, { headers: { 'X-API-Version': '2026-11-23' } }))
        .json.apiVersion;
    expect([initial.apiVersion, await versionOf()]).toEqual(['2026-11-23', '2026-11-23']);
    const versionFields = { events: '*', apiVersion: '2026-11-21' };
    expect((await send(owner, `/webhooks/${webhook.id}/edit`, versionFields)).status).toBe(303);
    expect(await versionOf()).toBe('2026-11-21');
    expect((await send(owner, `/webhooks/${webhook.id}/edit`, { events: '*' })).status).toBe(303);
    expect(await versionOf()).toBe('2026-11-21');
    expect((await owner.get(account.path(`/webhooks/${webhook.id}`))).text).toContain('2026-11-21');
    const unknown = await owner.post(action, { ...fields, apiVersion: '2020-01-01' });
    expect([unknown.status, unknown.text]).toEqual([
      400,
      expect.stringContaining('API version must be one of'),
    ]);

    await newInvoice();
    const deliveries = `/api/webhooks/${webhook.id}/deliveries`;
    await waitUntil(
      'the first attempt',
      async () => (await account.test.get(deliveries)).json.data[0]?.attempts.length === 1,
    );
    const [delivery] = (await account.test.get(deliveries)).json.data;
    const page = await owner.get(account.path(`/webhooks/${webhook.id}/deliveries/${delivery.id}`));
    expect(page.text).toContain('HTTP 500');
    expect(page.text).toContain('Answer &lt;script&gt;');
    const link = `/webhooks/${webhook.id}/deliveries/${delivery.id}`;
    const sent = await send(owner, link, {}, `/webhook-sends${link.slice('/webhooks'.length)}`);
    expect(sent.status).toBe(303);
    expect((await account.test.get(deliveries)).json.data[0]).toMatchObject({ status: 'succeeded' });
    const tested = await send(owner, `/webhooks/${webhook.id}`, {}, `/webhook-sends/${webhook.id}/test`);
    expect(tested.text).toContain('accepted the test event');
    const rotated = await send(owner, `/webhooks/${webhook.id}/rotate-secret`, { overlapHours: '1' });
    expect(rotated.text).toContain('whsec_');
    expect((await owner.get(account.path(`/webhooks/${webhook.id}/recover`))).text).toMatch(
      /name="since" type="datetime-local" value="[\d-]{10}T\d\d:\d\d"/,
    );
    const late = { since: '2020-01-01T00:00' };
    expect((await send(owner, `/webhooks/${webhook.id}/recover`, late)).status).toBe(303);
    const edit = { url: mailbox.url, events: 'invoice.paid', description: '', status: 'disabled' };
    expect((await send(owner, `/webhooks/${webhook.id}/edit`, edit)).status).toBe(303);
    expect((await account.test.get(`/api/webhooks/${webhook.id}`)).json).toMatchObject({
      status: 'disabled',
      events: ['invoice.paid'],
      description: null,
    });
    expect((await send(owner, `/webhooks/${webhook.id}/delete`, {})).status).toBe(303);
    expect((await account.test.get('/api/webhooks')).json.pagination.total).toBe(0);
  });
});

test('the target and the secret of a live endpoint need a sign-in that is younger than ten minutes', async () => {
  const fields = { url: 'https://example.com/hook', events: ['invoice.paid'] };
  const [live, test] = [
    (await account.live.post('/api/webhooks', fields)).json,
    (await account.test.post('/api/webhooks', fields)).json,
  ];
  const late = await signedIn(stack, 'developer', 11 * 60_000);
  const { csrf = '' } = formsOf(await late.get(account.path('/webhooks')))[0]?.initial ?? {};
  const sent = {
    csrf,
    attempt: 'a'.repeat(26),
    url: 'https://example.org/other',
    events: '*',
    description: '',
    apiVersion: '2026-11-21',
    status: 'enabled',
    seen: String(Date.parse(live.updatedAt)),
    overlapHours: '0',
  };
  for (const path of ['/webhooks/new', `/webhooks/${live.id}/edit`, `/webhooks/${live.id}/rotate-secret`]) {
    const link = account.path(path, 'live');
    for (const answer of [await late.get(link), await late.post(link, sent)]) {
      expect([path, answer.status, headingOf(answer)]).toEqual([path, 403, 'Sign in again to continue']);
      expect(answer.text).not.toContain('whsec_');
    }
    const inTest = account.path(path.replace(live.id, test.id));
    expect([path, (await late.get(inTest)).status]).toEqual([path, 200]);
  }
  expect((await account.live.get('/api/webhooks')).json.data).toEqual([expect.objectContaining(fields)]);
  const recent = await signedIn(stack, 'developer');
  const rotate = account.path(`/webhooks/${live.id}/rotate-secret`, 'live');
  const rotated = await recent.submit(await recent.get(rotate), rotate, { overlapHours: '1' });
  expect(rotated.text).toContain('whsec_');
  for (const [api, { id }] of [
    [account.live, live],
    [account.test, test],
  ] as const)
    await api.delete(`/api/webhooks/${id}`);
});

describe('downloads', () => {
  test('have all rows of the filters, for a spreadsheet, in the time zone of the account', async () => {
    const own = await newDashboardAccount(stack);
    const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
    await changeSeller(own.accountId, { legalName: 'Druk Crafts', address: { country: 'BT' } });
    const fields = { customerId: 'a', currency: 'BTN', dueDate: '2030-01-31', description: '=1+1' };
    const [first] = [await newInvoice(fields, own), await newInvoice({ customerId: 'b' }, own)];
    const numberOf = async () =>
      (await own.test.get(`/api/invoices/${first.id}/documents`)).json.data[0]?.number;
    const number = await waitUntil('the number', numberOf);
    const file = await owner.get(own.path('/downloads/invoices.csv?customerId=a&status=pending'));
    expect([file.status, file.headers['content-type'], file.headers['content-disposition']]).toEqual([
      200,
      'text/csv; charset=utf-8; header=present',
      expect.stringMatching(/^attachment; filename="invoices-test-\d{4}-\d\d-\d\d\.csv"$/),
    ]);
    const [header = '', row = '', ...rest] = file.text.replace(/^\uFEFF/, '').split('\n');
    expect([file.bytes.subarray(0, 3).toString('hex'), rest]).toEqual(['efbbbf', ['']]);
    const cells = Object.fromEntries(header.split(',').map((name, index) => [name, row.split(',')[index]]));
    expect(cells).toMatchObject({
      id: first.id,
      number,
      amount: '25.00',
      currency: 'BTN',
      customerId: 'a',
      customerName: 'a',
      description: "'=1+1",
      dueDate: '2030-01-31T23:59:59+00:00',
      createdAt: expect.stringMatching(/\+06:00$/),
    });
    await own.test.post('/api/payments', { invoiceId: first.id, method: 'offline' });
    const list = await owner.get(own.path('/payments?currency=BTN'));
    const link = /href="([^"]*downloads[^"]*)"/.exec(list.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(link).toBe(own.path('/downloads/payments.csv?currency=BTN'));
    expect((await owner.get(link)).text).toContain(`,${first.id},`);
    const before = await owner.get(own.path('/downloads/payments.csv?currency=USD'));
    expect([before.status, before.text]).toEqual([400, expect.stringContaining('nothing to download')]);
    const wrong = await owner.get(own.path('/downloads/invoices.csv?createdFrom=yesterday'));
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('Created from must be')]);
    const bookkeeper = await signedIn(stack, 'bookkeeper');
    expect((await bookkeeper.get(own.path('/downloads/payments.csv'))).text).toContain(first.id);
    const viewer = await signedIn(stack, 'viewer');
    expect((await viewer.get(own.path('/downloads/payments.csv'))).status).toBe(403);
    expect((await viewer.get(own.path('/payments'))).text).not.toContain('/downloads/');
    expect((await owner.get(`/acct_unknown0000000000/test/downloads/payments.csv`)).status).toBe(404);
  });
});

describe('the time zone of the account', () => {
  const zone = 'Asia/Thimphu';
  let own: DashboardAccount;
  const page = async (path: string) => (await owner.get(own.path(path))).text;

  beforeAll(async () => {
    own = await newDashboardAccount(stack);
    const { updateSettings } = await import('../../shared/domain/accounts/settings-store.ts');
    await updateSettings(own.accountId, { timeZone: zone });
  });

  // Costs one invoice and seven pages.
  test('is that of columns, filters and forms, with UTC on hover', async () => {
    const [form] = formsOf(await owner.get(own.path('/invoices/new'))).filter(({ action }) =>
      action.endsWith('/invoices/new'),
    );
    const fields = { customerId: 'c-zone', amount: '20', description: 'Tea', dueDate: '2027-01-31' };
    await owner.post(form?.action ?? '', { ...form?.initial, ...fields });
    const [invoice] = (await invoices(own)).data;
    expect(invoice.dueDate).toBe('2027-01-31T17:59:59.999Z');
    const shown = (options: Intl.DateTimeFormatOptions, at = Date.parse(invoice.createdAt)) =>
      new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone }).format(at);
    const list = await page('/invoices');
    expect(list).toContain(
      `title="${invoice.createdAt}">${shown({ dateStyle: 'medium', timeStyle: 'short' })}</time>`,
    );
    expect(list).toContain('title="2027-01-31T17:59:59.999Z">31 Jan 2027</time>');
    expect(list).toContain(`Times are those of ${zone}.`);
    const detail = await page(`/invoices/${invoice.id}`);
    expect(detail).toContain('>31 January 2027</time>');
    expect(detail).toContain('GMT+6</time>');
    expect(await page(`/invoices/${invoice.id}/edit`)).toContain('type="date" value="2027-01-31"');
    const dayMs = 24 * 60 * 60 * 1000;
    const day = (at: number) =>
      new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(at);
    const created = Date.parse(invoice.createdAt);
    const today = day(created);
    expect(await page(`/invoices?createdFrom=${today}&createdTo=${today}`)).toContain(invoice.id);
    expect(await page(`/invoices?createdTo=${day(created - dayMs)}`)).not.toContain(invoice.id);
    expect(await page(`/invoices?createdFrom=${day(created + dayMs)}`)).not.toContain(invoice.id);
  });
});

describe('the account', () => {
  test('settings are saved, and the second of two users is asked to look again', async () => {
    const path = '/settings/account/edit';
    const [one, two] = [await formAt(owner, path), await formAt(owner, path)];
    const fields = {
      name: 'Druk Shop',
      displayName: 'Druk',
      contact: 'shop@druk.example',
      address: 'Norzin Lam 7\r\nThimphu',
      timeZone: 'Asia/Thimphu',
      paymentInstructions: 'Bank\r\nline 2',
      paymentInstructionsBtn: '',
      paymentInstructionsUsd: 'Wire\r\nSWIFT: BHUBBTBT',
      paymentInstructionsInr: '',
      paymentQr: '',
      paymentQrAmount: 'off',
      upiId: 'druk@okbank',
      payLinkDays: '30',
      mailInvoice: 'on',
      mailReceipt: 'off',
      mailRefund: 'on',
      mailFailure: 'off',
      mailReminders: '14, -3,+0',
      mailReminderHour: '8',
      mailDaysOff: 'Sunday, saturday',
      mailNotices: 'payout, key',
      mailNoticesTo: '',
      mailName: 'Druk Shop billing',
      mailReplyTo: 'billing@druk.example',
      mailLocale: 'dz',
    };
    expect((await owner.post(one.action, { ...one.initial, ...fields })).status).toBe(303);
    expect((await owner.post(two.action, { ...two.initial, ...fields })).status).toBe(303);
    const late = await owner.post(two.action, { ...two.initial, ...fields, name: 'Other' });
    expect(late.status).toBe(409);
    const { readAccount } = await import('../../shared/domain/accounts/account-store.ts');
    expect(await readAccount(account.accountId)).toMatchObject({
      name: 'Druk Shop',
      displayName: 'Druk',
      contact: 'shop@druk.example',
      address: 'Norzin Lam 7\nThimphu',
      timeZone: 'Asia/Thimphu',
      paymentInstructions: 'Bank\nline 2',
      paymentInstructionsBtn: undefined,
      paymentInstructionsUsd: 'Wire\nSWIFT: BHUBBTBT',
      paymentQr: undefined,
      paymentQrAmount: undefined,
      upiId: 'druk@okbank',
      payLinkDays: 30,
      mailInvoice: true,
      mailReceipt: undefined,
      mailRefund: true,
      mailFailure: undefined,
      mailReminders: '-3, 0, 14',
      mailReminderHour: 8,
      mailDaysOff: 'sunday, saturday',
      mailNotices: 'key, payout',
      mailNoticesTo: undefined,
      mailName: 'Druk Shop billing',
      mailReplyTo: 'billing@druk.example',
      mailLocale: 'dz',
    });
    const mail = { mailReplyTo: 'x', mailLocale: 'x', mailNotices: 'all', mailNoticesTo: 'x' };
    const wrongMail = await send(owner, path, { ...fields, ...mail });
    expect(wrongMail.text).toContain('id="mailNotices-error"');
    expect(wrongMail.text).toContain('id="mailNoticesTo-error"');
    expect(wrongMail.text).toContain('id="mailReplyTo-error"');
    expect(wrongMail.text).toContain('id="mailLocale-error"');
    const wrong = await send(owner, path, { ...fields, name: '', payLinkDays: 'x', timeZone: 'x' });
    expect(wrong.text).toContain('id="name-error"');
    expect(wrong.text).toContain('id="payLinkDays-error"');
    expect(wrong.text).toContain('id="timeZone-error"');
    const filled = await send(owner, path, { ...fields, paymentQr: 'bob:1', paymentQrAmount: 'on' });
    expect(filled.text).toContain('At character 1, a tag and a length of two digits each are expected.');
  });
});

describe('the preview of mails', () => {
  const path = '/mails/preview';

  test('shows each kind with the newest invoice, in a frame that runs and loads nothing', async () => {
    const own = await newDashboardAccount(stack);
    const empty = await owner.get(own.path(path));
    expect(empty.text).toContain('Handwoven scarf');
    const description = 'Tea & <script>alert(1)</script>';
    await newInvoice({ description, amount: 4_200 }, own);
    const links = [...empty.text.matchAll(/href="([^"]*\?kind=[^"]*)"/g)].map(([, link = '']) => link);
    expect(links).toHaveLength(17);
    for (const link of links) {
      const page = await owner.get(link);
      expect([link, page.status]).toEqual([link, 200]);
      expect(page.headers['x-frame-options']).toBe('DENY');
      const source = /<iframe [^>]*src="([^"]*)"/.exec(page.text)?.[1] ?? '';
      const frame = await owner.get(source);
      expect([source, frame.status]).toEqual([source, 200]);
      expect(frame.headers['x-frame-options']).toBe('SAMEORIGIN');
      expect(frame.headers['content-security-policy']).toMatch(/default-src 'none';.*sandbox/);
      expect(frame.text).not.toContain('<script');
    }
    const invoice = await owner.get(own.path(`${path}?kind=invoice`));
    expect(invoice.text).toContain('$42.00');
    expect(invoice.text).toContain('Tea &amp; &lt;script&gt;');
    const viewer = await signedIn(stack, 'viewer');
    expect((await viewer.get(own.path(path))).status).toBe(200);
  });

  test('shows a document with a number of its own series', async () => {
    const own = await newDashboardAccount(stack);
    const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
    const series = { creditNote: { prefix: 'CRED-', digits: 3 } };
    await changeSeller(own.accountId, {
      ...{ legalName: 'Zhim Crafts', address: { line1: 'Norzin Lam', country: 'BT' }, series },
    });
    const subjectOf = async (kind: string) => (await owner.get(own.path(`${path}?kind=${kind}`))).text;
    expect(await subjectOf('credit_note')).toContain('Credit note CRED-001 from Zhim Crafts');
    expect(await subjectOf('receipt')).toContain('RCP-0001');
    expect(await subjectOf('invoice')).toContain('INV-0001');
    await newInvoice({}, own);
    expect(await subjectOf('credit_note')).toContain('Credit note CRED-001 from Zhim Crafts');
  });
});

describe('the preview of the payment page', () => {
  test('shows the instructions of each currency in each language, in a frame that runs and loads nothing', async () => {
    const own = await newDashboardAccount(stack);
    const { updateSettings } = await import('../../shared/domain/accounts/settings-store.ts');
    await updateSettings(own.accountId, {
      displayName: 'Druk <Shop>',
      paymentInstructions: 'Bank: General',
      paymentInstructionsUsd: 'Wire: <script>alert(1)</script>',
    });
    const settings = await owner.get(own.path('/settings/account'));
    for (const currency of ['BTN', 'USD', 'INR'])
      expect(settings.text).toContain(`href="${own.path(`/payment-page/${currency}`)}"`);
    const page = await owner.get(own.path('/payment-page/USD?lang=hi'));
    const source = /<iframe [^>]*src="([^"]*)"/.exec(page.text)?.[1] ?? '';
    const frame = await owner.get(source);
    expect(frame.headers['content-security-policy']).toMatch(/default-src 'none';.*sandbox/);
    expect(frame.text).toContain('lang="hi"');
    expect(frame.text).toContain('Preview with a sample invoice.');
    expect(frame.text).toContain('Druk &lt;Shop&gt;');
    expect(frame.text).toContain('&lt;script&gt;');
    expect(frame.text).not.toContain('<script');
    expect(frame.text).not.toContain('General');
    expect((await owner.get(own.path('/payment-page/BTN/frame'))).text).toContain('General');
    expect((await owner.get(own.path('/payment-page/EUR'))).status).toBe(404);
  });
});

describe('the seller profile', () => {
  const path = '/settings/invoices/edit';
  const fields = {
    legalName: 'Tea House',
    line1: 'MG Road 1',
    line2: '',
    city: 'Bengaluru',
    state: '',
    postalCode: '560001',
    country: 'in',
    taxIds: 'in_gstin:29AAGCB7383J1Z4',
    timeZone: '',
    fiscalYearStart: '',
    invoicePrefix: 'TH/{year}/',
    invoiceDigits: '4',
    invoiceRestart: 'yearly',
    invoiceNext: '41',
    creditNotePrefix: 'TC/{year}/',
    creditNoteDigits: '4',
    creditNoteRestart: 'yearly',
    creditNoteNext: '',
    receiptPrefix: 'TR/{year}/',
    receiptDigits: '5',
    receiptRestart: 'yearly',
    receiptNext: '',
    paymentDays: '14',
    acceptPartial: 'yes',
    writeOffPercent: '10',
    defaultTax: 'in_gst_18',
    taxes: 'own_hotel 3 2026-01-01 Hotel levy\r\n',
    terms: 'Pay soon.\r\nThanks.',
    footer: '',
    signatory: 'Asha',
    color: '',
  };

  test('decides the time zone, which the form of the account shows and does not change', async () => {
    const own = await newDashboardAccount(stack);
    const settings = own.path('/settings/account/edit');
    const formOf = async () =>
      formsOf(await owner.get(settings)).find(({ action }) => action.endsWith('/settings/account/edit'));
    const stale = await formOf();
    if (!stale) throw new Error('The page has no form.');
    const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
    await changeSeller(own.accountId, { legalName: 'Tea House', address: { country: 'IN' } });
    const choices = { paymentQrAmount: 'off', mailInvoice: 'off', mailReceipt: 'off', mailLocale: 'en' };
    const post = (fields: object) => owner.post(stale.action, { ...choices, ...fields });
    expect((await post({ ...stale.initial, name: 'Tea' })).text).toContain('id="timeZone-error"');
    const form = await formOf();
    expect((await owner.get(settings)).text).toContain('value="Asia/Kolkata" autocomplete="off" readonly');
    expect((await post({ ...form?.initial, timeZone: 'Asia/Thimphu' })).text).toContain(
      'id="timeZone-error"',
    );
    expect((await post({ ...form?.initial, name: 'Tea' })).status).toBe(303);
    const { readAccount } = await import('../../shared/domain/accounts/account-store.ts');
    expect(await readAccount(own.accountId)).toMatchObject({ name: 'Tea', timeZone: 'Asia/Kolkata' });
  });

  test('is set in one form, and the second of two users is asked to look again', async () => {
    const own = await newDashboardAccount(stack);
    const formOf = async () => {
      const form = formsOf(await owner.get(own.path(path))).find(({ action }) => action.endsWith(path));
      if (!form) throw new Error('The page has no form.');
      return form;
    };
    expect((await owner.get(own.path('/settings/invoices'))).text).toContain('You have not set');
    const [one, two] = [await formOf(), await formOf()];
    expect((await owner.post(one.action, { ...one.initial, ...fields })).status).toBe(303);
    expect((await owner.post(two.action, { ...two.initial, ...fields })).status).toBe(303);
    const late = await owner.post(two.action, { ...two.initial, ...fields, signatory: 'Ravi' });
    expect([late.status, late.text]).toEqual([
      409,
      expect.stringContaining('Another user changed the profile'),
    ]);
    expect((await own.test.get('/api/account')).json.seller).toEqual({
      legalName: 'Tea House',
      address: {
        line1: 'MG Road 1',
        line2: null,
        city: 'Bengaluru',
        state: 'Karnataka',
        postalCode: '560001',
        country: 'IN',
      },
      taxIds: [{ type: 'in_gstin', value: '29AAGCB7383J1Z4' }],
      timeZone: 'Asia/Kolkata',
      fiscalYearStart: 4,
      series: {
        invoice: { prefix: 'TH/{year}/', digits: 4, restart: 'yearly' },
        creditNote: { prefix: 'TC/{year}/', digits: 4, restart: 'yearly' },
        receipt: { prefix: 'TR/{year}/', digits: 5, restart: 'yearly' },
      },
      paymentDays: 14,
      acceptPartial: true,
      writeOffPercent: 10,
      defaultTax: 'in_gst_18',
      terms: 'Pay soon.\nThanks.',
      footer: null,
      signatory: 'Asha',
      color: null,
      logo: null,
      taxes: [{ code: 'own_hotel', name: 'Hotel levy', rates: [{ from: '2026-01-01', percent: '3' }] }],
    });
    const counter = await tableOf(stack).all(
      tableKeys.series({ account: own.accountId, mode: 'test' }, '', '').pk,
    );
    expect(counter).toMatchObject([{ last: 40 }]);
    const shown = await formOf();
    const again = await owner.post(shown.action, { ...shown.initial, legalName: 'Tea House Ltd' });
    expect(again.status).toBe(303);
    expect((await owner.get(own.path('/settings/invoices'))).text).toContain('Tea House Ltd');
  });

  test('has a logo, which stays if no file is chosen, and which a check box removes', async () => {
    const own = await newDashboardAccount(stack);
    const save = async (bytes: Buffer, more: Readonly<Record<string, string>> = {}) => {
      const page = await owner.get(own.path(path));
      const form = formsOf(page).find(({ action }) => action.endsWith(path));
      const { logo: _, ...initial } = form?.initial ?? {};
      const sent = { ...initial, legalName: 'Druk Crafts', country: 'BT', ...more };
      return owner.postFile(form?.action ?? '', sent, { name: 'logo', bytes });
    };
    const logoOf = async () => (await own.test.get('/api/account')).json.seller?.logo;
    const file = png();
    expect((await save(file)).status).toBe(303);
    expect(await logoOf()).toMatchObject({ type: 'image/png', width: 4, height: 2 });
    const shown = await owner.get(own.path('/settings/invoices'));
    expect(shown.text).toContain(`<img class="logo" src="data:image/png;base64,${file.toString('base64')}"`);
    expect((await save(Buffer.alloc(0), { footer: 'Thanks' })).status).toBe(303);
    expect(await logoOf()).toMatchObject({ width: 4 });
    const wrong = await save(Buffer.from('<svg/>'), { footer: 'Thank you' });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toMatch(/id="logo-error">The logo must be a PNG or a JPEG file/);
    expect(wrong.text).toContain('Thank you');
    const large = await save(Buffer.alloc(300_000, 1));
    expect(large.text).toMatch(/id="logo-error">The logo is larger than 200 KB/);
    expect((await save(Buffer.alloc(0), { removeLogo: 'yes' })).status).toBe(303);
    expect(await logoOf()).toBeNull();
  });

  test('has errors beside its fields, in the words of the form', async () => {
    const wrong = {
      ...fields,
      legalName: '',
      country: 'x',
      invoicePrefix: 'INV1',
      creditNoteDigits: 'x',
      fiscalYearStart: '13',
      color: 'red',
      taxes: 'hotel 3 2026-01-01 Hotel levy',
    };
    const page = await send(owner, path, wrong);
    expect(page.status).toBe(400);
    for (const [name, message] of [
      ['legalName', 'Legal name must be text of 1 to 200 characters'],
      ['country', 'Country must be the code of a country'],
      ['invoicePrefix', 'must not end with a digit'],
      ['creditNoteDigits', 'must be an integer from 1 to 10'],
      ['fiscalYearStart', 'First month of the fiscal year must be the number of a month'],
      ['taxes', 'The code of a tax must be own_'],
      ['color', 'Color must be # and six hexadecimal digits'],
    ])
      expect(page.text).toMatch(new RegExp(`id="${name}-error">[^<]*${message}`));
    const other = await send(owner, path, { ...fields, state: 'Goa' });
    expect(other.text).toMatch(/id="taxIds-error">The GSTIN begins with 29, the code of Karnataka/);
    const long = await send(owner, path, { ...fields, creditNotePrefix: 'ABCDEFGHIJ/{year}/' });
    expect(long.text).toMatch(/id="creditNotePrefix-error">The numbers of the series would have/);
  });
});

describe('every page', () => {
  /** The longest texts that the API accepts, with markup, quotes and a change of direction. */
  const hostile = (length: number) =>
    `<script>alert(1)</script>"'&\u202e${'ü<'.repeat(length)}`.slice(0, length);

  test('escapes every text of a client, stays below 42 KB or 55 KB, and takes three calls besides the session', async () => {
    const own = await newDashboardAccount(stack);
    const mailbox = receiver.mailbox();
    mailbox.respondWith(() => ({ status: 500, body: hostile(1024) }));
    const webhook = (
      await own.test.post('/api/webhooks', { url: mailbox.url, events: ['*'], description: hostile(255) })
    ).json;
    const made: { readonly id: string }[] = [];
    for (let count = 0; count < 20; count++)
      made.push(
        await newInvoice(
          { description: hostile(5000), customerId: `"<x>'&@${'a'.repeat(60)}.com`.replace(/["<>]/g, '!') },
          own,
        ),
      );
    const [invoice = { id: '' }, second = { id: '' }] = made;
    const payment = (
      await own.test.post('/api/payments', {
        invoiceId: invoice.id,
        method: 'offline',
        reference: hostile(255),
      })
    ).json;
    await own.test.post('/api/refunds', { paymentId: payment.id, amount: 1, reason: hostile(500) });
    const claimed = hostile(100).replace('\u202e', '');
    const { paymentUrl } = (await own.test.get(`/api/invoices/${second.id}`)).json;
    await claimOnPage({ paymentUrl }, { bank: claimed, reference: claimed });
    const { updateSettings } = await import('../../shared/domain/accounts/settings-store.ts');
    await updateSettings(own.accountId, {
      name: '<script>alert(1)</script>"',
      paymentInstructions: '<script>'.repeat(200),
    });
    const deliveries = `/api/webhooks/${webhook.id}/deliveries`;
    await waitUntil(
      'an attempt',
      async () => (await own.test.get(deliveries)).json.data[0]?.attempts.length > 0,
    );
    const delivery = (await own.test.get(deliveries)).json.data[0];
    const event = (await own.test.get('/api/events')).json.data[0];
    const paths = [
      '',
      '/invoices',
      '/invoices/new',
      ...['', '/edit', '/replace', '/cancel', '/payment'].map((page) => `/invoices/${second.id}${page}`),
      `/invoices/${invoice.id}`,
      '/payments',
      `/payments/${payment.id}`,
      `/payments/${payment.id}/refund`,
      '/refunds',
      '/webhooks',
      '/webhooks/new',
      ...['', '/edit', '/delete', '/rotate-secret', '/recover'].map(
        (page) => `/webhooks/${webhook.id}${page}`,
      ),
      `/webhooks/${webhook.id}/deliveries/${delivery.id}`,
      '/events',
      '/events?type=invoice.created',
      `/events/${event.id}`,
      '/settings',
      '/settings/account',
      '/settings/account/edit',
      '/settings/invoices',
      '/settings/invoices/edit',
    ];
    // A list reads a record again that is ahead of its page of the index.
    const relayed = async () => (await tableOf(stack).outboxOf(`${own.accountId}#test`)).length === 0;
    await waitUntil('the relay of all changes', relayed);
    const problems: string[] = [];
    for (const path of paths) {
      const page: VisitedPage = await owner.get(own.path(path));
      const calls = log.lineOf(page).dynamodbCallsInSequence;
      const scripts = page.text.replace(/<script defer src="[^"]*\/script\.js"><\/script>/g, '');
      if (page.status !== 200) problems.push(`${path}: status ${page.status}`);
      // The forms of invoices list the countries, which take 12 KB.
      const maxBytes = /^\/invoices\/.*(new|edit|replace)$/.test(path) ? 55_000 : 42_000;
      if (page.bytes.length > maxBytes) problems.push(`${path}: ${page.bytes.length} bytes`);
      if (!(calls <= sessionCalls + 3)) problems.push(`${path}: ${calls} calls in sequence`);
      if (/<script/i.test(scripts)) problems.push(`${path}: a script`);
    }
    expect(problems).toEqual([]);
  });

  /** The session, and then the membership. */
  const sessionCalls = 2;

  test('of an id of another account is the same as of an absent id', async () => {
    const own = await newDashboardAccount(stack);
    const { id } = await newInvoice({}, own);
    const absent = `inv_${'0'.repeat(26)}`;
    const textOf = async (path: string) => {
      const { status, text } = await owner.get(account.path(path));
      return [status, text];
    };
    expect(await textOf(`/invoices/${id}`)).toEqual(await textOf(`/invoices/${absent}`));
    expect((await textOf(`/invoices/${id}`))[0]).toBe(404);
    const form = await formAt(owner, '/invoices/new');
    const foreign = await owner.post(account.path(`/invoices/${id}/cancel`), form.initial);
    expect([foreign.status, headingOf(foreign)]).toEqual([404, 'Page not found']);
    expect((await own.test.get(`/api/invoices/${id}`)).json.status).toBe('pending');
  });

  test('a viewer sees records, and no form changes them', async () => {
    const viewer = await signedIn(stack, 'viewer');
    const { id } = await newInvoice();
    const page = await viewer.get(account.path(`/invoices/${id}`));
    expect(page.text).not.toContain(`/invoices/${id}/cancel`);
    const csrf = /name="csrf" value="([^"]*)"/.exec(page.text)?.[1] ?? '';
    const raw = await viewer.post(account.path(`/invoices/${id}/cancel`), { csrf, attempt: 'a'.repeat(26) });
    expect(raw.status).toBe(403);
    expect((await account.test.get(`/api/invoices/${id}`)).json.status).toBe('pending');
  });
});
