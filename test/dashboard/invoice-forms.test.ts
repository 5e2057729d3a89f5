/** Tests the buyer, the GST of India, the products and the defaults in the forms of invoices over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { type DashboardAccount, newDashboardAccount, signedIn } from '../support/dashboard-user.ts';
import { formsOf, type VisitedPage, type Visitor, withDashboard } from '../support/dashboard-visitor.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { startTestStack } from '../support/stack.ts';

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
    });
    expect(invoice.buyer).toEqual({
      name: 'Asha Rao',
      email: 'asha@example.in',
      address: {
        ...{ line1: '5 Lake Road', line2: null, city: null, state: 'Kerala' },
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
    const named = await create(plain, { amount: '5', ...asha });
    const { text } = await owner.get(plain.path(`/invoices/${named.id}`));
    expect(text).toContain('Asha Rao\n5 Lake Road\nIN');
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
      Object.keys(form.initial).flatMap((name) => (name.startsWith('buyer') ? [[name, '']] : [])),
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
