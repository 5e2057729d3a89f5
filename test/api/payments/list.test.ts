/**
 * Tests GET /api/payments and GET /api/payments/:id: filters, order, pagination, exact totals, and that payments of
 * other accounts are hidden.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { type Api, newAccount, type TestAccount } from '../../support/api.ts';
import { expectError, expectHeaders, textForBothModes } from '../../support/expectations.ts';
import { startTestStack } from '../../support/stack.ts';
import { cardBody, cardNumbers, newInvoice, newPayment, offlineBody } from './new-payment.ts';

let stack: Stack;
let account: TestAccount;
let api: Api;

interface ListedPayment {
  readonly id: string;
  readonly invoiceId: string;
  readonly customerId: string;
  readonly status: string;
}

/** All payments, newest first. */
const created: ListedPayment[] = [];
/** The id of an invoice with two payments: one was declined, the next one completed. */
let twicePaid: string;

beforeAll(async () => {
  stack = await startTestStack();
  account = await newAccount(stack.baseUrl);
  api = account.test;
  // Pending payments must stay pending.
  await stack.queues.pause();
  const add = async (customerId: string, number?: string) => {
    const { payment } = await newPayment(api, number, { customerId });
    created.unshift(payment);
  };
  twicePaid = (await newInvoice(api)).id;
  for (const body of [cardBody(twicePaid, cardNumbers.declined), offlineBody(twicePaid)]) {
    created.unshift((await api.post('/api/payments', body)).json);
  }
  await add('cust_1');
  await add('Tashi@Example.com', cardNumbers.slow);
  await add('cust_2', cardNumbers.declined);
  await add('tashi@example.com', cardNumbers.good);
  await add('cust_1', cardNumbers.slow);
  await add('tashi+x@example.com');
  await add('cust_1', cardNumbers.declined);
});
afterAll(() => stack.close());

const list = (query: string, of = api) => of.get(`/api/payments${query && `?${query}`}`);
const page = (total: number, limit: number, offset: number) => ({
  total,
  limit,
  offset,
  hasMore: offset + limit < total,
});

test('an empty list has exactly data and pagination, with the defaults', async () => {
  const { live } = await newAccount(stack.baseUrl);
  const response = await list('', live);
  expect(response.status).toBe(200);
  expectHeaders(response);
  expect(response.json).toEqual({ data: [], pagination: page(0, 20, 0) });
});

test('rows are whole payments, newest first, equal to their creation responses and to GET', async () => {
  const { json } = await list('');
  expect(json).toEqual({ data: created, pagination: page(9, 20, 0) });
  for (const row of created) {
    const response = await api.get(`/api/payments/${row.id}`);
    expectHeaders(response);
    expect([response.status, response.json]).toEqual([200, row]);
  }
});

test('every combination of filters finds its payments, with the exact total and at an offset', async () => {
  const statuses = [undefined, 'pending', 'completed', 'failed'];
  const invoices = [undefined, twicePaid, created[0]?.invoiceId, `inv_${'0'.repeat(26)}`, 'x'];
  const customers = [undefined, 'cust_1', 'TASHI@example.com', 'tashi+x@example.com', 'nobody'];
  let found = 0;
  for (const status of statuses) {
    for (const invoiceId of invoices) {
      for (const customerId of customers) {
        const filters = Object.entries({ status, invoiceId, customerId }).filter(([, value]) => value);
        const query = new URLSearchParams(filters as [string, string][]).toString();
        const matches = created.filter(
          (one) =>
            (!status || one.status === status) &&
            (!invoiceId || one.invoiceId === invoiceId) &&
            (!customerId || one.customerId.toLowerCase() === customerId.toLowerCase()),
        );
        found += matches.length;
        const all = await list(query);
        expect({ query, ...all.json }).toEqual({
          query,
          data: matches,
          pagination: page(matches.length, 20, 0),
        });
        const second = await list(`${query}&limit=1&offset=1`);
        expect({ query, ...second.json }).toEqual({
          query,
          data: matches.slice(1, 2),
          pagination: page(matches.length, 1, 1),
        });
      }
    }
  }
  expect(found).toBeGreaterThan(40);
});

test('all pages together are the whole list, and pages after its end are empty', async () => {
  for (const limit of [1, 2, 4, 9]) {
    for (let offset = 0; offset <= 10; offset++) {
      const { json } = await list(`limit=${limit}&offset=${offset}`);
      const rows = created.slice(offset, offset + limit);
      expect(json).toEqual({ data: rows, pagination: page(9, limit, offset) });
    }
  }
  const last = Number.MAX_SAFE_INTEGER;
  expect((await list(`limit=100&offset=${last}`)).json).toEqual({ data: [], pagination: page(9, 100, last) });
});

test.each([
  ...['Pending', 'paid', 'processed', '', 'pending,failed', '__proto__'].map((text) => [
    `status=${text}`,
    'status',
  ]),
  ['status=failed&status=failed', 'status'],
  ['invoiceId=', 'invoiceId'],
  ['invoiceId=a&invoiceId=a', 'invoiceId'],
  ['customerId=', 'customerId'],
  ['customerId=a&customerId=a', 'customerId'],
  ['limit=0', 'limit'],
  ['limit=101', 'limit'],
  ['limit=', 'limit'],
  ['offset=-1', 'offset'],
  ['offset=9007199254740992', 'offset'],
] as [string, string][])('%s is 400, field %s', async (query, field) => {
  const code = `invalid_${field.replace('Id', '')}`;
  const response = await list(query);
  expectError(response, 400, code, field);
  expect(response.json.error.message).toContain(field);
});

test('parameters are validated in order, unknown ones last', async () => {
  const bad = ['limit=0', 'offset=x', 'status=x', 'invoiceId=', 'customerId='];
  const fields = ['limit', 'offset', 'status', 'invoiceId', 'customerId'];
  for (const [index, field] of fields.entries()) {
    const response = await list(['color=1', ...bad.slice(index).reverse()].join('&'));
    expect(response.json.error.field).toBe(field);
  }
  for (const name of ['color', 'paymentId', 'method', 'amount', '__proto__']) {
    expectError(await list(`${name}=1`), 400, 'unknown_parameter', name);
  }
});

describe('payments of other accounts', () => {
  test('are 404 payment_not_found like unknown ids, and are in no list with any filter', async () => {
    const other = await newAccount(stack.baseUrl);
    const mine = created[0] as ListedPayment;
    const unknown = await api.get(`/api/payments/pay_${'0'.repeat(26)}`);
    expectError(unknown, 404, 'payment_not_found');
    for (const stranger of [account.live, other.test, other.live]) {
      expect(textForBothModes(await stranger.get(`/api/payments/${mine.id}`))).toBe(
        textForBothModes(unknown),
      );
      for (const query of ['', `invoiceId=${mine.invoiceId}`, 'customerId=cust_1', 'status=failed']) {
        expect((await list(query, stranger)).json.pagination.total).toBe(0);
      }
    }
    for (const id of [
      mine.id.toUpperCase(),
      mine.id.slice(4),
      mine.invoiceId,
      `${mine.id}0`,
      '*',
      '__proto__',
    ]) {
      expect((await api.get(`/api/payments/${id}`)).text).toBe(unknown.text);
    }
  });
});
