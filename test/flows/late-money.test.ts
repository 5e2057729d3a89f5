/**
 * Tests money that a bank approves after its Razorpay link has ended: it pays the invoice if that is open, and is refunded
 * otherwise. Razorpay sends no event of the link then.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { deliverDueTimers, passTime } from '../support/checkout-books.ts';
import {
  beginPaying,
  type CheckoutDouble,
  type Merchant,
  referenceIn,
  startCheckoutDouble,
} from '../support/checkouts.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { openPage } from '../support/pay-page.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestTable, tableOf } from '../support/table.ts';

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];

let stack: Stack;
let table: TestTable;
let checkouts: CheckoutDouble;
let merchant: Merchant;
let clock: TestClock;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  checkouts = await startCheckoutDouble(stack, { provider: 'razorpay' });
  // The tests deliver the messages themselves.
  await stack.queues.pause();
});
beforeEach(async () => {
  clock = stopClock();
  checkouts.double.behavior.copiesNotes = true;
  merchant = await checkouts.newMerchant();
});
afterAll(async () => {
  await checkouts.close();
  await stack.close();
});

const isMoney = (reference: string) => /^(co|pay|ref)_/.test(reference);

const pass = (ms: number, stepMs = 20 * minuteMs) => passTime(table, clock, { ms, stepMs, rest: 1 });

/** A payer pays by UPI, and the bank does not answer. */
async function payUnanswered() {
  const invoice = await merchant.newInvoice();
  const reference = referenceIn(await beginPaying(invoice.paymentUrl));
  checkouts.double.act(reference, 'unanswered');
  return { invoice, reference };
}

const statusOf = async ({ id }: { id: string }) =>
  (await merchant.api.get(`/api/invoices/${id}`)).json.status;
const paymentsOf = async ({ id }: { id: string }) =>
  (await merchant.api.get(`/api/payments?invoiceId=${id}`)).json.data;

/** Sends the notifications since `first`, as Razorpay does. */
async function notify(first: number): Promise<string[]> {
  const { all } = checkouts.double.notifications;
  const sent = all.slice(first);
  for (const notification of sent)
    expect(await checkouts.double.notifications.send(checkouts.notificationUrl(merchant), notification)).toBe(
      200,
    );
  return sent.map(({ type }) => type);
}

test.each([true, false])(
  'an approval after the link has expired pays the invoice at once (payments have notes: %s)',
  async (copiesNotes) => {
    checkouts.double.behavior.copiesNotes = copiesNotes;
    const { invoice, reference } = await payUnanswered();
    await pass(2 * hourMs);
    expect((await openPage(invoice.paymentUrl)).text).toContain('Pay ₹25.00');
    const first = checkouts.double.notifications.all.length;
    checkouts.double.settle(reference, 'succeeded');
    expect(await notify(first)).toEqual(['payment.authorized', 'payment.captured', 'order.paid']);
    await deliverDueTimers(table, clock, isMoney);
    expect(await statusOf(invoice)).toBe('paid');
    expect(await paymentsOf(invoice)).toMatchObject([{ status: 'completed', amount: 2500 }]);
  },
);

test('an approval days later is found without any notification', async () => {
  const { invoice, reference } = await payUnanswered();
  await pass(4 * dayMs, 2 * hourMs);
  checkouts.double.settle(reference, 'succeeded');
  await pass(5 * hourMs, hourMs);
  expect(await statusOf(invoice)).toBe('paid');
  expect(await paymentsOf(invoice)).toHaveLength(1);
});

test('the provider is no longer asked when no bank can approve', async () => {
  await payUnanswered();
  await pass(6 * dayMs, 2 * hourMs);
  const timers = (await table.all('TIMER#')).filter(({ reference }) => String(reference).startsWith('co_'));
  expect(timers).toEqual([]);
});

test('an approval after the invoice was cancelled is refunded', async () => {
  const { invoice, reference } = await payUnanswered();
  await pass(20 * minuteMs);
  expect((await merchant.api.delete(`/api/invoices/${invoice.id}`)).status).toBe(200);
  await pass(hourMs);
  checkouts.double.settle(reference, 'succeeded');
  await pass(5 * hourMs);
  expect(await statusOf(invoice)).toBe('cancelled');
  expect(await paymentsOf(invoice)).toMatchObject([{ status: 'completed', amountRefunded: 2500 }]);
});

test('an approval of which the merchant has returned a part at the provider is refunded without it', async () => {
  const { invoice, reference } = await payUnanswered();
  await pass(20 * minuteMs);
  expect((await merchant.api.delete(`/api/invoices/${invoice.id}`)).status).toBe(200);
  await pass(hourMs);
  checkouts.double.settle(reference, 'succeeded');
  checkouts.double.refundInDashboard(checkouts.double.books().at(-1)?.reference ?? '', 1000);
  await pass(8 * hourMs);
  expect(await paymentsOf(invoice)).toMatchObject([{ status: 'completed', amountRefunded: 2500 }]);
  const [payment] = await paymentsOf(invoice);
  const { data } = (await merchant.api.get(`/api/refunds?paymentId=${payment.id}`)).json;
  expect(data).toMatchObject([
    { status: 'processed', amount: 1000 },
    { status: 'processed', amount: 1500 },
  ]);
  expect((await openPage(invoice.paymentUrl)).text).not.toContain('could not be');
});

test('an approval pays the invoice although the payer has begun again, and the second link is voided', async () => {
  const { invoice, reference } = await payUnanswered();
  await pass(2 * hourMs);
  const second = referenceIn(await beginPaying(invoice.paymentUrl));
  expect(second).not.toBe(reference);
  const first = checkouts.double.notifications.all.length;
  checkouts.double.settle(reference, 'succeeded');
  await notify(first);
  await pass(minuteMs, 10_000);
  expect(await statusOf(invoice)).toBe('paid');
  expect(checkouts.double.act(second, 'pay')).toBe(false);
});

test('an approval after another payment is refunded, and the invoice stays paid', async () => {
  const { invoice, reference } = await payUnanswered();
  await pass(2 * hourMs);
  checkouts.double.act(referenceIn(await beginPaying(invoice.paymentUrl)), 'pay');
  await pass(minuteMs, 10_000);
  expect(await statusOf(invoice)).toBe('paid');
  checkouts.double.settle(reference, 'succeeded');
  await pass(5 * hourMs, hourMs);
  expect(await paymentsOf(invoice)).toMatchObject([
    { status: 'completed', amountRefunded: 2500 },
    { status: 'completed', amountRefunded: 0 },
  ]);
  expect(await statusOf(invoice)).toBe('paid');
  const { text } = await openPage(invoice.paymentUrl);
  expect(text).toContain('Second payment');
  expect(text).toContain('refunded in full');
});

test('the return of the payer to a page whose link has ended is a hint', async () => {
  const { invoice, reference } = await payUnanswered();
  await pass(2 * hourMs);
  checkouts.double.settle(reference, 'succeeded');
  const checkout = (await table.all('co_')).find(({ invoiceId }) => invoiceId === invoice.id);
  const page = await openPage(invoice.paymentUrl, `?checkout=${checkout?.pk}&razorpay_payment_id=pay_1`);
  expect(page.text).toContain('it pays this invoice, or it is returned to you automatically');
  await deliverDueTimers(table, clock, isMoney);
  expect(await statusOf(invoice)).toBe('paid');
});

test('a link whose attempt the bank has not answered yet is in progress for ten minutes after its end', async () => {
  const invoice = await merchant.newInvoice();
  const reference = referenceIn(await beginPaying(invoice.paymentUrl));
  await pass(58 * minuteMs);
  checkouts.double.act(reference, 'unanswered');
  await pass(8 * minuteMs, minuteMs);
  expect((await merchant.api.delete(`/api/invoices/${invoice.id}`)).json.error.code).toBe(
    'payment_in_progress',
  );
  await pass(30 * minuteMs);
  expect((await merchant.api.delete(`/api/invoices/${invoice.id}`)).status).toBe(200);
});
