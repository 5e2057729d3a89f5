/** Tests the double of Stripe with Stripe's own client: what the client understands, the service can rely on. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import Stripe from 'stripe';
import type { ProviderDouble } from '../../infra/local/provider-doubles/common/provider-double.ts';
import {
  startStripeDouble,
  stripeDoubleVersion,
} from '../../infra/local/provider-doubles/stripe/stripe-double.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { request } from '../support/http.ts';
import { clientOf } from '../support/stripe-client.ts';

let double: ProviderDouble;
let stripe: Stripe;
let clock: TestClock;

beforeAll(async () => {
  clock = stopClock();
  double = await startStripeDouble();
  stripe = clientOf(double, 'sk_live_double000000000000000001');
});
afterAll(() => double.close());
beforeEach(() => double.faults.clear());

const seconds = () => Math.floor(clock.now() / 1000);
let count = 0;
const params = (
  change: Partial<Stripe.Checkout.SessionCreateParams> = {},
): Stripe.Checkout.SessionCreateParams => ({
  mode: 'payment',
  client_reference_id: `co_${count++}`,
  line_items: [
    { price_data: { currency: 'usd', unit_amount: 2_500, product_data: { name: 'Website' } }, quantity: 1 },
  ],
  success_url: 'https://shop.example.com/pay',
  cancel_url: 'https://shop.example.com/pay?cancelled',
  expires_at: seconds() + 1_800,
  metadata: { order: '7' },
  payment_intent_data: { description: 'Website', metadata: { order: '7' } },
  ...change,
});
const create = (change?: Partial<Stripe.Checkout.SessionCreateParams>, idempotencyKey?: string) =>
  stripe.checkout.sessions.create(params(change), { ...(idempotencyKey && { idempotencyKey }) });
const paid = async () => {
  const { id } = await create();
  double.act(id, 'pay');
  const session = await stripe.checkout.sessions.retrieve(id);
  return session.payment_intent as string;
};
const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error) => error,
  );

test('has the version of the installed types', () => {
  expect(stripeDoubleVersion).toBe(Stripe.API_VERSION);
});

describe('a checkout session', () => {
  test('is open, then paid, and shows the card', async () => {
    const created = await create();
    expect(created).toMatchObject({ status: 'open', payment_status: 'unpaid', payment_intent: null });
    expect(created).toMatchObject({ amount_total: 2_500, currency: 'usd', livemode: true });
    expect(double.act(created.id, 'pay')).toBe(true);
    const session = await stripe.checkout.sessions.retrieve(created.id, {
      expand: ['payment_intent.latest_charge'],
    });
    expect(session).toMatchObject({ status: 'complete', payment_status: 'paid', url: null });
    expect(session.payment_intent).toMatchObject({
      status: 'succeeded',
      amount_received: 2_500,
      metadata: { order: '7' },
      latest_charge: { paid: true, payment_method_details: { card: { brand: 'visa', last4: '4242' } } },
    });
    expect(double.act(created.id, 'pay')).toBe(false);
  });

  test('stays open after a declined card', async () => {
    const { id } = await create();
    double.act(id, 'decline');
    const session = await stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent'] });
    expect(session).toMatchObject({ status: 'open', payment_status: 'unpaid' });
    expect(session.payment_intent).toMatchObject({
      status: 'requires_payment_method',
      last_payment_error: { code: 'card_declined' },
    });
  });

  test.each([
    ['succeeded', 'paid', 'succeeded'],
    ['failed', 'unpaid', 'requires_payment_method'],
  ] as const)('that is paid later and has %s is %s', async (outcome, paymentStatus, intentStatus) => {
    const { id } = await create();
    double.act(id, 'later');
    expect(await stripe.checkout.sessions.retrieve(id)).toMatchObject({
      status: 'complete',
      payment_status: 'unpaid',
    });
    double.settle(id, outcome);
    const session = await stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent'] });
    expect(session).toMatchObject({
      payment_status: paymentStatus,
      payment_intent: { status: intentStatus },
    });
  });

  test('expires by a call and by the clock, and then nobody can pay', async () => {
    const [called, timed] = [await create(), await create()];
    expect(await stripe.checkout.sessions.expire(called.id)).toMatchObject({ status: 'expired', url: null });
    expect(await errorOf(stripe.checkout.sessions.expire(called.id))).toMatchObject({ statusCode: 400 });
    clock.advance(1_800_000);
    expect([double.act(called.id, 'pay'), double.act(timed.id, 'pay')]).toEqual([false, false]);
    expect(await stripe.checkout.sessions.retrieve(timed.id)).toMatchObject({ status: 'expired' });
  });

  test.each<[string, Partial<Stripe.Checkout.SessionCreateParams>, object]>([
    ['an early expiry', { expires_at: 1 }, { param: 'expires_at' }],
    ['no mode', { mode: undefined as never }, { param: 'mode', code: 'parameter_missing' }],
    ['an unknown parameter', { nothing: 1 } as object, { code: 'parameter_unknown' }],
    ['a long reference', { client_reference_id: 'x'.repeat(201) }, { param: 'client_reference_id' }],
    ['a bad URL', { success_url: 'shop' }, { code: 'url_invalid' }],
  ])('with %s is refused', async (_, change, error) => {
    expect(await errorOf(create(change))).toMatchObject({ statusCode: 400, ...error });
  });

  test.each([
    ['btn', 2_500, { param: 'line_items[0][price_data][currency]' }],
    ['usd', 49, { code: 'amount_too_small' }],
    ['usd', 100_000_000, { code: 'amount_too_large' }],
  ])('in %s with the amount %d is refused', async (currency, amount, error) => {
    const price = { currency, unit_amount: amount, product_data: { name: 'Website' } };
    const call = create({ line_items: [{ price_data: price, quantity: 1 }] });
    expect(await errorOf(call)).toMatchObject({ statusCode: 400, ...error });
  });
});

describe('an idempotency key', () => {
  test('gives the same session again, for 24 hours', async () => {
    const first = params();
    const send = () => stripe.checkout.sessions.create(first, { idempotencyKey: 'same' });
    const { id } = await send();
    clock.advance(86_399_000);
    expect((await send()).id).toBe(id);
    clock.advance(1_000);
    expect(await errorOf(send())).toMatchObject({ param: 'expires_at' });
  });

  test('cannot be used with other parameters, or while it is in use', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const body = params();
    const options = { idempotencyKey: 'in use', maxNetworkRetries: 0 };
    double.faults.inject({ fault: { kind: 'hold', until: promise } });
    const first = stripe.checkout.sessions.create(body, options);
    while (double.requests.at(-1)?.headers['idempotency-key'] !== 'in use') {
      await new Promise((next) => setImmediate(next));
    }
    const second = await errorOf(stripe.checkout.sessions.create(body, options));
    expect(second).toMatchObject({ statusCode: 409, code: 'idempotency_key_in_use' });
    resolve();
    await first;
    const third = await errorOf(stripe.checkout.sessions.create(params(), options));
    expect(third).toMatchObject({ statusCode: 400, type: 'StripeIdempotencyError' });
  });

  test('is not kept for a request that fails the validation', async () => {
    await errorOf(create({ expires_at: 1 }, 'invalid first'));
    expect(await create({}, 'invalid first')).toMatchObject({ status: 'open' });
  });
});

describe('a refund', () => {
  test('is listed with its metadata, and cannot exceed what is left', async () => {
    const intent = await paid();
    const refund = (amount: number) =>
      stripe.refunds.create({ payment_intent: intent, amount, metadata: { refund: `ref_${amount}` } });
    expect(await refund(1_000)).toMatchObject({ status: 'succeeded', payment_intent: intent });
    expect(await errorOf(refund(1_501))).toMatchObject({ statusCode: 400, param: 'amount' });
    await refund(1_500);
    expect(await errorOf(refund(1))).toMatchObject({ code: 'charge_already_refunded' });
    const { data } = await stripe.refunds.list({ payment_intent: intent });
    expect(data.map(({ amount, metadata }) => [amount, metadata?.refund])).toEqual([
      [1_500, 'ref_1500'],
      [1_000, 'ref_1000'],
    ]);
    const first = await stripe.refunds.list({ payment_intent: intent, limit: 1 });
    expect([first.has_more, first.data.length]).toEqual([true, 1]);
  });

  test('can be pending, and fail later', async () => {
    double.pendingRefunds = true;
    const intent = await paid();
    const { id, status } = await stripe.refunds.create({ payment_intent: intent });
    expect(status).toBe('pending');
    double.settleRefund(id, 'failed');
    expect(await stripe.refunds.retrieve(id)).toMatchObject({ status: 'failed' });
    double.pendingRefunds = false;
    expect(await stripe.refunds.create({ payment_intent: intent })).toMatchObject({ status: 'succeeded' });
  });
});

test('a dispute is shown, and refunds are refused until it is won', async () => {
  const intent = await paid();
  const id = double.openDispute(intent);
  const { data } = await stripe.disputes.list({ payment_intent: intent });
  expect(data).toMatchObject([{ id, status: 'needs_response', payment_intent: intent }]);
  const refund = () => stripe.refunds.create({ payment_intent: intent });
  expect(await errorOf(refund())).toMatchObject({ code: 'charge_disputed' });
  double.closeDispute(id, 'won');
  expect(await refund()).toMatchObject({ status: 'succeeded' });
});

describe('a key', () => {
  test('of the other mode does not see an object, and an unknown one sees nothing', async () => {
    const { id } = await create();
    const get = (key: string) => errorOf(clientOf(double, key).checkout.sessions.retrieve(id));
    expect(await get('sk_test_double000000000000000001')).toMatchObject({ code: 'resource_missing' });
    expect(await get('sk_live_wrong')).toMatchObject({ statusCode: 401 });
  });

  test('that is restricted gets 403 for the rest', async () => {
    const limited = clientOf(double, 'rk_live_double000000000000000002');
    expect(await errorOf(limited.checkout.sessions.create(params()))).toMatchObject({ statusCode: 403 });
    expect((await limited.disputes.list({ limit: 1 })).object).toBe('list');
  });
});

describe('a notification', () => {
  const secret = 'whsec_double_of_stripe_live';
  const verify = (at?: number, secrets?: string[]) => {
    const notification = double.notifications.all.at(-1);
    if (!notification) throw new Error('There is no notification.');
    const { headers, body } = double.notifications.signed(notification, {
      ...(at !== undefined && { at }),
      ...(secrets && { secrets }),
    });
    return Stripe.webhooks.constructEvent(
      body,
      headers['stripe-signature'] ?? '',
      secret,
      300,
      undefined,
      clock.now(),
    );
  };

  test('is signed as Stripe does', async () => {
    await paid();
    expect(verify()).toMatchObject({ type: 'checkout.session.completed', livemode: true });
    expect(verify(undefined, ['whsec_old', secret])).toMatchObject({ object: 'event' });
    expect(() => verify(clock.now() - 301_000)).toThrow('tolerance');
    expect(() => verify(undefined, ['whsec_forged'])).toThrow('signature');
  });

  test('tells of each change', async () => {
    const { length } = double.notifications.all;
    const intent = await paid();
    double.pendingRefunds = true;
    const { id } = await stripe.refunds.create({ payment_intent: intent, amount: 1 });
    double.settleRefund(id, 'succeeded');
    double.pendingRefunds = false;
    double.closeDispute(double.openDispute(intent), 'lost');
    expect(double.notifications.all.slice(length).map(({ type }) => type)).toEqual([
      'checkout.session.completed',
      'refund.created',
      'refund.updated',
      'charge.refund.updated',
      'charge.dispute.created',
      'charge.dispute.closed',
    ]);
  });
});

describe('the page of the payer', () => {
  const page = async (url: string, action?: string) => {
    const { origin, pathname } = new URL(url);
    return request({
      baseUrl: origin,
      path: pathname,
      ...(action && { method: 'POST', body: `action=${action}` }),
    });
  };

  test('shows the amount, and a click pays', async () => {
    const { id, url } = await create();
    const shown = await page(url ?? '');
    expect([shown.status, shown.text.includes('$25.00'), shown.text.includes('double')]).toEqual([
      200,
      true,
      true,
    ]);
    expect((await page(url ?? '', 'decline')).text).toContain('declined');
    const done = await page(url ?? '', 'pay');
    expect([done.status, done.headers.location]).toEqual([303, 'https://shop.example.com/pay']);
    expect(await stripe.checkout.sessions.retrieve(id)).toMatchObject({ payment_status: 'paid' });
    expect((await page(url ?? '')).text).not.toContain('<button');
  });

  test('leads back after a cancellation, and the session stays open', async () => {
    const { id, url } = await create();
    const answer = await page(url ?? '', 'cancel');
    expect([answer.status, answer.headers.location]).toEqual([303, 'https://shop.example.com/pay?cancelled']);
    expect(await stripe.checkout.sessions.retrieve(id)).toMatchObject({ status: 'open' });
    clock.advance(1_800_000);
    expect((await page(url ?? '', 'pay')).text).toContain('expired');
  });
});

describe('a fault', () => {
  test.each([
    ['before', false],
    ['after', true],
  ] as const)('loses the answer %s the execution', async (when, isExecuted) => {
    const countSessions = async () => (await stripe.checkout.sessions.list({ limit: 100 })).data.length;
    const before = await countSessions();
    // The client repeats a request whose connection broke.
    double.faults.inject({ fault: { kind: 'lose', when }, times: 9 });
    const call = stripe.checkout.sessions.create(params(), { maxNetworkRetries: 0 });
    expect(await errorOf(call)).toMatchObject({ type: 'StripeConnectionError' });
    double.faults.clear();
    expect((await countSessions()) > before).toBe(isExecuted);
  });

  test('answers with another status', async () => {
    const headers = { 'Retry-After': '7' };
    double.faults.inject({ fault: { kind: 'answer', status: 429, headers, body: '{"error":{}}' } });
    expect(await errorOf(stripe.balance.retrieve({}, { maxNetworkRetries: 0 }))).toMatchObject({
      statusCode: 429,
    });
  });
});
