/**
 * Tests GET /api/refunds and GET /api/refunds/:id: filters, order, pagination, exact totals, and that refunds of other
 * accounts are hidden.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { type Api, newAccount, type TestAccount } from '../../support/api.ts';
import { expectError, expectHeaders, textForBothModes } from '../../support/expectations.ts';
import { startTestStack } from '../../support/stack.ts';
import { cardNumbers, newPayment, waitForOutcome } from '../payments/new-payment.ts';

let stack: Stack;
let account: TestAccount;
let api: Api;

interface ListedRefund {
  readonly id: string;
  readonly paymentId: string;
  readonly invoiceId: string;
  readonly status: string;
}

/**
 * All refunds, newest first. Those of two payments are processed, that of a third failed, that of a fourth is pending.
 */
const created: ListedRefund[] = [];

beforeAll(async () => {
  stack = await startTestStack();
  account = await newAccount(stack.baseUrl);
  api = account.test;
  const { good, refundFails } = cardNumbers;
  const payments: { id: string }[] = [];
  for (const number of [undefined, good, refundFails, good])
    payments.push((await newPayment(api, number)).payment);
  const add = async (index: number, amount: number) => {
    created.unshift((await api.post('/api/refunds', { paymentId: payments[index]?.id, amount })).json);
  };
  for (const [index, amount] of [
    [0, 1],
    [1, 2],
    [2, 3],
    [0, 4],
    [1, 5],
    [1, 6],
  ] as const)
    await add(index, amount);
  for (const [index, { id }] of created.entries()) created[index] = await waitForOutcome(api, 'refunds', id);
  await stack.queues.pause();
  for (const [index, amount] of [
    [3, 7],
    [0, 8],
  ] as const)
    await add(index, amount);
});
afterAll(() => stack.close());

const list = (query: string, of = api) => of.get(`/api/refunds${query && `?${query}`}`);
const page = (total: number, limit: number, offset: number) => ({
  total,
  limit,
  offset,
  hasMore: offset + limit < total,
});

test('an empty list has exactly data and pagination, with the defaults', async () => {
  const response = await list('', (await newAccount(stack.baseUrl)).test);
  expect(response.status).toBe(200);
  expectHeaders(response);
  expect(response.json).toEqual({ data: [], pagination: page(0, 20, 0) });
});

test('rows are whole refunds, newest first, equal to GET', async () => {
  const { json } = await list('');
  expect(json).toEqual({ data: created, pagination: page(8, 20, 0) });
  expect(new Set(created.map(({ status }) => status))).toEqual(new Set(['pending', 'processed', 'failed']));
  for (const row of created) {
    const response = await api.get(`/api/refunds/${row.id}`);
    expectHeaders(response);
    expect([response.status, response.json]).toEqual([200, row]);
  }
});

test('every combination of filters finds its refunds, with the exact total and at an offset', async () => {
  const [newest, second] = created as [ListedRefund, ListedRefund];
  const statuses = [undefined, 'pending', 'processed', 'failed'];
  const paymentIds = [undefined, newest.paymentId, second.paymentId, `pay_${'0'.repeat(26)}`, 'x'];
  const invoiceIds = [undefined, newest.invoiceId, created[2]?.invoiceId, `inv_${'0'.repeat(26)}`];
  let found = 0;
  for (const status of statuses) {
    for (const paymentId of paymentIds) {
      for (const invoiceId of invoiceIds) {
        const filters = Object.entries({ status, paymentId, invoiceId }).filter(([, value]) => value);
        const query = new URLSearchParams(filters as [string, string][]).toString();
        const matches = created.filter(
          (one) =>
            (!status || one.status === status) &&
            (!paymentId || one.paymentId === paymentId) &&
            (!invoiceId || one.invoiceId === invoiceId),
        );
        found += matches.length;
        const all = await list(query);
        expect({ query, ...all.json }).toEqual({
          query,
          data: matches,
          pagination: page(matches.length, 20, 0),
        });
        const next = await list(`${query}&limit=1&offset=1`);
        expect({ query, ...next.json }).toEqual({
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
  for (const limit of [1, 3, 8]) {
    for (let offset = 0; offset <= 9; offset++) {
      const { json } = await list(`limit=${limit}&offset=${offset}`);
      const rows = created.slice(offset, offset + limit);
      expect(json).toEqual({ data: rows, pagination: page(8, limit, offset) });
    }
  }
});

test.each([
  ...['Pending', 'completed', '', 'pending,failed', '__proto__'].map((text) => [`status=${text}`, 'status']),
  ['status=failed&status=failed', 'status'],
  ['paymentId=', 'paymentId'],
  ['paymentId=a&paymentId=a', 'paymentId'],
  ['invoiceId=', 'invoiceId'],
  ['invoiceId=a&invoiceId=a', 'invoiceId'],
  ['limit=0', 'limit'],
  ['limit=101', 'limit'],
  ['offset=', 'offset'],
] as [string, string][])('%s is 400, field %s', async (query, field) => {
  const response = await list(query);
  expectError(response, 400, `invalid_${field.replace('Id', '')}`, field);
  expect(response.json.error.message).toContain(field);
});

test('parameters are validated in order, unknown ones last', async () => {
  const bad = ['limit=0', 'offset=x', 'status=x', 'paymentId=', 'invoiceId='];
  const fields = ['limit', 'offset', 'status', 'paymentId', 'invoiceId'];
  for (const [index, field] of fields.entries()) {
    const response = await list(['color=1', ...bad.slice(index).reverse()].join('&'));
    expect(response.json.error.field).toBe(field);
  }
  for (const name of ['color', 'customerId', 'reason', '__proto__']) {
    expectError(await list(`${name}=1`), 400, 'unknown_parameter', name);
  }
});

test('refunds of other accounts are 404 refund_not_found like unknown ids, and are in no list', async () => {
  const other = await newAccount(stack.baseUrl);
  const mine = created[0] as ListedRefund;
  const unknown = await api.get(`/api/refunds/ref_${'0'.repeat(26)}`);
  expectError(unknown, 404, 'refund_not_found');
  for (const stranger of [account.live, other.test, other.live]) {
    expect(textForBothModes(await stranger.get(`/api/refunds/${mine.id}`))).toBe(textForBothModes(unknown));
    for (const query of [
      '',
      `paymentId=${mine.paymentId}`,
      `invoiceId=${mine.invoiceId}`,
      'status=pending',
    ]) {
      expect((await list(query, stranger)).json.pagination.total).toBe(0);
    }
  }
  for (const id of [
    mine.id.toUpperCase(),
    mine.id.slice(4),
    mine.paymentId,
    `${mine.id}0`,
    '*',
    '__proto__',
  ]) {
    expect((await api.get(`/api/refunds/${id}`)).text).toBe(unknown.text);
  }
});
