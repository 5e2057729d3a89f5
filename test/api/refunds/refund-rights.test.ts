/** Tests that requests that make money go back need `refunds:write`. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { allBut, createHeldPayment, newKey } from '../../contract/examples.ts';
import { type Api, apiOf, newAccount } from '../../support/api.ts';
import { expectError } from '../../support/expectations.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { startTestStack } from '../../support/stack.ts';
import { newInvoice, offlineBody } from '../payments/new-payment.ts';

let stack: Stack;
let withRefunds: Api;
let without: Api;

beforeAll(async () => {
  stack = await startTestStack();
  const account = await newAccount(stack.baseUrl);
  const apiWith = (apiKey: string) => inNewestVersion(apiOf(stack.baseUrl, apiKey));
  withRefunds = apiWith(await newKey(account));
  without = apiWith(await newKey(account, { permissions: allBut('refunds:write') }));
});
afterAll(() => stack.close());

const expectRefused = (response: Awaited<ReturnType<Api['get']>>) => {
  expectError(response, 403, 'insufficient_permissions');
  expect(response.json.error.message).toContain('`refunds:write`');
};

test('cancelling an invoice with the refund of its payments', async () => {
  const { id } = await newInvoice(without, { acceptPartial: true });
  const paid = await without.post('/api/payments', offlineBody(id, { amount: 1000 }));
  expectRefused(await without.delete(`/api/invoices/${id}?payments=refund`));
  expect((await without.get(`/api/invoices/${id}`)).json.status).toBe('pending');
  // The answer that another key has got is not repeated to this one.
  const headers = { 'Idempotency-Key': 'cancelled-with-refunds' };
  const path = `/api/invoices/${id}?payments=refund`;
  expect((await withRefunds.delete(path, { headers })).json.status).toBe('cancelled');
  expectRefused(await without.delete(path, { headers }));
  expect(paid.status).toBe(201);

  const kept = (await newInvoice(without, { acceptPartial: true })).id;
  await without.post('/api/payments', offlineBody(kept, { amount: 1000 }));
  expect((await without.delete(`/api/invoices/${kept}?payments=credit`)).json.status).toBe('cancelled');
  const unpaid = (await newInvoice(without)).id;
  expect((await without.delete(`/api/invoices/${unpaid}`)).json.status).toBe('cancelled');
});

test('refunding a payment of another amount', async () => {
  const path = `/api/payments/${await createHeldPayment(withRefunds)}/resolve`;
  expectRefused(await without.post(path, { action: 'refund' }));
  expectError(await without.post(path, { action: 'return' }), 400, 'invalid_action', 'action');
  expect((await without.post(path, { action: 'accept' })).json.status).toBe('completed');
  const other = `/api/payments/${await createHeldPayment(withRefunds)}/resolve`;
  expect((await withRefunds.post(other, { action: 'refund' })).json.status).toBe('failed');
});
