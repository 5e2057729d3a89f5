/** Tests that the adapter for Stripe conforms to the port, and sends what Stripe documents. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import Stripe from 'stripe';
import type { ProviderDouble } from '../../infra/local/provider-doubles/common/provider-double.ts';
import { startStripeDouble } from '../../infra/local/provider-doubles/stripe/stripe-double.ts';
import type { CheckoutRequest } from '../../shared/domain/payments/provider/hosted-provider.ts';
import { createStripeProvider } from '../../shared/domain/payments/provider/stripe.ts';
import { stripeVersion } from '../../shared/domain/payments/provider/stripe-client.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { describeHostedConformance } from '../support/provider-conformance/hosted-suite.ts';
import { clientOf } from '../support/stripe-client.ts';
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

describe("the requests of the adapter are those of Stripe's own client", () => {
  const sorted = (text: string) =>
    [...new URLSearchParams(text)].map(([name, value]) => `${name}=${value}`).sort();

  test('for a new session', async () => {
    const request = newRequest();
    await provider().begin(request);
    const own = latestRequest();
    const metadata = { remit_checkout: request.key, remit_invoice: 'inv_1' };
    const price: Stripe.Checkout.SessionCreateParams.LineItem.PriceData = {
      currency: 'inr',
      unit_amount: 250_000,
      product_data: { name: request.description },
    };
    await clientOf(double, live().apiKey).checkout.sessions.create(
      {
        mode: 'payment',
        client_reference_id: request.key,
        metadata,
        line_items: [{ price_data: price, quantity: 1 }],
        payment_intent_data: { metadata, description: request.description },
        adaptive_pricing: { enabled: false },
        expires_at: Math.floor(request.expiresAt / 1000),
        success_url: request.returnUrl,
        cancel_url: `${request.returnUrl}&cancelled`,
      },
      { idempotencyKey: `${request.key} again` },
    );
    const theirs = latestRequest();
    expect(sorted(own.body)).toEqual(sorted(theirs.body));
    for (const name of ['authorization', 'content-type', 'stripe-version']) {
      expect(own.headers[name]).toBe(theirs.headers[name]);
    }
    expect([own.method, own.path]).toEqual([theirs.method, theirs.path]);
    expect(own.headers['idempotency-key']).toBe(request.key);
    expect(own.headers['stripe-version']).toBe(Stripe.API_VERSION);
    expect(stripeVersion).toBe(Stripe.API_VERSION);
  });

  test('for a session, and for refunds', async () => {
    const stripe = clientOf(double, live().apiKey);
    const request = newRequest();
    const begun = await provider().begin(request);
    const reference = begun.kind === 'begun' ? begun.reference : '';
    double.act(reference, 'pay');
    const state = await provider().status(request, reference);
    const [own, intent] = [latestRequest(), state.kind === 'paid' ? state.payment.reference : ''];
    await stripe.checkout.sessions.retrieve(reference, { expand: ['payment_intent.latest_charge'] });
    expect([own.path, sorted(`${own.query}`)]).toEqual([
      latestRequest().path,
      sorted(`${latestRequest().query}`),
    ]);
    await provider().refund({ key: 'ref_1', paymentReference: intent, amountMinor: 1, currency: 'INR' });
    const [list, refund] = double.requests.slice(-2);
    await stripe.refunds.create({ payment_intent: intent, amount: 1, metadata: { remit_refund: 'ref_1' } });
    expect(sorted(refund?.body ?? '')).toEqual(sorted(latestRequest().body));
    await stripe.refunds.list({ payment_intent: intent, limit: 100 });
    expect(sorted(`${list?.query}`)).toEqual(sorted(`${latestRequest().query}`));
  });
});

test("a signature of Stripe's own library is accepted", async () => {
  const request = newRequest();
  const begun = await provider().begin(request);
  double.act(begun.kind === 'begun' ? begun.reference : '', 'pay');
  const payload = double.notifications.all.at(-1)?.body ?? '';
  const [secret = ''] = live().notificationSecrets;
  const timestamp = Math.floor(clock.now() / 1000);
  const header = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
  const read = (text: string, now = clock.now()) =>
    provider().readNotification({ 'stripe-signature': text }, Buffer.from(payload), now);
  expect(read(header)).toEqual({ kind: 'checkout', key: request.key });
  expect(read(`${header},v1=00,v0=1,unknown`).kind).toBe('checkout');
  for (const wrong of [
    header.replace('v1=', 'v0='),
    `${header},t=1`,
    header.replace(/t=\d+/, 't=x'),
    `t=${timestamp}`,
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
