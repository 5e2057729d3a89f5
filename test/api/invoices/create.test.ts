/** Tests POST /api/invoices: the invoices that valid bodies create, and the errors for invalid bodies. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { type Api, invoiceBody, listenToRequestLog, newAccount } from '../../support/api.ts';
import { setClock } from '../../support/clock.ts';
import { expectError, expectHeaders } from '../../support/expectations.ts';
import { startTestStack } from '../../support/stack.ts';
import { invalidDueDates, validDueDates } from './due-dates.ts';
import * as fields from './fields.ts';

let stack: Stack;
let log: Awaited<ReturnType<typeof listenToRequestLog>>;
/** The account for tests that do not depend on its other invoices. */
let api: Api;

beforeAll(async () => {
  stack = await startTestStack();
  log = await listenToRequestLog();
  ({ test: api } = await newAccount(stack.baseUrl));
});
afterEach(() => setClock());
afterAll(() => stack.close());

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const dayMs = 86_400_000;
const create = (body?: unknown) => api.post('/api/invoices', body);

test('creates a pending invoice with exactly ten fields, with three calls in sequence', async () => {
  // The first request of an instance also reads the public keys.
  await api.get('/api/invoices');
  const body = invoiceBody({ dueDate: '2031-03-31T17:00:00Z' });
  const response = await create(body);
  expect(response.status).toBe(201);
  expectHeaders(response);
  expect(response.json).toEqual({
    ...body,
    id: expect.stringMatching(/^inv_[0-9a-z]{26}$/),
    status: 'pending',
    paymentUrl: `${stack.payUrlBase}/${response.json.id}`,
    createdAt: timestamp,
    updatedAt: response.json.createdAt,
  });
  expect(log.lineOf(response)).toMatchObject({ dynamodbCalls: 5, dynamodbCallsInSequence: 3 });
});

test('the created invoice can be retrieved and is listed, with the same fields', async () => {
  const { test: own } = await newAccount(stack.baseUrl);
  const { json } = await own.post('/api/invoices', invoiceBody());
  expect((await own.get(`/api/invoices/${json.id}`)).json).toEqual(json);
  expect((await own.get('/api/invoices')).json.data).toEqual([json]);
});

test('sending the same body twice creates two invoices', async () => {
  const [one, other] = [await create(invoiceBody()), await create(invoiceBody())];
  expect([one.status, other.status]).toEqual([201, 201]);
  expect(one.json.id).not.toBe(other.json.id);
});

test('without a due date, or with null, an invoice is due exactly 30 days after its creation', async () => {
  const now = Math.floor(Date.now() / 1000) * 1000 + 7;
  setClock(() => now);
  for (const body of [invoiceBody(), invoiceBody({ dueDate: null })]) {
    const { status, json } = await create(body);
    expect({ status, ...json }).toMatchObject({
      status: 'pending',
      dueDate: new Date(now + 30 * dayMs).toISOString(),
      createdAt: new Date(now).toISOString(),
      updatedAt: new Date(now).toISOString(),
    });
  }
});

test.each([1, 1000, dayMs, 400 * dayMs])(
  'a due date %i ms ago is accepted; the invoice is pending',
  async (agoMs) => {
    const dueDate = new Date(Date.now() - agoMs).toISOString();
    const response = await create(invoiceBody({ dueDate }));
    expect(response.status).toBe(201);
    expect((await api.get(`/api/invoices/${response.json.id}`)).json).toMatchObject({
      dueDate,
      status: 'pending',
    });
  },
);

test.each(['USD', 'INR', 'BTN'])('the currency %s is accepted', async (currency) => {
  expect((await create(invoiceBody({ currency }))).json).toMatchObject({ currency, status: 'pending' });
});

test.each([
  ['usd', 'USD'],
  ['Btn', 'BTN'],
  ['iNR', 'INR'],
])('400 invalid_currency for %s, with a hint at %s', async (currency, hint) => {
  const response = await create(invoiceBody({ currency }));
  expectError(response, 400, 'invalid_currency', 'currency');
  expect(response.json.error.message).toContain(hint);
});

/** Replaces a missing third element, because jest would pass a function in its place. */
const acceptedRows = (rows: readonly fields.Row[]) =>
  rows.map(([name, json, shown = JSON.parse(json)]) => [name, { json, shown }] as const);

describe.each([
  ['amount', fields.validAmounts],
  ['description', fields.validInvoiceDescriptions],
  ['dueDate', validDueDates],
  ['customerId', fields.validCustomerIds],
])('%s', (field, rows) => {
  test.each(acceptedRows(rows))(
    '%s is accepted, and returned in its expected form, immediately and later',
    async (_, { json, shown }) => {
      const response = await create(fields.creationBodyText(field, json));
      const expected = { status: 201, value: shown };
      expect({ status: response.status, value: response.json[field] }).toEqual(expected);
      const later = await api.get(`/api/invoices/${response.json.id}`);
      expect(later.text).toBe(response.text);
    },
  );
});

describe.each([
  ['customerId', 'invalid_customer', fields.invalidCustomerIds],
  ['amount', 'invalid_amount', fields.invalidAmounts],
  ['currency', 'invalid_currency', fields.invalidCurrencies],
  ['description', 'invalid_description', fields.invalidInvoiceDescriptions],
  ['dueDate', 'invalid_due_date', invalidDueDates],
])('%s', (field, code, rows) => {
  test.each(rows)(`400 ${code}: %s`, async (_, json) => {
    const response = await create(fields.creationBodyText(field, json));
    expectError(response, 400, code, field);
    expect(response.json.error.message).toContain(field);
  });

  if (field !== 'dueDate') {
    test(`400 ${code} when it is absent`, async () => {
      const { [field]: _, ...body } = invoiceBody();
      const response = await create(body);
      expectError(response, 400, code, field);
      expect(response.json.error.message).toContain(`${field} is required. Add it, such as`);
      expectError(await create({ ...body, [field]: null }), 400, code, field);
    });
  }
});

test('an empty body counts as an empty object, whose first field is missing', async () => {
  for (const body of [undefined, '', {}])
    expectError(await create(body), 400, 'invalid_customer', 'customerId');
});

test('only the first error is reported, in the order of the documentation and not of the body', async () => {
  const bad: Record<string, unknown> = {
    color: 1,
    dueDate: 1,
    description: 1,
    currency: 1,
    amount: 0,
    customerId: 1,
  };
  const good = { ...invoiceBody(), dueDate: '2031-01-01' };
  for (const [field, code] of [
    ['customerId', 'invalid_customer'],
    ['amount', 'invalid_amount'],
    ['currency', 'invalid_currency'],
    ['description', 'invalid_description'],
    ['dueDate', 'invalid_due_date'],
    ['color', 'unknown_parameter'],
  ] as const) {
    expectError(await create(bad), 400, code, field);
    bad[field] = good[field as keyof typeof good];
  }
});

test.each([
  'id',
  'status',
  'paymentUrl',
  'createdAt',
  'updatedAt',
  'Amount',
  'customer_id',
  'due_date',
  'amount ',
  'metadata',
  'constructor',
  'toString',
  'hasOwnProperty',
  'prototype',
  'length',
  '0',
  'pk',
  '\u0000',
  '😀',
])('400 unknown_parameter for the field %j, even if it is null', async (field) => {
  for (const value of ['x', null]) {
    expectError(await create({ ...invoiceBody(), [field]: value }), 400, 'unknown_parameter', field);
  }
});

test('a rejected request creates nothing', async () => {
  const { test: own } = await newAccount(stack.baseUrl);
  await own.post('/api/invoices', invoiceBody({ amount: 0 }));
  await own.post('/api/invoices', '{');
  expect((await own.get('/api/invoices')).json.pagination.total).toBe(0);
});

test('test and live mode are separate, and accounts are separate', async () => {
  const [one, other] = await Promise.all([newAccount(stack.baseUrl), newAccount(stack.baseUrl)]);
  const { json } = await one.live.post('/api/invoices', invoiceBody());
  expect((await one.live.get(`/api/invoices/${json.id}`)).json).toEqual(json);
  for (const stranger of [one.test, other.test, other.live]) {
    expect((await stranger.get('/api/invoices')).json.pagination.total).toBe(0);
    expectError(await stranger.get(`/api/invoices/${json.id}`), 404, 'invoice_not_found');
  }
});
