/**
 * Tests a payer who pays at the same moment as the checkout ends: at its expiry, by a change of the merchant, or while a
 * second payer begins. The payment arrives between any two requests to the provider, and the process crashes at any call.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { ProviderDouble } from '../../infra/local/provider-doubles/common/provider-double.ts';
import { triggers } from '../../infra/triggers.ts';
import { differencesOfBooks, settleEverything } from '../support/checkout-books.ts';
import {
  beginPaying,
  type CheckoutDouble,
  type Merchant,
  payButtonOf,
  pressPay,
  referenceIn,
  startCheckoutDouble,
} from '../support/checkouts.ts';
import { type CrashTestStack, startCrashTestStack } from '../support/crash-test-stack.ts';
import { invokeWorker, toQueueEvent } from '../support/crashing-workers.ts';
import type { HttpResponse } from '../support/http.ts';
import { invocationHeader } from '../support/invocations.ts';
import { openPage } from '../support/pay-page.ts';
import { purgeQueues } from '../support/purge-queues.ts';

const minuteMs = 60_000;
let crashStack: CrashTestStack;
let checkouts: CheckoutDouble;
let double: ProviderDouble;
let merchant: Merchant;

beforeAll(async () => {
  crashStack = await startCrashTestStack();
  // The clock of the provider is behind, so a checkout can still be paid when the service ends it.
  checkouts = await startCheckoutDouble(crashStack.stack, {
    now: () => crashStack.clock.now() - 15 * minuteMs,
  });
  ({ double } = checkouts);
  // The tests deliver the messages of timers themselves.
  await crashStack.stack.queues.pause();
});
beforeEach(async () => {
  merchant = await checkouts.newMerchant();
});
afterEach(() => double.faults.clear());
afterAll(async () => {
  await checkouts.close();
  await crashStack.close();
});

type Invoice = Awaited<ReturnType<Merchant['newInvoice']>>;

/** Sends the requests of `work` to the double, and pays just before the double executes the one at `moment`, or at the end. */
async function payDuring<T>(reference: string, moment: number, work: () => Promise<T>) {
  let requests = 0;
  let isPaid: boolean | undefined;
  const stop = double.faults.inject({
    fault: { kind: 'lose', when: 'before' },
    on: () => {
      if (requests++ === moment) isPaid = double.act(reference, 'pay');
      return false;
    },
  });
  const result = await work();
  stop();
  return { result, isPaid: isPaid ?? double.act(reference, 'pay') };
}

const checkoutOf = async ({ id }: Invoice) =>
  (await crashStack.table.all('co_')).find(({ invoiceId }) => invoiceId === id);
const endByWorker = async (invoice: Invoice, label: string) => {
  const checkout = await checkoutOf(invoice);
  const message = { kind: 'checkout', due: 1, minute: 1, reference: checkout?.pk };
  await invokeWorker(label, triggers.settleCheckout.handler, toQueueEvent(message));
  return undefined;
};
/** Makes a request that may crash. */
const send = (sending: Promise<HttpResponse>) => sending.catch(() => undefined);
const labelled = (label: string) => ({ headers: { [invocationHeader]: label } });

interface Race {
  readonly what: string;
  /** The answer of the API, if there is one. */
  readonly end: (invoice: Invoice, label: string) => Promise<HttpResponse | undefined>;
  /** Whether the checkout has expired before. */
  readonly isExpired?: boolean;
}

const races: readonly Race[] = [
  { what: 'the worker ends an expired checkout', isExpired: true, end: endByWorker },
  {
    what: 'the merchant cancels the invoice',
    end: ({ id }, label) => send(merchant.api.delete(`/api/invoices/${id}`, labelled(label))),
  },
  {
    what: 'the merchant updates the invoice',
    end: ({ id }, label) =>
      send(merchant.api.patch(`/api/invoices/${id}`, { amount: 2600 }, labelled(label))),
  },
  {
    what: 'the merchant records an offline payment',
    end: ({ id }, label) =>
      send(merchant.api.post('/api/payments', { invoiceId: id, method: 'offline' }, labelled(label))),
  },
];

/** How many requests to the provider each step makes at most, with the one for the end. */
const moments = 4;
const crashPoints = 12;

test.each(races)('a payment while $what: the books agree', async ({ end, isExpired }) => {
  const outcomes = { paid: 0, ended: 0 };
  for (let index = 0; index < crashPoints * 2; index++) {
    const invoice = await merchant.newInvoice();
    const reference = referenceIn(await beginPaying(invoice.paymentUrl));
    if (isExpired) crashStack.clock.advance(66 * minuteMs);
    const label = `${invoice.id}-race`;
    // Every other invoice is ended without a crash.
    if (index % 2 === 1) {
      const fault = index % 4 === 1 ? 'crash before call' : 'crash after call';
      crashStack.crashes.set(label, { at: Math.floor(index / 2), fault });
    }
    const { result, isPaid } = await payDuring(reference, Math.floor(index / 2) % moments, () =>
      end(invoice, label),
    );
    outcomes[isPaid ? 'paid' : 'ended'] += 1;
    // A change that took effect and a payment exclude one another.
    if (isPaid && result && result.status < 500)
      expect(['invoice_already_paid', 'payment_in_progress']).toContain(result.json.error.code);
    if (result && result.status < 300) expect(isPaid).toBe(false);
  }
  expect(Math.min(outcomes.paid, outcomes.ended)).toBeGreaterThan(0);
  await settleEverything(crashStack.table, crashStack.clock);
  await purgeQueues(crashStack.stack);
  expect(await differencesOfBooks(crashStack.table, double, merchant.owner)).toEqual([]);
});

test('two payers in two tabs: one payment, and nobody pays twice', async () => {
  for (let index = 0; index < crashPoints; index++) {
    const invoice = await merchant.newInvoice();
    const fields = payButtonOf(await openPage(invoice.paymentUrl));
    const first = referenceIn(await pressPay(invoice.paymentUrl, fields));
    const label = `${invoice.id}-tab`;
    if (index % 2 === 1)
      crashStack.crashes.set(label, { at: Math.floor(index / 2), fault: 'crash after call' });
    const { result, isPaid } = await payDuring(first, index % moments, () =>
      send(pressPay(invoice.paymentUrl, fields, labelled(label).headers)),
    );
    expect(isPaid).toBe(true);
    const second = /\/c\/pay\/(\w+)/.exec(result?.headers.location ?? '')?.[1];
    // The second payer was sent to the same page of the provider, which is paid now.
    if (second) expect([second, double.act(second, 'pay')]).toEqual([first, false]);
    expect((await send(pressPay(invoice.paymentUrl, fields)))?.headers.location).toMatch(/^\?/);
  }
  await settleEverything(crashStack.table, crashStack.clock);
  await purgeQueues(crashStack.stack);
  expect(await differencesOfBooks(crashStack.table, double, merchant.owner)).toEqual([]);
});
