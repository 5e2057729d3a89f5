/** Tests invoices with lines over HTTP: what is computed, shown, changed, stored, refused and erased. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { dayIn } from '../../../shared/domain/accounts/fiscal-year.ts';
import { type Api, invoiceBody, newAccount } from '../../support/api.ts';
import { expectError } from '../../support/expectations.ts';
import { request } from '../../support/http.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { startTestStack } from '../../support/stack.ts';
import { waitUntil } from '../../support/wait-until.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.close());

const lines = [
  { description: 'Website design', quantity: '20', unit: 'hours', unitAmount: 11_000, tax: 'bt_gst_5' },
  {
    description: 'Hosting',
    quantity: '1',
    unitAmount: 20_000,
    discount: { percent: '5' },
    productCode: '998315',
  },
];
const { amount: _, ...withoutAmount } = invoiceBody({ currency: 'BTN' });
const body = (fields: object = {}) => ({ ...withoutAmount, lines, ...fields });

async function newApi(): Promise<{ newest: Api; first: Api; accountId: string }> {
  const { test: first, accountId } = await newAccount(stack.baseUrl);
  return { first, newest: inNewestVersion(first), accountId };
}

test('an invoice with lines is computed, and each way to read it shows the same', async () => {
  const { newest, first } = await newApi();
  const created = await newest.post('/api/invoices', body());
  expect(created.status).toBe(201);
  const invoice = created.json;
  expect(invoice).toMatchObject({
    amount: 250_000,
    lines: [
      { description: 'Website design', quantity: '20', amount: 220_000, taxAmount: 11_000 },
      { description: 'Hosting', discount: { percent: '5', amount: null }, amount: 19_000, tax: 'none' },
    ],
    prices: 'exclusive',
    taxes: [{ code: 'bt_gst_5', name: 'GST', percent: '5', taxable: 220_000, amount: 11_000 }],
    totals: { subtotal: 239_000, discount: 0, taxable: 239_000, tax: 11_000, rounding: 0 },
  });
  expect((await newest.get(`/api/invoices/${invoice.id}`)).json).toEqual(invoice);
  expect((await newest.get('/api/invoices')).json.data).toEqual([invoice]);
  const { json: old } = await first.get(`/api/invoices/${invoice.id}`);
  expect(Object.keys(old)).toHaveLength(10);
  expect(old.amount).toBe(250_000);
});

test('an invoice with an amount alone has one line, which nothing stores', async () => {
  const { newest } = await newApi();
  const headers = { 'Idempotency-Key': 'plain' };
  const create = () =>
    newest.post('/api/invoices', invoiceBody({ amount: 500, description: 'Tea' }), { headers });
  const { json: invoice } = await create();
  expect(invoice).toMatchObject({
    lines: [{ description: 'Tea', quantity: '1', unitAmount: 500, amount: 500 }],
    taxes: [],
    totals: { subtotal: 500, taxable: 500, tax: 0 },
  });
  const repeated = await create();
  expect(repeated.json).toEqual(invoice);
  // A client can send back what it received.
  expect((await newest.patch(`/api/invoices/${invoice.id}`, invoice)).json).toEqual(invoice);
  expect((await newest.patch(`/api/invoices/${invoice.id}`, { ...invoice, amount: 600 })).json).toMatchObject(
    {
      amount: 600,
      lines: [{ amount: 600 }],
    },
  );
});

test('a change of lines is computed again, and the amount follows', async () => {
  const { newest } = await newApi();
  const { json: invoice } = await newest.post('/api/invoices', body());
  const path = `/api/invoices/${invoice.id}`;
  expect((await newest.patch(path, invoice)).json).toEqual(invoice);
  const { json: changed } = await newest.patch(path, { prices: 'inclusive', roundTo: 100 });
  expect(changed).toMatchObject({
    amount: 239_000,
    prices: 'inclusive',
    taxes: [{ taxable: 209_524, amount: 10_476 }],
  });
  expectError(await newest.patch(path, { amount: 1 }), 400, 'invalid_amount', 'amount');
  const { json: one } = await newest.patch(path, { lines: lines.slice(1), roundTo: null });
  expect(one).toMatchObject({ amount: 19_000, taxes: [] });
});

const line = lines[0];
test.each<[fields: object, code: string, field: string, message?: RegExp]>([
  [{ amount: 1 }, 'invalid_amount', 'amount', /come to 250000, and amount is 1/],
  [{ lines: [] }, 'invalid_lines', 'lines'],
  [{ lines: Array.from({ length: 101 }, () => line) }, 'invalid_lines', 'lines'],
  [{ lines: [{ ...line, quantity: '0' }] }, 'invalid_lines', 'lines.0.quantity'],
  [{ lines: [{ ...line, quantity: '1.1234567' }] }, 'invalid_lines', 'lines.0.quantity'],
  [{ lines: [{ ...line, quantity: 2 }] }, 'invalid_lines', 'lines.0.quantity'],
  [{ lines: [{ ...line, unitAmount: -1 }] }, 'invalid_lines', 'lines.0.unitAmount'],
  [{ lines: [{ ...line, description: 'x'.repeat(501) }] }, 'invalid_lines', 'lines.0.description'],
  [
    { lines: [{ ...line, description: '4242 4242 4242 4242' }] },
    'invalid_lines',
    'lines.0.description',
    /card number/,
  ],
  [{ lines: [{ ...line, tax: 'gst' }] }, 'invalid_lines', 'lines.0.tax', /bt_gst_5/],
  [{ lines: [{ ...line, taxPercent: '5' }] }, 'invalid_lines', 'lines.0.taxPercent'],
  [{ lines: [{ ...line, tax: 'us_sales' }] }, 'invalid_lines', 'lines.0.taxPercent'],
  [{ lines: [{ ...line, tax: 'us_sales', taxPercent: '100.1' }] }, 'invalid_lines', 'lines.0.taxPercent'],
  [{ lines: [{ ...line, discount: { percent: '5', amount: 1 } }] }, 'invalid_lines', 'lines.0.discount'],
  [{ lines: [{ ...line, discount: { amount: 220_001 } }] }, 'invalid_lines', 'lines.0.discount.amount'],
  [{ lines: [{ ...line, productCode: '123' }] }, 'invalid_lines', 'lines.0.productCode'],
  [{ lines: [{ ...line, color: 'red' }] }, 'unknown_parameter', 'lines.0.color'],
  [{ lines: [{ ...line, quantity: '999999999999' }] }, 'invalid_lines', 'lines.0', /at most 999999999999/],
  [{ discount: { amount: 239_001 } }, 'invalid_discount', 'discount.amount'],
  [{ prices: 'net' }, 'invalid_prices', 'prices'],
  [{ roundTo: 3 }, 'invalid_round_to', 'roundTo'],
  [{ lines: null }, 'invalid_amount', 'amount', /required/],
  [{ lines: null, amount: 5, discount: { percent: '5' } }, 'invalid_discount', 'discount', /needs lines/],
])('%j is refused, and nothing is created', async (fields, code, field, message = /./) => {
  const { newest } = await newApi();
  const refused = await newest.post('/api/invoices', body(fields));
  expectError(refused, 400, code, field);
  expect(refused.json.error.message).toMatch(message);
  expect((await newest.get('/api/invoices')).json.pagination.total).toBe(0);
});

test('the first version refuses lines, and the event of the change has them for the newest', async () => {
  const { newest, first } = await newApi();
  expectError(
    await first.post('/api/invoices', body({ amount: 250_000 })),
    400,
    'unknown_parameter',
    'lines',
  );
  const { json: invoice } = await newest.post('/api/invoices', body());
  const events = async (api: Api) => (await api.get('/api/events')).json.data;
  await waitUntil('the event is in the log', async () => (await events(newest)).length === 1);
  expect((await events(newest))[0].data).toEqual(invoice);
  expect(Object.keys((await events(first))[0].data)).toHaveLength(10);
});

test('the payment page shows the lines and what they come to', async () => {
  const { newest } = await newApi();
  const { json: invoice } = await newest.post(
    '/api/invoices',
    body({ discount: { amount: 9_000 }, roundTo: 1000 }),
  );
  const page = await request({
    baseUrl: stack.baseUrl,
    method: 'GET',
    path: new URL(invoice.paymentUrl).pathname,
  });
  for (const text of [
    'Website design',
    '20 ',
    'Nu. 110.00',
    'Nu. 2,200.00',
    'less 5 %, HSN/SAC 998315',
    'GST 5 %',
  ])
    expect(page.text).toContain(text);
  expect(page.text).toContain('−Nu. 90.00');
});

describe('a tax of the account', () => {
  const levy = (percent: string, from = '2026-01-01') => ({
    code: 'own_hotel',
    name: 'Hotel levy',
    rates: [{ from, percent }],
  });
  const room = { description: 'Room', quantity: '2', unitAmount: 10_000, tax: 'own_hotel' };

  /** Creates an account with a seller in a time zone, and returns the function that changes its profile. */
  async function newSeller(timeZone = 'Asia/Thimphu') {
    const { newest, accountId } = await newApi();
    const { changeSeller } = await import('../../../shared/domain/accounts/seller-change-store.ts');
    const change = (fields: Parameters<typeof changeSeller>[1]) => changeSeller(accountId, fields);
    await change({ legalName: 'Hotel', address: { country: 'BT' }, timeZone, taxes: [levy('3')] });
    return { api: newest, change };
  }

  test('gives lines its name and rate, which an invoice and its document keep', async () => {
    const { api, change } = await newSeller();
    const { json: invoice } = await api.post('/api/invoices', body({ lines: [room] }), {
      headers: { Prefer: 'wait' },
    });
    expect(invoice).toMatchObject({
      amount: 20_600,
      lines: [{ tax: 'own_hotel', taxPercent: '3', taxName: 'Hotel levy', taxAmount: 600 }],
      taxes: [{ code: 'own_hotel', name: 'Hotel levy', percent: '3', taxable: 20_000, amount: 600 }],
    });
    await change({ taxes: [levy('10')] });
    const path = `/api/invoices/${invoice.id}`;
    const discounted = await api.patch(path, { discount: { percent: '50' } });
    expect(discounted.json).toMatchObject({ amount: 10_300, taxes: [{ percent: '3', amount: 300 }] });
    const changed = await api.patch(path, { discount: null, lines: discounted.json.lines });
    expect(changed.json).toMatchObject({ amount: 22_000, taxes: [{ percent: '10', amount: 2_000 }] });
    await change({ taxes: null });
    const unknown = await api.patch(path, { lines: changed.json.lines });
    expectError(unknown, 400, 'invalid_lines', 'lines.0.tax');
    expect(unknown.json.error.message).toContain('has no tax own_hotel');
    expectError(
      await api.post('/api/invoices', body({ lines: [room] })),
      400,
      'invalid_lines',
      'lines.0.tax',
    );
    const documents = await waitUntil('the documents', async () => {
      const { data } = (await api.get(`${path}/documents`)).json;
      return data.length === 3 ? data : undefined;
    });
    const { json: first } = await api.get(`/api/documents/${documents[2].id}`);
    expect(first.content).toMatchObject({
      amount: 20_600,
      lines: [{ taxPercent: '3', taxName: 'Hotel levy' }],
      taxes: [{ code: 'own_hotel', name: 'Hotel levy', percent: '3', amount: 600 }],
    });
    expect((await api.get(path)).json.amount).toBe(22_000);
    const replaced = await api.post(`${path}/replace`, { description: 'Corrected' });
    expect(replaced.json).toMatchObject({ amount: 22_000, taxes: [{ name: 'Hotel levy', percent: '10' }] });
  });

  test('begins with the day in the time zone of the seller', async () => {
    // 26 hours lie between these time zones, so it is never the same day in both.
    const [early, late] = await Promise.all([newSeller('Pacific/Kiritimati'), newSeller('Etc/GMT+12')]);
    const today = dayIn('Pacific/Kiritimati', Date.now());
    const taxes = [{ ...levy('3'), rates: [{ from: today, percent: '7' }] }];
    await Promise.all([early.change({ taxes }), late.change({ taxes })]);
    const created = await early.api.post('/api/invoices', body({ lines: [room] }));
    expect(created.json.taxes).toMatchObject([{ percent: '7', amount: 1_400 }]);
    const refused = await late.api.post('/api/invoices', body({ lines: [room] }));
    expectError(refused, 400, 'invalid_lines', 'lines.0.tax');
    expect(refused.json.error.message).toContain(`exists from ${today} on`);
  });

  test('can be that of a product, the default, and that of a draft, which takes the rate when it is finalized', async () => {
    const { api, change } = await newSeller();
    const { json: product } = await api.post('/api/products', {
      name: 'Room',
      unitAmounts: { BTN: 10_000 },
      tax: 'own_hotel',
    });
    expect(product.tax).toBe('own_hotel');
    const ofProduct = await api.post(
      '/api/invoices',
      body({ lines: [{ quantity: '1', product: product.id }] }),
    );
    expect(ofProduct.json.taxes).toMatchObject([{ code: 'own_hotel', amount: 300 }]);
    await change({ defaultTax: 'own_hotel' });
    const { tax: _tax, ...untaxed } = room;
    const byDefault = await api.post('/api/invoices', body({ lines: [untaxed] }));
    expect(byDefault.json.taxes).toMatchObject([{ code: 'own_hotel', amount: 600 }]);
    const draft = await api.post('/api/drafts', body({ lines: [room] }));
    expect(draft.json).toMatchObject({ computedAmount: 20_600, lines: [{ taxPercent: '3' }] });
    await change({ taxes: [levy('4')] });
    const finalized = await api.post(`/api/drafts/${draft.json.id}/finalize`);
    expect(finalized.json).toMatchObject({ amount: 20_800, taxes: [{ percent: '4', amount: 800 }] });
  });

  test('is refused if its code is not one of an account', async () => {
    const { api } = await newSeller();
    for (const tax of ['own_', 'own_Hotel', 'hotel'])
      expectError(
        await api.post('/api/invoices', body({ lines: [{ ...room, tax }] })),
        400,
        'invalid_lines',
        'lines.0.tax',
      );
    expectError(
      await api.post('/api/products', { name: 'A', unitAmounts: { BTN: 1 }, tax: 'own_' }),
      400,
      'invalid_tax',
      'tax',
    );
  });
});
