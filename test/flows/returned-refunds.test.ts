/**
 * Tests refunds that a provider processed, and that fail days later because the bank of the payer returned the money. The
 * merchant learns it, the amount can be refunded again, and the books agree in the end.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { ProviderDouble } from '../../infra/local/provider-doubles/common/provider-double.ts';
import { triggers } from '../../infra/triggers.ts';
import { reconcileNow } from '../../shared/operations/reconciliation/reconcile-now.ts';
import { deliverDueTimers, differencesOfBooks } from '../support/checkout-books.ts';
import {
  type CheckoutDouble,
  type Merchant,
  payAtDouble,
  startCheckoutDouble,
} from '../support/checkouts.ts';
import { type CrashTestStack, startCrashTestStack } from '../support/crash-test-stack.ts';
import { invokeWorker, toQueueEvent } from '../support/crashing-workers.ts';
import { purgeQueues } from '../support/purge-queues.ts';
import { waitUntil } from '../support/wait-until.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
let crashStack: CrashTestStack;
let checkouts: CheckoutDouble;
let double: ProviderDouble;
let merchant: Merchant;

beforeAll(async () => {
  crashStack = await startCrashTestStack();
  checkouts = await startCheckoutDouble(crashStack.stack);
  ({ double } = checkouts);
  // The tests deliver the messages of timers themselves.
  await crashStack.stack.queues.pause();
});
beforeEach(async () => {
  merchant = await checkouts.newMerchant();
});
afterEach(async () => {
  double.faults.clear();
  double.notifications.sendTo('live', undefined);
  await purgeQueues(crashStack.stack);
});
afterAll(async () => {
  await checkouts.close();
  await crashStack.close();
});

interface Refunded {
  readonly invoiceId: string;
  readonly paymentId: string;
  readonly refundId: string;
}

const later = (ms: number) => {
  crashStack.clock.advance(ms);
  return deliverDueTimers(crashStack.table, crashStack.clock);
};
const paymentOf = async ({ paymentId }: Refunded) =>
  (await merchant.api.get(`/api/payments/${paymentId}`)).json;
const refundOf = async (id: string) => (await merchant.api.get(`/api/refunds/${id}`)).json;
const refund = (paymentId: string, amount?: number) =>
  merchant.api.post('/api/refunds', { paymentId, ...(amount && { amount }) });
const listed = async (status: string) =>
  (await merchant.api.get(`/api/refunds?status=${status}`)).json.data.map(({ id }: { id: string }) => id);
const eventsOf = async () => {
  const { json } = await merchant.api.get('/api/events?limit=100');
  return json.data.map(({ type }: { type: string }) => type).toReversed();
};

/** Pays an invoice, and refunds 10 of its 25 dollars. */
async function newRefunded(): Promise<Refunded> {
  const { id: invoiceId, paymentUrl } = await merchant.newInvoice();
  await payAtDouble(double, paymentUrl);
  await later(minuteMs);
  const payments = async () => (await merchant.api.get(`/api/payments?invoiceId=${invoiceId}`)).json.data;
  await waitUntil('the payment is listed', async () => (await payments()).length === 1);
  const [{ id: paymentId }] = await payments();
  const { json } = await refund(paymentId, 1000);
  await later(0);
  expect((await refundOf(json.id)).status).toBe('processed');
  return { invoiceId, paymentId, refundId: json.id };
}

/** The bank returns the money of a refund. */
function returnMoney({ refundId }: Refunded): void {
  const booked = double.books().flatMap(({ refunds }) => refunds);
  double.settleRefund(booked.find(({ key }) => key === refundId)?.reference ?? '', 'failed');
}

async function expectAgreement(): Promise<void> {
  await waitUntil('the outbox is empty', async () => (await crashStack.table.all('OUTBOX#')).length === 0);
  expect(await differencesOfBooks(crashStack.table, double, merchant.owner)).toEqual([]);
  const result = await reconcileNow(merchant.owner, { full: false, waitsMs: [100, 500] });
  expect(result).toMatchObject({ differences: [], unconfirmed: [], failures: [] });
}

const work = (label: string, { refundId: reference }: Refunded) =>
  invokeWorker(
    label,
    triggers.processRefund.handler,
    toQueueEvent({ kind: 'refund', due: 1, minute: 1, reference }),
  );

test('a notification fails the refund, and its amount can be refunded again', async () => {
  double.notifications.sendTo('live', checkouts.notificationUrl(merchant));
  const refunded = await newRefunded();
  expect((await paymentOf(refunded)).amountRefunded).toBe(1000);
  returnMoney(refunded);
  await waitUntil('the refund fails', async () => {
    await later(1);
    return (await refundOf(refunded.refundId)).status === 'failed';
  });
  expect(await refundOf(refunded.refundId)).toMatchObject({
    status: 'failed',
    failureCode: 'refund_refused',
  });
  expect((await paymentOf(refunded)).amountRefunded).toBe(0);
  await expectAgreement();
  expect([await listed('processed'), await listed('failed')]).toEqual([[], [refunded.refundId]]);
  const { json: again } = await refund(refunded.paymentId, 2500);
  await later(0);
  expect((await refundOf(again.id)).status).toBe('processed');
  expect((await paymentOf(refunded)).amountRefunded).toBe(2500);
  await expectAgreement();
  // The fees of a payment are announced when the provider tells them.
  const ofRefunds = (await eventsOf()).filter((type: string) => type.startsWith('refund.'));
  expect(ofRefunds.slice(-3)).toEqual(['refund.processed', 'refund.failed', 'refund.processed']);
  expect((await merchant.api.get(`/api/invoices/${refunded.invoiceId}`)).json.status).toBe('paid');
});

test.each([1, 7, 30])('without a notification, the worker finds it after %d days', async (days) => {
  const refunded = await newRefunded();
  if (days > 1) await later(dayMs);
  if (days > 7) await later(6 * dayMs);
  expect((await refundOf(refunded.refundId)).status).toBe('processed');
  // The reconciliation remembers the refund as processed.
  await expectAgreement();
  returnMoney(refunded);
  await later(days * dayMs);
  expect((await refundOf(refunded.refundId)).status).toBe('failed');
  await expectAgreement();
});

test('a processed refund is looked at until 30 days are over, and stays processed', async () => {
  const refunded = await newRefunded();
  const timers = () => crashStack.table.timersOf(refunded.refundId);
  for (const days of [1, 6, 23]) {
    expect(await timers()).toHaveLength(1);
    await later(days * dayMs);
  }
  expect(await timers()).toEqual([]);
  expect((await refundOf(refunded.refundId)).status).toBe('processed');
  await expectAgreement();
});

test('a provider that does not answer is asked again, and nothing changes until then', async () => {
  const refunded = await newRefunded();
  returnMoney(refunded);
  double.faults.inject({ fault: { kind: 'answer', status: 500 }, times: 100 });
  await later(dayMs);
  expect((await refundOf(refunded.refundId)).status).toBe('processed');
  double.faults.clear();
  await later(5 * 60 * minuteMs);
  expect((await refundOf(refunded.refundId)).status).toBe('failed');
});

test('a notification that repeats or arrives late changes nothing', async () => {
  double.notifications.sendTo('live', checkouts.notificationUrl(merchant));
  const refunded = await newRefunded();
  returnMoney(refunded);
  await Promise.all(Array.from({ length: 5 }, (_, index) => work(`repeated-${index}`, refunded)));
  await later(minuteMs);
  await work('late', refunded);
  expect((await paymentOf(refunded)).amountRefunded).toBe(0);
  await expectAgreement();
  expect((await eventsOf()).filter((type: string) => type === 'refund.failed')).toHaveLength(1);
});

test('a refund of the rest at the same moment never exceeds the payment', async () => {
  const all = [await newRefunded(), await newRefunded(), await newRefunded(), await newRefunded()];
  for (const each of all) returnMoney(each);
  const answers = await Promise.all(
    all.flatMap((each, index) => [
      refund(each.paymentId, 2500),
      refund(each.paymentId, 1500),
      work(`race-${index}`, each).then(() => undefined),
    ]),
  );
  for (const answer of answers) {
    if (answer && answer.status !== 201) expect(answer.json.error.code).toBe('refund_exceeds_payment');
  }
  await later(minuteMs);
  for (const each of all) {
    expect((await refundOf(each.refundId)).status).toBe('failed');
    expect([1500, 2500]).toContain((await paymentOf(each)).amountRefunded);
  }
  await expectAgreement();
});

test('a crash at any call of the worker loses nothing and changes nothing twice', async () => {
  const ends: boolean[] = [];
  const all: Refunded[] = [];
  for (let index = 0; index < 24; index++) {
    const refunded = await newRefunded();
    all.push(refunded);
    returnMoney(refunded);
    const label = `returned-${index}`;
    const fault = index % 2 === 0 ? 'crash before call' : 'crash after call';
    crashStack.crashes.set(label, { at: Math.floor(index / 2), fault });
    ends.push(await work(label, refunded));
  }
  expect(ends.filter(Boolean).length).toBeGreaterThanOrEqual(12);
  expect(ends).toContain(false);
  await later(2 * dayMs);
  for (const each of all) {
    expect((await refundOf(each.refundId)).status).toBe('failed');
    expect((await paymentOf(each)).amountRefunded).toBe(0);
  }
  await expectAgreement();
  const failed = (await eventsOf()).filter((type: string) => type === 'refund.failed');
  expect(failed).toHaveLength(all.length);
});
