/** Tests refunds that a merchant makes in the provider's own dashboard: they are recorded once, with or without notifications. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { hostedProviderNames } from '../../shared/payments/provider/hosted-provider.ts';
import { pollPayment } from '../../shared/refunds/poll-payment.ts';
import { type CheckoutDouble, payAndSettle, startCheckoutDouble } from '../support/checkouts.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { openPage } from '../support/pay-page.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let checkouts: CheckoutDouble;

beforeAll(async () => {
  stack = await startTestStack();
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
  const poll = () => pollPayment({ due: Date.now(), kind: 'checkout', minute: 1, reference: id }, Date.now());
  return { api, id, reference, paymentOf, refundsOf, processedEvents, poll };
}

test.each(hostedProviderNames)(
  '%s: a refund at the provider arrives with its notification',
  async (provider) => {
    const { api, id, reference, paymentOf, refundsOf, processedEvents, poll } = await newPayment(provider);
    checkouts.double.refundInDashboard(reference, 1000);
    await waitUntil('the refund is counted', async () => (await paymentOf()).amountRefunded === 1000);
    await Promise.all([poll(), poll(), poll()]);
    await waitUntil('the refund is listed', async () => (await refundsOf()).length > 0);
    expect(await refundsOf()).toEqual([
      expect.objectContaining({ status: 'processed', amount: 1000, source: 'provider', reason: null }),
    ]);
    expect(await processedEvents()).toBe(1);
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
