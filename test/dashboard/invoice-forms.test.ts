/** Tests the buyer, the GST of India, the products, the defaults and the drafts in the forms of invoices over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { type DashboardAccount, newDashboardAccount, signedIn } from '../support/dashboard-user.ts';
import { formsOf, type VisitedPage, type Visitor, withDashboard } from '../support/dashboard-visitor.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
/** Sells in Karnataka, with 18 % as the default tax and 14 days to pay. */
let indian: DashboardAccount;
/** Has no seller profile. */
let plain: DashboardAccount;
let owner: Visitor;

const gstin = '29AAGCB7383J1Z4';

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000, ...withDashboard() });
  [indian, plain] = await Promise.all([newDashboardAccount(stack), newDashboardAccount(stack)]);
  owner = await signedIn(stack);
  const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
  await changeSeller(indian.accountId, {
    legalName: 'Bengaluru Tea',
    address: { line1: '1 MG Road', state: 'Karnataka', country: 'IN' },
    taxIds: [{ type: 'in_gstin', value: gstin }],
    timeZone: 'Asia/Kolkata',
    defaultTax: 'in_gst_18',
    paymentDays: 14,
  });
});
afterAll(() => stack?.close());

type Fields = Readonly<Record<string, string>>;

const base = { customerId: 'asha@example.in', amount: '', currency: 'INR', description: 'Order 7' };
const tea = { lineDescription: 'Tea', lineQuantity: '2', lineUnitPrice: '100.00' };
const asha = { buyerName: 'Asha Rao', buyerLine1: '5 Lake Road', buyerCountry: 'IN' };

/** Sends a form with one line: what the page shows, and other values. */
async function send(account: DashboardAccount, path: string, fields: Fields): Promise<VisitedPage> {
  const form = await open(account, path);
  return owner.post(form.action, { ...form.initial, ...fields });
}

async function open(account: DashboardAccount, path: string) {
  const page = await owner.get(account.path(path));
  const form = formsOf(page).find(({ action }) => action.endsWith(account.path(path)));
  if (!form) throw new Error(`No form: ${page.status} ${page.text}`);
  return { ...form, text: page.text };
}

const idIn = ({ status, headers, text }: VisitedPage) => {
  const [, id] = /\/invoices\/(inv_\w+)/.exec(headers.location ?? '') ?? [];
  if (id === undefined) throw new Error(`${status} ${text}`);
  return id;
};
const read = async (account: DashboardAccount, id: string) =>
  (await inNewestVersion(account.test).get(`/api/invoices/${id}`)).json;
const create = async (account: DashboardAccount, fields: Fields) =>
  read(account, idIn(await send(account, '/invoices/new', { ...base, ...fields })));

/** Returns the errors of a page: the link to each field, and its message. Each leads to a field of the page. */
function errorsOf({ text }: VisitedPage): Record<string, string> {
  const errors = [...text.matchAll(/<li><a href="#([^"]*)">([^<]*)/g)].map(
    ([, field = '', message = '']) => [field, message] as const,
  );
  for (const [field] of errors) expect(text).toContain(` id="${field}"`);
  return Object.fromEntries(errors);
}

const shownValue = (text: string, name: string) =>
  new RegExp(`<input id="${name}"[^>]* value="([^"]*)"`).exec(text)?.[1];

describe('the buyer', () => {
  test('is a part of the invoice, with its address, its tax IDs and the email address of the customer', async () => {
    const invoice = await create(plain, {
      ...{ amount: '5', currency: 'BTN', ...asha },
      buyerState: 'Kerala',
      buyerTaxIds: '32AAGCB7383J1ZH\r\nbt_tpn:TAB12345\r\n',
      ...{ deliveryCity: 'Kochi', deliveryCountry: 'in' },
    });
    expect(invoice.buyer).toEqual({
      name: 'Asha Rao',
      email: 'asha@example.in',
      address: {
        ...{ line1: '5 Lake Road', line2: null, city: null, state: 'Kerala' },
        ...{ postalCode: null, country: 'IN' },
      },
      deliveryAddress: {
        ...{ line1: null, line2: null, city: 'Kochi', state: null },
        ...{ postalCode: null, country: 'IN' },
      },
      taxIds: [
        { type: 'in_gstin', value: '32AAGCB7383J1ZH' },
        { type: 'bt_tpn', value: 'TAB12345' },
      ],
    });
  });

  test('is none if its fields are empty, and its page shows it', async () => {
    const invoice = await create(plain, { amount: '5' });
    expect(invoice.buyer).toBeNull();
    const named = await create(plain, { amount: '5', ...asha, deliveryLine1: '9 Dock Road' });
    const { text } = await owner.get(plain.path(`/invoices/${named.id}`));
    expect(text).toContain('Asha Rao\n5 Lake Road\nIndia');
    expect(text).toMatch(/Deliver to.*9 Dock Road/);
  });

  test('stays as it is if the form does not change it, changes, and can be removed', async () => {
    const { id } = await create(plain, { amount: '5', ...asha });
    const path = `/invoices/${id}/edit`;
    const form = await open(plain, path);
    expect(form.initial).toMatchObject(asha);
    expect((await send(plain, path, { description: 'Other' })).status).toBe(303);
    expect(await read(plain, id)).toMatchObject({ description: 'Other', buyer: { name: 'Asha Rao' } });
    expect((await send(plain, path, { buyerName: 'Asha R.' })).status).toBe(303);
    expect((await read(plain, id)).buyer).toMatchObject({
      name: 'Asha R.',
      email: 'asha@example.in',
      address: { line1: '5 Lake Road' },
    });
    const none = Object.fromEntries(
      Object.keys(form.initial).flatMap((name) => (/^buyer|^delivery/.test(name) ? [[name, '']] : [])),
    );
    expect((await send(plain, path, none)).status).toBe(303);
    expect((await read(plain, id)).buyer).toBeNull();
  });

  test('goes with the customer when an invoice is replaced', async () => {
    const customer = (await plain.test.post('/api/customers', { name: 'Pema' })).json.id;
    const { id } = await create(plain, { amount: '5', ...asha });
    const other = await send(plain, `/invoices/${id}/replace`, { customerId: 'ravi@example.in' });
    const replaced = await read(plain, idIn(other));
    expect(replaced).toMatchObject({
      customerId: 'ravi@example.in',
      buyer: { name: 'Asha Rao', email: 'ravi@example.in' },
    });
    const known = await send(plain, `/invoices/${replaced.id}/replace`, { customerId: customer });
    expect(await read(plain, idIn(known))).toMatchObject({ customerId: customer, buyer: null });
  });

  test.each<[string, Fields, string, RegExp]>([
    ['no name', { buyerCity: 'Mysuru' }, 'buyerName', /^Buyer name must/],
    [
      'an unknown country of delivery',
      { ...asha, deliveryCountry: 'XX' },
      'deliveryCountry',
      /^Delivery country/,
    ],
    ['an unknown country', { ...asha, buyerCountry: 'XX' }, 'buyerCountry', /^Country must be one of/],
    ['a tax ID without a type', { ...asha, buyerTaxIds: 'TAB12345' }, 'buyerTaxIds', /^Tax IDs must have/],
    [
      'a GSTIN with a wrong check digit',
      { ...asha, buyerTaxIds: 'in_gstin:29AAGCB7383J1Z5' },
      'buyerTaxIds',
      /not valid/,
    ],
    [
      'a GSTIN of another state',
      { ...asha, buyerState: 'Kerala', buyerTaxIds: gstin },
      'buyerTaxIds',
      /Karnataka/,
    ],
    [
      'a GSTIN abroad',
      { ...asha, buyerCountry: 'BT', buyerTaxIds: gstin },
      'buyerTaxIds',
      /Correct Country, or remove/,
    ],
  ])(
    'with %s is refused beside its field, for a new and for a changed invoice',
    async (_, fields, name, message) => {
      const refused = await send(plain, '/invoices/new', { ...base, amount: '5', ...fields });
      expect([refused.status, errorsOf(refused)]).toEqual([400, { [name]: expect.stringMatching(message) }]);
      const { id } = await create(plain, { amount: '5' });
      for (const path of [`/invoices/${id}/edit`, `/invoices/${id}/replace`]) {
        const page = await send(plain, path, fields);
        expect([page.status, errorsOf(page)]).toEqual([400, { [name]: expect.stringMatching(message) }]);
      }
      expect((await read(plain, id)).status).toBe('pending');
    },
  );

  test('and whether it takes parts is chosen for a new invoice and in its draft', async () => {
    expect((await create(plain, { amount: '5' })).acceptPartial).toBe(false);
    expect((await create(plain, { amount: '5', acceptPartial: 'yes' })).acceptPartial).toBe(true);
    const saved = await send(plain, '/invoices/new', { ...base, acceptPartial: 'yes', step: 'draft' });
    const [draft] = /drft_\w+/.exec(saved.headers.location ?? '') ?? [];
    const { initial } = await open(plain, `/drafts/${draft}/edit`);
    expect(initial.acceptPartial).toBe('yes');
    const shown = async () =>
      (await inNewestVersion(plain.test).get(`/api/drafts/${draft}`)).json.acceptPartial;
    await send(plain, `/drafts/${draft}/edit`, { acceptPartial: 'no' });
    expect(await shown()).toBe(false);
  });

  test('and whether credit of the customer pays it is chosen for a new invoice, also while its totals are shown', async () => {
    const api = inNewestVersion(plain.test);
    const customer = { customerId: 'credit@example.in', currency: 'INR' };
    const kept = { ...customer, amount: 700, description: 'Order 6', acceptPartial: true };
    const { id: invoiceId } = (await api.post('/api/invoices', kept)).json;
    await api.post('/api/payments', { invoiceId, method: 'offline', amount: 600 });
    await api.delete(`/api/invoices/${invoiceId}?payments=credit`);
    const fields = { ...customer, amount: '10' };
    expect(await create(plain, fields)).toMatchObject({ status: 'pending', amountPaid: 0 });
    const chosen = { ...base, ...fields, useCredit: 'yes' };
    const totals = await send(plain, '/invoices/new', { ...chosen, step: 'compute' });
    expect(totals.text).toMatch(/name="useCredit" value="yes" checked/);
    expect(errorsOf(await send(plain, '/invoices/new', { ...chosen, useCredit: 'x' }))).toEqual({
      useCredit: 'Use the credit of the customer must be ticked or not.',
    });
    expect(await create(plain, chosen)).toMatchObject({ status: 'pending', amountPaid: 600, amountDue: 400 });
  });

  test('is refused beside a customer of the account', async () => {
    const customerId = (await plain.test.post('/api/customers', { name: 'Pema' })).json.id;
    const refused = await send(plain, '/invoices/new', { ...base, amount: '5', customerId, ...asha });
    expect(errorsOf(refused)).toEqual({ buyerName: expect.stringMatching(/either one of your customers/) });
    expect(refused.text).toContain(`<option value="${customerId}">Pema</option>`);
  });
});

describe('the GST of India', () => {
  test('is in the forms of accounts in India only, with the place of the buyer', async () => {
    expect((await open(plain, '/invoices/new')).text).not.toContain('Place of supply');
    const { initial } = await open(indian, '/invoices/new');
    expect(initial).toMatchObject({ gstPlace: '', gstSupply: 'domestic', gstReverse: 'no' });
    const invoice = await create(indian, { ...tea, ...asha, buyerState: 'Kerala' });
    expect(invoice).toMatchObject({
      amount: 23_600,
      gst: { placeOfSupply: 'Kerala (32)', supply: 'domestic', reverseCharge: false },
      taxes: [{ name: 'IGST', percent: '18' }],
    });
    const { text } = await owner.get(indian.path(`/invoices/${invoice.id}`));
    expect(text).toContain('Kerala (32)');
  });

  test('has a place of supply, reverse charge and exports, in all forms', async () => {
    const { id } = await create(indian, { ...tea, gstPlace: '29', gstReverse: 'yes' });
    expect(await read(indian, id)).toMatchObject({
      amount: 20_000,
      gst: { placeOfSupply: 'Karnataka (29)', reverseCharge: true },
    });
    const path = `/invoices/${id}/edit`;
    expect((await open(indian, path)).initial).toMatchObject({ gstPlace: '29', gstReverse: 'yes' });
    expect((await send(indian, path, { gstReverse: 'no' })).status).toBe(303);
    expect(await read(indian, id)).toMatchObject({
      amount: 23_600,
      gst: { placeOfSupply: 'Karnataka (29)', reverseCharge: false },
      taxes: [{ name: 'CGST' }, { name: 'SGST' }],
    });
    const exported = { gstPlace: '', gstSupply: 'export_lut' };
    const replaced = await read(indian, idIn(await send(indian, `/invoices/${id}/replace`, exported)));
    expect(replaced).toMatchObject({
      amount: 20_000,
      gst: { placeOfSupply: 'Outside India (96)', supply: 'export_lut' },
    });
    const again = await send(indian, `/invoices/${replaced.id}/edit`, { description: 'More' });
    expect(again.status).toBe(303);
    expect(await read(indian, replaced.id)).toMatchObject({ description: 'More', gst: replaced.gst });
  });

  test('takes the place of the buyer again when the place is emptied, and nothing without a tax of India', async () => {
    const { id } = await create(indian, { ...tea, ...asha, buyerState: 'Kerala', gstPlace: '29' });
    expect((await send(indian, `/invoices/${id}/edit`, { gstPlace: '' })).status).toBe(303);
    expect((await read(indian, id)).gst.placeOfSupply).toBe('Kerala (32)');
    expect((await send(indian, `/invoices/${id}/edit`, { lineTax: 'none' })).status).toBe(303);
    expect(await read(indian, id)).toMatchObject({ amount: 20_000, gst: null });
  });

  test('says in the totals what the buyer changes, before the invoice is created', async () => {
    const shown = { ...tea, ...asha, buyerState: 'Kerala', step: 'compute' };
    const page = await send(indian, '/invoices/new', {
      currency: 'INR',
      ...shown,
      customerId: 'x@example.in',
    });
    expect([page.status, page.text.includes('IGST 18 %')]).toEqual([200, true]);
    const own = await send(indian, '/invoices/new', { ...shown, buyerState: 'Karnataka' });
    expect(own.text).toContain('CGST 9 %');
  });

  test.each<[string, Fields, string, RegExp]>([
    ['an unknown place', { gstPlace: '99' }, 'gstPlace', /^Place of supply must be one of/],
    ['an unknown kind', { gstSupply: 'gift' }, 'gstSupply', /^Kind of supply must be one of/],
    ['an unknown choice', { gstReverse: 'maybe' }, 'gstReverse', /^Reverse charge must be one of/],
    ['a place of an export', { gstPlace: '29', gstSupply: 'export' }, 'gstPlace', /outside India/],
    ['a buyer abroad', { ...asha, buyerCountry: 'BT' }, 'gstSupply', /^The buyer is outside India/],
    ['no tax of India', { lineTax: 'none', gstReverse: 'yes' }, 'gstReverse', /needs a line with a GST rate/],
    ['an unknown state', { ...asha, buyerState: 'Paro' }, 'buyerState', /^State or district must be a state/],
    [
      '50,000 rupees without an address',
      { lineUnitPrice: '25000', buyerName: 'Asha Rao' },
      'buyerLine1',
      /50,000 rupees/,
    ],
    [
      '50,000 rupees with a part of the delivery address',
      { ...asha, buyerState: 'Kerala', lineUnitPrice: '25000', deliveryState: 'Goa' },
      'deliveryLine1',
      /50,000 rupees/,
    ],
    [
      'an unknown customer',
      { customerId: `cust_${'0'.repeat(26)}` },
      'gstPlace',
      /Choose the place of supply/,
    ],
  ])('refuses %s beside its field', async (_, fields, name, message) => {
    const page = await send(indian, '/invoices/new', { ...base, ...tea, ...fields });
    expect([page.status, errorsOf(page)]).toEqual([400, { [name]: expect.stringMatching(message) }]);
  });

  test('needs a seller whose state is known', async () => {
    const page = await send(plain, '/invoices/new', { ...base, ...tea, lineTax: 'in_gst_18' });
    expect(errorsOf(page)).toEqual({ 'lineTax-1': expect.stringMatching(/^Tax of line 1 needs a seller/) });
  });
});

describe('the defaults of the account', () => {
  test('are the tax of new lines and the day on which an invoice is due', async () => {
    const { text, initial } = await open(indian, '/invoices/new');
    expect(initial.lineTax).toBe('in_gst_18');
    expect(text).toMatch(/Without a date, it is due on \d+ \w+ \d{4}, in 14 days\./);
    expect(text).toContain('<details id="lines" open>');
    const added = await send(indian, '/invoices/new', { ...tea, step: 'add' });
    expect(added.text.match(/value="in_gst_18" selected/g)).toHaveLength(2);
    const [, day = ''] = /it is due on ([^,]+),/.exec(text) ?? [];
    const { dueDate } = await create(indian, tea);
    const shown = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'Asia/Kolkata' });
    expect(shown.format(Date.parse(dueDate))).toBe(day);
  });

  test('are none without a seller profile', async () => {
    const { text, initial } = await open(plain, '/invoices/new');
    expect(initial.lineTax).toBe('none');
    expect(text).toContain('it is due in 30 days');
    expect(text).toContain('<details id="lines">');
  });
});

describe('a product', () => {
  let product: string;
  let archived: string;
  const sold = {
    ...{ name: 'Green tea', description: 'Green tea, 1 kg', unit: 'kg', tax: 'in_gst_5' },
    ...{ productCode: '0902', unitAmounts: { INR: 45_000, USD: 600 } },
  };
  beforeAll(async () => {
    const post = async (body: object) => (await indian.test.post('/api/products', body)).json.id;
    product = await post(sold);
    archived = await post({ ...sold, name: 'Old tea' });
    await indian.test.patch(`/api/products/${archived}`, { status: 'archived' });
  });

  test('fills a line with its text, unit, price, tax and code', async () => {
    const { text } = await open(indian, '/invoices/new');
    expect(text).toContain(`<option value="${product}">Green tea</option>`);
    expect(text).not.toContain(archived);
    const page = await send(indian, '/invoices/new', { ...base, ...tea, addProduct: product, step: 'add' });
    expect([page.status, errorsOf(page)]).toEqual([200, {}]);
    expect(shownValue(page.text, 'lineDescription-2')).toBe('Green tea, 1 kg');
    expect(shownValue(page.text, 'lineUnitPrice-2')).toBe('450.00');
    expect(page.text).toContain('value="in_gst_5" selected');
    expect(page.text).not.toContain('lineDescription-3');
  });

  test('takes the place of the first blank line, also when the form is sent for good', async () => {
    const form = { ...base, ...asha, buyerState: 'Karnataka', addProduct: product };
    const invoice = await create(indian, form);
    expect(invoice).toMatchObject({
      amount: 47_250,
      lines: [
        {
          ...{ product, description: 'Green tea, 1 kg', quantity: '1', unit: 'kg', unitAmount: 45_000 },
          ...{ tax: 'in_gst_5', productCode: '0902' },
        },
      ],
    });
    const path = `/invoices/${invoice.id}/edit`;
    expect((await send(indian, path, { addProduct: product, lineQuantity: '3' })).status).toBe(303);
    expect((await read(indian, invoice.id)).lines).toMatchObject([
      { product, quantity: '3' },
      { product, quantity: '1', unitAmount: 45_000 },
    ]);
  });

  test('without a price in the currency leaves the price to the user', async () => {
    const form = { ...base, currency: 'BTN', addProduct: product };
    const page = await send(indian, '/invoices/new', { ...form, step: 'add' });
    expect([page.status, shownValue(page.text, 'lineUnitPrice-1')]).toEqual([200, '']);
    expect(errorsOf(await send(indian, '/invoices/new', form))).toEqual({
      'lineUnitPrice-1': expect.stringMatching(/^Unit price of line 1 must be a number/),
    });
  });

  test('that is archived, deleted or not of the account is refused', async () => {
    for (const addProduct of [archived, `prod_${'0'.repeat(26)}`, 'x']) {
      for (const step of [{}, { step: 'add' }]) {
        const page = await send(indian, '/invoices/new', { ...base, ...tea, addProduct, ...step });
        expect([page.status, errorsOf(page)]).toEqual([
          400,
          { addProduct: 'Product must be one of the list.' },
        ]);
      }
    }
  });
});

describe('a tax of the account', () => {
  test('is offered, gives its rate, stays in an edit, and says so if the account has removed it', async () => {
    const own = await newDashboardAccount(stack);
    const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
    const taxes = [{ code: 'own_hotel', name: 'Hotel levy', rates: [{ from: '2026-01-01', percent: '3' }] }];
    await changeSeller(own.accountId, {
      legalName: 'Hotel',
      address: { country: 'BT' },
      taxes,
      defaultTax: 'own_hotel',
    });
    const product = await open(own, '/products/new');
    expect(product.text).toContain('<option value="own_hotel">Hotel levy</option>');
    const form = await open(own, '/invoices/new');
    expect(form.text).toContain('<option value="own_hotel" selected>Hotel levy</option>');
    const fields = { ...base, ...tea, currency: 'BTN', lineTax: 'own_hotel' };
    const created = await send(own, '/invoices/new', fields);
    const id = idIn(created);
    expect((await read(own, id)).taxes).toMatchObject([
      { code: 'own_hotel', name: 'Hotel levy', percent: '3', amount: 600 },
    ]);
    const edit = `/invoices/${id}/edit`;
    expect((await send(own, edit, { description: 'Room' })).status).toBe(303);
    expect(await read(own, id)).toMatchObject({ description: 'Room', amount: 20_600 });
    await changeSeller(own.accountId, { taxes: null, defaultTax: null });
    const refused = await send(own, edit, { lineQuantity: '3' });
    expect(refused.status).toBe(400);
    expect(errorsOf(refused)).toEqual({ 'lineTax-1': expect.stringContaining('no tax own_hotel') });
  });
});

test('the page of an invoice shows its number and its credit notes, each with its PDF', async () => {
  const { id, paymentUrl, amount } = await create(indian, tea);
  const body = { invoiceId: id, method: 'offline', amount };
  const payment = (await indian.test.post('/api/payments', body)).json;
  await indian.test.post('/api/refunds', { paymentId: payment.id, amount: 100 });
  const page = await waitUntil('the credit note', async () => {
    const { text } = await owner.get(indian.path(`/invoices/${id}`));
    return text.includes('CN-') ? text : undefined;
  });
  expect(page).toMatch(/Number<\/dt><dd><bdi>INV-\d+<\/bdi>/);
  expect(page).toContain(`<a href="${paymentUrl}/pdf">PDF</a>`);
  const [, link = ''] = /<bdi>CN-\d+<\/bdi> <a href="([^"]*)">PDF/.exec(page) ?? [];
  expect(link).toContain(`${paymentUrl}/pdf?document=doc_`);
});

describe('a draft', () => {
  const drafts = async (account: DashboardAccount) => (await account.test.get('/api/drafts')).json;
  const save = async (account: DashboardAccount, fields: Fields) => {
    const page = await send(account, '/invoices/new', { ...fields, step: 'draft' });
    const [, id] = /\/drafts\/(drft_\w+)/.exec(page.headers.location ?? '') ?? [];
    if (id === undefined) throw new Error(`${page.status} ${page.text}`);
    return id;
  };
  const readDraft = async (account: DashboardAccount, id: string) =>
    (await account.test.get(`/api/drafts/${id}`)).json;
  const none = { customerId: '', amount: '', currency: 'INR', description: '' };

  test('is saved from the form of a new invoice with whatever it has, and is no invoice', async () => {
    const before = (await indian.test.get('/api/invoices')).json.pagination.total;
    const id = await save(indian, { ...none, ...tea, ...asha });
    expect(await readDraft(indian, id)).toMatchObject({
      ...{ status: 'open', customerId: null, amount: null, currency: 'INR', description: null },
      buyer: { name: 'Asha Rao', email: null },
      lines: [{ description: 'Tea', unitAmount: 10_000, tax: 'in_gst_18' }],
      computedAmount: 23_600,
    });
    expect((await indian.test.get('/api/invoices')).json.pagination.total).toBe(before);
    const page = await owner.get(indian.path(`/drafts/${id}`));
    for (const text of ['₹236.00', 'Asha Rao', 'Customer is missing.', 'Description is missing.'])
      expect(page.text).toContain(text);
    const list = await owner.get(indian.path('/drafts'));
    for (const text of [id, '₹236.00']) expect(list.text).toContain(text);
    expect((await owner.get(indian.path('/invoices'))).text).toContain(indian.path('/drafts'));
  });

  test('refuses what is wrong beside its field, and saves nothing', async () => {
    const { total } = (await drafts(indian)).pagination;
    const wrong = { ...base, ...tea, lineQuantity: '0', amount: 'many', buyerCity: 'Mysuru', step: 'draft' };
    const page = await send(indian, '/invoices/new', wrong);
    expect([page.status, Object.keys(errorsOf(page)).sort()]).toEqual([
      400,
      ['amount', 'buyerName', 'lineQuantity-1'],
    ]);
    expect((await drafts(indian)).pagination.total).toBe(total);
  });

  test('is changed in the form of a new invoice, and keeps what the form does not change', async () => {
    const body = {
      ...{ description: 'Order 8', currency: 'USD', dueDate: '2099-01-31T10:00:30Z', reference: 'A-8' },
      buyer: { name: 'Pema', email: 'pema@example.bt' },
      metadata: { note: 'Two\nlines', key: 'text' },
    };
    const { id } = (await plain.test.post('/api/drafts', body)).json;
    const path = `/drafts/${id}/edit`;
    const form = await open(plain, path);
    expect(form.initial).toMatchObject({ customerId: 'pema@example.bt', buyerName: 'Pema', currency: 'USD' });
    const changed = await send(plain, path, { description: 'Order 9', ...tea, metadata: 'key=other' });
    expect([changed.status, changed.headers.location]).toEqual([
      303,
      expect.stringContaining(plain.path(`/drafts/${id}?notice=draft_saved`)),
    ]);
    expect(await readDraft(plain, id)).toMatchObject({
      ...{ description: 'Order 9', dueDate: '2099-01-31T10:00:30Z', reference: 'A-8' },
      ...{ buyer: body.buyer, computedAmount: 20_000 },
      metadata: { note: 'Two\nlines', key: 'other' },
    });
    const emptied = { ...{ description: '', reference: '', dueDate: '', customerId: '', buyerName: '' } };
    expect((await send(plain, path, { ...emptied, removeLine: '1' })).status).toBe(303);
    expect(await readDraft(plain, id)).toMatchObject({
      ...{ description: null, reference: null, dueDate: null, customerId: null, buyer: null, lines: null },
    });
  });

  test('shows its totals while it is changed, and takes lines of products', async () => {
    const id = await save(indian, { ...none, ...tea });
    const path = `/drafts/${id}/edit`;
    const totals = await send(indian, path, { lineQuantity: '3', step: 'compute' });
    expect([totals.status, totals.text.includes('₹354.00')]).toEqual([200, true]);
    expect((await readDraft(indian, id)).lines).toMatchObject([{ quantity: '2' }]);
  });

  test('does not overwrite one that changed meanwhile', async () => {
    const id = await save(plain, { ...none, description: 'First' });
    const forms = await Promise.all([
      open(plain, `/drafts/${id}/edit`),
      open(plain, `/drafts/${id}/finalize`),
    ]);
    await plain.test.patch(`/api/drafts/${id}`, { description: 'Second' });
    for (const form of forms) {
      const refused = await owner.post(form.action, { ...form.initial });
      expect([refused.status, refused.text.includes('Nothing was saved')]).toEqual([409, true]);
    }
    expect(await readDraft(plain, id)).toMatchObject({ status: 'open', description: 'Second' });
  });

  test('becomes one invoice with its number, also if the form is sent twice', async () => {
    const id = await save(indian, { ...base, ...tea, ...asha, buyerState: 'Kerala', gstReverse: 'yes' });
    expect((await owner.get(indian.path(`/drafts/${id}`))).text).toContain('Nothing is missing');
    const form = await open(indian, `/drafts/${id}/finalize`);
    const answers = await Promise.all([1, 2].map(() => owner.post(form.action, form.initial)));
    const [invoiceId] = answers.map(idIn);
    expect(answers.map(idIn)).toEqual([invoiceId, invoiceId]);
    const invoice = await read(indian, invoiceId ?? '');
    expect(invoice).toMatchObject({
      ...{ amount: 20_000, description: 'Order 7', buyer: { name: 'Asha Rao' } },
      ...{
        gst: { placeOfSupply: 'Kerala (32)', reverseCharge: true },
        number: expect.stringMatching(/^INV-/),
      },
    });
    expect(await readDraft(indian, id)).toMatchObject({ status: 'finalized', invoiceId });
    const shown = (await owner.get(indian.path(`/invoices/${invoiceId}`))).text;
    expect(shown).toContain(`${invoice.number}</bdi> <a href="${invoice.paymentUrl}/pdf">PDF</a>`);
    const page = await owner.get(indian.path(`/drafts/${id}`));
    expect(page.text).toContain(`/invoices/${invoiceId}`);
    for (const form of ['edit', 'delete', 'finalize'])
      expect((await owner.get(indian.path(`/drafts/${id}/${form}`))).status).toBe(404);
  });

  test('that is not complete stays a draft, and its form says what is missing', async () => {
    const id = await save(indian, { ...none, ...tea, reference: 'A-9' });
    const page = await send(indian, `/drafts/${id}/finalize`, {});
    expect([page.status, Object.keys(errorsOf(page)).sort()]).toEqual([400, ['customerId', 'description']]);
    expect(formsOf(page).some(({ action }) => action.endsWith(`/drafts/${id}/edit`))).toBe(true);
    const [form] = formsOf(page).filter(({ action }) => action.endsWith('/edit'));
    const filled = { ...form?.initial, customerId: 'a@example.in', description: 'Order' };
    expect((await owner.post(form?.action ?? '', filled)).status).toBe(303);
    await create(indian, { ...tea, reference: 'A-9' });
    const taken = await send(indian, `/drafts/${id}/finalize`, {});
    expect([taken.status, /role="alert">.*reference/.test(taken.text)]).toEqual([409, true]);
    expect(await readDraft(indian, id)).toMatchObject({ status: 'open' });
  });

  test('is deleted after a confirmation', async () => {
    const id = await save(plain, { ...none, description: 'Not needed' });
    expect((await owner.get(plain.path(`/drafts/${id}/delete`))).text).toContain('Not needed');
    expect((await send(plain, `/drafts/${id}/delete`, {})).status).toBe(303);
    for (const path of [`/drafts/${id}`, `/drafts/${id}/edit`, '/drafts/drft_0'])
      expect((await owner.get(plain.path(path))).status).toBe(404);
  });

  test('can be seen by a viewer, who cannot change it', async () => {
    const viewer = await signedIn(stack, 'viewer');
    const id = await save(plain, { ...none, description: 'Seen' });
    const page = await viewer.get(plain.path(`/drafts/${id}`));
    expect([page.status, page.text.includes('Seen'), page.text.includes('/finalize')]).toEqual([
      200,
      true,
      false,
    ]);
    expect((await viewer.get(plain.path('/drafts'))).text).not.toContain('/invoices/new');
    const form = await open(plain, `/drafts/${id}/finalize`);
    for (const name of ['edit', 'delete', 'finalize']) {
      const path = plain.path(`/drafts/${id}/${name}`);
      expect((await viewer.get(path)).status).toBe(403);
      expect((await viewer.post(path, form.initial)).status).toBe(403);
    }
    expect(await readDraft(plain, id)).toMatchObject({ status: 'open' });
  });

  test('none: the list says how to begin', async () => {
    const empty = await newDashboardAccount(stack);
    expect((await owner.get(empty.path('/drafts'))).text).toContain('Save as draft');
  });
});
