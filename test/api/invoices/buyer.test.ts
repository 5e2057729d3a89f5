/** Tests invoices that carry their buyer, over HTTP: what is checked, shown, changed, frozen into documents and erased. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { type Api, invoiceBody, newAccount } from '../../support/api.ts';
import { expectError } from '../../support/expectations.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { startTestStack } from '../../support/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.close());

const { customerId: _, ...withoutCustomer } = invoiceBody({ currency: 'INR' });
const address = { line1: '4 MG Road', city: 'Bengaluru', state: 'Karnataka', country: 'IN' };
const wholeAddress = { line2: null, postalCode: null, ...address };
const buyer = {
  name: 'Blue Tea Ltd',
  email: 'Books@Bluetea.example',
  address,
  taxIds: [{ type: 'in_gst', value: '29aagcb7383j1z4' }],
};
const shown = { ...buyer, address: wholeAddress, taxIds: [{ type: 'in_gst', value: '29AAGCB7383J1Z4' }] };

async function newApi(): Promise<{ newest: Api; first: Api }> {
  const { test: first } = await newAccount(stack.baseUrl);
  return { first, newest: inNewestVersion(first) };
}

test('the email address of the buyer is the customer, and each way to read the invoice shows the buyer', async () => {
  const { newest, first } = await newApi();
  const { status, json: invoice } = await newest.post('/api/invoices', { ...withoutCustomer, buyer });
  expect(status).toBe(201);
  expect(invoice).toMatchObject({ customerId: buyer.email, buyer: shown });
  expect((await newest.get(`/api/invoices/${invoice.id}`)).json).toEqual(invoice);
  const found = await newest.get('/api/invoices?customerId=books@bluetea.example');
  expect(found.json.data).toEqual([invoice]);
  expect(Object.keys((await first.get(`/api/invoices/${invoice.id}`)).json)).toHaveLength(10);
  // A client can send back what it received.
  expect((await newest.patch(`/api/invoices/${invoice.id}`, invoice)).json).toEqual(invoice);
});

test('a buyer is changed as a whole, and removed', async () => {
  const { newest } = await newApi();
  const created = await newest.post('/api/invoices', {
    ...withoutCustomer,
    customerId: 'c_7',
    buyer: { name: 'Tea Shop' },
  });
  const { id } = created.json;
  expect(created.json.buyer).toEqual({
    name: 'Tea Shop',
    email: null,
    address: null,
    deliveryAddress: null,
    taxIds: [],
  });
  const changed = await newest.patch(`/api/invoices/${id}`, { buyer: { name: 'Tea Shop Ltd', address } });
  expect(changed.json).toMatchObject({
    customerId: 'c_7',
    buyer: { name: 'Tea Shop Ltd', address: wholeAddress },
  });
  const removed = await newest.patch(`/api/invoices/${id}`, { buyer: null });
  expect(removed.json.buyer).toBeNull();
});

test('what does not fit is refused, and says what to do', async () => {
  const { newest, first } = await newApi();
  const refused = async (fields: object, code: string, field: string, words: string) => {
    const response = await newest.post('/api/invoices', { ...withoutCustomer, ...fields });
    expectError(response, 400, code, field);
    expect(response.json.error.message).toContain(words);
  };
  const of = (change: object) => ({ buyer: { ...buyer, ...change } });
  const gstin = (value: string) => of({ taxIds: [{ type: 'in_gst', value }] });
  await refused({}, 'invalid_customer', 'customerId', 'required');
  await refused({ buyer: { name: 'Tea' } }, 'invalid_customer', 'customerId', 'buyer.email');
  await refused(of({ name: undefined }), 'invalid_buyer', 'buyer.name', 'required');
  await refused(of({ name: 'Tea\u202EShop' }), 'invalid_buyer', 'buyer.name', 'buyer.name');
  await refused(of({ email: 'tea' }), 'invalid_buyer', 'buyer.email', 'email address');
  await refused({ ...of({}), customerId: 'c_7' }, 'invalid_buyer', 'buyer.email', 'c_7');
  const { json: customer } = await newest.post('/api/customers', { name: 'Pema' });
  await refused({ buyer: { name: 'Tea' }, customerId: customer.id }, 'invalid_buyer', 'buyer', 'cust_');
  await refused(gstin('29AAGCB7383J1Z5'), 'invalid_buyer', 'buyer.taxIds.0.value', 'last character');
  await refused(gstin('27AAGCB7383J1Z8'), 'invalid_buyer', 'buyer.taxIds.0.value', 'Karnataka');
  await refused(of({ address: { country: 'BT' } }), 'invalid_buyer', 'buyer.taxIds.0.value', 'India');
  // The first version does not have the field.
  expectError(
    await first.post('/api/invoices', { ...withoutCustomer, customerId: 'c_7', buyer }),
    400,
    'unknown_parameter',
    'buyer',
  );
});

test('the address of a customer of the customers API decides the place of supply, and is kept', async () => {
  const { accountId, test: first } = await newAccount(stack.baseUrl);
  const api = inNewestVersion(first);
  const { changeSeller } = await import('../../../shared/domain/accounts/seller-change-store.ts');
  await changeSeller(accountId, {
    legalName: 'Tea House',
    address: { country: 'IN' },
    taxIds: [{ type: 'in_gstin', value: '29AAGCB7383J1Z4' }],
  });
  const customer = async (fields: object) =>
    (await api.post('/api/customers', { name: 'Blue Tea', ...fields })).json.id;
  const line = { description: 'Tea', quantity: '1', unitAmount: 10_000, tax: 'in_gst_18' };
  const fields = { ...invoiceBody({ currency: 'INR' }), amount: undefined };
  const create = (customerId: string, more: object = {}) =>
    api.post('/api/invoices', { ...fields, customerId, lines: [{ ...line, ...more }] });
  const placeOf = async (details: object) => (await create(await customer(details))).json.gst?.placeOfSupply;
  const pune = { line1: '1 FC Road', state: 'MH', country: 'IN' };
  expect(await placeOf({ address: pune })).toBe('Maharashtra (27)');
  expect(await placeOf({})).toBe('Karnataka (29)');
  const gstin = { type: 'in_gst', value: '29AAGCB7383J1Z4' };
  expect(await placeOf({ address: pune, taxIds: [gstin] })).toBe('Karnataka (29)');
  // A GSTIN that is not valid does not count.
  const invalid = { taxIds: [{ ...gstin, value: '29AAGCB7383J1Z5' }] };
  expect(await placeOf({ address: pune, ...invalid })).toBe('Maharashtra (27)');

  const inPune = await customer({ address: pune });
  const { json } = await create(inPune);
  await api.patch(`/api/customers/${inPune}`, { address: { ...pune, state: 'KA' } });
  const changed = await api.patch(`/api/invoices/${json.id}`, { lines: [{ ...line, unitAmount: 20_000 }] });
  expect([changed.status, changed.json.gst]).toEqual([200, json.gst]);
  // An invoice that replaces another one has the place of its customer of today, and another customer has a place of its own.
  const replacedBy = async (id: string, body: object) => {
    const response = await api.post(`/api/invoices/${id}/replace`, body);
    expect(response.status).toBe(200);
    return response.json;
  };
  const corrected = await replacedBy(json.id, { description: 'Tea' });
  expect([json.gst.placeOfSupply, corrected.gst.placeOfSupply]).toEqual([
    'Maharashtra (27)',
    'Karnataka (29)',
  ]);
  expect(corrected.taxes).toHaveLength(2);
  const goa = await customer({ address: { ...pune, state: 'Goa' } });
  const moved = await replacedBy(corrected.id, { customerId: goa });
  expect(moved.gst.placeOfSupply).toBe('Goa (30)');
  expect(moved.taxes).toHaveLength(1);
  // An invoice without lines has no place yet.
  const plain = await api.post('/api/invoices', { ...fields, amount: 10_000, customerId: goa });
  const taxed = await api.patch(`/api/invoices/${plain.json.id}`, { lines: [line] });
  expect([taxed.status, taxed.json.gst?.placeOfSupply]).toEqual([200, 'Goa (30)']);

  const large = { unitAmount: 5_000_000 };
  const refused = async (details: object, code: string, field: string, words: string) => {
    const response = await create(await customer(details), large);
    expectError(response, 400, code, field);
    expect(response.json.error.message).toContain(words);
  };
  await refused({}, 'invalid_customer', 'customerId', '50,000 rupees');
  await refused(invalid, 'invalid_customer', 'customerId', '50,000 rupees');
  await refused({ address: { country: 'BT' } }, 'invalid_gst', 'gst.supply', 'outside India');
  await refused({ address: { ...pune, state: 'Paro' } }, 'invalid_customer', 'customerId', 'state of India');
  expect((await create(await customer({ address: pune }), large)).status).toBe(201);
  expect((await create(await customer({ taxIds: [gstin] }), large)).status).toBe(201);
  expectError(await create(`cust_${'0'.repeat(26)}`), 400, 'invalid_gst', 'gst.placeOfSupply');
});
