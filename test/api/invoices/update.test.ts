/** Tests PATCH /api/invoices/:id: which fields can change, in which states, and that other fields stay unchanged. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { type Api, invoiceBody, newAccount } from '../../support/api.ts';
import { setClock } from '../../support/clock.ts';
import { expectError, expectHeaders } from '../../support/expectations.ts';
import { startTestStack } from '../../support/stack.ts';
import { invalidDueDates, validDueDates } from './due-dates.ts';
import * as fields from './fields.ts';
import { newOverdueInvoice } from './overdue-invoice.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterEach(() => setClock());
afterAll(() => stack.close());

async function newInvoice(body = invoiceBody()) {
  const { test: api } = await newAccount(stack.baseUrl);
  const { json: invoice } = await api.post('/api/invoices', body);
  return { api, invoice, path: `/api/invoices/${invoice.id}` };
}

/** Expects an error that changes nothing. Returns its message. */
async function expectRefused(api: Api, path: string, body: unknown, code: string, field?: string) {
  const before = await api.get(path);
  const response = await api.patch(path, body);
  expectError(response, 400, code, field);
  expect((await api.get(path)).text).toBe(before.text);
  return response.json.error.message as string;
}

test.each([
  { amount: 1 },
  { description: 'Other' },
  { dueDate: '2031-03-31T17:00:00Z' },
  { amount: 1, description: 'Other', dueDate: '2031-03-31T17:00:00Z' },
])('%j changes only these fields, and the response is the whole invoice', async (change) => {
  const { api, invoice, path } = await newInvoice();
  const response = await api.patch(path, change);
  expect(response.status).toBe(200);
  expectHeaders(response);
  expect(response.json).toEqual({ ...invoice, ...change, updatedAt: response.json.updatedAt });
  expect(response.json.updatedAt > invoice.updatedAt).toBe(true);
  expect((await api.get(path)).text).toBe(response.text);
});

test('every change makes updatedAt strictly later, even if the clock stops or goes back', async () => {
  const start = Date.now();
  setClock(() => start);
  const { api, invoice, path } = await newInvoice();
  const seen = [invoice.updatedAt];
  for (const [amount, offsetMs] of [
    [1, 0],
    [2, 0],
    [3, -60_000],
    [4, 0],
  ] as const) {
    setClock(() => start + offsetMs);
    seen.push((await api.patch(path, { amount })).json.updatedAt);
  }
  setClock(() => start);
  seen.push((await api.delete(path)).json.deletedAt);
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen).toEqual(seen.toSorted());
  expect((await api.get(path)).json.createdAt).toBe(invoice.createdAt);
});

describe('current values', () => {
  test('are accepted with 200 and change nothing, not even updatedAt', async () => {
    const { api, invoice, path } = await newInvoice(invoiceBody({ dueDate: '2031-03-31T17:00Z' }));
    const { amount, description, dueDate } = invoice;
    for (const body of [
      undefined,
      '',
      {},
      { amount },
      { description },
      { dueDate },
      { amount, description, dueDate },
    ]) {
      const response = await api.patch(path, body);
      expect([response.status, response.json]).toEqual([200, invoice]);
    }
    expect((await api.get(path)).json).toEqual(invoice);
  });

  test('can be sent as a whole invoice, with or without changes', async () => {
    const { api, invoice, path } = await newInvoice();
    const same = await api.patch(path, invoice);
    expect([same.status, same.json]).toEqual([200, invoice]);
    const { status, json } = await api.patch(path, { ...invoice, amount: 99 });
    expect([status, json]).toEqual([200, { ...invoice, amount: 99, updatedAt: json.updatedAt }]);
  });

  test.each(['id', 'customerId', 'currency', 'status', 'paymentUrl', 'createdAt', 'updatedAt'])(
    '%s is accepted with its current value, and 400 immutable_field with any other value',
    async (field) => {
      const { api, invoice, path } = await newInvoice();
      const same = await api.patch(path, { [field]: invoice[field] });
      expect([same.status, same.json]).toEqual([200, invoice]);
      for (const value of [`${invoice[field]}x`, '', null, 7, [invoice[field]], {}]) {
        await expectRefused(api, path, { [field]: value, amount: 5 }, 'immutable_field', field);
      }
    },
  );

  test('an email address in different case is a different value', async () => {
    const { api, path } = await newInvoice(invoiceBody({ customerId: 'Tashi@example.com' }));
    await expectRefused(api, path, { customerId: 'tashi@example.com' }, 'immutable_field', 'customerId');
  });
});

describe.each([
  ['amount', 'invalid_amount', fields.validAmounts, fields.invalidAmounts],
  ['description', 'invalid_description', fields.validInvoiceDescriptions, fields.invalidInvoiceDescriptions],
  ['dueDate', 'invalid_due_date', validDueDates, [...invalidDueDates, ['null', 'null']] as fields.Row[]],
])('%s', (field, code, good, bad) => {
  test('every valid value is accepted, one after the other', async () => {
    const { api, path } = await newInvoice();
    for (const [name, json, shown = JSON.parse(json)] of good) {
      const response = await api.patch(path, `{"${field}":${json}}`);
      expect({ name, status: response.status, value: response.json[field] }).toEqual({
        name,
        status: 200,
        value: shown,
      });
    }
  });

  test(`every invalid value, including null, is 400 ${code} and changes nothing`, async () => {
    const { api, invoice, path } = await newInvoice();
    for (const [name, json] of bad) {
      const response = await api.patch(path, `{"${field}":${json}}`);
      expect({ name, code: response.json.error?.code }).toEqual({ name, code });
      expectError(response, 400, code, field);
    }
    expect((await api.get(path)).json).toEqual(invoice);
  });
});

test('only the first error is reported, in the order of the fields, and unknown fields last', async () => {
  const { api, path } = await newInvoice();
  const all = { color: 1, dueDate: null, description: null, amount: null };
  await expectRefused(api, path, all, 'invalid_amount', 'amount');
  await expectRefused(api, path, { ...all, amount: 1 }, 'invalid_description', 'description');
  const { amount: _, description: __, ...rest } = all;
  await expectRefused(api, path, rest, 'invalid_due_date', 'dueDate');
  await expectRefused(api, path, { color: 1, amount: 1 }, 'unknown_parameter', 'color');
});

test('for an invoice that does not exist, an invalid body is 400 and a valid body is 404', async () => {
  const { api } = await newInvoice();
  const path = `/api/invoices/inv_${'0'.repeat(26)}`;
  expectError(await api.patch(path, { amount: 0 }), 400, 'invalid_amount', 'amount');
  expectError(await api.patch(path, { color: 1 }), 400, 'unknown_parameter', 'color');
  for (const body of [{}, { amount: 1 }, { id: 'x' }])
    expectError(await api.patch(path, body), 404, 'invoice_not_found');
});

test('a due date can be changed to the past, and the invoice stays pending', async () => {
  const { api, path } = await newInvoice();
  const { status, json } = await api.patch(path, { dueDate: '2001-01-01T00:00:00Z' });
  expect([status, json.status, json.dueDate]).toEqual([200, 'pending', '2001-01-01T00:00:00Z']);
});

test('a cancelled invoice is 400 invoice_not_pending, and the message names its status', async () => {
  const { api, path } = await newInvoice();
  await api.delete(path);
  const message = await expectRefused(api, path, { amount: 1 }, 'invoice_not_pending');
  expect(message).toContain('cancelled');
});

test('an invalid field is reported before the state of the invoice', async () => {
  const { api, path } = await newInvoice();
  await api.delete(path);
  await expectRefused(api, path, { amount: 0 }, 'invalid_amount', 'amount');
  await expectRefused(api, path, { color: 1 }, 'unknown_parameter', 'color');
});

test('an overdue invoice is 400 invoice_not_pending, and following the advice in the message works', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  const { invoice, path } = await newOverdueInvoice(api);
  const message = await expectRefused(api, path, { dueDate: '2031-01-01' }, 'invoice_not_pending');
  expect(message).toMatch(/overdue.*POST \/api\/invoices\/\{id\}\/replace/);
  const { json: replacement } = await api.post(`${path}/replace`, { dueDate: '2031-01-01T00:00:00Z' });
  expect(replacement).toMatchObject({
    status: 'pending',
    amount: invoice.amount,
    dueDate: '2031-01-01T00:00:00Z',
  });
});
