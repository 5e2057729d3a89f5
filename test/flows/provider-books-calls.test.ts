/**
 * Tests what the comparison with the books of a provider costs: at most two calls, and one more for each payment that carries a
 * reference of the service. Payments of the merchant's other shops cost none.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { DoubleRequest } from '../../infra/local/provider-doubles/common/double-messages.ts';
import type { Stack } from '../../infra/local/stack.ts';
import type { HostedProviderName } from '../../shared/domain/payments/provider/hosted-provider.ts';
import {
  type BooksBatch,
  beginBooks,
  reconcileBooks,
} from '../../shared/operations/reconciliation/reconcile-books.ts';
import { reportBegin } from '../../shared/operations/reconciliation/report.ts';
import {
  type CheckoutDouble,
  type Merchant,
  payAndSettle,
  startCheckoutDouble,
} from '../support/checkouts.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { startTestStack } from '../support/stack.ts';

let stack: Stack;
let clock: TestClock;
let checkouts: CheckoutDouble;
let merchant: Merchant;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
});
beforeEach(() => {
  clock = stopClock();
});
afterEach(() => checkouts.close());
afterAll(() => stack.close());

async function connect(provider: HostedProviderName): Promise<void> {
  checkouts = await startCheckoutDouble(stack, { provider });
  merchant = await checkouts.newMerchant();
}

/** Pays at another shop of the merchant, which uses the same account at the provider. */
async function payAtOtherShop(provider: HostedProviderName, notes: Record<string, string>): Promise<void> {
  const { double } = checkouts;
  const { apiKey, apiSecret } = double.credentials.live;
  const expiresAt = String(Math.floor(clock.now() / 1000) + 3_600);
  const reference = `order-${randomBytes(8).toString('hex')}`;
  const url = 'https://shop.example.com/';
  const basic = `Basic ${Buffer.from(`${apiKey}:${apiSecret}`).toString('base64')}`;
  const form = new URLSearchParams({
    mode: 'payment',
    client_reference_id: reference,
    'line_items[0][quantity]': '1',
    'line_items[0][price_data][currency]': 'usd',
    'line_items[0][price_data][unit_amount]': '900',
    'line_items[0][price_data][product_data][name]': 'Socks',
    expires_at: expiresAt,
    success_url: url,
    ...Object.fromEntries(
      Object.entries(notes).map(([name, value]) => [`payment_intent_data[metadata][${name}]`, value]),
    ),
  });
  const link = {
    amount: 900,
    currency: 'INR',
    reference_id: reference,
    description: 'Socks',
    expire_by: Number(expiresAt),
    notes,
    callback_url: url,
    callback_method: 'get',
  };
  const [path, headers, body] =
    provider === 'stripe'
      ? ['/v1/checkout/sessions', { Authorization: `Bearer ${apiKey}` }, form]
      : ['/v1/payment_links', { Authorization: basic }, JSON.stringify(link)];
  const response = await fetch(`${double.url}${path}`, { method: 'POST', headers, body });
  const { id } = (await response.json()) as { id: string };
  expect(double.act(id, 'pay')).toBe(true);
}

/** Compares the books as the reconciliation of a day does. Returns the calls to the provider. */
async function callsOfReconciliation(): Promise<string[]> {
  const day = `day of ${merchant.owner.account} at ${clock.now()}`;
  await reportBegin(day, 1, clock.now());
  const before = checkouts.double.requests.length;
  const sent: BooksBatch[] = [];
  const send = async (batch: BooksBatch) => void sent.push(batch);
  await beginBooks(merchant.owner, day, clock.now(), send);
  for (let index = 0; index < sent.length; index++)
    await reconcileBooks(sent[index] as BooksBatch, clock.now(), send);
  return checkouts.double.requests.slice(before).map(nameOf);
}

const nameOf = ({ method, path, query }: DoubleRequest) =>
  `${method} ${path}${query.has('payment_id') ? '?payment_id' : ''}`;

test.each([
  ['stripe', ['GET /v1/payment_intents']],
  ['razorpay', ['GET /v1/payments', 'GET /v1/disputes']],
] as const)('%s: payments of other shops cost no call', async (provider, calls) => {
  await connect(provider);
  await payAndSettle(checkouts, merchant);
  await payAndSettle(checkouts, merchant);
  for (let shop = 0; shop < 6; shop++) await payAtOtherShop(provider, { order: `o-${shop}` });
  expect(await callsOfReconciliation()).toEqual(calls);
});

test('stripe: a payment of the service costs a call only if it was disputed', async () => {
  await connect('stripe');
  const { reference } = await payAndSettle(checkouts, merchant);
  await payAndSettle(checkouts, merchant);
  // Its notification would make the worker ask, too.
  checkouts.double.notifications.sendTo('live', undefined);
  checkouts.double.openDispute(reference);
  expect(await callsOfReconciliation()).toEqual(['GET /v1/payment_intents', 'GET /v1/disputes']);
});

test('razorpay: a payment without notes costs a call if its description names a link', async () => {
  await connect('razorpay');
  checkouts.double.behavior.copiesNotes = false;
  await payAndSettle(checkouts, merchant);
  await payAndSettle(checkouts, merchant);
  const calls = await callsOfReconciliation();
  expect(calls.toSorted()).toEqual([
    'GET /v1/disputes',
    ...Array(2).fill('GET /v1/payment_links?payment_id'),
    'GET /v1/payments',
  ]);
});
