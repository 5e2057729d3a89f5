/** Tests products, and the lines of invoices that name them. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { newestApiVersion } from '../../../shared/domain/versions/versions.ts';
import { type Api, invoiceBody, newAccount, type TestAccount } from '../../support/api.ts';
import { expectError } from '../../support/expectations.ts';
import { startTestStack } from '../../support/stack.ts';

let stack: Stack;
let account: TestAccount;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
});
beforeEach(async () => {
  account = await newAccount(stack.baseUrl);
  api = account.test;
});
afterAll(() => stack.close());

const headers = { 'X-API-Version': newestApiVersion };
const full = {
  name: 'Black tea',
  description: 'Black tea, first flush',
  unit: 'kg',
  unitAmounts: { BTN: 50_000, INR: 52_000 },
  tax: 'bt_gst_5',
  productCode: '0902',
};
const create = async (fields: object = {}, of = api) => {
  const response = await of.post('/api/products', { ...full, ...fields });
  expect([response.status, response.text]).toEqual([201, expect.any(String)]);
  return response.json;
};
const pathOf = ({ id }: { id: string }) => `/api/products/${id}`;
const invoice = (lines: readonly object[], fields: object = {}) =>
  api.post(
    '/api/invoices',
    { ...invoiceBody(), amount: undefined, currency: 'BTN', lines, ...fields },
    { headers },
  );

test('a product is created, shown, changed, archived, listed and deleted', async () => {
  const created = await create();
  expect(created).toEqual({
    id: expect.stringMatching(/^prod_[0-9a-z]{26}$/),
    ...full,
    status: 'active',
    createdAt: expect.any(String),
    updatedAt: created.createdAt,
  });
  const plain = await create({ description: null, unit: undefined, tax: undefined, productCode: undefined });
  expect(plain).toMatchObject({ description: null, unit: null, tax: 'none', productCode: null });
  expect((await api.get(pathOf(created))).json).toEqual(created);
  expect((await api.patch(pathOf(created), created)).json).toEqual(created);
  const changed = await api.patch(pathOf(created), {
    unitAmounts: { USD: 700 },
    unit: null,
    status: 'archived',
  });
  expect(changed.json).toMatchObject({
    unitAmounts: { USD: 700 },
    unit: null,
    name: full.name,
    status: 'archived',
  });
  expect((await api.patch(pathOf(created), { status: 'active' })).json.status).toBe('active');
  const list = (await api.get('/api/products?limit=1')).json;
  expect(list.data.map(({ id }: { id: string }) => id)).toEqual([plain.id]);
  expect(list.pagination).toEqual({ total: 2, limit: 1, offset: 0, hasMore: true });
  expect((await api.delete(pathOf(plain))).json).toEqual({ id: plain.id, deletedAt: expect.any(String) });
  expectError(await api.get(pathOf(plain)), 404, 'product_not_found');
  expectError(await api.delete(pathOf(plain)), 404, 'product_not_found');
  expect((await api.get('/api/products')).json.pagination.total).toBe(1);
  expectError(await account.live.get(pathOf(created)), 404, 'product_not_found');
});

test.each([
  [{ name: '' }, 'invalid_name', 'name'],
  [{ name: undefined }, 'invalid_name', 'name'],
  [{ unitAmounts: undefined }, 'invalid_unit_amounts', 'unitAmounts'],
  [{ unitAmounts: {} }, 'invalid_unit_amounts', 'unitAmounts'],
  [{ unitAmounts: { BTN: -1 } }, 'invalid_unit_amounts', 'unitAmounts.BTN'],
  [{ unitAmounts: { BTN: 1_000_000_000_000 } }, 'invalid_unit_amounts', 'unitAmounts.BTN'],
  [{ unitAmounts: { BTN: 1.5 } }, 'invalid_unit_amounts', 'unitAmounts.BTN'],
  [{ unitAmounts: { EUR: 1 } }, 'unknown_parameter', 'unitAmounts.EUR'],
  [{ tax: 'in_gst_12' }, 'invalid_tax', 'tax'],
  [{ productCode: '123' }, 'invalid_product_code', 'productCode'],
  [{ unit: 'x'.repeat(51) }, 'invalid_unit', 'unit'],
  [{ description: 'x'.repeat(501) }, 'invalid_description', 'description'],
  [{ status: 'archived' }, 'unknown_parameter', 'status'],
])('a product with %j is refused', async (fields, code, field) => {
  expectError(await api.post('/api/products', { ...full, ...fields }), 400, code, field);
});

test('a line takes from its product what it does not say, and keeps it when the product changes', async () => {
  const product = await create();
  const { status, json } = await invoice([
    { quantity: '2', product: product.id },
    { quantity: '1', product: product.id, description: 'Samples', unitAmount: 0, unit: null, tax: null },
    { quantity: '1', description: 'Box', unitAmount: 100 },
  ]);
  expect(status).toBe(201);
  expect(json.lines).toMatchObject([
    {
      description: full.description,
      unit: 'kg',
      unitAmount: 50_000,
      tax: 'bt_gst_5',
      productCode: '0902',
      product: product.id,
      amount: 100_000,
    },
    {
      description: 'Samples',
      unit: null,
      unitAmount: 0,
      tax: 'none',
      productCode: '0902',
      product: product.id,
    },
    { description: 'Box', productCode: null },
  ]);
  expect(json.lines[2]).not.toHaveProperty('product');
  expect(json.amount).toBe(105_100);
  await api.patch(pathOf(product), { unitAmounts: { USD: 1 }, name: 'Other', description: null });
  const path = `/api/invoices/${json.id}`;
  expect((await api.get(path, { headers })).json.lines).toEqual(json.lines);
  // A line that is sent back needs nothing of its product, not even that it exists.
  await api.delete(pathOf(product));
  const sent = await api.patch(path, { lines: json.lines }, { headers });
  expect([sent.status, sent.json.lines]).toEqual([200, json.lines]);
});

test('a change and a replacement take new lines from products, too', async () => {
  const product = await create({ description: null });
  const { json } = await invoice([{ quantity: '1', description: 'Box', unitAmount: 100 }]);
  const path = `/api/invoices/${json.id}`;
  const lines = [{ quantity: '3', product: product.id }];
  const changed = await api.patch(path, { lines }, { headers });
  expect(changed.json.lines).toMatchObject([
    { description: 'Black tea', unitAmount: 50_000, product: product.id },
  ]);
  const replaced = await api.post(
    `${path}/replace`,
    { currency: 'INR', lines: [{ ...lines[0], tax: 'none' }] },
    { headers },
  );
  expect(replaced.json).toMatchObject({ amount: 156_000, currency: 'INR' });
  const none = await api.patch(`/api/invoices/inv_${'0'.repeat(26)}`, { lines }, { headers });
  expectError(none, 404, 'invoice_not_found');
});

test('a product that a line cannot have is named, and nothing is created', async () => {
  const [product, archived, taxed] = await Promise.all([
    create(),
    create({ unitAmounts: { BTN: 1 } }),
    create({ tax: 'us_sales' }),
  ]);
  await api.patch(pathOf(archived), { status: 'archived' });
  const foreign = await create({}, account.live);
  const line = { quantity: '1', product: product.id };
  for (const [second, currency, field, message] of [
    [{ ...line, product: `prod_${'0'.repeat(26)}` }, 'BTN', 'lines.1.product', 'does not exist'],
    [{ ...line, product: foreign.id }, 'BTN', 'lines.1.product', 'does not exist'],
    [{ ...line, product: 'prod_1' }, 'BTN', 'lines.1.product', 'must be the ID of a product'],
    [{ ...line, product: archived.id }, 'BTN', 'lines.1.product', 'is archived'],
    [line, 'USD', 'lines.1.product', 'has no price in USD'],
    [{ ...line, product: taxed.id }, 'BTN', 'lines.1.taxPercent', 'us_sales'],
    [{ ...line, taxPercent: '5' }, 'BTN', 'lines.1.taxPercent', 'us_sales'],
    [{ quantity: '1', unitAmount: 1 }, 'BTN', 'lines.1.description', 'needs a description'],
    [{ quantity: '1', description: 'Box' }, 'BTN', 'lines.1.unitAmount', 'must be an integer'],
  ] as const) {
    const response = await invoice([{ ...line, unitAmount: 1 }, second], { currency });
    expectError(response, 400, 'invalid_lines', field);
    expect(response.json.error.message).toContain(message);
  }
  expect((await api.get('/api/invoices')).json.pagination.total).toBe(0);
  expect((await invoice([{ ...line, product: taxed.id, taxPercent: '8.875' }])).status).toBe(201);
});

test('the first version of the API has no lines, so none with a product', async () => {
  const { id } = await create();
  const old = { headers: { 'X-API-Version': '2026-11-21' } };
  const lines = [{ quantity: '1', product: id }];
  const { status } = await api.post('/api/invoices', { ...invoiceBody(), lines }, old);
  expect(status).toBe(400);
});
