/** Runs the dashboard's pages and actions of records through all of their table actions, for the test of the grants. */
import { expect } from '@jest/globals';
import { type Mailbox, startMailboxReceiver } from '../api/webhooks/receiver.ts';
import { formsOf } from '../support/dashboard-visitor.ts';
import type { HttpResponse } from '../support/http.ts';
import { png } from '../support/pictures.ts';
import type { CrashCondition } from './observed-calls.ts';
import { missingIds } from './search-calls.ts';

/** What a function of the dashboard answers. */
interface RecordAnswer {
  readonly status: number;
  readonly location: string;
  readonly text: string;
}

export interface RecordDriver {
  /** Opens a page of the account in test mode. */
  readonly get: (path: string) => Promise<RecordAnswer>;
  readonly getLive: (path: string) => Promise<RecordAnswer>;
  readonly post: (
    path: string,
    form: Record<string, string>,
    crash?: CrashCondition,
  ) => Promise<RecordAnswer>;
  /** Relays all outbox items. */
  readonly relayAll: () => Promise<void>;
  /** Deletes the item of an invoice, a payment or a refund. */
  readonly deleteRecord: (id: string) => Promise<unknown>;
  /** Stores that the deliveries to an endpoint fail. */
  readonly putHealth: (webhook: string) => Promise<unknown>;
  /** Pays an invoice on the page of a provider. The service does not know the outcome yet. */
  readonly payInvoice: (id: string) => Promise<void>;
  /** Opens the page of a provider for an invoice, and does not pay there. */
  readonly beginPaying: (id: string) => Promise<unknown>;
  /** Carries out a refund. */
  readonly processRefund: (id: string) => Promise<void>;
  /** Stores that the mail of an invoice bounced. Returns the id of the mail. */
  readonly bounceMail: (invoice: string) => Promise<string>;
  /** Makes the files of an export. */
  readonly completeExport: (id: string) => Promise<void>;
  /** Lets a row of a bank statement pay 1.00 of an invoice. Returns the id of the payment. */
  readonly payFromRow: (invoice: string) => Promise<string>;
  /** Claims to have paid 1.00 of an invoice. Returns the id of the claim. */
  readonly claimPart: (invoice: string) => Promise<string>;
}

/** Shows all pages, and carries out all actions: each one that takes effect, and those that are refused. */
export async function driveRecords(driver: RecordDriver): Promise<void> {
  const receiver = await startMailboxReceiver();
  try {
    const mailbox = receiver.mailbox();
    const { webhook, invoice } = await changeRecords(driver, mailbox.url);
    await changeCustomers(driver);
    await changeProducts(driver);
    await changeDrafts(driver);
    await driveExportPages(driver);
    await changeSchedules(driver);
    await driveBankStatements(driver);
    await steerWebhook(driver, webhook, mailbox);
    const payment = /\/payments\/(pay_\w+)/.exec((await driver.get(`/invoices/${invoice}`)).text)?.[1];
    const event = /\/events\/(evt_\w+)/.exec((await driver.get('/events')).text)?.[1];
    const lists = [
      '',
      '/invoices',
      '/drafts',
      '/invoices?reference=A-1',
      '/customers',
      '/customers?email=a%40example.com',
      '/products',
      '/payments',
      '/payments?invoiceId=INV-1',
      '/refunds',
      '/downloads/invoices.csv',
      '/downloads/invoices.csv?reference=A-1',
      `/downloads/invoices.csv?of=selected&id=${invoice}`,
      '/downloads/payments.csv',
      '/downloads/refunds.csv',
      '/customers?name=dorji',
      '/downloads/customers.csv',
      '/downloads/customers.csv?name=dorji',
      '/webhooks',
      '/events',
      '/settings/account',
      '/settings/invoices',
      '/settings/audit-log',
      '/search?q=Dorji',
      ...missingIds.map((id) => `/search?q=${id}`),
      '/days?currency=USD',
      '/mails/preview',
      '/mails/preview/frame?kind=receipt',
      '/payment-page/BTN',
      '/payment-page/BTN/frame',
    ];
    const statement = /\/bank-statements\/st_\w{26}/.exec((await driver.get('/bank-statements')).text)?.[0];
    const row = /row_\w{26}/.exec((await driver.get(statement ?? '')).text)?.[0];
    const refund = `ref_${'0'.repeat(26)}`;
    const searched = [event, row, invoice, payment, refund].map((id) => `/search?q=${id}`);
    const pages = [...lists, ...searched, `/payments/${payment}`, `/events/${event}`, '/events?before=evt_0'];
    for (const path of pages) expect([path, (await driver.get(path)).status]).toEqual([path, 200]);
    expect((await driver.getLive(`/invoices/${invoice}`)).status).toBe(404);
    expect((await driver.getLive('/settings')).text).toContain('Payers cannot pay live invoices');
    // A list reads a record again that its index contains and that does not exist.
    await driver.deleteRecord(/ref_[0-9a-z]{26}/.exec((await driver.get('/refunds')).text)?.[0] ?? '');
    expect((await driver.get('/refunds')).status).toBe(200);
    const before = `/events?before=${event}`;
    expect((await driver.get(before)).status).toBe(200);
    await submit(driver, `/webhooks/${webhook}/delete`, {}, 303);
  } finally {
    await receiver.close();
  }
}

const invoiceFields = {
  customerId: 'cust_1',
  amount: '10',
  currency: 'USD',
  description: 'Design',
  dueDate: '',
};

/** Voids one of two payments of a paid invoice, which another one replaces. */
async function voidOfPaid(driver: RecordDriver): Promise<void> {
  const fields = { ...invoiceFields, reference: 'Void 1', acceptPartial: 'yes' };
  const { location } = await submit(driver, '/invoices/new', fields, 303);
  const [invoice] = /\/invoices\/inv_\w+/.exec(location) ?? [];
  for (const amount of ['4', '6']) await submit(driver, `${invoice}/payment`, { amount }, 303);
  const [payment] = /\/payments\/pay_\w+/.exec((await driver.get(`${invoice}`)).text) ?? [];
  expect((await driver.get(`${payment}/void`)).text).toContain('Another invoice with the same content');
  await submit(driver, `${payment}/void`, { reason: 'Typed twice' }, 303);
  expect((await driver.get(`${invoice}`)).text).toContain('Credited');
}

/** Keeps a payment as credit, which pays another invoice, and goes back with its cancellation. */
async function useCredit(driver: RecordDriver): Promise<void> {
  const fields = { ...invoiceFields, customerId: 'credit', acceptPartial: 'yes' };
  const create = async () =>
    /\/invoices\/inv_\w+/.exec((await submit(driver, '/invoices/new', fields, 303)).location)?.[0] ?? '';
  const [kept, other] = [await create(), await create()];
  await submit(driver, `${kept}/payment`, { amount: '4' }, 303);
  expect((await driver.get(`${kept}/cancel`)).text).toContain('Keep it as credit');
  await submit(driver, `${kept}/cancel`, { payments: 'credit' }, 303);
  // Another invoice takes the credit after a new one has found it.
  let isTaken = false;
  const takeCredit: CrashCondition = async (actions) => {
    const isCreation = actions.some(({ partition }) => partition === 'outbox');
    if (isTaken || !isCreation) return false;
    isTaken = true;
    await submit(driver, `${other}/payment`, { amount: '10', from: 'credit' }, 303);
    return false;
  };
  const target = '/invoices/new';
  await submit(driver, target, { ...fields, useCredit: 'yes' }, 303, target, takeCredit);
  await submit(driver, `${other}/payment`, { amount: '10', from: 'credit' }, 400);
  await submit(driver, `${other}/cancel`, { payments: 'refund' }, 303);
}

async function changeRecords(driver: RecordDriver, url: string) {
  const created = await submit(driver, '/webhooks/new', { url, events: '*', description: '' }, 200);
  const webhook = /\/webhooks\/(wh_\w+)/.exec(created.text)?.[1] ?? '';
  const fields = invoiceFields;
  const idOf = ({ location }: RecordAnswer) => /(inv_\w+)/.exec(location)?.[1] ?? '';
  const invoice = idOf(await submit(driver, '/invoices/new', fields, 303));
  const other = idOf(await submit(driver, '/invoices/new', { ...fields, reference: 'D-1' }, 303));
  await driver.relayAll();
  await submit(driver, `/invoices/${invoice}/edit`, {}, 303);
  await submit(
    driver,
    `/invoices/${invoice}/edit`,
    { amount: '20', description: 'More', dueDate: '2099-01-01' },
    303,
  );
  await submit(driver, `/invoices/${other}/cancel`, {}, 303);
  await submit(driver, `/invoices/${other}/cancel`, {}, 409);
  const partly = idOf(await submit(driver, '/invoices/new', fields, 303));
  const accepting = { ...fields, dueDate: '2099-01-01', acceptPartial: 'yes' };
  await submit(driver, `/invoices/${partly}/edit`, accepting, 303);
  await submit(driver, `/invoices/${partly}/payment`, { amount: '4' }, 303);
  await submit(driver, `/invoices/${partly}/payment`, { amount: '1', bank: 'Cash', reference: 'V 1' }, 303);
  const [wrong] = /\/payments\/pay_\w+/.exec((await driver.get(`/invoices/${partly}`)).text) ?? [];
  expect((await driver.get(`${wrong}/void`)).status).toBe(200);
  await submit(driver, `${wrong}/void`, { reason: '' }, 400);
  await submit(driver, `${wrong}/void`, { reason: 'Typed by mistake' }, 303);
  await voidOfPaid(driver);
  await useCredit(driver);
  const fromRow = await driver.payFromRow(partly);
  await submit(driver, `/payments/${fromRow}/void`, { reason: 'Another invoice' }, 303);
  const claims = `/invoices/${partly}/claim`;
  const rejected = { claim: await driver.claimPart(partly), reason: 'No such transfer' };
  await submit(driver, `/invoices/${partly}`, rejected, 303, `${claims}/reject`);
  const claim = await driver.claimPart(partly);
  await submit(driver, `/invoices/${partly}`, { claim }, 303, `${claims}/confirm`);
  await submit(driver, `/invoices/${partly}/cancel`, { payments: '' }, 409);
  await submit(driver, `/invoices/${partly}/cancel`, { payments: 'refund' }, 303);
  const selected = idOf(await submit(driver, '/invoices/new', fields, 303));
  for (const action of ['send', 'remind', 'cancel'])
    await submit(driver, `/invoices/selected?id=${selected}`, {}, 200, `/invoices/selected/${action}`);
  const paidMeanwhile = idOf(await submit(driver, '/invoices/new', fields, 303));
  await driver.payInvoice(paidMeanwhile);
  await submit(driver, `/invoices/${paidMeanwhile}/cancel`, {}, 409);
  await submit(driver, `/invoices/${invoice}/payment`, { reference: 'Receipt 17', bank: 'Cash' }, 303);
  await submit(driver, `/invoices/${invoice}/payment`, { amount: '20', acceptOver: '' }, 400);
  const paid = await driver.get(`/invoices/${invoice}`);
  const payment = /\/payments\/(pay_\w+)/.exec(paid.text)?.[1];
  await submit(driver, `/payments/${payment}/refund`, { amount: '30' }, 400);
  await submit(driver, `/payments/${payment}/refund`, { amount: '5' }, 303);
  await driver.relayAll();
  const name = {
    name: 'Druk Shop',
    displayName: '',
    contact: '',
    address: '',
    paymentInstructions: '',
    paymentInstructionsBtn: '',
    paymentInstructionsUsd: '',
    paymentInstructionsInr: '',
    paymentQr: '',
    paymentQrAmount: 'off',
    upiId: '',
    payLinkDays: '',
    mailInvoice: 'on',
    mailReceipt: 'off',
    mailRefund: 'off',
    mailFailure: 'off',
    mailReminders: '0, 3',
    mailReminderHour: '',
    mailDaysOff: '',
    mailNotices: 'key, payout',
    mailNoticesTo: '',
    mailName: '',
    mailReplyTo: '',
    mailLocale: 'en',
  };
  await submit(driver, '/settings/account/edit', name, 303);
  const mailed = idOf(await submit(driver, '/invoices/new', fields, 303));
  await submit(driver, `/invoices/${mailed}/send`, { to: 'dorji@example.bt', message: '' }, 303);
  const reminder = { mail: 'reminder', to: 'dorji@example.bt', message: '' };
  await submit(driver, `/invoices/${mailed}/send`, reminder, 303);
  expect((await driver.get(`/invoices/${mailed}`)).text).toContain('dorji@example.bt');
  const page = `/invoices/${mailed}`;
  await submit(driver, page, {}, 303, `${page}/reminders`);
  const mail = await driver.bounceMail(mailed);
  expect((await driver.get('/mails')).text).toContain(`/mails/${mail}/allow-address`);
  await submit(driver, page, {}, 303, `${page}/mails/${mail}/allow-address`);
  const seller = {
    legalName: 'Druk Crafts',
    country: 'BT',
    timeZone: 'Asia/Kolkata',
    invoicePrefix: 'WEB-',
    invoiceDigits: '4',
    invoiceRestart: 'never',
    invoiceNext: '7',
    creditNotePrefix: 'CN-',
    creditNoteDigits: '4',
    creditNoteRestart: 'never',
    receiptPrefix: 'RCP-',
    receiptDigits: '4',
    receiptRestart: 'never',
    // A browser sends a file, which becomes the same field.
    logo: png().toString('base64'),
  };
  await submit(driver, '/settings/invoices/edit', seller, 303);
  return { webhook, invoice };
}

async function changeProducts(driver: RecordDriver): Promise<void> {
  const fields = { name: 'Tea', description: '', unit: '', priceBTN: '5', priceUSD: '', priceINR: '' };
  const typed = { ...fields, tax: 'none', productCode: '' };
  const { location } = await submit(driver, '/products/new', typed, 303);
  const path = `/products/${/prod_\w+/.exec(location ?? '')?.[0]}`;
  await submit(driver, `${path}/edit`, typed, 303);
  const edit = { ...typed, name: 'Green tea', status: 'active', seen: '1' };
  await submit(driver, `${path}/edit`, edit, 303);
  await submit(driver, `${path}/edit`, edit, 409);
  const addProduct = path.replace('/products/', '');
  await submit(driver, '/invoices/new', { ...invoiceFields, addProduct, step: 'add' }, 200);
  await submit(driver, `${path}/delete`, {}, 303);
}

async function changeDrafts(driver: RecordDriver): Promise<void> {
  const save = async (reference: string) => {
    const fields = { ...invoiceFields, customerId: '', reference, step: 'draft' };
    const { location } = await submit(driver, '/invoices/new', fields, 303);
    return `/drafts/${/drft_\w+/.exec(location)?.[0]}`;
  };
  const [draft, deleted] = [await save('D-2'), await save('')];
  expect((await driver.get(draft)).status).toBe(200);
  await submit(driver, `${draft}/finalize`, {}, 400);
  await submit(driver, `${draft}/edit`, { step: 'add' }, 200);
  await submit(driver, `${draft}/edit`, {}, 303);
  await submit(driver, `${draft}/edit`, { customerId: 'a@example.com' }, 303);
  const { location } = await submit(driver, `${draft}/finalize`, {}, 303);
  await submit(driver, `${deleted}/delete`, {}, 303);
  await driver.relayAll();
  const invoice = await driver.get(`/invoices/${/inv_\w+/.exec(location)?.[0]}`);
  expect(invoice.text).toMatch(/WEB-\d+.*PDF/);
}

async function changeSchedules(driver: RecordDriver): Promise<void> {
  const { dueDate: _, ...invoice } = invoiceFields;
  const customer = await submit(driver, '/customers/new', { name: 'Pema', email: 'pema@example.com' }, 303);
  const [customerId = ''] = /cust_\w+/.exec(customer.location) ?? [];
  await driver.relayAll();
  const fields = { ...invoice, customerId, startOn: '2099-01-31' };
  await submit(driver, '/schedules/new', { ...fields, startOn: '2001-01-31' }, 400);
  await submit(driver, '/schedules/new', { ...fields, customerId: 'pema', step: 'find' }, 200);
  const { location } = await submit(driver, '/schedules/new', fields, 303);
  const path = `/schedules/${/sch_\w+/.exec(location)?.[0]}`;
  for (const page of ['/schedules', path, `${path}?before=2`, `${path}/edit`])
    expect([page, (await driver.get(page)).status]).toEqual([page, 200]);
  const edited = { description: 'Later', count: '3' };
  await submit(driver, `${path}/edit`, edited, 303);
  await submit(driver, `${path}/edit`, { ...edited, seen: '1' }, 409);
  const press = (action: string) => submit(driver, path, {}, 303, `${path}/${action}`);
  for (const action of ['skip', 'pause', 'resume', 'run', 'run']) await press(action);
  await submit(driver, path, { seen: '1' }, 409, `${path}/skip`);
  await submit(driver, `${path}/end`, {}, 303);
  await submit(driver, '/invoices/new', invoiceFields, 303).then(async ({ location: made }) => {
    const from = `/schedules/new?from=${/inv_\w+/.exec(made)?.[0]}`;
    expect((await driver.get(from)).status).toBe(200);
  });
  const saved = await submit(driver, '/invoices/new', { ...invoiceFields, step: 'draft' }, 303);
  const draft = /drft_\w+/.exec(saved.location)?.[0];
  expect((await driver.get(`/schedules/new?from=${draft}`)).status).toBe(200);
  await driver.relayAll();
  expect((await driver.get('/schedules')).status).toBe(200);
}

async function changeCustomers(driver: RecordDriver): Promise<void> {
  const contact = { name: 'Dorji', email: 'a@example.com' };
  const create = async () => {
    const { location } = await submit(driver, '/customers/new', contact, 303);
    return /(cust_\w+)/.exec(location)?.[1] ?? '';
  };
  const [customer, deleted] = [await create(), await create()];
  await driver.relayAll();
  const path = `/customers/${customer}`;
  await submit(driver, '/invoices/new', { ...invoiceFields, customerId: customer }, 303);
  await driver.relayAll();
  const [, event] = /\/events\/(evt_\w+)/.exec((await driver.get('/events?type=invoice.created')).text) ?? [];
  expect((await driver.get(`/events/${event}`)).text).toContain('Dorji');
  await submit(driver, `${path}/edit`, contact, 303);
  await submit(driver, `${path}/edit`, { ...contact, email: 'b@example.com' }, 303);
  await submit(driver, `/customers/${deleted}/delete`, {}, 303);
  await driver.relayAll();
  await submit(driver, '/invoices/new', { ...invoiceFields, customerId: 'dorji', step: 'find' }, 200);
  await driveStatement(driver, customer);
}

/** Creates an export, and one that another form has created meanwhile. Shows them in a list that is behind one of them. */
async function driveExportPages(driver: RecordDriver): Promise<void> {
  const form = { kind: 'customers', from: '', to: '', format: 'csv' };
  const { location } = await submit(driver, '/exports/new?kind=customers', form, 303, '/exports/new');
  const [id = ''] = /exp_\w+/.exec(location) ?? [];
  expect((await driver.get(`/exports/${id}`)).status).toBe(200);
  await driver.completeExport(id);
  expect((await driver.get(`/exports/${id}`)).text).toContain('X-Amz-Signature');
  expect((await driver.get('/exports')).text).toContain(id);
  const open = await driver.get('/exports/new?kind=customers');
  const again = {
    ...formsOf(open as unknown as HttpResponse).find(({ action }) => action.endsWith('/exports/new'))
      ?.initial,
    ...form,
  };
  for (const _ of ['first click', 'second click'])
    expect((await driver.post('/exports/new', again)).status).toBe(303);
  await driver.deleteRecord(id);
  expect((await driver.get('/exports')).text).not.toContain(id);
}

/** Shows the statement of a customer who has paid, and to whom money went back. The seller has a logo. */
async function driveStatement(driver: RecordDriver, customer: string): Promise<void> {
  const created = await submit(driver, '/invoices/new', { ...invoiceFields, customerId: customer }, 303);
  const invoice = /(inv_\w+)/.exec(created.location)?.[1] ?? '';
  await submit(driver, `/invoices/${invoice}/payment`, {}, 303);
  await driver.relayAll();
  const payment = /\/payments\/(pay_\w+)/.exec((await driver.get(`/invoices/${invoice}`)).text)?.[1];
  await submit(driver, `/payments/${payment}/refund`, { amount: '5' }, 303);
  const [refund = ''] = /ref_[0-9a-z]{26}/.exec((await driver.get(`/payments/${payment}`)).text) ?? [];
  await driver.processRefund(refund);
  await driver.relayAll();
  const statement = await driver.get(`/customers/${customer}/statement`);
  expect([statement.status, statement.text]).toEqual([200, expect.stringContaining('Refund')]);
  expect((await driver.get(`/customers/${customer}`)).status).toBe(200);
  // Records that the index contains and that do not exist are read again.
  for (const missing of ['', refund, payment ?? '', invoice]) {
    if (missing !== '') await driver.deleteRecord(missing);
    const pdf = await driver.get(`/account-statements/${customer}?currency=USD`);
    expect([missing, pdf.status]).toEqual([missing, 200]);
  }
}

/** Imports a file in two steps, lets a row pay an invoice that is named by its reference, and ignores another row. */
async function driveBankStatements(driver: RecordDriver): Promise<void> {
  const customer = await submit(driver, '/customers/new', { name: 'Pema', email: 'pema@example.com' }, 303);
  const [customerId = ''] = /cust_\w+/.exec(customer.location) ?? [];
  // No other invoice has this amount, so the rows are compared with the name of this customer.
  const fields = { ...invoiceFields, customerId, amount: '11', reference: 'BANK-1' };
  const created = await submit(driver, '/invoices/new', fields, 303);
  const invoice = /(inv_\w+)/.exec(created.location)?.[1] ?? '';
  await driver.relayAll();
  const csv =
    'Date,Reference,Amount\n31/03/2026,Row A,11.00\n31/03/2026,Row B,11.00\n31/03/2026,Row P,12.00\n31/03/2026,Row O,14.00\n';
  const path = '/bank-statements';
  const head = { bank: 'Bank', currency: 'USD', file: Buffer.from(csv).toString('base64') };
  const shown = await submit(driver, `${path}/new`, head, 200);
  const form = formsOf(shown as unknown as HttpResponse).find(({ action }) => action.endsWith('/import'));
  const imported = await driver.post(`${path}/import`, { ...form?.initial });
  expect(imported.location).toContain('statement_imported');
  expect((await driver.post(`${path}/import`, { ...form?.initial })).location).toContain('statement_known');
  const id = /(st_\w+)/.exec(imported.location)?.[1] ?? '';
  const [one = '', other = '', third = '', fourth = ''] = new Set(
    (await driver.get(`${path}/${id}`)).text.match(/row_\w+/g),
  );
  const place = `${path}/${id}/rows`;
  const named = { invoice: 'BANK-1', amount: '1' };
  await submit(driver, `${place}/${one}`, named, 400, `${place}/${one}/match`);
  await submit(driver, `${place}/${one}`, { invoice, amount: '11' }, 303, `${place}/${one}/match`);
  const less = await submit(driver, '/invoices/new', { ...invoiceFields, amount: '13' }, 303);
  const over = { invoice: /(inv_\w+)/.exec(less.location)?.[1] ?? '', amount: '14', acceptOver: 'yes' };
  await submit(driver, `${place}/${fourth}`, over, 303, `${place}/${fourth}/match`);
  const page = await driver.get(`${place}/${other}`);
  const ignore = formsOf(page as unknown as HttpResponse).find(({ action }) => action.endsWith('/ignore'));
  for (const attempt of ['a', 'b'])
    expect(
      (await driver.post(`${place}/${other}/ignore`, { ...ignore?.initial, attempt: attempt.repeat(26) }))
        .location,
    ).toContain('row_ignored');
  const recorded = await submit(driver, '/invoices/new', { ...invoiceFields, amount: '12' }, 303);
  const paid = /(inv_\w+)/.exec(recorded.location)?.[1] ?? '';
  await submit(driver, `/invoices/${paid}/payment`, { reference: 'Row P' }, 303);
  await driver.relayAll();
  await submit(driver, `${place}/${third}`, {}, 303, `${place}/${third}/payment`);
  await driveOpenCheckouts(driver);
  expect((await driver.get(path)).status).toBe(200);
}

/** Lets rows pay invoices whose payers are on the page of a provider: one has paid there already, and one has not. */
async function driveOpenCheckouts(driver: RecordDriver): Promise<void> {
  const path = '/bank-statements';
  const today = new Date().toISOString().slice(0, 10).split('-').reverse().join('/');
  const csv = `Date,Reference,Amount\n30/03/2026,Row C,10.00\n30/03/2026,Row D,10.00\n${today},Row E,-4.37\n`;
  const head = { bank: 'Bank', currency: 'USD', file: Buffer.from(csv).toString('base64') };
  const shown = await submit(driver, `${path}/new`, head, 200);
  const form = formsOf(shown as unknown as HttpResponse).find(({ action }) => action.endsWith('/import'));
  const { location } = await driver.post(`${path}/import`, { ...form?.initial });
  const id = /(st_\w+)/.exec(location)?.[1] ?? '';
  const rows = [...new Set((await driver.get(`${path}/${id}`)).text.match(/row_\w+/g))];
  for (const [index, row] of rows.slice(0, 2).entries()) {
    const created = await submit(driver, '/invoices/new', invoiceFields, 303);
    const invoice = /(inv_\w+)/.exec(created.location)?.[1] ?? '';
    const isPaid = index === 0;
    await (isPaid ? driver.payInvoice(invoice) : driver.beginPaying(invoice));
    const target = `${path}/${id}/rows/${row}`;
    await submit(driver, target, { invoice, amount: '10' }, isPaid ? 409 : 303, `${target}/match`);
  }
  // The third row has the amount of a refund.
  const charged = await submit(driver, '/invoices/new', invoiceFields, 303);
  const returned = /(inv_\w+)/.exec(charged.location)?.[1] ?? '';
  await submit(driver, `/invoices/${returned}/payment`, {}, 303);
  const payment = /\/payments\/(pay_\w+)/.exec((await driver.get(`/invoices/${returned}`)).text)?.[1];
  await submit(driver, `/payments/${payment}/refund`, { amount: '4.37' }, 303);
  const [refund = ''] = /ref_[0-9a-z]{26}/.exec((await driver.get(`/payments/${payment}`)).text) ?? [];
  await driver.processRefund(refund);
  await driver.relayAll();
  const wentOut = `${path}/${id}/rows/${rows[2]}`;
  for (const action of ['refund', 'ignore']) await submit(driver, wentOut, {}, 303, `${wentOut}/${action}`);
}

async function steerWebhook(driver: RecordDriver, webhook: string, mailbox: Mailbox): Promise<void> {
  const path = `/webhooks/${webhook}`;
  const fields = { url: mailbox.url, events: '*', description: '' };
  const log = await driver.get(path);
  const delivery = /\/deliveries\/(dlv_\w+)/.exec(log.text)?.[1];
  const sends = `/webhook-sends/${webhook}`;
  await submit(driver, `${path}/deliveries/${delivery}`, {}, 303, `${sends}/deliveries/${delivery}`);
  await driver.putHealth(webhook);
  for (const status of [200, 410]) {
    mailbox.respondWith(status);
    await submit(driver, path, {}, 200, `${sends}/test`);
  }
  await submit(driver, `${path}/edit`, { ...fields, status: 'enabled' }, 303);
  for (const target of (process.env.EVENT_TARGETS ?? '').split(',')) {
    const created = await submit(driver, '/webhooks/new', { target, events: '*' }, 200);
    const [, id = ''] = /\/webhooks\/(wh_\w+)/.exec(created.text) ?? [];
    await submit(driver, `/webhooks/${id}`, {}, 200, `/webhook-sends/${id}/test`);
    await submit(driver, `/webhooks/${id}/delete`, {}, 303);
  }
  await submit(driver, `${path}/rotate-secret`, { overlapHours: '1' }, 200);
  await submit(driver, `${path}/recover`, { since: '2020-01-01T00:00:00Z' }, 303);
  for (const status of ['disabled', 'enabled', 'enabled'])
    await submit(driver, `${path}/edit`, { ...fields, status }, 303);
}

/**
 * Sends the form of a page as a browser does.
 * @param target the path of the form's action, if it differs from the page's path
 */
async function submit(
  { get, post }: RecordDriver,
  path: string,
  fields: Record<string, string>,
  status: number,
  target = path,
  crash?: CrashCondition,
): Promise<RecordAnswer> {
  const page = await get(path);
  const form = formsOf(page as unknown as HttpResponse).find(({ action }) => action.endsWith(target));
  const sent = { ...form?.initial, ...fields };
  const answer = await post(target, sent, crash);
  expect([target, answer.status]).toEqual([target, status]);
  return answer;
}
