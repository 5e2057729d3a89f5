/** Tests that the adapter for Razorpay conforms to the port. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { ProviderDouble } from '../../infra/local/provider-doubles/common/provider-double.ts';
import { startRazorpayDouble } from '../../infra/local/provider-doubles/razorpay/razorpay-double.ts';
import type { CheckoutRequest } from '../../shared/domain/payments/provider/hosted-provider.ts';
import { createRazorpayProvider } from '../../shared/domain/payments/provider/razorpay.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { request } from '../support/http.ts';
import { newCheckoutRequest } from '../support/provider-conformance/checkout-request.ts';
import { describeHostedConformance } from '../support/provider-conformance/hosted-suite.ts';

let double: ProviderDouble;
let clock: TestClock;

beforeAll(async () => {
  clock = stopClock();
  double = await startRazorpayDouble();
});
afterAll(() => double.close());
beforeEach(() => double.faults.clear());

describeHostedConformance('the adapter for Razorpay', {
  double: () => double,
  create: (credentials, timeoutMs) => createRazorpayProvider(credentials, { baseUrl: double.url, timeoutMs }),
  clock: () => clock,
  currency: 'INR',
  wrongCredentials: {
    apiKey: 'rzp_live_unknown0000001',
    apiSecret: 'unknownSecret',
    notificationSecrets: ['none'],
  },
  tooSmallMinor: 99,
  notificationsExpire: false,
  namesMode: false,
  failedLater: 'expired',
  createsRefund: ({ method, path }) => method === 'POST' && path.endsWith('/refund'),
});

const provider = () => createRazorpayProvider(double.credentials.live, { baseUrl: double.url });
const newRequest = () => newCheckoutRequest(clock);
const begin = async (of: CheckoutRequest) => {
  const begun = await provider().begin(of);
  if (begun.kind !== 'begun') throw new Error(begun.reason);
  return begun;
};

test('sends a link as Razorpay documents it', async () => {
  const own = newRequest();
  await begin(own);
  const { body, headers, method, path } = double.requests.at(-1) ?? {};
  expect([method, path, headers?.['content-type']]).toEqual([
    'POST',
    '/v1/payment_links',
    'application/json',
  ]);
  expect(JSON.parse(body ?? '')).toEqual({
    amount: 250_000,
    currency: 'INR',
    accept_partial: false,
    reference_id: own.key,
    description: 'Website design',
    expire_by: Math.floor(own.expiresAt / 1000),
    notify: { sms: false, email: false },
    reminder_enable: false,
    notes: { remit_checkout: own.key, remit_invoice: own.invoiceId },
    callback_url: own.returnUrl,
    callback_method: 'get',
  });
});

test('a link that can still arrive is absent, and is expired after its time', async () => {
  const own = newRequest();
  expect(await provider().status(own, undefined)).toEqual({ kind: 'absent' });
  clock.advance(2_700_000);
  expect(await provider().status(own, undefined)).toEqual({ kind: 'expired' });
});

test('a payment by UPI has no card', async () => {
  const own = newRequest();
  const { reference } = await begin(own);
  double.act(reference, 'later');
  expect(await provider().status(own, reference)).toEqual({ kind: 'processing', reason: 'capture' });
  // A payer who waits costs one call.
  const before = double.requests.length;
  expect(await provider().status(own, reference, true)).toEqual({ kind: 'open' });
  expect(double.requests.length - before).toBe(1);
  double.settle(reference, 'succeeded');
  expect(await provider().status(own, reference)).toMatchObject({ kind: 'paid', payment: { card: null } });
});

test('a link of another checkout is an error, and one that the account does not have is absent', async () => {
  const { reference } = await begin(newRequest());
  await expect(provider().status(newRequest(), reference)).rejects.toThrow('another checkout');
  expect(await provider().status(newRequest(), 'plink_none')).toEqual({ kind: 'absent' });
});

test('a payer pays by a click, and returns', async () => {
  const own = newRequest();
  const { redirectUrl, reference } = await begin(own);
  const follow = (url: URL) => request({ baseUrl: url.origin, path: url.pathname });
  const short = await follow(new URL(redirectUrl));
  expect(short.status).toBe(302);
  const { origin, pathname } = new URL(short.headers.location ?? '');
  expect(origin).not.toBe(new URL(redirectUrl).origin);
  const page = (action?: string) =>
    request({ baseUrl: origin, path: pathname, ...(action && { method: 'POST', body: `action=${action}` }) });
  expect((await page()).text).toContain('₹2,500.00');
  expect((await page('decline')).text).toContain('declined');
  const paid = await page('pay');
  expect(paid.status).toBe(303);
  expect(paid.headers.location).toMatch(
    new RegExp(
      `^${own.returnUrl.replace(/[?.]/g, '\\$&')}&razorpay_payment_id=pay_\\w+&razorpay_payment_link_id=`,
    ),
  );
  expect(await provider().status(own, reference)).toMatchObject({ kind: 'paid' });
  expect((await page('pay')).text).not.toContain('<button');
});

test('an old event can arrive again within a day', async () => {
  const { reference } = await begin(newRequest());
  double.act(reference, 'pay');
  const notification = double.notifications.all.at(-1);
  if (!notification) throw new Error('The double sent no notification.');
  const { headers, body } = double.notifications.signed(notification);
  const read = (hours: number) =>
    provider().readNotification(headers, Buffer.from(body), clock.now() + hours * 3_600_000).kind;
  expect([read(0), read(24), read(26)]).toEqual(['checkout', 'checkout', 'invalid']);
});
