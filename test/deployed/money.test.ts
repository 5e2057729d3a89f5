/** Tests payments and refunds end to end: through the API, on the payment page, and as offline payments. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import {
  cardBody,
  cardNumbers,
  newInvoice,
  newPayment,
  offlineBody,
  waitForOutcome,
  waitForResource,
} from '../api/payments/new-payment.ts';
import { newAccount, type TestAccount } from '../support/api.ts';
import { expectError } from '../support/expectations.ts';
import { openPage, payOnPage } from '../support/pay-page.ts';
import { startTestStack } from '../support/stack.ts';

let stack: Stack;
let account: TestAccount;
beforeAll(async () => {
  stack = await startTestStack();
  account = await newAccount(stack.baseUrl);
});
afterAll(() => stack.close());

const invoiceOf = async (id: string) => (await account.test.get(`/api/invoices/${id}`)).json;

test('a card pays an invoice once; after a declined card the invoice can still be paid', async () => {
  const { test: api } = account;
  const { invoice, payment: declined } = await newPayment(api, cardNumbers.declined);
  expect(declined).toMatchObject({ status: 'failed', failureCode: 'card_declined' });
  const { json: payment } = await api.post('/api/payments', cardBody(invoice.id));
  expect(payment).toMatchObject({ status: 'completed', amount: 2500, card: { last4: '4242' } });
  expect(await invoiceOf(invoice.id)).toMatchObject({ status: 'paid' });
  expectError(await api.post('/api/payments', cardBody(invoice.id)), 400, 'invoice_already_paid');
  const { json: list } = await api.get(`/api/payments?invoiceId=${invoice.id}`);
  expect(list.data.map(({ id }: { id: string }) => id)).toEqual([payment.id, declined.id]);
});

test('live mode accepts offline payments and rejects card data', async () => {
  const { id } = await newInvoice(account.live);
  expectError(await account.live.post('/api/payments', cardBody(id)), 400, 'card_data_not_accepted');
  const body = offlineBody(id, { reference: 'Receipt 17' });
  const { json } = await account.live.post('/api/payments', body);
  expect(json).toMatchObject({ status: 'completed', method: 'offline', reference: 'Receipt 17' });
});

test('the payment page shows an invoice, accepts a payment, and then shows the invoice as paid', async () => {
  const { id, paymentUrl } = await newInvoice(account.test, { currency: 'BTN', amount: 12_345_650 });
  const page = await openPage(paymentUrl);
  expect(page.status).toBe(200);
  expect(page.headers['content-type']).toMatch(/^text\/html/);
  expect(page.text).toContain('Nu. 1,23,456.50');
  expect((await payOnPage(paymentUrl)).status).toBe(303);
  expect(await invoiceOf(id)).toMatchObject({ status: 'paid' });
  expect((await openPage(paymentUrl)).text).not.toContain('name="number"');
  expect((await openPage(`${stack.baseUrl}/pay/inv_${'0'.repeat(26)}`)).status).toBe(404);
});

test('the workers complete a slow payment', async () => {
  const { invoice, payment } = await newPayment(account.test, cardNumbers.slow);
  expect(payment.status).toBe('pending');
  expect(await waitForOutcome(account.test, 'payments', payment.id)).toMatchObject({ status: 'completed' });
  expect(await invoiceOf(invoice.id)).toMatchObject({ status: 'paid' });
});

test('the workers process a refund, and the refunds together never exceed the payment', async () => {
  const { test: api } = account;
  const { payment } = await newPayment(api, cardNumbers.good);
  const refund = (amount: number) => api.post('/api/refunds', { paymentId: payment.id, amount });
  const { status, json } = await refund(1000);
  expect([status, json.status]).toEqual([201, 'pending']);
  expectError(await refund(1501), 400, 'refund_exceeds_payment');
  expect(await waitForOutcome(api, 'refunds', json.id)).toMatchObject({ status: 'processed', amount: 1000 });
  const refunded = await api.get(`/api/payments/${payment.id}`);
  expect(refunded.json).toMatchObject({ status: 'completed', amountRefunded: 1000 });
});

test('an invoice becomes overdue after its due date and can still be paid', async () => {
  const dueDate = new Date(Date.now() + 2_000).toISOString();
  const { id } = await newInvoice(account.test, { dueDate });
  await waitForResource(account.test, `/api/invoices/${id}`, ({ status }) => status === 'overdue');
  const { json } = await account.test.post('/api/payments', cardBody(id));
  expect(json).toMatchObject({ status: 'completed' });
});
