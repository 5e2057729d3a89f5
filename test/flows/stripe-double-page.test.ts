/** Tests the notifications, the page and the faults of the double of Stripe. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { request } from '../support/http.ts';
import { type StripeDoubleSetup, startStripeDoubleSetup } from '../support/stripe-client.ts';
import { verifyStripeSignature } from '../support/stripe-signature.ts';

let setup: StripeDoubleSetup;

beforeAll(async () => {
  setup = await startStripeDoubleSetup();
});
afterAll(() => setup.double.close());
beforeEach(() => setup.double.faults.clear());

describe('a notification', () => {
  const secret = 'whsec_double_of_stripe_live';
  const verify = (at?: number, secrets?: string[]) => {
    const notification = setup.double.notifications.all.at(-1);
    if (!notification) throw new Error('There is no notification.');
    const { headers, body } = setup.double.notifications.signed(notification, {
      ...(at !== undefined && { at }),
      ...(secrets && { secrets }),
    });
    return verifyStripeSignature(body, headers['stripe-signature'] ?? '', secret, setup.clock.now());
  };

  test('is signed as Stripe does', async () => {
    await setup.paid();
    expect(verify()).toMatchObject({ type: 'checkout.session.completed', livemode: true });
    expect(verify(undefined, ['whsec_old', secret])).toMatchObject({ object: 'event' });
    expect(() => verify(setup.clock.now() - 301_000)).toThrow('tolerance');
    expect(() => verify(undefined, ['whsec_forged'])).toThrow('signature');
  });

  test('tells of each change', async () => {
    const { length } = setup.double.notifications.all;
    const intent = await setup.paid();
    setup.double.pendingRefunds = true;
    const { id } = (await setup.stripe.post('/v1/refunds', { payment_intent: intent, amount: 1 })).json;
    setup.double.settleRefund(id, 'succeeded');
    setup.double.pendingRefunds = false;
    setup.double.closeDispute(setup.double.openDispute(intent), 'lost');
    expect(setup.double.notifications.all.slice(length).map(({ type }) => type)).toEqual([
      'checkout.session.completed',
      'refund.created',
      'charge.refunded',
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
    const { id, url } = await setup.create();
    const shown = await page(url ?? '');
    expect([shown.status, shown.text.includes('$25.00'), shown.text.includes('double')]).toEqual([
      200,
      true,
      true,
    ]);
    expect((await page(url ?? '', 'decline')).text).toContain('declined');
    const done = await page(url ?? '', 'pay');
    expect([done.status, done.headers.location]).toEqual([303, 'https://shop.example.com/pay']);
    expect((await setup.stripe.get(`/v1/checkout/sessions/${id}`)).json).toMatchObject({
      payment_status: 'paid',
    });
    expect((await page(url ?? '')).text).not.toContain('<button');
  });

  test('leads back after a cancellation, and the session stays open', async () => {
    const { id, url } = await setup.create();
    const answer = await page(url ?? '', 'cancel');
    expect([answer.status, answer.headers.location]).toEqual([303, 'https://shop.example.com/pay?cancelled']);
    expect((await setup.stripe.get(`/v1/checkout/sessions/${id}`)).json).toMatchObject({ status: 'open' });
    setup.clock.advance(1_800_000);
    expect((await page(url ?? '', 'pay')).text).toContain('expired');
  });
});

describe('a fault', () => {
  test.each([
    ['before', false],
    ['after', true],
  ] as const)('loses the answer %s the execution', async (when, isExecuted) => {
    const countSessions = async () =>
      (await setup.stripe.get('/v1/checkout/sessions', { limit: 100 })).json.data.length;
    const before = await countSessions();
    // A client can repeat a request whose connection broke.
    setup.double.faults.inject({ fault: { kind: 'lose', when }, times: 9 });
    await expect(setup.create()).rejects.toThrow('fetch failed');
    setup.double.faults.clear();
    expect((await countSessions()) > before).toBe(isExecuted);
  });

  test('answers with another status', async () => {
    const headers = { 'Retry-After': '7' };
    setup.double.faults.inject({ fault: { kind: 'answer', status: 429, headers, body: '{"error":{}}' } });
    expect(await setup.stripe.get('/v1/balance')).toMatchObject({ status: 429 });
  });
});
