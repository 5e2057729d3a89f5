/** Tests the double of Stripe with requests and answers in the form that Stripe's reference documents. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { stripeDoubleVersion } from '../../infra/local/provider-doubles/stripe/stripe-double.ts';
import {
  clientOf,
  type StripeDoubleSetup,
  type StripeForm,
  startStripeDoubleSetup,
} from '../support/stripe-client.ts';
import { describedStripeVersion } from '../support/stripe-objects.ts';

let setup: StripeDoubleSetup;
const sessions = '/v1/checkout/sessions';
const sessionOf = async (id: string, query?: StripeForm) =>
  (await setup.stripe.get(`${sessions}/${id}`, query)).json;
const tryCreate = (change?: StripeForm, idempotencyKey?: string) =>
  setup.stripe.post(sessions, setup.params(change), idempotencyKey);

beforeAll(async () => {
  setup = await startStripeDoubleSetup();
});
afterAll(() => setup.double.close());

test('has the version whose interface is described', () => {
  expect(stripeDoubleVersion).toBe(describedStripeVersion);
});

describe('a checkout session', () => {
  test('is open, then paid, and shows the card', async () => {
    const created = await setup.create();
    expect(created).toMatchObject({ status: 'open', payment_status: 'unpaid', payment_intent: null });
    expect(created).toMatchObject({ amount_total: 2_500, currency: 'usd', livemode: true });
    expect(setup.double.act(created.id, 'pay')).toBe(true);
    const session = await sessionOf(created.id, { 'expand[0]': 'payment_intent.latest_charge' });
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
    const session = await sessionOf(id, { 'expand[0]': 'payment_intent' });
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
    expect(await sessionOf(id)).toMatchObject({
      status: 'complete',
      payment_status: 'unpaid',
    });
    setup.double.settle(id, outcome);
    const session = await sessionOf(id, { 'expand[0]': 'payment_intent' });
    expect(session).toMatchObject({
      payment_status: paymentStatus,
      payment_intent: { status: intentStatus },
    });
  });

  test('expires by a call and by the clock, and then nobody can pay', async () => {
    const [called, timed] = [await setup.create(), await setup.create()];
    const expire = () => setup.stripe.post(`${sessions}/${called.id}/expire`);
    expect(await expire()).toMatchObject({ status: 200, json: { status: 'expired', url: null } });
    expect(await expire()).toMatchObject({ status: 400 });
    setup.clock.advance(1_800_000);
    expect([setup.double.act(called.id, 'pay'), setup.double.act(timed.id, 'pay')]).toEqual([false, false]);
    expect(await sessionOf(timed.id)).toMatchObject({ status: 'expired' });
  });

  test.each<[string, StripeForm, object]>([
    ['an early expiry', { expires_at: 1 }, { param: 'expires_at' }],
    ['no mode', { mode: undefined }, { param: 'mode', code: 'parameter_missing' }],
    ['an unknown parameter', { nothing: 1 }, { code: 'parameter_unknown' }],
    ['a long reference', { client_reference_id: 'x'.repeat(201) }, { param: 'client_reference_id' }],
    ['a bad URL', { success_url: 'shop' }, { code: 'url_invalid' }],
  ])('with %s is refused', async (_, change, error) => {
    expect(await tryCreate(change)).toMatchObject({ status: 400, json: { error } });
  });

  test.each([
    ['btn', 2_500, { param: 'line_items[0][price_data][currency]' }],
    ['usd', 49, { code: 'amount_too_small' }],
    ['usd', 100_000_000, { code: 'amount_too_large' }],
  ])('in %s with the amount %d is refused', async (currency, amount, error) => {
    const price = 'line_items[0][price_data]';
    const answer = await tryCreate({ [`${price}[currency]`]: currency, [`${price}[unit_amount]`]: amount });
    expect(answer).toMatchObject({ status: 400, json: { error } });
  });
});

describe('an idempotency key', () => {
  test('gives the same session again, for 24 hours', async () => {
    const first = setup.params();
    const send = () => setup.stripe.post(sessions, first, 'same');
    const { id } = (await send()).json;
    setup.clock.advance(86_399_000);
    expect((await send()).json.id).toBe(id);
    setup.clock.advance(1_000);
    expect(await send()).toMatchObject({ json: { error: { param: 'expires_at' } } });
  });

  test('cannot be used with other parameters, or while it is in use', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const body = setup.params();
    setup.double.faults.inject({ fault: { kind: 'hold', until: promise } });
    const first = setup.stripe.post(sessions, body, 'in use');
    while (setup.double.requests.at(-1)?.headers['idempotency-key'] !== 'in use') {
      await new Promise((next) => setImmediate(next));
    }
    expect(await setup.stripe.post(sessions, body, 'in use')).toMatchObject({
      status: 409,
      json: { error: { code: 'idempotency_key_in_use' } },
    });
    resolve();
    await first;
    expect(await tryCreate({}, 'in use')).toMatchObject({
      status: 400,
      json: { error: { type: 'idempotency_error' } },
    });
  });

  test('is not kept for a request that fails the validation', async () => {
    expect(await tryCreate({ expires_at: 1 }, 'invalid first')).toMatchObject({ status: 400 });
    expect(await setup.create({}, 'invalid first')).toMatchObject({ status: 'open' });
  });
});

const refund = (intent: string, amount?: number, change: StripeForm = {}) =>
  setup.stripe.post('/v1/refunds', { payment_intent: intent, amount, ...change });

describe('a refund', () => {
  test('is listed with its metadata, and cannot exceed what is left', async () => {
    const intent = await setup.paid();
    const make = (amount: number) => refund(intent, amount, { 'metadata[refund]': `ref_${amount}` });
    expect((await make(1_000)).json).toMatchObject({ status: 'succeeded', payment_intent: intent });
    expect(await make(1_501)).toMatchObject({ status: 400, json: { error: { param: 'amount' } } });
    await make(1_500);
    expect(await make(1)).toMatchObject({ json: { error: { code: 'charge_already_refunded' } } });
    const listed = await setup.stripe.get('/v1/refunds', { payment_intent: intent });
    const rows: { amount: number; metadata: Record<string, string> }[] = listed.json.data;
    expect(rows.map(({ amount, metadata }) => [amount, metadata.refund])).toEqual([
      [1_500, 'ref_1500'],
      [1_000, 'ref_1000'],
    ]);
    const first = (await setup.stripe.get('/v1/refunds', { payment_intent: intent, limit: 1 })).json;
    expect([first.has_more, first.data.length]).toEqual([true, 1]);
  });

  test('can be pending, and fail later', async () => {
    setup.double.pendingRefunds = true;
    const intent = await setup.paid();
    const { id, status } = (await refund(intent)).json;
    expect(status).toBe('pending');
    setup.double.settleRefund(id, 'failed');
    expect((await setup.stripe.get(`/v1/refunds/${id}`)).json).toMatchObject({ status: 'failed' });
    setup.double.pendingRefunds = false;
    expect((await refund(intent)).json).toMatchObject({ status: 'succeeded' });
  });
});

test('a dispute is shown, and refunds are refused until it is won', async () => {
  const intent = await setup.paid();
  const id = setup.double.openDispute(intent);
  const { data } = (await setup.stripe.get('/v1/disputes', { payment_intent: intent })).json;
  expect(data).toMatchObject([{ id, status: 'needs_response', payment_intent: intent }]);
  expect(await refund(intent)).toMatchObject({ json: { error: { code: 'charge_disputed' } } });
  setup.double.closeDispute(id, 'won');
  expect((await refund(intent)).json).toMatchObject({ status: 'succeeded' });
});

describe('a key', () => {
  test('of the other mode does not see an object, and an unknown one sees nothing', async () => {
    const { id } = await setup.create();
    const get = (key: string) => clientOf(setup.double, key).get(`${sessions}/${id}`);
    expect(await get('sk_test_double000000000000000001')).toMatchObject({
      status: 404,
      json: { error: { code: 'resource_missing' } },
    });
    expect(await get('sk_live_wrong')).toMatchObject({ status: 401 });
  });

  test('that is restricted gets 403 for the rest', async () => {
    const limited = clientOf(setup.double, 'rk_live_double000000000000000002');
    expect(await limited.post(sessions, setup.params())).toMatchObject({ status: 403 });
    expect((await limited.get('/v1/disputes', { limit: 1 })).json.object).toBe('list');
  });
});
