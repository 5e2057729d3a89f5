/**
 * Tests that no money is lost and none is taken twice if a process crashes before or after any call to DynamoDB or SQS,
 * and if requests to the provider or its answers are lost. The position of a call to the provider is between two others.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { ProviderDouble } from '../../infra/local/provider-doubles/common/provider-double.ts';
import { triggers } from '../../infra/triggers.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { differencesOfBooks, settleEverything } from '../support/checkout-books.ts';
import {
  beginPaying,
  type CheckoutDouble,
  type Merchant,
  payAtDouble,
  payButtonOf,
  pressPay,
  referenceIn,
  startCheckoutDouble,
} from '../support/checkouts.ts';
import type { TestClock } from '../support/clock.ts';
import { type CrashTestStack, startCrashTestStack } from '../support/crash-test-stack.ts';
import { type CrashPlan, invokeWorker, toQueueEvent } from '../support/crashing-workers.ts';
import { invocationHeader } from '../support/invocations.ts';
import { openPage } from '../support/pay-page.ts';
import { purgeQueues } from '../support/purge-queues.ts';
import type { TestTable } from '../support/table.ts';

let crashStack: CrashTestStack;
let table: TestTable;
let clock: TestClock;
let crashes: CrashPlan;
let checkouts: CheckoutDouble;
let double: ProviderDouble;
let merchant: Merchant;

beforeAll(async () => {
  crashStack = await startCrashTestStack();
  ({ table, clock, crashes } = crashStack);
  checkouts = await startCheckoutDouble(crashStack.stack);
  ({ double } = checkouts);
  // The tests deliver the messages of timers themselves.
  await crashStack.stack.queues.pause();
});
beforeEach(async () => {
  merchant = await checkouts.newMerchant();
});
afterEach(() => {
  double.faults.clear();
  double.notifications.sendTo('live', undefined);
});
afterAll(async () => {
  await checkouts.close();
  await crashStack.close();
});

type Invoice = Awaited<ReturnType<Merchant['newInvoice']>>;
interface CrashedStep {
  readonly what: string;
  /** The calls that the step makes at least. */
  readonly calls: number;
  readonly prepare: (invoice: Invoice) => Promise<unknown>;
  /** Makes the step as the invocation `label`. Returns whether it crashed. */
  readonly run: (invoice: Invoice, label: string) => Promise<boolean>;
  /** Repeats the step without a crash, as a client, a payer or a queue does. */
  readonly again: (invoice: Invoice) => Promise<unknown>;
  readonly expected: { readonly invoice: string; readonly payments: readonly string[] };
}

const settle = triggers.settleCheckout.handler;
const crashed = (sending: Promise<{ readonly status: number }>) =>
  sending.then(
    ({ status }) => status >= 500,
    () => true,
  );
const labelled = (label: string) => ({ [invocationHeader]: label });
const checkoutOf = async ({ id }: Invoice) =>
  (await table.all('co_')).find(({ invoiceId }) => invoiceId === id)?.pk as string;
const work = async (invoice: Invoice, label: string) => {
  const reference = await checkoutOf(invoice);
  return invokeWorker(label, settle, toQueueEvent({ kind: 'checkout', due: 1, minute: 1, reference }));
};
const cancelledWithoutVoiding = async ({ id }: Invoice) => {
  const item = await table.get(tableKeys.record(id));
  await table.put({ ...item, status: 'cancelled', version: item?.version + 1, objectVersion: 2 });
};
const pay = ({ paymentUrl }: Invoice) => payAtDouble(double, paymentUrl);
const begin = async ({ paymentUrl }: Invoice) => referenceIn(await beginPaying(paymentUrl));
const cancel = ({ id }: Invoice, label: string) =>
  crashed(merchant.api.delete(`/api/invoices/${id}`, { headers: labelled(label) }));

const steps: readonly CrashedStep[] = [
  {
    what: 'the pay button',
    calls: 6,
    prepare: async () => {},
    run: async ({ paymentUrl }, label) =>
      crashed(pressPay(paymentUrl, payButtonOf(await openPage(paymentUrl)), labelled(label))),
    again: pay,
    expected: { invoice: 'paid', payments: ['completed'] },
  },
  {
    what: 'the pay button, and nobody pays',
    calls: 6,
    prepare: async () => {},
    run: async ({ paymentUrl }, label) =>
      crashed(pressPay(paymentUrl, payButtonOf(await openPage(paymentUrl)), labelled(label))),
    again: async () => {},
    expected: { invoice: 'pending', payments: [] },
  },
  {
    what: 'the worker of a paid checkout',
    calls: 7,
    prepare: pay,
    run: work,
    again: (invoice) => work(invoice, 'again'),
    expected: { invoice: 'paid', payments: ['completed'] },
  },
  {
    what: 'the worker of a refused checkout',
    calls: 7,
    prepare: async (invoice) => {
      const reference = await begin(invoice);
      double.act(reference, 'later');
      double.settle(reference, 'failed');
    },
    run: work,
    again: (invoice) => work(invoice, 'again'),
    expected: { invoice: 'pending', payments: ['failed'] },
  },
  {
    what: 'the worker of an open checkout',
    calls: 5,
    prepare: begin,
    run: work,
    again: (invoice) => work(invoice, 'again'),
    expected: { invoice: 'pending', payments: [] },
  },
  {
    what: 'the worker of a checkout that is paid after its invoice was cancelled',
    calls: 7,
    prepare: async (invoice) => {
      await pay(invoice);
      await cancelledWithoutVoiding(invoice);
    },
    run: work,
    again: (invoice) => work(invoice, 'again'),
    expected: { invoice: 'cancelled', payments: ['completed'] },
  },
  {
    what: 'cancelling an invoice with an open checkout',
    calls: 7,
    prepare: begin,
    run: cancel,
    again: (invoice) => cancel(invoice, 'again'),
    expected: { invoice: 'cancelled', payments: [] },
  },
  {
    what: 'cancelling an invoice whose checkout is paid',
    calls: 7,
    prepare: pay,
    run: cancel,
    again: (invoice) => cancel(invoice, 'again'),
    expected: { invoice: 'paid', payments: ['completed'] },
  },
];

/** So many steps in a row that did not crash are after the last call. */
const stepsAfterCalls = 4;

test.each(steps)('a crash at any call of $what', async ({ what, calls, prepare, run, again, expected }) => {
  const ends: boolean[] = [];
  const invoices: Invoice[] = [];
  const isAfterCalls = () => ends.length > calls * 2 && !ends.slice(-stepsAfterCalls).includes(true);
  for (let index = 0; !isAfterCalls(); index++) {
    const invoice = await merchant.newInvoice();
    invoices.push(invoice);
    await prepare(invoice);
    const label = `${what}-${index}`;
    const fault = index % 2 === 0 ? 'crash before call' : 'crash after call';
    crashes.set(label, { at: Math.floor(index / 2), fault });
    ends.push(await run(invoice, label));
    // Some steps are never repeated. The timers complete them.
    if (Math.floor(index / 2) % 2 === 0) await again(invoice);
    else if (expected.payments[0] === 'completed' && what === 'the pay button') await pay(invoice);
  }
  expect(ends.filter(Boolean).length).toBeGreaterThanOrEqual(calls * 2);
  expect(ends).toContain(false);
  await settleEverything(table, clock);
  await purgeQueues(crashStack.stack);
  expect(await differencesOfBooks(table, double, merchant.owner)).toEqual([]);
  for (const [index, { id }] of invoices.entries()) {
    const { status } = (await merchant.api.get(`/api/invoices/${id}`)).json;
    const payments = (await merchant.api.get(`/api/payments?invoiceId=${id}`)).json.data;
    // A merchant whose request crashed and who does not repeat it may find the invoice unchanged.
    const isRepeated = Math.floor(index / 2) % 2 === 0;
    if (isRepeated || !what.startsWith('cancelling'))
      expect([index, status]).toEqual([index, expected.invoice]);
    expect([index, payments.map((payment: { status: string }) => payment.status)]).toEqual([
      index,
      expected.payments,
    ]);
  }
});
