/** Tests the test card whose outcome is unknown for some seconds: the payment and its invoice before and after that. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { newAccount } from '../../support/api.ts';
import { startTestStack } from '../../support/stack.ts';
import { type TestTable, tableOf } from '../../support/table.ts';
import { waitUntil } from '../../support/wait-until.ts';
import {
  cardBody,
  cardNumbers,
  expectListed,
  isReplay,
  newInvoice,
  offlineBody,
  repeatInParallel,
  underKey,
  waitForOutcome,
  waitForResource,
} from './new-payment.ts';

let stack: Stack;
let table: TestTable;
beforeAll(async () => {
  stack = await startTestStack();
  table = tableOf(stack);
});
afterEach(() => stack.queues.resume());
afterAll(() => stack.close());

/** Waits until all events of the account are relayed, and returns their types in order. */
async function eventTypes(accountId: string): Promise<string[]> {
  const owner = `${accountId}#test`;
  await waitUntil('the outbox is empty', async () => (await table.outboxOf(owner)).length === 0);
  return (await table.all(`EVENTS#${owner}`)).map(({ type }) => type);
}

test('the payment is pending and blocks its invoice, and completes within seconds', async () => {
  const { test: api, accountId } = await newAccount(stack.baseUrl);
  const invoice = await newInvoice(api);
  const pay = () => api.post('/api/payments', cardBody(invoice.id, cardNumbers.slow), underKey('key'));
  // The payment must stay pending until the test has checked it, even on a slow machine.
  await stack.queues.pause();
  const first = await pay();
  expect(first.json).toMatchObject({
    status: 'pending',
    method: 'card',
    card: { brand: 'visa', last4: '0077' },
    amountRefunded: 0,
    failureCode: null,
    failureMessage: null,
    dispute: null,
  });
  const { id } = first.json;
  expect((await api.get(`/api/invoices/${invoice.id}`)).json).toEqual(invoice);
  expect((await api.get(`/api/payments/${id}`)).text).toBe(first.text);
  expect((await api.get('/api/payments?status=pending')).json.data).toEqual([first.json]);
  const second = await api.post('/api/payments', cardBody(invoice.id, cardNumbers.slow), underKey('other'));
  expect(second.json.error.code).toBe('payment_in_progress');
  expect((await pay()).text).toBe(first.text);
  stack.queues.resume();

  const completed = await waitForOutcome(api, 'payments', id);
  expect(completed).toEqual({ ...first.json, status: 'completed', updatedAt: completed.updatedAt });
  expect(completed.updatedAt > first.json.updatedAt).toBe(true);
  const paid = (await api.get(`/api/invoices/${invoice.id}`)).json;
  expect(paid).toEqual({ ...invoice, status: 'paid', updatedAt: paid.updatedAt });
  await expectListed(api, '/api/payments?status=completed', [completed]);
  await expectListed(api, '/api/payments?status=pending', []);
  await expectListed(api, '/api/invoices?status=paid', [paid]);
  expect(await eventTypes(accountId)).toEqual(['invoice.created', 'payment.completed', 'invoice.paid']);

  const again = await pay();
  expect([again.status, again.text, isReplay(again)]).toEqual([201, first.text, true]);
});

test('if its invoice is cancelled in the meantime, the payment completes and is fully refunded automatically', async () => {
  const { test: api, accountId } = await newAccount(stack.baseUrl);
  const invoice = await newInvoice(api);
  await stack.queues.pause();
  const { json: payment } = await api.post('/api/payments', cardBody(invoice.id, cardNumbers.slow));
  expect(payment.status).toBe('pending');
  const { json: cancellation } = await api.delete(`/api/invoices/${invoice.id}`);
  expect(cancellation.status).toBe('cancelled');
  stack.queues.resume();

  const path = `/api/payments/${payment.id}`;
  const refunded = await waitForResource(api, path, ({ amountRefunded }) => amountRefunded > 0);
  expect(refunded).toEqual({
    ...payment,
    status: 'completed',
    amountRefunded: 2500,
    updatedAt: refunded.updatedAt,
  });
  const { data, pagination } = (await api.get(`/api/refunds?paymentId=${payment.id}`)).json;
  expect(pagination.total).toBe(1);
  expect(data[0]).toMatchObject({
    paymentId: payment.id,
    invoiceId: invoice.id,
    amount: 2500,
    currency: 'USD',
    status: 'processed',
    reason: 'The invoice was cancelled while the payment was in progress.',
    failureCode: null,
  });
  const after = (await api.get(`/api/invoices/${invoice.id}`)).json;
  expect(after).toEqual({ ...invoice, status: 'cancelled', updatedAt: cancellation.deletedAt });
  expect((await api.get('/api/invoices?status=paid')).json.data).toEqual([]);
  expect((await api.get('/api/invoices?status=cancelled')).json.data).toEqual([after]);
  expect(await eventTypes(accountId)).toEqual([
    'invoice.created',
    'invoice.cancelled',
    'payment.completed',
    'refund.processed',
  ]);
  const more = await api.post('/api/refunds', { paymentId: payment.id, amount: 1 });
  expect(more.json.error.code).toBe('refund_exceeds_payment');
  const another = await api.post('/api/payments', offlineBody(invoice.id));
  expect(another.json.error.code).toBe('invoice_already_cancelled');
});

test('20 parallel payments of one invoice without keys create one payment, which completes', async () => {
  const { test: api, accountId } = await newAccount(stack.baseUrl);
  const { id } = await newInvoice(api);
  const responses = await repeatInParallel(20, () =>
    api.post('/api/payments', cardBody(id, cardNumbers.slow)),
  );
  const winners = responses.filter(({ status }) => status === 201);
  expect(winners).toHaveLength(1);
  await waitForOutcome(api, 'payments', winners[0]?.json.id);
  expect((await api.get(`/api/invoices/${id}`)).json.status).toBe('paid');
  expect((await api.get('/api/payments')).json.pagination.total).toBe(1);
  expect(await eventTypes(accountId)).toEqual(['invoice.created', 'payment.completed', 'invoice.paid']);
});
