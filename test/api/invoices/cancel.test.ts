/** Tests DELETE /api/invoices/:id, which cancels an invoice once and for good. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { invoiceBody, newAccount } from '../../support/api.ts';
import { setClock } from '../../support/clock.ts';
import { expectError, expectHeaders } from '../../support/expectations.ts';
import { startTestStack } from '../../support/stack.ts';
import { newOverdueInvoice } from './overdue-invoice.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterEach(() => setClock());
afterAll(() => stack.close());

async function newInvoice() {
  const { test: api } = await newAccount(stack.baseUrl);
  const { json: invoice } = await api.post('/api/invoices', invoiceBody());
  return { api, invoice, path: `/api/invoices/${invoice.id}` };
}

test('returns exactly three fields, and deletedAt is the new updatedAt of the invoice', async () => {
  const { api, invoice, path } = await newInvoice();
  const response = await api.delete(path);
  expect(response.status).toBe(200);
  expectHeaders(response);
  const { deletedAt } = response.json;
  expect(response.json).toEqual({ id: invoice.id, status: 'cancelled', deletedAt });
  expect(deletedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(deletedAt > invoice.updatedAt).toBe(true);
  expect((await api.get(path)).json).toEqual({ ...invoice, status: 'cancelled', updatedAt: deletedAt });
});

test('deletedAt is the current time of the service', async () => {
  const { api, path } = await newInvoice();
  const later = Date.now() + 5_000;
  setClock(() => later);
  expect((await api.delete(path)).json.deletedAt).toBe(new Date(later).toISOString());
});

test('a second cancellation is 400 invoice_already_cancelled and changes nothing', async () => {
  const { api, path } = await newInvoice();
  await api.delete(path);
  const before = await api.get(path);
  for (let time = 0; time < 2; time++) {
    expectError(await api.delete(path), 400, 'invoice_already_cancelled');
  }
  expect((await api.get(path)).text).toBe(before.text);
});

test('every repetition under the same key is 200, and a cancellation under another key is 400', async () => {
  const { api, path } = await newInvoice();
  const cancel = (key: string) => api.delete(path, { headers: { 'Idempotency-Key': key } });
  const first = await cancel('one');
  for (let time = 0; time < 3; time++) {
    const { status, text, headers } = await cancel('one');
    expect([status, text, headers['idempotent-replayed']]).toEqual([200, first.text, 'true']);
  }
  expectError(await cancel('two'), 400, 'invoice_already_cancelled');
});

test('a cancellation cannot be undone', async () => {
  const { api, invoice, path } = await newInvoice();
  await api.delete(path);
  expectError(await api.patch(path, { status: 'pending' }), 400, 'immutable_field', 'status');
  expectError(await api.patch(path, { amount: invoice.amount + 1 }), 400, 'invoice_not_pending');
  expect((await api.get(path)).json.status).toBe('cancelled');
});

test('an updated invoice can be cancelled, and keeps its update', async () => {
  const { api, path } = await newInvoice();
  await api.patch(path, { amount: 77 });
  expect((await api.delete(path)).status).toBe(200);
  expect((await api.get(path)).json).toMatchObject({ amount: 77, status: 'cancelled' });
});

test('an overdue invoice can be cancelled', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  const { invoice, path } = await newOverdueInvoice(api);
  const { status, json } = await api.delete(path);
  expect([status, json]).toEqual([200, { id: invoice.id, status: 'cancelled', deletedAt: json.deletedAt }]);
  expect(json.deletedAt > invoice.updatedAt).toBe(true);
  expect((await api.get(path)).json.status).toBe('cancelled');
});

test('lists show the cancellation immediately: the invoice is in the lists of all and of cancelled invoices only', async () => {
  const { api, invoice, path } = await newInvoice();
  await api.delete(path);
  const idsOf = async (query: string) =>
    (await api.get(`/api/invoices${query}`)).json.data.map(({ id }: { id: string }) => id);
  expect(await idsOf('')).toEqual([invoice.id]);
  expect(await idsOf('?status=cancelled')).toEqual([invoice.id]);
  expect(await idsOf('?status=pending')).toEqual([]);
});

test.each(['?forced=true', '?__proto__=1', '/'])('%j after the id has no effect', async (suffix) => {
  const { api, path } = await newInvoice();
  expect((await api.delete(`${path}${suffix}`)).json.status).toBe('cancelled');
});

test('404 invoice_not_found for an unknown or malformed id and for an invoice of another account', async () => {
  const [mine, other] = await Promise.all([newInvoice(), newInvoice()]);
  for (const path of [`/api/invoices/inv_${'0'.repeat(26)}`, '/api/invoices/x', other.path]) {
    expectError(await mine.api.delete(path), 404, 'invoice_not_found');
  }
  expect((await other.api.get(other.path)).json).toEqual(other.invoice);
});
