/** Tests the dashboard's pages and actions of customers, and the metadata and references of invoices, over HTTP. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { type Api, invoiceBody } from '../support/api.ts';
import { type DashboardAccount, newDashboardAccount, signedIn } from '../support/dashboard-user.ts';
import { formsOf, type Visitor, withDashboard } from '../support/dashboard-visitor.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let account: DashboardAccount;
let owner: Visitor;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack(withDashboard());
  account = await newDashboardAccount(stack);
  owner = await signedIn(stack);
  api = inNewestVersion(account.test);
});
afterAll(() => stack?.close());

const newCustomer = async (fields: object): Promise<{ id: string }> =>
  (await api.post('/api/customers', fields)).json;
const customerOf = async (id: string) => (await api.get(`/api/customers/${id}`)).json;
const get = (path: string) => owner.get(account.path(path));

/** Returns the form of a page, with what a browser would send for its hidden fields. */
async function formAt(path: string) {
  const page = await get(path);
  const form = formsOf(page).find(({ action }) => action.endsWith(account.path(path)));
  if (!form) throw new Error(`No form at ${path}: ${page.status} ${page.text}`);
  return form;
}

async function send(path: string, fields: Record<string, string>) {
  const { action, initial } = await formAt(path);
  return owner.post(action, { ...initial, ...fields });
}

const idIn = ({ headers }: { headers: Record<string, unknown> }) =>
  /((?:cust|inv)_\w+)/.exec(String(headers.location))?.[1] ?? '';

test('a customer is created once by two clicks, found, shown with its invoices, and deleted', async () => {
  const { action, initial } = await formAt('/customers/new');
  const typed = {
    name: 'Dorji Wangmo',
    email: 'dorji@example.bt',
    city: 'Thimphu',
    country: 'bt',
    taxIds: 'bt_tpn: TAB1\r\nin_gst:29A',
    metadata: 'orderId = 1047\r\nnote=a=b',
  };
  const click = () => owner.post(action, { ...initial, ...typed });
  const [first, second] = await Promise.all([click(), click()]);
  const id = idIn(first);
  expect([first.status, second.status, idIn(second)]).toEqual([303, 303, id]);
  expect(await customerOf(id)).toMatchObject({
    name: 'Dorji Wangmo',
    phone: null,
    address: { city: 'Thimphu', line1: null, country: 'BT' },
    taxIds: [
      { type: 'bt_tpn', value: 'TAB1' },
      { type: 'in_gst', value: '29A' },
    ],
    metadata: { orderId: '1047', note: 'a=b' },
  });
  expect((await get('/customers?email=DORJI%40example.bt')).text).toContain('1 to 1 of 1');
  expect((await get('/customers?email=nobody')).text).toContain('No customer matches the filters.');
  expect((await get(`/customers/${id}`)).text).toContain('No invoice has the ID of this customer.');

  expect((await get(`/invoices/new?customerId=${id}`)).text).toContain(`value="${id}"`);
  const invoice = (await api.post('/api/invoices', invoiceBody({ customerId: id }))).json;
  expect((await get(`/customers/${id}`)).text).toContain(`/invoices/${invoice.id}"`);
  expect((await get(`/invoices/${invoice.id}`)).text).toContain(`/customers/${id}"`);

  const question = await get(`/customers/${id}/delete`);
  expect(question.text).toContain('Remit erases the name, the email address');
  expect(question.text).toContain('All invoices, payments and refunds stay as they are');
  expect((await send(`/customers/${id}/delete`, {})).status).toBe(303);
  expect((await api.get(`/api/customers/${id}`)).status).toBe(404);
  for (const page of ['', '/edit', '/delete'])
    expect((await get(`/customers/${id}${page}`)).status).toBe(404);
  expect((await api.get(`/api/invoices/${invoice.id}`)).json).toEqual(invoice);
});

test('a change keeps what a form cannot show, removes empty fields, and is refused after another change', async () => {
  const metadata = { lines: 'One\nTwo', shop: 'Thimphu', old: 'x' };
  const { id } = await newCustomer({ name: 'A\nB', phone: '17123456', reference: 'R-1', metadata });
  const path = `/customers/${id}/edit`;
  expect((await get(path)).text).toContain('One text cannot be shown here');
  const { action, initial } = await formAt(path);
  const typed = { name: 'AB', phone: '', reference: 'R-1', taxIds: '', metadata: 'shop=Paro\r\nnew=1' };
  expect((await owner.post(action, { ...initial, ...typed })).status).toBe(303);
  const saved = await customerOf(id);
  expect(saved).toMatchObject({
    name: 'A\nB',
    phone: null,
    reference: 'R-1',
    metadata: { lines: 'One\nTwo', shop: 'Paro', new: '1' },
  });
  expect(saved.metadata).not.toHaveProperty('old');
  const late = await send(path, { ...typed, seen: '1', name: 'Mine' });
  expect([late.status, late.text.includes('Nothing was saved')]).toEqual([409, true]);
  expect(await customerOf(id)).toEqual(saved);
});

test('a form with wrong values shows each error beside its field', async () => {
  const typed = { email: 'a@', country: 'Bhutan', line1: ' ', taxIds: 'TAB1', metadata: 'no key' };
  const page = await send('/customers/new', typed);
  expect(page.status).toBe(400);
  for (const name of ['email', 'country', 'taxIds', 'metadata'])
    expect([name, page.text.includes(`id="${name}-error"`)]).toEqual([name, true]);
  // Only the first word of the message is the name of the field.
  expect(page.text).toContain('Email must be an email address');
  const twice = await send('/customers/new', { name: 'x', metadata: 'a=1\na=2' });
  expect([twice.status, twice.text.includes('each key only once')]).toEqual([400, true]);
  const nobody = await send('/customers/new', { phone: '17123456' });
  expect([nobody.status, nobody.text.includes('Enter one of them.')]).toEqual([400, true]);
  const { id } = await newCustomer({ name: 'x' });
  expect((await send(`/customers/${id}/edit`, { name: '' })).status).toBe(400);
});

test('a viewer reads customers and has no forms, and another account or mode has no access', async () => {
  const { id } = await newCustomer({ name: 'Pema' });
  const viewer = await signedIn(stack, 'viewer');
  const page = await viewer.get(account.path(`/customers/${id}`));
  expect([page.status, page.text.includes('Pema'), page.text.includes('/edit"')]).toEqual([200, true, false]);
  for (const path of ['/customers/new', `/customers/${id}/edit`, `/customers/${id}/delete`])
    expect((await viewer.get(account.path(path))).status).toBe(403);
  expect((await owner.get(account.path(`/customers/${id}`, 'live'))).status).toBe(404);
  const other = await newDashboardAccount(stack);
  expect((await owner.get(other.path(`/customers/${id}`))).status).toBe(404);
});

test('every page shows the name of a customer in place of the ID, also after a change and a deletion', async () => {
  const own = await newDashboardAccount(stack);
  const client = inNewestVersion(own.test);
  const textOf = async (path: string) => (await owner.get(own.path(path))).text;
  const post = async (path: string, body: object) => (await client.post(path, body)).json;
  const [known, leaving] = [
    await post('/api/customers', { name: 'Pema <Lhamo>' }),
    await post('/api/customers', { email: 'sonam@example.bt' }),
  ];
  const buyer = { name: 'Tashi Stores', email: 'tashi@example.bt' };
  const amounts = { amount: 500, currency: 'BTN', description: 'Tea' };
  const ids = [known.id, leaving.id, `cust_${'0'.repeat(26)}`, 'own-17', `erased-${'a'.repeat(16)}`];
  const invoices = await Promise.all([
    ...ids.map((customerId) => post('/api/invoices', { ...amounts, customerId })),
    post('/api/invoices', { ...amounts, buyer }),
  ]);
  const payments = await Promise.all(
    invoices.map(({ id }) => post('/api/payments', { invoiceId: id, method: 'offline' })),
  );
  const draft = await post('/api/drafts', { ...amounts, customerId: known.id });
  await client.patch(`/api/customers/${known.id}`, { name: 'Pema <Choden>' });
  const named = (id: string, text: string) =>
    `<a href="${new URL(own.path(`/customers/${id}`), 'http://x').pathname}" title="${id}"><bdi>${text}</bdi></a>`;
  const cells = [
    named(known.id, 'Pema &lt;Choden&gt;'),
    named(leaving.id, 'sonam@example.bt'),
    `<bdi>${ids[2]}</bdi>`,
    '<bdi>own-17</bdi>',
    `<span title="${ids[4]}"><bdi>Erased customer</bdi></span>`,
    '<span title="tashi@example.bt"><bdi>Tashi Stores</bdi></span>',
  ];
  // The overview shows five of the six.
  expect(await textOf('')).toMatch(/Pema &lt;Choden&gt;|sonam@example\.bt/);
  for (const path of ['/invoices', '/payments']) {
    const text = await textOf(path);
    for (const cell of cells) expect([path, text.includes(cell)]).toEqual([path, true]);
  }
  for (const [index, cell] of cells.entries()) {
    expect(await textOf(`/invoices/${invoices[index]?.id}`)).toContain(cell);
    expect(await textOf(`/payments/${payments[index]?.id}`)).toContain(cell);
  }
  for (const path of [
    '/drafts',
    `/drafts/${draft.id}`,
    `/drafts/${draft.id}/delete`,
    `/customers/${known.id}`,
  ])
    expect([path, await textOf(path)]).toEqual([path, expect.stringContaining('Pema &lt;Choden&gt;')]);
  for (const form of ['cancel', 'send', 'payment'])
    expect(await textOf(`/invoices/${invoices[0]?.id}/${form}`)).toContain(cells[0]);

  await client.delete(`/api/customers/${leaving.id}`);
  const text = await textOf('/invoices');
  expect(text).toContain(`<span title="${leaving.id}"><bdi>Deleted customer</bdi></span>`);
  expect(text).not.toContain('sonam@example.bt');
});

const invoiceFields = { customerId: 'a@example.com', amount: '12', currency: 'USD', description: 'Tea' };

test('an invoice gets a reference and metadata, and its form changes only the metadata that it shows', async () => {
  const own = { reference: 'A-1', metadata: 'orderId=1047\r\n\r\nshop=Thimphu' };
  const id = idIn(await send('/invoices/new', { ...invoiceFields, ...own }));
  const read = async () => (await api.get(`/api/invoices/${id}`)).json;
  expect(await read()).toMatchObject({ reference: 'A-1', metadata: { orderId: '1047', shop: 'Thimphu' } });
  expect((await get('/invoices?reference=A-1')).text).toContain(`/invoices/${id}"`);
  const taken = await send('/invoices/new', { ...invoiceFields, ...own });
  expect([taken.status, taken.text.includes(`Your invoice ${id} has this reference.`)]).toEqual([409, true]);
  const path = `/invoices/${id}/edit`;
  await api.patch(`/api/invoices/${id}`, { metadata: { lines: 'One\nTwo' } });
  const typed = { amount: '12', description: 'Tea', dueDate: '2099-01-31' };
  expect((await send(path, { ...typed, metadata: 'orderId=1048' })).status).toBe(303);
  expect((await read()).metadata).toEqual({ lines: 'One\nTwo', orderId: '1048' });
  expect((await send(path, { ...typed, amount: '13' })).status).toBe(303);
  expect(await read()).toMatchObject({ amount: 1300, metadata: { lines: 'One\nTwo', orderId: '1048' } });
  const many = Array.from({ length: 20 }, (_, index) => `k${index}=x`).join('\n');
  const tooMany = await send(path, { ...typed, metadata: many });
  expect([tooMany.status, tooMany.text.includes('id="metadata-error"')]).toEqual([400, true]);
  const card = await send('/invoices/new', { ...invoiceFields, metadata: 'card=4242424242424242' });
  expect([card.status, card.text.includes('id="metadata-error"')]).toEqual([400, true]);
});

// Costs three customers and ten pages.
test('the form of an invoice finds a customer by name, email address or reference, without a script', async () => {
  const pema = await newCustomer({ name: 'Pema Lhamo', email: 'pema@example.bt', reference: 'P-7' });
  const karma = await newCustomer({ name: 'Karma Lhamo', email: 'karma@example.bt' });
  for (let count = 0; count < 10; count++) await newCustomer({ name: `Lhamo ${count}` });
  const find = async (customerId: string) =>
    (await send('/invoices/new', { customerId, description: 'Tea', step: 'find' })).text;
  const byName = await find('pema lha');
  expect(byName).toContain(`value="pick:${pema.id}"`);
  expect(byName).not.toContain(`value="pick:${karma.id}"`);
  expect(byName).toContain('>Tea</textarea>');
  expect(await find('KARMA@example.bt')).toContain(`value="pick:${karma.id}"`);
  expect(await find('P-7')).toContain(`value="pick:${pema.id}"`);
  expect(await find('lhamo')).toContain('More customers match.');
  expect(await find('nobody')).toContain('No customer has such a name');
  expect(await find('')).toContain('No customer has such a name');
  const picked = await send('/invoices/new', {
    customerId: 'pema',
    description: 'Tea',
    step: `pick:${pema.id}`,
  });
  expect(picked.text).toContain(`name="customerId" type="text" value="${pema.id}"`);
  expect(picked.text).toContain('>Tea</textarea>');
  expect((await get('/customers?name=lham&reference=P-7')).text).toContain('1 to 1 of 1');
  expect((await get('/customers?name=x')).text).toContain('Part of the name must have a word');
});

// Costs four invoices, two payments, a refund and ten pages, one of them a PDF.
test('the page of a customer has what it owes by age, and its statement has all movements with balances', async () => {
  const id = (await newCustomer({ name: 'Sonam Traders', taxIds: [{ type: 'bt_tpn', value: 'TAB7' }] })).id;
  const of = async (amount: number, fields: object = {}) =>
    (
      await api.post('/api/invoices', {
        ...invoiceBody({ amount, currency: 'BTN', customerId: id }),
        ...fields,
      })
    ).json;
  expect((await get(`/customers/${id}`)).text).toContain('Nothing is outstanding.');
  expect((await get(`/customers/${id}/statement`)).text).toContain('Nothing was invoiced');
  const paid = await of(100_00);
  await of(30_00, { dueDate: new Date(Date.now() + 86_400_000).toISOString() });
  await of(7_00, { dueDate: new Date(Date.now() - 40 * 86_400_000).toISOString() });
  const { json: payment } = await api.post('/api/payments', {
    invoiceId: paid.id,
    method: 'offline',
    reference: 'S 1',
  });
  await api.post('/api/refunds', { paymentId: payment.id, amount: 20_00 });
  const kept = await of(9_00, { acceptPartial: true });
  const part = { invoiceId: kept.id, method: 'offline', amount: 4_00 };
  const { json: source } = await api.post('/api/payments', part);
  expect((await get(`/customers/${id}`)).text).not.toContain('Credit by currency');
  await api.delete(`/api/invoices/${kept.id}?payments=credit`);
  const shown = (await get(`/customers/${id}`)).text;
  const row = shown.slice(shown.indexOf('Outstanding by age'));
  for (const amount of ['Nu. 37.00', 'Nu. 30.00', 'Nu. 7.00']) expect(row).toContain(amount);
  expect(shown).toContain(`/payments/${payment.id}`);
  expect(shown.slice(shown.indexOf('Credit by currency'))).toMatch(
    new RegExp(`^[^]{0,900}Nu\\. 4\\.00[^]{0,300}/payments/${source.id}`),
  );
  await waitUntil('the refund', async () =>
    (await get(`/customers/${id}/statement`)).text.includes('>Refund<'),
  );
  const statement = (await get(`/customers/${id}/statement`)).text;
  expect(statement.match(/<td role="cell" data-title="Entry">[^/]*?<\/td>/g)?.length).toBeGreaterThanOrEqual(
    6,
  );
  expect(statement).toMatch(/Balance at the end(.|\n)*Nu\. 33\.00/);
  for (const query of ['from=2026-02-31', 'from=2026-03-01&to=2026-02-01', 'from=2001-01-01'])
    expect((await get(`/customers/${id}/statement?${query}`)).status).toBe(400);
  const past = (await get(`/customers/${id}/statement?from=2024-01-01&to=2024-12-31`)).text;
  expect(past).toContain('Nothing was invoiced');
  const pdf = await get(`/account-statements/${id}?currency=BTN`);
  expect([pdf.status, pdf.headers['content-type'], pdf.bytes.subarray(0, 5).toString()]).toEqual([
    200,
    'application/pdf',
    '%PDF-',
  ]);
  expect((await get(`/account-statements/${id}?currency=EUR`)).status).toBe(404);
  expect((await get('/account-statements/cust_unknown?currency=BTN')).status).toBe(404);
});
