/** Tests the double of Stripe with Stripe's own client: what the client understands, the service can rely on. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import Stripe from 'stripe';
import { stripeDoubleVersion } from '../../infra/local/provider-doubles/stripe/stripe-double.ts';
import {
  clientOf,
  errorOf,
  type StripeDoubleSetup,
  startStripeDoubleSetup,
} from '../support/stripe-client.ts';

let setup: StripeDoubleSetup;

beforeAll(async () => {
  setup = await startStripeDoubleSetup();
});
afterAll(() => setup.double.close());

test('has the version of the installed types', () => {
  expect(stripeDoubleVersion).toBe(Stripe.API_VERSION);
});

describe('a checkout session', () => {
  test('is open, then paid, and shows the card', async () => {
    const created = await setup.create();
    expect(created).toMatchObject({ status: 'open', payment_status: 'unpaid', payment_intent: null });
    expect(created).toMatchObject({ amount_total: 2_500, currency: 'usd', livemode: true });
    expect(setup.double.act(created.id, 'pay')).toBe(true);
    const session = await setup.stripe.checkout.sessions.retrieve(created.id, {
      expand: ['payment_intent.latest_charge'],
    });
    expect(session).toMatchObject({ status: 'complete', payment_status: 'paid', url: null });
    expect(session.payment_intent).toMatchObject({
      status: 'succeeded',
      amount_received: 2_500,
      metadata: { order: '7' },
      latest_charge: { paid: true, payment_method_details: { card: { brand: 'visa', last4: '4242' } } },
    });
    expect(setup.double.act(created.id, 'pay')).toBe(false);
  });

  test('stays open after a declined card', async () => {
    const { id } = await setup.create();
    setup.double.act(id, 'decline');
    const session = await setup.stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent'] });
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
    const { id } = await setup.create();
    setup.double.act(id, 'later');
    expect(await setup.stripe.checkout.sessions.retrieve(id)).toMatchObject({
      status: 'complete',
      payment_status: 'unpaid',
    });
    setup.double.settle(id, outcome);
    const session = await setup.stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent'] });
    expect(session).toMatchObject({
      payment_status: paymentStatus,
      payment_intent: { status: intentStatus },
    });
  });

  test('expires by a call and by the clock, and then nobody can pay', async () => {
    const [called, timed] = [await setup.create(), await setup.create()];
    expect(await setup.stripe.checkout.sessions.expire(called.id)).toMatchObject({
      status: 'expired',
      url: null,
    });
    expect(await errorOf(setup.stripe.checkout.sessions.expire(called.id))).toMatchObject({
      statusCode: 400,
    });
    setup.clock.advance(1_800_000);
    expect([setup.double.act(called.id, 'pay'), setup.double.act(timed.id, 'pay')]).toEqual([false, false]);
    expect(await setup.stripe.checkout.sessions.retrieve(timed.id)).toMatchObject({ status: 'expired' });
  });

  test.each<[string, Partial<Stripe.Checkout.SessionCreateParams>, object]>([
    ['an early expiry', { expires_at: 1 }, { param: 'expires_at' }],
    ['no mode', { mode: undefined as never }, { param: 'mode', code: 'parameter_missing' }],
    ['an unknown parameter', { nothing: 1 } as object, { code: 'parameter_unknown' }],
    ['a long reference', { client_reference_id: 'x'.repeat(201) }, { param: 'client_reference_id' }],
    ['a bad URL', { success_url: 'shop' }, { code: 'url_invalid' }],
  ])('with %s is refused', async (_, change, error) => {
    expect(await errorOf(setup.create(change))).toMatchObject({ statusCode: 400, ...error });
  });

  test.each([
    ['btn', 2_500, { param: 'line_items[0][price_data][currency]' }],
    ['usd', 49, { code: 'amount_too_small' }],
    ['usd', 100_000_000, { code: 'amount_too_large' }],
  ])('in %s with the amount %d is refused', async (currency, amount, error) => {
    const price = { currency, unit_amount: amount, product_data: { name: 'Website' } };
    const call = setup.create({ line_items: [{ price_data: price, quantity: 1 }] });
    expect(await errorOf(call)).toMatchObject({ statusCode: 400, ...error });
  });
});

describe('an idempotency key', () => {
  test('gives the same session again, for 24 hours', async () => {
    const first = setup.params();
    const send = () => setup.stripe.checkout.sessions.create(first, { idempotencyKey: 'same' });
    const { id } = await send();
    setup.clock.advance(86_399_000);
    expect((await send()).id).toBe(id);
    setup.clock.advance(1_000);
    expect(await errorOf(send())).toMatchObject({ param: 'expires_at' });
  });

  test('cannot be used with other parameters, or while it is in use', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const body = setup.params();
    const options = { idempotencyKey: 'in use', maxNetworkRetries: 0 };
    setup.double.faults.inject({ fault: { kind: 'hold', until: promise } });
    const first = setup.stripe.checkout.sessions.create(body, options);
    while (setup.double.requests.at(-1)?.headers['idempotency-key'] !== 'in use') {
      await new Promise((next) => setImmediate(next));
    }
    const second = await errorOf(setup.stripe.checkout.sessions.create(body, options));
    expect(second).toMatchObject({ statusCode: 409, code: 'idempotency_key_in_use' });
    resolve();
    await first;
    const third = await errorOf(setup.stripe.checkout.sessions.create(setup.params(), options));
    expect(third).toMatchObject({ statusCode: 400, type: 'StripeIdempotencyError' });
  });

  test('is not kept for a request that fails the validation', async () => {
    await errorOf(setup.create({ expires_at: 1 }, 'invalid first'));
    expect(await setup.create({}, 'invalid first')).toMatchObject({ status: 'open' });
  });
});

describe('a refund', () => {
  test('is listed with its metadata, and cannot exceed what is left', async () => {
    const intent = await setup.paid();
    const refund = (amount: number) =>
      setup.stripe.refunds.create({ payment_intent: intent, amount, metadata: { refund: `ref_${amount}` } });
    expect(await refund(1_000)).toMatchObject({ status: 'succeeded', payment_intent: intent });
    expect(await errorOf(refund(1_501))).toMatchObject({ statusCode: 400, param: 'amount' });
    await refund(1_500);
    expect(await errorOf(refund(1))).toMatchObject({ code: 'charge_already_refunded' });
    const { data } = await setup.stripe.refunds.list({ payment_intent: intent });
    expect(data.map(({ amount, metadata }) => [amount, metadata?.refund])).toEqual([
      [1_500, 'ref_1500'],
      [1_000, 'ref_1000'],
    ]);
    const first = await setup.stripe.refunds.list({ payment_intent: intent, limit: 1 });
    expect([first.has_more, first.data.length]).toEqual([true, 1]);
  });

  test('can be pending, and fail later', async () => {
    setup.double.pendingRefunds = true;
    const intent = await setup.paid();
    const { id, status } = await setup.stripe.refunds.create({ payment_intent: intent });
    expect(status).toBe('pending');
    setup.double.settleRefund(id, 'failed');
    expect(await setup.stripe.refunds.retrieve(id)).toMatchObject({ status: 'failed' });
    setup.double.pendingRefunds = false;
    expect(await setup.stripe.refunds.create({ payment_intent: intent })).toMatchObject({
      status: 'succeeded',
    });
  });
});

test('a dispute is shown, and refunds are refused until it is won', async () => {
  const intent = await setup.paid();
  const id = setup.double.openDispute(intent);
  const { data } = await setup.stripe.disputes.list({ payment_intent: intent });
  expect(data).toMatchObject([{ id, status: 'needs_response', payment_intent: intent }]);
  const refund = () => setup.stripe.refunds.create({ payment_intent: intent });
  expect(await errorOf(refund())).toMatchObject({ code: 'charge_disputed' });
  setup.double.closeDispute(id, 'won');
  expect(await refund()).toMatchObject({ status: 'succeeded' });
});

describe('a key', () => {
  test('of the other mode does not see an object, and an unknown one sees nothing', async () => {
    const { id } = await setup.create();
    const get = (key: string) => errorOf(clientOf(setup.double, key).checkout.sessions.retrieve(id));
    expect(await get('sk_test_double000000000000000001')).toMatchObject({ code: 'resource_missing' });
    expect(await get('sk_live_wrong')).toMatchObject({ statusCode: 401 });
  });

  test('that is restricted gets 403 for the rest', async () => {
    const limited = clientOf(setup.double, 'rk_live_double000000000000000002');
    expect(await errorOf(limited.checkout.sessions.create(setup.params()))).toMatchObject({
      statusCode: 403,
    });
    expect((await limited.disputes.list({ limit: 1 })).object).toBe('list');
  });
});
