/** Tests that the daily reconciliation compares payments with the books of a provider, message after message. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import {
  type BooksBatch,
  beginBooks,
  reconcileBooks,
} from '../../shared/operations/reconciliation/reconcile-books.ts';
import { readReport, reportBegin } from '../../shared/operations/reconciliation/report.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { deliverDueTimers } from '../support/checkout-books.ts';
import {
  beginPaying,
  type CheckoutDouble,
  type Merchant,
  payAndSettle,
  referenceIn,
  startCheckoutDouble,
} from '../support/checkouts.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { interceptCalls, respondWithError } from '../support/intercept-calls.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestTable, tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

const minuteMs = 60_000;
let stack: Stack;
let table: TestTable;
let clock: TestClock;
let checkouts: CheckoutDouble;
let merchant: Merchant;
let day: string;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  checkouts = await startCheckoutDouble(stack);
});
beforeEach(async () => {
  clock = stopClock();
  merchant = await checkouts.newMerchant();
  day = `day of ${merchant.owner.account}`;
  await reportBegin(day, 1, clock.now());
});
afterEach(() => {
  stack.queues.resume();
  checkouts.double.faults.clear();
  checkouts.double.notifications.sendTo('live', undefined);
});
afterAll(async () => {
  await checkouts.close();
  await stack.close();
});

const pay = () => payAndSettle(checkouts, merchant);

interface Sent {
  readonly batch: BooksBatch;
  readonly waitMs: number | undefined;
}

/** Handles the messages until none is left. Returns those that were sent, in their order. */
async function reconcile(forMs?: number): Promise<Sent[]> {
  const sent: Sent[] = [];
  const send = async (batch: BooksBatch, waitMs?: number) => {
    // What the queue carries.
    sent.push({ batch: JSON.parse(JSON.stringify(batch)), waitMs });
  };
  await beginBooks(merchant.owner, day, clock.now(), send);
  for (let index = 0; index < sent.length; index++)
    await reconcileBooks(sent[index]?.batch as BooksBatch, clock.now(), send, forMs);
  return sent;
}

const found = async () =>
  (await readReport(day))?.differences.map(({ rule, id }) => `${rule} ${id}`).toSorted();

async function change({ id }: { id: string }, fields: object): Promise<void> {
  const key = tableKeys.record(id);
  await table.put({ ...(await table.get(key)), ...fields });
}

test('payments that agree need one message', async () => {
  await pay();
  await pay();
  expect(await reconcile()).toHaveLength(1);
  expect(await found()).toEqual([]);
});

test.each([undefined, 0])(
  'differences are confirmed minutes later, and reported (time: %p)',
  async (forMs) => {
    const [missing, other, refunded, settledLater] = [await pay(), await pay(), await pay(), await pay()];
    await change(missing, { providerReference: 'pi_absent' });
    await change(other, { amount: 2400 });
    await change(refunded, { amountRefunded: 100 });
    await change(settledLater, { amount: 2400 });
    const sent: Sent[] = [];
    const send = async (batch: BooksBatch, waitMs?: number) => void sent.push({ batch, waitMs });
    await beginBooks(merchant.owner, day, clock.now(), send);
    for (let index = 0; index < sent.length; index++) {
      const { batch } = sent[index] as Sent;
      if (batch.books.isSecond) await change(settledLater, { amount: 2500 });
      await reconcileBooks(batch, clock.now(), send, forMs);
    }
    expect(sent.find(({ batch }) => batch.books.isSecond)?.waitMs).toBe(5 * minuteMs);
    const rules = [
      `provider_amount_differs ${other.id}`,
      `provider_payment_missing ${missing.id}`,
      `provider_refunds_differ ${refunded.id}`,
    ];
    expect(await found()).toEqual(rules);
    if (forMs === 0) expect(sent.length).toBeGreaterThan(2);
  },
);

test('a fault of the table makes the message fail, so that the day is not left out', async () => {
  await pay();
  const calls = interceptCalls((call, send) =>
    call.operation === 'BatchGetItem' ? respondWithError('AccessDeniedException')(call, send) : send(),
  );
  try {
    await expect(reconcile()).rejects.toThrow();
  } finally {
    calls.remove();
  }
});

test('money without a payment is a difference an hour later', async () => {
  checkouts.double.notifications.sendTo('live', undefined);
  // Otherwise the poll of the checkout, which is due after the clock is set, can settle the payment.
  await stack.queues.pause();
  const { paymentUrl } = await merchant.newInvoice();
  checkouts.double.act(referenceIn(await beginPaying(paymentUrl)), 'pay');
  expect(await reconcile()).toHaveLength(1);
  clock.advance(61 * minuteMs);
  await reconcile();
  const reference = checkouts.double.books().at(-1)?.reference;
  expect(await found()).toEqual([`provider_payment_unknown ${reference}`]);
});

test('money without a payment whose checkout is known gets a payment', async () => {
  await stack.queues.pause();
  const { id, paymentUrl } = await merchant.newInvoice();
  checkouts.double.act(referenceIn(await beginPaying(paymentUrl)), 'pay');
  // The timer of the checkout is lost.
  for (const { pk, sk, reference } of await table.all('TIMER#'))
    if (String(reference).startsWith('co_')) await table.delete({ pk, sk });
  clock.advance(61 * minuteMs);
  const sent: Sent[] = [];
  const send = async (batch: BooksBatch, waitMs?: number) => void sent.push({ batch, waitMs });
  await beginBooks(merchant.owner, day, clock.now(), send);
  await reconcileBooks(sent[0]?.batch as BooksBatch, clock.now(), send);
  await deliverDueTimers(table, clock, (reference) => reference.startsWith('co_'));
  await reconcileBooks(sent[1]?.batch as BooksBatch, clock.now(), send);
  expect(await found()).toEqual([]);
  expect((await merchant.api.get(`/api/invoices/${id}`)).json.status).toBe('paid');
});

test('a difference stays in the report of each day until it is resolved, however old its payment is', async () => {
  const paid = await pay();
  await change(paid, { amount: 2400 });
  await reconcile();
  const rules = [`provider_amount_differs ${paid.id}`];
  expect(await found()).toEqual(rules);
  for (const days of [1, 90]) {
    clock.advance(days * 24 * 60 * minuteMs);
    day = `day ${days} of ${merchant.owner.account}`;
    await reportBegin(day, 1, clock.now());
    await reconcile();
    expect(await found()).toEqual(rules);
  }
  await change(paid, { amount: 2500 });
  day = `last day of ${merchant.owner.account}`;
  await reportBegin(day, 1, clock.now());
  await reconcile();
  expect(await found()).toEqual([]);
});

test('a provider that does not answer is asked again later, and a message never fails', async () => {
  const paid = await pay();
  await change(paid, { amount: 2400 });
  checkouts.double.faults.inject({ fault: { kind: 'answer', status: 500 }, times: 1_000 });
  const sent = await reconcile();
  expect(sent.map(({ waitMs }) => waitMs)).toEqual([undefined, ...Array(4).fill(15 * minuteMs)]);
  expect(await found()).toEqual([]);
  checkouts.double.faults.clear();
  await reconcile();
  expect(await found()).toEqual([`provider_amount_differs ${paid.id}`]);
});

test('the comparison of an account begins the one of its books', async () => {
  await pay();
  const { reconcileBatch } = await import('../../shared/operations/reconciliation/reconcile.ts');
  const before = checkouts.double.requests.length;
  await reconcileBatch({ ...merchant.owner, day }, clock.now());
  await waitUntil('the books are read', () =>
    checkouts.double.requests.slice(before).some(({ path }) => path.startsWith('/v1/payment_intents')),
  );
});
