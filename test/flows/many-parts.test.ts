/**
 * Tests what changes all payments of an invoice, with as many as it takes: the void of one, and cancellations. What follows from each fits
 * into one transaction of the event log. Takes 15 seconds, in `npm run test:all` only.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { maxParts } from '../../shared/domain/invoices/received-money.ts';
import { maxCreditParts } from '../../shared/domain/payments/credit.ts';
import { maxPaymentEvents } from '../../shared/domain/payments/payment-changes.ts';
import { maxPaidParts } from '../../shared/domain/payments/void-payment.ts';
import { newInvoice, offlineBody, waitForResource } from '../api/payments/new-payment.ts';
import { type Api, newAccount, type TestAccount } from '../support/api.ts';
import { expectError } from '../support/expectations.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

const customerId = 'pema@example.bt';

let stack: Stack;
let account: TestAccount;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack();
  account = await newAccount(stack.baseUrl);
  api = inNewestVersion(account.test);
  const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
  await changeSeller(account.accountId, { legalName: 'Druk Crafts', address: { country: 'BT' } });
  // The deliveries of each event are part of the transaction that stores it, as far as they fit.
  const created = await api.post('/api/webhooks', { url: 'https://127.0.0.1:9/', events: ['*'] });
  expect([created.status, created.json]).toEqual([201, created.json]);
});
afterAll(() => stack?.close());

const post = async (path: string, body: object) => {
  const { json, status } = await api.post(path, body);
  expect([status < 300, json]).toEqual([true, json]);
  return json;
};
const get = async (path: string) => (await api.get(path)).json;
const newPartial = (amount: number) =>
  newInvoice(api, { customerId, currency: 'BTN', amount, acceptPartial: true });
async function payParts(invoiceId: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let part = 0; part < count; part++)
    ids.push((await post('/api/payments', offlineBody(invoiceId, { amount: 10 }))).id);
  return ids;
}
const useCredit = (invoiceId: string) => post('/api/payments', { invoiceId, method: 'credit' });

/** Makes credit of the customer, with as many payments. */
async function newCredits(count: number): Promise<void> {
  const { id } = await newPartial(10 * count + 10);
  await payParts(id, count);
  expect((await api.delete(`/api/invoices/${id}?payments=credit`)).status).toBe(200);
}

/** Waits until all events are there, and expects that records, lists, journal and sums agree. */
async function expectBooked(): Promise<void> {
  const outbox = () => tableOf(stack).outboxOf(account.accountId);
  await waitUntil('all is relayed', async () => (await outbox()).length === 0, { deadlineMs: 60_000 });
  const { reconcileNow } = await import('../../shared/operations/reconciliation/reconcile-now.ts');
  const owner = { account: account.accountId, mode: 'test' } as const;
  const { differences, unconfirmed, failures } = await reconcileNow(owner, { full: true, waitsMs: [0, 0] });
  expect({ differences, unconfirmed, failures }).toEqual({ differences: [], unconfirmed: [], failures: [] });
}

test('a payment of a paid invoice with many payments is voided as a whole, or refused', async () => {
  await newCredits(1);
  // The payment with credit has an event more, of the payment that gave it.
  const { id } = await newPartial(10 * maxPaidParts);
  const [first] = await payParts(id, maxPaidParts - 1);
  const used = await useCredit(id);
  await post(`/api/payments/${used.id}/void`, { reason: 'Not this one' });
  await expectBooked();
  const { replacedBy, status } = await get(`/api/invoices/${id}`);
  expect(status).toBe('paid');
  const open = await get(`/api/invoices/${replacedBy}`);
  expect(open).toMatchObject({ status: 'pending', amountPaid: 10 * (maxPaidParts - 1), amountDue: 10 });
  const { data: events } = await get('/api/events?limit=100');
  const moved = events.filter(
    (event: { type: string; data: { invoiceId?: string } }) =>
      event.type === 'payment.updated' && event.data.invoiceId === replacedBy,
  );
  expect(moved).toHaveLength(maxPaidParts - 1);
  const { pagination } = await get(`/api/payments?invoiceId=${replacedBy}&limit=1`);
  expect(pagination.total).toBe(maxPaidParts - 1);

  // With one payment more, nothing changes.
  expect((await api.patch(`/api/invoices/${replacedBy}`, { amount: 10 * (maxPaidParts + 1) })).status).toBe(
    200,
  );
  const last = (await payParts(replacedBy, 2))[1];
  for (const payment of [first, last]) {
    const refused = await api.post(`/api/payments/${payment}/void`, { reason: 'Typed twice' });
    expectError(refused, 400, 'payment_not_voidable');
    expect(refused.json.error.message).toContain(`more than ${maxPaidParts} payments`);
  }
  expect(await get(`/api/invoices/${replacedBy}`)).toMatchObject({ status: 'paid', replacedBy: null });
  await expectBooked();
});

test('an invoice with as many payments as it takes is cancelled', async () => {
  const creditsUsed = 4;
  await newCredits(creditsUsed);
  const received = maxPaymentEvents - 2 * creditsUsed;
  const kept = await newPartial(10_000);
  const [source] = await payParts(kept.id, received);
  for (let credit = 0; credit < creditsUsed; credit++) await useCredit(kept.id);
  // One payment more is refused, and nothing changes.
  const [over] = await payParts(kept.id, 1);
  const refused = await api.delete(`/api/invoices/${kept.id}?payments=credit`);
  expectError(refused, 400, 'invoice_partly_paid');
  expect((await get(`/api/invoices/${kept.id}`)).amountPaid).toBe(10 * (maxPaymentEvents - creditsUsed + 1));
  await post(`/api/payments/${over}/void`, { reason: 'Typed twice' });
  expect((await api.delete(`/api/invoices/${kept.id}?payments=credit`)).json.status).toBe('cancelled');
  await expectBooked();
  expect(await get(`/api/payments/${source}`)).toMatchObject({ amountOver: 10, amountCredited: 0 });

  const refunded = await newPartial(10_000);
  for (let credit = 0; credit < maxCreditParts; credit++) await useCredit(refunded.id);
  const parts = await payParts(refunded.id, maxParts - 1 - maxCreditParts);
  expect((await api.delete(`/api/invoices/${refunded.id}?payments=refund`)).json.status).toBe('cancelled');
  for (const part of parts)
    await waitForResource(api, `/api/payments/${part}`, ({ amountRefunded }) => amountRefunded === 10);
  await expectBooked();
  expect(await get(`/api/payments/${source}`)).toMatchObject({ amountOver: 10, amountCredited: 0 });
});
