/**
 * Tests payments and refunds about which a provider never gives a clear answer. The worker asks for as long as it can, and the merchant
 * always has a way out: nothing stays pending for ever, and no money is lost.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { hostedProviderNames } from '../../shared/domain/payments/provider/hosted-provider.ts';
import { reconcileNow } from '../../shared/operations/reconciliation/reconcile-now.ts';
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
import { isExhaustive } from '../support/run.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestTable, tableOf } from '../support/table.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let checkouts: CheckoutDouble;
let merchant: Merchant;
let invoice: { id: string; paymentUrl: string };
let reference: string;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: hourMs });
  table = tableOf(stack);
  // The tests deliver the messages themselves.
  await stack.queues.pause();
});
afterAll(() => stack.close());

const pass = (ms: number, stepMs = ms) => passTime(table, clock, { ms, stepMs });

const api = () => inNewestVersion(merchant.api);
const paymentsOf = async () => (await api().get(`/api/payments?invoiceId=${invoice.id}`)).json.data;
const failedEvents = async () => (await api().get('/api/events?type=payment.failed')).json.data;
const cancelAnyway = async () =>
  (await merchant.api.delete(`/api/invoices/${invoice.id}?force=payment_in_progress`)).status;
const timersOfCheckout = async () => {
  const checkout = (await table.all('co_')).find(({ invoiceId }) => invoiceId === invoice.id);
  return table.timersOf(String(checkout?.pk));
};

/** A payer pays an invoice of a new merchant. */
async function startToPay(
  action: 'later' | 'pay',
  status: 'pending' | 'completed' = 'pending',
): Promise<void> {
  clock = stopClock();
  checkouts.double.behavior.takesCaptures = false;
  merchant = await checkouts.newMerchant();
  invoice = await merchant.newInvoice();
  reference = referenceIn(await beginPaying(invoice.paymentUrl));
  checkouts.double.act(reference, action);
  await pass(minuteMs);
  expect(await paymentsOf()).toMatchObject([{ status }]);
}

async function expectAgreement(): Promise<void> {
  const result = await reconcileNow(merchant.owner, { full: false, waitsMs: [0] });
  expect(result).toMatchObject({ differences: [], unconfirmed: [], failures: [] });
}

async function deleteConnection(): Promise<void> {
  for (const { pk, sk } of await table.all('PROVIDER#'))
    if (String(pk).includes(merchant.owner.account)) await table.delete({ pk, sk });
}

const answerAlways = (status: number) => {
  checkouts.double.faults.inject({ fault: { kind: 'answer', status, body: '{"error":{}}' }, times: 9999 });
};

const unknownObjects = [
  ['razorpay', 400],
  ['stripe', 404],
] as const;

describe.each(isExhaustive ? unknownObjects : unknownObjects.slice(0, 1))(
  'a pending payment at %s',
  (provider, unknownObject) => {
    beforeAll(async () => {
      checkouts = await startCheckoutDouble(stack, { provider });
    });
    beforeEach(async () => {
      checkouts.double.faults.clear();
      await startToPay('later');
    });
    afterAll(() => checkouts.close());

    test.each([
      ['whose connection is deleted', deleteConnection],
      ['whose key is revoked', () => answerAlways(401)],
      ['that the provider does not have', () => answerAlways(unknownObject)],
    ])('%s fails 30 days after the merchant went on without it', async (_, prevent) => {
      await prevent();
      await pass(hourMs);
      expect(await cancelAnyway()).toBe(200);
      await pass(29 * dayMs, dayMs);
      expect(await paymentsOf()).toMatchObject([{ status: 'pending', pendingReason: expect.any(String) }]);
      expect(await timersOfCheckout()).toHaveLength(1);
      await expectAgreement();
      await pass(3 * dayMs, dayMs);
      expect(await paymentsOf()).toMatchObject([{ status: 'failed', failureCode: 'outcome_unknown' }]);
      expect(await failedEvents()).toMatchObject([{ data: { invoiceId: invoice.id } }]);
      expect(await timersOfCheckout()).toEqual([]);
      await expectAgreement();
    });

    test('for which the merchant still waits is asked about once a day, until the merchant goes on without it', async () => {
      answerAlways(401);
      await pass(40 * dayMs, dayMs);
      expect(await paymentsOf()).toMatchObject([{ status: 'pending' }]);
      await expectAgreement();
      const earlier = checkouts.double.requests.length;
      let polls = 0;
      for (let hour = 0; hour < 5 * 24; hour += 4) {
        const before = checkouts.double.requests.length;
        await pass(4 * hourMs);
        if (checkouts.double.requests.length > before) polls++;
      }
      expect([polls, checkouts.double.requests.length - earlier]).toEqual([5, 5]);
      expect(await cancelAnyway()).toBe(200);
      await pass(minuteMs);
      expect(await paymentsOf()).toMatchObject([{ status: 'failed', failureCode: 'outcome_unknown' }]);
      expect(await failedEvents()).toHaveLength(1);
      await expectAgreement();
    });

    test('that is still in progress when it has failed here is asked about, and its money is refunded', async () => {
      expect(await cancelAnyway()).toBe(200);
      await pass(40 * dayMs, dayMs);
      expect(await paymentsOf()).toMatchObject([{ status: 'failed', failureCode: 'outcome_unknown' }]);
      checkouts.double.settle(reference, 'succeeded');
      await pass(2 * dayMs, dayMs);
      await pass(10 * minuteMs, minuteMs);
      expect(await paymentsOf()).toMatchObject([
        { status: 'completed', amountRefunded: 2500 },
        { status: 'failed', amountRefunded: 0 },
      ]);
      expect(await failedEvents()).toHaveLength(1);
      expect(await timersOfCheckout()).toEqual([]);
      await expectAgreement();
    });
  },
);

test('a payment of another amount waits for the decision of the merchant, also without a connection', async () => {
  checkouts = await startCheckoutDouble(stack, { provider: 'razorpay' });
  checkouts.double.behavior.differenceMinor = 300;
  await startToPay('pay');
  await deleteConnection();
  expect(await cancelAnyway()).toBe(200);
  await pass(33 * dayMs, dayMs);
  const [{ id, status, pendingReason }] = await paymentsOf();
  expect([status, pendingReason]).toEqual(['pending', 'amount_differs']);
  expect((await api().post(`/api/payments/${id}/resolve`, { action: 'refund' })).json.status).toBe('failed');
  await pass(2 * dayMs, dayMs);
  expect(await timersOfCheckout()).toEqual([]);
  await checkouts.close();
});

describe.each(isExhaustive ? hostedProviderNames : hostedProviderNames.slice(0, 1))(
  'a refund at %s whose connection is gone',
  (provider) => {
    beforeAll(async () => {
      checkouts = await startCheckoutDouble(stack, { provider });
    });
    beforeEach(() => checkouts.double.faults.clear());
    afterAll(() => checkouts.close());

    const refundsOf = async () => {
      const [{ id }] = await paymentsOf();
      return (await api().get(`/api/refunds?paymentId=${id}`)).json.data;
    };
    /** Without the timer for the fees of a payment, about which a worker asks for half a year. */
    const refundTimers = async () => {
      const ids = [...(await paymentsOf()), ...(await refundsOf())].map(({ id }) => id);
      const timers = (await Promise.all(ids.map((id) => table.timersOf(id)))).flat();
      return timers.filter(({ kind }) => kind === 'refund');
    };

    test.each([
      ['deleted', deleteConnection],
      ['refused', () => answerAlways(401)],
    ])(
      'fails after 30 days if it is %s, and its amount can be returned in another way',
      async (_, prevent) => {
        await startToPay('pay', 'completed');
        const [{ id: paymentId }] = await paymentsOf();
        await prevent();
        expect((await api().post('/api/refunds', { paymentId })).json.status).toBe('pending');
        await pass(29 * dayMs, dayMs);
        expect(await refundsOf()).toMatchObject([{ status: 'pending' }]);
        expect((await api().post('/api/refunds', { paymentId })).json.error.code).toBe(
          'refund_exceeds_payment',
        );
        await pass(3 * dayMs, dayMs);
        expect(await refundsOf()).toMatchObject([{ status: 'failed', failureCode: 'refund_unconfirmed' }]);
        expect((await api().get('/api/events?type=refund.failed')).json.data).toHaveLength(1);
        expect((await api().post('/api/refunds', { paymentId })).json.status).toBe('pending');
        await expectAgreement();
      },
    );

    test('waits for a provider that fails, however long', async () => {
      await startToPay('pay', 'completed');
      const [{ id: paymentId }] = await paymentsOf();
      answerAlways(503);
      await api().post('/api/refunds', { paymentId });
      await pass(40 * dayMs, dayMs);
      expect(await refundsOf()).toMatchObject([{ status: 'pending' }]);
      checkouts.double.faults.clear();
      await pass(dayMs);
      expect(await refundsOf()).toMatchObject([{ status: 'processed' }]);
    });

    test('of late money begins after 30 days without an answer, and fails 30 days later', async () => {
      await startToPay('later');
      expect(await cancelAnyway()).toBe(200);
      checkouts.double.settle(reference, 'succeeded');
      // One poll, so nobody has asked yet what was returned.
      await pass(4 * hourMs);
      expect(await paymentsOf()).toMatchObject([{ status: 'completed', amountRefunded: 0 }]);
      await deleteConnection();
      await pass(29 * dayMs, dayMs);
      expect(await refundsOf()).toEqual([]);
      await pass(3 * dayMs, dayMs);
      expect(await refundsOf()).toMatchObject([{ status: 'pending', amount: 2500 }]);
      await pass(32 * dayMs, dayMs);
      expect(await refundsOf()).toMatchObject([{ status: 'failed', failureCode: 'refund_unconfirmed' }]);
      expect(await refundTimers()).toEqual([]);
      await expectAgreement();
    });

    test('that was processed is not looked at for ever', async () => {
      await startToPay('pay', 'completed');
      const [{ id: paymentId }] = await paymentsOf();
      await api().post('/api/refunds', { paymentId });
      await pass(minuteMs);
      expect(await refundsOf()).toMatchObject([{ status: 'processed' }]);
      await deleteConnection();
      await pass(62 * dayMs, dayMs);
      expect(await refundsOf()).toMatchObject([{ status: 'processed' }]);
      expect(await refundTimers()).toEqual([]);
    });
  },
);
