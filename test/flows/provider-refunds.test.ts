/** Tests refunds that a merchant makes in the provider's own dashboard: they are recorded once, with or without notifications. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { findProviderPayment } from '../../shared/domain/payments/checkouts/checkout-store.ts';
import { hostedProviderNames } from '../../shared/domain/payments/provider/hosted-provider.ts';
import { pollHostedPayment } from '../../shared/domain/refunds/poll-payment.ts';
import { firstApiVersion } from '../../shared/domain/versions/versions.ts';
import { deliverDueTimers, differencesOfBooks } from '../support/checkout-books.ts';
import { type CheckoutDouble, payAndSettle, startCheckoutDouble } from '../support/checkouts.ts';
import { stopClock } from '../support/clock.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { openPage } from '../support/pay-page.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

const hourMs = 3_600_000;

let stack: Stack;
let checkouts: CheckoutDouble;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
});
afterEach(() => checkouts.close());
afterAll(() => stack.close());

/** Pays an invoice. Returns its payment and what the API says about it. */
async function newPayment(provider: (typeof hostedProviderNames)[number]) {
  checkouts = await startCheckoutDouble(stack, { provider });
  const merchant = await checkouts.newMerchant();
  const api = inNewestVersion(merchant.api);
  const { id, reference } = await payAndSettle(checkouts, merchant);
  const paymentOf = async () => (await api.get(`/api/payments/${id}`)).json;
  const refundsOf = async () => (await api.get(`/api/refunds?paymentId=${id}`)).json.data;
  const processedEvents = async () =>
    (await api.get('/api/events?type=refund.processed&limit=100')).json.data.length;
  const poll = () =>
    pollHostedPayment({ due: Date.now(), kind: 'checkout', minute: 1, reference: id }, Date.now());
  const { owner } = merchant;
  return { owner, api, id, reference, paymentOf, refundsOf, processedEvents, poll };
}

test.each(hostedProviderNames)(
  '%s: a refund at the provider arrives with its notification',
  async (provider) => {
    const payment = await newPayment(provider);
    const { owner, api, id, reference, paymentOf, refundsOf, processedEvents, poll } = payment;
    const refund = checkouts.double.refundInDashboard(reference, 1000);
    await waitUntil('the refund is counted', async () => (await paymentOf()).amountRefunded === 1000);
    await Promise.all([poll(), poll(), poll()]);
    await waitUntil('the refund is listed', async () => (await refundsOf()).length > 0);
    expect(await refundsOf()).toEqual([
      expect.objectContaining({ status: 'processed', amount: 1000, source: 'provider', reason: null }),
    ]);
    expect(await processedEvents()).toBe(1);
    expect(await findProviderPayment(owner, provider, reference)).toBe(id);
    expect(await findProviderPayment(owner, provider, refund)).toBeUndefined();
    const { invoiceId } = await paymentOf();
    const { paymentUrl } = (await api.get(`/api/invoices/${invoiceId}`)).json;
    expect((await openPage(paymentUrl)).text).toContain('partly refunded');

    const tooMuch = await api.post('/api/refunds', { paymentId: id, amount: 1600 });
    expect(tooMuch.json.error.code).toBe('refund_exceeds_payment');
    expect((await api.post('/api/refunds', { paymentId: id })).json).toMatchObject({
      amount: 1500,
      source: 'remit',
    });
    await waitUntil('all is refunded', async () => (await paymentOf()).amountRefunded === 2500);
    expect(await refundsOf()).toHaveLength(2);
  },
);

test.each(hostedProviderNames)(
  '%s: a refund without a notification is found, and can fail later',
  async (provider) => {
    const { reference, paymentOf, refundsOf, poll } = await newPayment(provider);
    checkouts.double.notifications.sendTo('live', undefined);
    checkouts.double.pendingRefunds = true;
    const refund = checkouts.double.refundInDashboard(reference, 2500);
    await poll();
    expect(await refundsOf()).toEqual([]);
    checkouts.double.settleRefund(refund, 'succeeded');
    await poll();
    expect((await paymentOf()).amountRefunded).toBe(2500);
    checkouts.double.settleRefund(refund, 'failed');
    await poll();
    expect((await paymentOf()).amountRefunded).toBe(0);
    expect(await refundsOf()).toEqual([expect.objectContaining({ status: 'failed', source: 'provider' })]);
  },
);

test.each(hostedProviderNames)(
  '%s: a refund that has failed here, but whose money the provider has returned, is recorded',
  async (provider) => {
    const { owner, api, id, paymentOf, refundsOf, poll } = await newPayment(provider);
    checkouts.double.notifications.sendTo('live', undefined);
    // The provider says that it refuses the refund, and carries it out.
    const body = '{"error":{"type":"invalid_request_error","code":"refused","description":"Refused"}}';
    checkouts.double.faults.inject({
      fault: { kind: 'answer', status: 400, body, when: 'after' },
      on: ({ method, path }) => method === 'POST' && path.includes('refund'),
    });
    await api.post('/api/refunds', { paymentId: id, amount: 1000 });
    await waitUntil('the refund has failed', async () => (await refundsOf())[0]?.status === 'failed');
    const [booked] = checkouts.double.books().flatMap(({ refunds }) => refunds);
    expect(booked?.key).toMatch(/^ref_/);
    await Promise.all([poll(), poll()]);
    await waitUntil('the refund is listed', async () => (await refundsOf()).length === 2);
    expect((await refundsOf()).map(({ source, status }: Record<string, string>) => [source, status])).toEqual(
      [
        ['provider', 'processed'],
        ['remit', 'failed'],
      ],
    );
    expect((await paymentOf()).amountRefunded).toBe(1000);
    expect(await differencesOfBooks(tableOf(stack), checkouts.double, owner)).toEqual([]);
  },
);

test('a refund of Remit that is pending gives way to a refund of the same money at the provider', async () => {
  const { api, id, reference, paymentOf, refundsOf, poll } = await newPayment('stripe');
  await stack.queues.pause();
  await api.post('/api/refunds', { paymentId: id });
  checkouts.double.refundInDashboard(reference, 2500);
  stack.queues.resume();
  await waitUntil('the refund of Remit has failed', async () =>
    (await refundsOf()).some(({ status }: { status: string }) => status === 'failed'),
  );
  await poll();
  expect((await paymentOf()).amountRefunded).toBe(2500);
  expect(await refundsOf()).toHaveLength(2);
});

test.each(hostedProviderNames)(
  '%s: a refund waits for balance, and is tried again for days',
  async (provider) => {
    const clock = stopClock();
    const { api, id, reference, paymentOf, refundsOf } = await newPayment(provider);
    checkouts.double.behavior.balanceMinor = 0;
    await stack.queues.pause();
    const { id: refund } = (await api.post('/api/refunds', { paymentId: id })).json;
    const isOwn = (timer: string) => timer === refund;
    for (let hour = 0; hour < 30; hour += 3) {
      await deliverDueTimers(tableOf(stack), clock, isOwn);
      clock.advance(3 * hourMs);
    }
    expect(await refundsOf()).toMatchObject([{ status: 'pending', failureCode: null }]);
    checkouts.double.behavior.balanceMinor = 2500;
    clock.advance(25 * hourMs);
    await deliverDueTimers(tableOf(stack), clock, isOwn);
    expect((await paymentOf()).amountRefunded).toBe(2500);
    expect(checkouts.double.books().find((payment) => payment.reference === reference)?.refunds).toHaveLength(
      1,
    );
    stack.queues.resume();
  },
);

test('a refund that waits for balance fails after ten days', async () => {
  const clock = stopClock();
  const { api, id, refundsOf } = await newPayment('razorpay');
  checkouts.double.behavior.balanceMinor = 0;
  await stack.queues.pause();
  const { id: refund } = (await api.post('/api/refunds', { paymentId: id })).json;
  clock.advance(11 * 24 * hourMs);
  await deliverDueTimers(tableOf(stack), clock, (timer) => timer === refund);
  expect(await refundsOf()).toMatchObject([{ status: 'failed', failureCode: 'insufficient_balance' }]);
  const first = { 'X-API-Version': firstApiVersion };
  const { json } = await api.get(`/api/refunds/${refund}`, { headers: first });
  expect(json.failureCode).toBe('refund_refused');
  expect(json.source).toBeUndefined();
  stack.queues.resume();
});

test('a refund that Razorpay never takes is refused when it is asked for', async () => {
  const { api, id } = await newPayment('razorpay');
  const { status, json } = await api.post('/api/refunds', { paymentId: id, amount: 99 });
  expect([status, json.error.code, json.error.field]).toEqual([400, 'invalid_amount', 'amount']);
  expect(json.error.message).toContain('at least 100');
});

test.each(hostedProviderNames)(
  '%s: an inquiry can be settled by a refund, and is not won',
  async (provider) => {
    const { api, id, reference, paymentOf } = await newPayment(provider);
    const inquiry = checkouts.double.openDispute(reference, 'inquiry');
    await waitUntil('the inquiry is shown', async () => (await paymentOf()).dispute?.status === 'inquiry');
    expect(Date.parse((await paymentOf()).dispute.respondBy)).toBeGreaterThan(Date.now());
    const first = await api.get(`/api/payments/${id}`, { headers: { 'X-API-Version': firstApiVersion } });
    expect(first.json.dispute.status).toBe('open');
    expect(first.json.dispute).not.toHaveProperty('respondBy');
    const { paymentUrl } = (await api.get(`/api/invoices/${(await paymentOf()).invoiceId}`)).json;
    expect((await openPage(paymentUrl)).text).not.toContain('The bank has not decided yet');
    expect((await api.post('/api/refunds', { paymentId: id })).status).toBe(201);
    await waitUntil('the refund is counted', async () => (await paymentOf()).amountRefunded === 2500);
    checkouts.double.closeDispute(inquiry, 'closed');
    await waitUntil('the inquiry is closed', async () => (await paymentOf()).dispute.status === 'closed');
  },
);

test('the fee that a payer bears at Razorpay is not a part of the payment', async () => {
  checkouts = await startCheckoutDouble(stack, { provider: 'razorpay' });
  checkouts.double.behavior.customerFeeMinor = 59;
  const merchant = await checkouts.newMerchant();
  const { id, reference } = await payAndSettle(checkouts, merchant);
  const payment = (await merchant.api.get(`/api/payments/${id}`)).json;
  expect(payment).toMatchObject({ status: 'completed', amount: 2500 });
  expect(checkouts.double.books().find((booked) => booked.reference === reference)?.amountMinor).toBe(2500);
});
