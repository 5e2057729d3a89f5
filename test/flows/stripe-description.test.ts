/** Tests that the adapter's requests and the double's answers are as Stripe's description of its interface says. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ProviderDouble } from '../../infra/local/provider-doubles/common/provider-double.ts';
import { startStripeDouble } from '../../infra/local/provider-doubles/stripe/stripe-double.ts';
import type {
  CheckoutRequest,
  HostedProvider,
} from '../../shared/domain/payments/provider/hosted-provider.ts';
import { createStripeProvider } from '../../shared/domain/payments/provider/stripe.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { checkStripeAnswer, checkStripeRequest } from '../support/stripe-description.ts';

interface Exchange {
  readonly operation: string;
  readonly params: URLSearchParams;
  readonly answer: unknown;
}

let double: ProviderDouble;
let clock: TestClock;
let provider: HostedProvider;
const exchanges: Exchange[] = [];
let count = 0;

beforeAll(async () => {
  clock = stopClock();
  double = await startStripeDouble();
  provider = createStripeProvider(double.credentials.live, { baseUrl: double.url, fetch: recordingFetch });
});
afterAll(() => double.close());

/** Calls the double, and records the exchange if the double did what was asked. */
const recordingFetch: typeof fetch = async (input, init) => {
  const url = new URL(String(input));
  const response = await fetch(url, init);
  const path = url.pathname.replace(/\/(cs|pi|re|txn)_\w+/, '/*');
  const params = init?.method === 'GET' ? url.searchParams : new URLSearchParams(String(init?.body ?? ''));
  const answer = await response.clone().json();
  if (response.ok) exchanges.push({ operation: `${init?.method} ${path}`, params, answer });
  return response;
};

function newRequest(): CheckoutRequest {
  const key = `co_${count++}`;
  return {
    key,
    invoiceId: 'inv_1',
    amountMinor: 2_500,
    currency: 'USD',
    description: 'Website & design',
    returnUrl: `https://remit.example.com/pay/inv_1?checkout=${key}`,
    createdAt: clock.now(),
    expiresAt: clock.now() + 45 * 60_000,
  };
}

async function begin(): Promise<{ request: CheckoutRequest; reference: string }> {
  const request = newRequest();
  const begun = await provider.begin(request);
  if (begun.kind !== 'begun') throw new Error(`The checkout was ${begun.kind}.`);
  return { request, reference: begun.reference };
}

test('all operations of the port send and receive what Stripe describes', async () => {
  const [paid, declined, late, given] = [await begin(), await begin(), await begin(), await begin()];
  double.act(paid.reference, 'pay');
  double.act(declined.reference, 'decline');
  double.act(late.reference, 'later');
  for (const { request, reference } of [paid, declined, late]) await provider.status(request, reference);
  await provider.status(given.request, undefined);
  await provider.void(given.request, given.reference);
  const state = await provider.status(paid.request, paid.reference);
  const paymentReference = state.kind === 'paid' ? state.payment.reference : '';
  const refund = { key: 'ref_1', paymentReference, amountMinor: 1_000, currency: 'USD' } as const;
  expect(await provider.refund(refund)).toEqual({ kind: 'done' });
  expect(await provider.refundStatus(refund)).toEqual({ kind: 'done' });
  double.openDispute(paymentReference);
  expect((await provider.payment(paymentReference))?.dispute?.status).toBe('open');
  expect((await provider.listPayments(0, undefined)).payments).toHaveLength(1);
  expect((await provider.check()).kind).toBe('ok');
  // Stripe has forgotten the key of the lost answer, so the adapter looks through the sessions.
  clock.advance(25 * 3_600_000);
  await provider.status(declined.request, undefined);
  // By now, the payment has its balance transaction.
  expect((await provider.payment(paymentReference))?.fees).toMatchObject({ currency: 'USD' });

  const wrong = exchanges.flatMap(({ operation, params, answer }) => [
    ...checkStripeRequest(operation, params),
    ...checkStripeAnswer(operation, answer),
  ]);
  expect(wrong).toEqual([]);
  expect([...new Set(exchanges.map(({ operation }) => operation))].sort()).toEqual([
    'GET /v1/account',
    'GET /v1/balance_transactions/*',
    'GET /v1/checkout/sessions',
    'GET /v1/checkout/sessions/*',
    'GET /v1/disputes',
    'GET /v1/payment_intents',
    'GET /v1/payment_intents/*',
    'GET /v1/refunds',
    'POST /v1/checkout/sessions',
    'POST /v1/checkout/sessions/*/expire',
    'POST /v1/refunds',
  ]);
});

test.each([
  ['mode=payment&adaptive_pricing[enabled]=perhaps', 'adaptive_pricing.enabled'],
  ['mode=payments', 'mode'],
  ['line_items[0][price_data][currency]=usd&line_items[0][price_data][unit_amount]=2.5', 'unit_amount'],
  ['line_items[0][price_data][currency]=usd&line_items[0][price_data][cost]=2', 'price_data.cost'],
  ['line_items[0][price_data][unit_amount]=2', 'price_data.currency'],
  ['payment_intent_data[meta][a]=b', 'payment_intent_data.meta'],
])('the check finds what is wrong with %s', (form, place) => {
  const wrong = checkStripeRequest('POST /v1/checkout/sessions', new URLSearchParams(form));
  expect(wrong).toHaveLength(1);
  expect(wrong[0]).toContain(`${place}: Invalid`);
});

test('the check finds a wrong value, an unknown name and a missing name in an answer', () => {
  const refund = exchanges.find(({ operation }) => operation === 'POST /v1/refunds')?.answer as object;
  const { charge: _, ...rest } = { ...refund, id: 1, kind: 'full', charge: '' };
  const wrong = checkStripeAnswer('POST /v1/refunds', rest).map((text) => text.split(':')[0]);
  expect(wrong.toSorted()).toEqual([
    'POST /v1/refunds charge',
    'POST /v1/refunds id',
    'POST /v1/refunds kind',
  ]);
});
