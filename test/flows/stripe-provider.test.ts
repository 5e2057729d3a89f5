/** Tests that the adapter for Stripe conforms to the port, and sends what Stripe documents. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ProviderDouble } from '../../infra/local/provider-doubles/common/provider-double.ts';
import { startStripeDouble } from '../../infra/local/provider-doubles/stripe/stripe-double.ts';
import type { CheckoutRequest } from '../../shared/domain/payments/provider/hosted-provider.ts';
import { createStripeProvider } from '../../shared/domain/payments/provider/stripe.ts';
import { stripeVersion } from '../../shared/domain/payments/provider/stripe-client.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { describeHostedConformance } from '../support/provider-conformance/hosted-suite.ts';
import { describedStripeVersion } from '../support/stripe-objects.ts';
import { signedByStripe, verifyStripeSignature } from '../support/stripe-signature.ts';
import { waitUntil } from '../support/wait-until.ts';

let double: ProviderDouble;
let clock: TestClock;

beforeAll(async () => {
  clock = stopClock();
  double = await startStripeDouble();
});
afterAll(() => double.close());
beforeEach(() => double.faults.clear());

describeHostedConformance('the adapter for Stripe', {
  double: () => double,
  create: (credentials, timeoutMs) => createStripeProvider(credentials, { baseUrl: double.url, timeoutMs }),
  clock: () => clock,
  currency: 'USD',
  wrongCredentials: { apiKey: 'sk_live_unknown00000001', notificationSecrets: ['whsec_none'] },
  tooSmallMinor: 49,
  notificationsExpire: true,
  namesMode: true,
  failedLater: 'refused',
  createsRefund: ({ method, path }) => method === 'POST' && path === '/v1/refunds',
});

const live = () => double.credentials.live;
const provider = (apiKey = live().apiKey) =>
  createStripeProvider({ ...live(), apiKey }, { baseUrl: double.url });
let count = 0;
const newRequest = (change: Partial<CheckoutRequest> = {}): CheckoutRequest => ({
  key: `co_own${count++}`,
  invoiceId: 'inv_1',
  amountMinor: 250_000,
  currency: 'INR',
  description: 'Website design & hosting',
  returnUrl: 'https://remit.example.com/pay/inv_1?checkout=co_1',
  createdAt: clock.now(),
  expiresAt: clock.now() + 2_700_000,
  ...change,
});
const latestRequest = () => {
  const request = double.requests.at(-1);
  if (!request) throw new Error('There is no request.');
  return request;
};

describe("the requests of the adapter are those of Stripe's library 23.1.0", () => {
  const sorted = (text: string) =>
    [...new URLSearchParams(text)].map(([name, value]) => `${name}=${value}`).sort();

  test('for a new session', async () => {
    const request = newRequest();
    await provider().begin(request);
    const own = latestRequest();
    expect([own.method, own.path]).toEqual(['POST', '/v1/checkout/sessions']);
    expect(sorted(own.body)).toEqual(
      [
        'mode=payment',
        `client_reference_id=${request.key}`,
        `metadata[remit_checkout]=${request.key}`,
        'metadata[remit_invoice]=inv_1',
        'line_items[0][price_data][currency]=inr',
        'line_items[0][price_data][unit_amount]=250000',
        'line_items[0][price_data][product_data][name]=Website design & hosting',
        'line_items[0][quantity]=1',
        `payment_intent_data[metadata][remit_checkout]=${request.key}`,
        'payment_intent_data[metadata][remit_invoice]=inv_1',
        'payment_intent_data[description]=Website design & hosting',
        'adaptive_pricing[enabled]=false',
        `expires_at=${Math.floor(request.expiresAt / 1000)}`,
        'success_url=https://remit.example.com/pay/inv_1?checkout=co_1',
        'cancel_url=https://remit.example.com/pay/inv_1?checkout=co_1&cancelled',
      ].sort(),
    );
    expect(own.headers).toMatchObject({
      authorization: `Bearer ${live().apiKey}`,
      'content-type': 'application/x-www-form-urlencoded',
      'idempotency-key': request.key,
      'stripe-version': describedStripeVersion,
    });
    expect(stripeVersion).toBe(describedStripeVersion);
  });

  test('for a session, and for refunds', async () => {
    const request = newRequest();
    const begun = await provider().begin(request);
    const reference = begun.kind === 'begun' ? begun.reference : '';
    double.act(reference, 'pay');
    const state = await provider().status(request, reference);
    const [own, intent] = [latestRequest(), state.kind === 'paid' ? state.payment.reference : ''];
    expect([own.method, own.path]).toEqual(['GET', `/v1/checkout/sessions/${reference}`]);
    expect(sorted(`${own.query}`)).toEqual(['expand[0]=payment_intent.latest_charge']);
    await provider().refund({ key: 'ref_1', paymentReference: intent, amountMinor: 1, currency: 'INR' });
    const [list, refund] = double.requests.slice(-2);
    expect([refund?.method, refund?.path]).toEqual(['POST', '/v1/refunds']);
    expect(sorted(refund?.body ?? '')).toEqual([
      'amount=1',
      'metadata[remit_refund]=ref_1',
      `payment_intent=${intent}`,
    ]);
    expect([list?.method, list?.path]).toEqual(['GET', '/v1/refunds']);
    expect(sorted(`${list?.query}`)).toEqual(['limit=100', `payment_intent=${intent}`]);
  });
});

test("a signature of Stripe's own library is accepted", () => {
  const { secret, time, body, checkout, header } = signedByStripe;
  const at = time * 1000;
  expect(live().notificationSecrets).toEqual([secret]);
  const read = (text: string, now = at) =>
    provider().readNotification({ 'stripe-signature': text }, Buffer.from(body), now);
  expect(read(header)).toEqual({ kind: 'checkout', key: checkout });
  expect(read(`${header},v1=00,v0=1,unknown`).kind).toBe('checkout');
  // What the tests of the double verify with agrees with the library, too.
  expect(verifyStripeSignature(body, header, secret, at)).toMatchObject({ object: 'event' });
  for (const wrong of [
    header.replace('v1=', 'v0='),
    `${header},t=1`,
    header.replace(/t=\d+/, 't=x'),
    `t=${time}`,
  ]) {
    expect(read(wrong)).toEqual({ kind: 'invalid' });
  }
});

test('a call with other parameters under the same key finds the session of the first', async () => {
  const request = newRequest();
  const first = await provider().begin(request);
  const changed = { ...request, description: 'Another text' };
  expect(await provider().begin(changed)).toEqual(first);
  expect(await provider().status(changed, undefined)).toEqual({ kind: 'open' });
  expect(await provider().void(changed, undefined)).toEqual({ kind: 'expired' });
});

test('a request that is in progress elsewhere is awaited', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const request = newRequest();
  double.faults.inject({ fault: { kind: 'hold', until: promise } });
  const all = [provider().begin(request), provider().begin(request)];
  await waitUntil('the second request was repeated', () => {
    const keys = double.requests.map(({ headers }) => headers['idempotency-key']);
    return keys.filter((key) => key === request.key).length >= 3;
  });
  resolve();
  const [one, other] = await Promise.all(all);
  expect(one).toEqual(other);
});

test('a session of another checkout is an error', async () => {
  const begun = await provider().begin(newRequest());
  const reference = begun.kind === 'begun' ? begun.reference : '';
  await expect(provider().status(newRequest(), reference)).rejects.toThrow('another checkout');
});

test('a session that the account does not have is absent', async () => {
  expect(await provider().status(newRequest(), 'cs_live_none')).toEqual({ kind: 'absent' });
  expect(await provider().void(newRequest(), 'cs_live_none')).toEqual({ kind: 'absent' });
});

test('a refund is refused while a dispute is open', async () => {
  const request = newRequest();
  const begun = await provider().begin(request);
  const reference = begun.kind === 'begun' ? begun.reference : '';
  double.act(reference, 'pay');
  const state = await provider().status(request, reference);
  const paymentReference = state.kind === 'paid' ? state.payment.reference : '';
  double.openDispute(paymentReference);
  const refund = { key: 'ref_disputed', paymentReference, amountMinor: 1, currency: 'INR' } as const;
  expect(await provider().refund(refund)).toEqual({ kind: 'refused', code: 'refund_refused' });
});

test('a refund that the key may not make does not look refused', async () => {
  const error = { type: 'invalid_request_error', message: 'The key does not have the permission.' };
  const fault = { kind: 'answer', status: 403, body: JSON.stringify({ error }) } as const;
  double.faults.inject({ fault, on: ({ method }) => method === 'POST' });
  const refund = { key: 'ref_403', paymentReference: 'pi_1', amountMinor: 1, currency: 'INR' } as const;
  await expect(provider().refund(refund)).rejects.toMatchObject({ status: 403 });
});

test.each([
  ['IN', 'USD', 'required'],
  ['IN', 'INR', null],
  ['US', 'USD', null],
  [undefined, 'USD', null],
] as const)(
  'an account in %s asks payers of %s for their address: %s',
  async (country, currency, expected) => {
    const adapter = createStripeProvider(live(), { baseUrl: double.url, country });
    await adapter.begin(newRequest({ currency }));
    expect(new URLSearchParams(latestRequest().body).get('billing_address_collection')).toBe(expected);
  },
);

describe('the check of a restricted key', () => {
  test('accepts the documented permissions, and changes nothing', async () => {
    const before = double.books().length;
    const checked = await provider('rk_live_double000000000000000001').check();
    expect(checked).toEqual({ kind: 'ok', accountName: 'Stripe', isLive: true });
    expect(double.books()).toHaveLength(before);
  });

  test('names the permissions that are missing', async () => {
    const checked = await provider('rk_live_double000000000000000002').check();
    const missing = 'Checkout Sessions: write; PaymentIntents: read; Charges and Refunds: write';
    expect(checked).toEqual({
      kind: 'refused',
      message: `The restricted key lacks permissions. Add these to it: ${missing}.`,
    });
  });

  test('allows all operations', async () => {
    const restricted = provider('rk_live_double000000000000000001');
    const request = newRequest();
    const begun = await restricted.begin(request);
    double.act(begun.kind === 'begun' ? begun.reference : '', 'pay');
    const state = await restricted.status(request, undefined);
    const paymentReference = state.kind === 'paid' ? state.payment.reference : '';
    double.openDispute(paymentReference);
    expect((await restricted.payment(paymentReference))?.dispute?.status).toBe('open');
    const refund = { key: 'ref_restricted', paymentReference, amountMinor: 1, currency: 'INR' } as const;
    expect((await restricted.refund(refund)).kind).toBe('refused');
    expect((await restricted.void(request, undefined)).kind).toBe('paid');
  });
});

test('the fees have the tax, wait for Stripe, and are unknown to a key without the permission', async () => {
  double.behavior.country = 'IN';
  const request = newRequest({ amountMinor: 100_000 });
  const begun = await provider().begin(request);
  double.act(begun.kind === 'begun' ? begun.reference : '', 'pay');
  const state = await provider().status(request, undefined);
  const reference = state.kind === 'paid' ? state.payment.reference : '';
  const feesOf = async (key: string) => (await provider(key).payment(reference))?.fees;
  const [withoutFees, withFees] = [
    'rk_live_double000000000000000001',
    'rk_live_double000000000000000003',
  ] as const;
  expect(await feesOf(withFees)).toBeUndefined();
  clock.advance(10_000);
  const fees = { amountMinor: 3_457, taxMinor: 527, netMinor: 96_543, currency: 'INR' };
  expect([await feesOf(withFees), await feesOf(withoutFees)]).toEqual([fees, null]);
  double.behavior.country = 'US';
});

test('a stored error does not end a checkout: a new session has a derived key, for a whole day', async () => {
  const request = newRequest();
  const remove = double.faults.inject({
    fault: { kind: 'answer', status: 500, body: '{"error":{"type":"api_error"}}' },
    on: ({ method }) => method === 'POST',
    times: 4,
  });
  for (let press = 0; press < 2; press++)
    await expect(provider().begin(request)).rejects.toThrow('status 500');
  remove();
  const begun = await provider().begin(request);
  const sentKeys = () => double.requests.map(({ headers }) => headers['idempotency-key']).filter(Boolean);
  expect(begun.kind).toBe('begun');
  expect(sentKeys().at(-1)).toBe(`${request.key}:3`);
  expect(await provider().begin(request)).toEqual(begun);
});
