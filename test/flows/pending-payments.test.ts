/**
 * Tests payments on the page of a provider that wait: for a bank, which can take days, and for the merchant, because the provider
 * took another amount than that of the invoice.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { PayerAction } from '../../infra/local/provider-doubles/common/provider-double.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { passTime } from '../support/checkout-books.ts';
import {
  beginPaying,
  type CheckoutDouble,
  type Merchant,
  referenceIn,
  startCheckoutDouble,
} from '../support/checkouts.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { openPage } from '../support/pay-page.ts';
import { isExhaustive } from '../support/run.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestTable, tableOf } from '../support/table.ts';

const minuteMs = 60_000;

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let merchant: Merchant;
let invoice: { id: string; paymentUrl: string };

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  // The tests deliver the messages themselves.
  await stack.queues.pause();
});
afterAll(() => stack.close());

const pass = (ms: number, stepMs = 5 * minuteMs) => passTime(table, clock, { ms, stepMs, rest: 3 });

const api = () => inNewestVersion(merchant.api);
const statusOf = async () => (await api().get(`/api/invoices/${invoice.id}`)).json.status;
const paymentsOf = async () => (await api().get(`/api/payments?invoiceId=${invoice.id}`)).json.data;
const eventsOf = async (type: string) => (await api().get(`/api/events?type=${type}`)).json.data;
const resolve = async (action: string) => {
  const [{ id }] = await paymentsOf();
  return api().post(`/api/payments/${id}/resolve`, { action });
};

/** A payer pays, and the worker asks the provider. */
async function pay(checkouts: CheckoutDouble, action: PayerAction): Promise<string> {
  const reference = referenceIn(await beginPaying(invoice.paymentUrl));
  checkouts.double.act(reference, action);
  await pass(minuteMs);
  return reference;
}

const providers = ['stripe', 'razorpay'] as const;

describe.each(isExhaustive ? providers : providers.slice(0, 1))(
  'a payment at %s whose bank decides later',
  (provider) => {
    let checkouts: CheckoutDouble;
    beforeAll(async () => {
      checkouts = await startCheckoutDouble(stack, { provider });
    });
    beforeEach(async () => {
      clock = stopClock();
      merchant = await checkouts.newMerchant();
      invoice = await merchant.newInvoice();
    });
    afterAll(() => checkouts.close());

    test('is pending at once, the page says so, and nobody can pay again', async () => {
      await pay(checkouts, 'later');
      expect(await paymentsOf()).toMatchObject([{ status: 'pending', amount: 2500, method: 'provider' }]);
      const { text } = await openPage(invoice.paymentUrl);
      expect(text).toContain('Your bank is processing the payment');
      expect(text).not.toContain('name="provider"');
      const refused = await merchant.api.delete(`/api/invoices/${invoice.id}`);
      expect(refused.json.error?.code).toBe('payment_in_progress');
      expect(await eventsOf('payment.completed')).toEqual([]);
    });

    test('completes days later as the same payment', async () => {
      const reference = await pay(checkouts, 'later');
      const [{ id }] = await paymentsOf();
      await pass(10 * minuteMs);
      checkouts.double.settle(reference, 'succeeded');
      await pass(5 * 60 * minuteMs, 60 * minuteMs);
      expect(await statusOf()).toBe('paid');
      expect(await paymentsOf()).toMatchObject([{ id, status: 'completed', pendingReason: null }]);
      expect((await openPage(invoice.paymentUrl)).text).toContain('This page is your receipt');
    });

    test('fails days later as the same payment, and the invoice can be paid again', async () => {
      const reference = await pay(checkouts, 'later');
      const [{ id }] = await paymentsOf();
      checkouts.double.settle(reference, 'failed');
      await pass(8 * 60 * minuteMs, 30 * minuteMs);
      expect(await paymentsOf()).toMatchObject([{ id, status: 'failed' }]);
      expect(await statusOf()).toBe('pending');
      await pay(checkouts, 'pay');
      expect(await statusOf()).toBe('paid');
    });

    test('is refunded if the merchant has cancelled the invoice without waiting', async () => {
      const reference = await pay(checkouts, 'later');
      const forced = await merchant.api.delete(`/api/invoices/${invoice.id}?force=payment_in_progress`);
      expect(forced.status).toBe(200);
      checkouts.double.settle(reference, 'succeeded');
      await pass(5 * 60 * minuteMs, 60 * minuteMs);
      expect(await statusOf()).toBe('cancelled');
      expect(await paymentsOf()).toMatchObject([{ status: 'completed', amountRefunded: 2500 }]);
    });

    test('fails if the bank refuses it after the merchant has cancelled the invoice without waiting', async () => {
      const reference = await pay(checkouts, 'later');
      await merchant.api.delete(`/api/invoices/${invoice.id}?force=payment_in_progress`);
      await pass(60 * minuteMs);
      checkouts.double.settle(reference, 'failed');
      await pass(7 * 24 * 60 * minuteMs, 6 * 60 * minuteMs);
      expect(await statusOf()).toBe('cancelled');
      expect(await paymentsOf()).toMatchObject([{ status: 'failed', amountRefunded: 0 }]);
      expect(await eventsOf('payment.failed')).toHaveLength(1);
    });
  },
);

test('a status that Stripe has not documented is in progress, and sets off an alarm after a day', async () => {
  const checkouts = await startCheckoutDouble(stack);
  const { logger } = await import('../../shared/base/log.ts');
  const warn = logger.warn;
  const delays: string[] = [];
  logger.warn = (message, ...fields) => {
    if (message === 'a checkout has no outcome yet') delays.push(JSON.stringify(fields));
    warn.call(logger, message, ...fields);
  };
  try {
    clock = stopClock();
    const { double } = checkouts;
    merchant = await checkouts.newMerchant();
    invoice = await merchant.newInvoice();
    const reference = referenceIn(await beginPaying(invoice.paymentUrl));
    double.act(reference, 'pay');
    const path = `/v1/checkout/sessions/${reference}`;
    const headers = { Authorization: `Bearer ${double.credentials.live.apiKey}` };
    const answer = await fetch(`${double.url}${path}?expand[]=payment_intent.latest_charge`, { headers });
    const body = JSON.stringify({ ...((await answer.json()) as object), status: 'brand_new' });
    const fault = { kind: 'answer', status: 200, body } as const;
    const remove = double.faults.inject({ fault, on: (request) => request.path === path, times: 999 });
    await pass(minuteMs);
    expect(await paymentsOf()).toMatchObject([{ status: 'pending', pendingReason: 'processing' }]);
    expect((await openPage(invoice.paymentUrl)).text).toContain('Please do not pay again');
    await pass(20 * 60 * minuteMs, 60 * minuteMs);
    expect(delays).toEqual([]);
    await pass(12 * 60 * minuteMs, 60 * minuteMs);
    expect(delays.length).toBeGreaterThan(0);
    expect(delays[0]).toContain('CheckoutDelay');
    expect(await paymentsOf()).toHaveLength(1);
    remove();
    await pass(5 * 60 * minuteMs, 60 * minuteMs);
    expect([await statusOf(), (await paymentsOf())[0].status]).toEqual(['paid', 'completed']);
  } finally {
    logger.warn = warn;
    await checkouts.close();
  }
});

describe('an authorized payment at Razorpay that nobody captures', () => {
  let checkouts: CheckoutDouble;
  beforeAll(async () => {
    checkouts = await startCheckoutDouble(stack, { provider: 'razorpay' });
  });
  beforeEach(async () => {
    clock = stopClock();
    checkouts.double.behavior.takesCaptures = true;
    merchant = await checkouts.newMerchant();
    invoice = await merchant.newInvoice();
    await pay(checkouts, 'later');
  });
  afterAll(() => checkouts.close());

  test('is shown, and captured after a quarter of an hour', async () => {
    expect(await paymentsOf()).toMatchObject([{ status: 'pending', pendingReason: 'not_captured' }]);
    await pass(10 * minuteMs);
    expect(await paymentsOf()).toMatchObject([{ status: 'pending' }]);
    expect(checkouts.double.requests.some(({ path }) => path.endsWith('/capture'))).toBe(false);
    await pass(30 * minuteMs);
    expect(await statusOf()).toBe('paid');
    expect(await paymentsOf()).toMatchObject([{ status: 'completed', pendingReason: null }]);
  });

  test('stays pending if Razorpay refuses the capture', async () => {
    checkouts.double.behavior.takesCaptures = false;
    await pass(2 * 60 * minuteMs, 30 * minuteMs);
    expect(await paymentsOf()).toMatchObject([{ status: 'pending', pendingReason: 'not_captured' }]);
  });
});

describe.each([300, -300])('a payment of another amount (%i more)', (differenceMinor) => {
  const taken = 2500 + differenceMinor;
  let checkouts: CheckoutDouble;
  beforeAll(async () => {
    checkouts = await startCheckoutDouble(stack, { provider: 'razorpay' });
  });
  beforeEach(async () => {
    clock = stopClock();
    checkouts.double.behavior.differenceMinor = differenceMinor;
    merchant = await checkouts.newMerchant();
    invoice = await merchant.newInvoice();
    await pay(checkouts, 'pay');
  });
  afterAll(() => checkouts.close());

  test('stays pending, has an event of its own, and the page says what the payer has paid', async () => {
    expect(await paymentsOf()).toMatchObject([
      { status: 'pending', amount: taken, pendingReason: 'amount_differs', amountOver: 0 },
    ]);
    await pass(2 * 60 * minuteMs, 30 * minuteMs);
    expect(await eventsOf('payment.completed')).toEqual([]);
    expect(await eventsOf('payment.held')).toMatchObject([{ data: { amount: taken } }]);
    const { text } = await openPage(invoice.paymentUrl);
    expect(text).toContain(`You have paid ₹${taken / 100}.00, which is not the amount of this invoice.`);
    // A client of the first version sees a pending payment, and nothing that it does not know.
    const [shown] = (await merchant.api.get(`/api/payments?invoiceId=${invoice.id}`)).json.data;
    expect(shown).toMatchObject({ status: 'pending', amount: taken });
    expect(Object.keys(shown)).not.toContain('pendingReason');
  });

  test('pays the invoice if the merchant accepts it', async () => {
    const { status, json } = await resolve('accept');
    expect([status, json.status, json.amountOver]).toEqual([200, 'completed', Math.max(0, differenceMinor)]);
    expect(await statusOf()).toBe('paid');
    await pass(2 * 60 * minuteMs, 30 * minuteMs);
    expect(await eventsOf('payment.completed')).toHaveLength(1);
    expect((await table.all('co_')).find(({ invoiceId }) => invoiceId === invoice.id)?.status).toBe(
      'completed',
    );
    expect((await resolve('refund')).json.error.code).toBe('payment_not_resolvable');
  });

  test('goes back if the merchant refunds it, and the invoice can be paid again', async () => {
    expect((await resolve('refund')).json).toMatchObject({ status: 'failed', failureCode: 'amount_differs' });
    const shown = async () => (await openPage(invoice.paymentUrl)).text;
    expect(await shown()).toContain(`Your payment of ₹${taken / 100}.00 is being refunded in full.`);
    await pass(10 * minuteMs);
    expect(await shown()).toContain(`Your payment of ₹${taken / 100}.00 was refunded in full.`);
    expect(await shown()).toContain('name="provider"');
    expect(await paymentsOf()).toMatchObject([{ status: 'failed', amountRefunded: taken }]);
    expect(checkouts.double.books().at(-1)?.refunds).toMatchObject([{ amountMinor: taken }]);
    expect(await eventsOf('payment.completed')).toEqual([]);
    const earlier = await merchant.api.get(`/api/payments?invoiceId=${invoice.id}`);
    expect(earlier.json.data[0].failureCode).toBe('processing_error');
    checkouts.double.behavior.differenceMinor = 0;
    await pay(checkouts, 'pay');
    expect(await statusOf()).toBe('paid');
  });

  test.each([
    ['a part of it', 1000, [1000, taken - 1000]],
    ['all of it', taken, [taken]],
  ])('goes back without what the merchant has returned at the provider: %s', async (_, returned, amounts) => {
    checkouts.double.refundInDashboard(checkouts.double.books().at(-1)?.reference ?? '', returned);
    expect((await resolve('refund')).json).toMatchObject({ status: 'failed', amountRefunded: 0 });
    // The provider does not say at once how much is left.
    const fault = { kind: 'answer', status: 500, body: '{}' } as const;
    checkouts.double.faults.inject({ fault, on: ({ path }) => path.includes('/payments/'), times: 2 });
    await pass(8 * 60 * minuteMs, 30 * minuteMs);
    const [payment] = await paymentsOf();
    expect(payment).toMatchObject({ status: 'failed', amountRefunded: taken });
    const { data } = (await api().get(`/api/refunds?paymentId=${payment.id}`)).json;
    const processed = data.filter(({ status }: { status: string }) => status === 'processed');
    expect(data).toHaveLength(amounts.length);
    expect(new Set(processed.map(({ amount }: { amount: number }) => amount))).toEqual(new Set(amounts));
    expect((await openPage(invoice.paymentUrl)).text).not.toContain('could not be');
  });

  test('is refunded by itself if the merchant cancels the invoice nevertheless', async () => {
    const path = `/api/invoices/${invoice.id}`;
    expect((await merchant.api.delete(path)).json.error?.code).toBe('payment_in_progress');
    expect((await merchant.api.delete(`${path}?force=payment_in_progress`)).status).toBe(200);
    await pass(30 * minuteMs);
    expect(await paymentsOf()).toMatchObject([{ status: 'completed', amountRefunded: taken }]);
  });

  test('that is refunded at the provider fails', async () => {
    const booked = checkouts.double.books().at(-1);
    checkouts.double.refundInDashboard(booked?.reference ?? '', taken);
    await pass(60 * minuteMs);
    expect(await paymentsOf()).toMatchObject([{ status: 'failed', failureCode: 'amount_differs' }]);
    expect(await statusOf()).toBe('pending');
    expect((await openPage(invoice.paymentUrl)).text).toContain('name="provider"');
  });
});
