/**
 * Leads payers in Chromium from the pay button to the pages of providers: on another host, behind a redirect to a third
 * origin, and on a domain of the merchant.
 */
import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { browserTest, startBrowser, type TestBrowser } from '../support/browser.ts';
import { type CheckoutDouble, startCheckoutDouble } from '../support/checkouts.ts';
import { startTestStack } from '../support/stack.ts';

let stack: Stack;
let browser: TestBrowser;
let checkouts: CheckoutDouble | undefined;

beforeAll(async () => {
  stack = await startTestStack();
  browser = await startBrowser();
});
afterEach(async () => {
  await checkouts?.close();
  checkouts = undefined;
});
afterAll(async () => {
  await browser?.close();
  await stack?.close();
});

const press = (page: Awaited<ReturnType<TestBrowser['open']>>, name: string) =>
  page.getByRole('button', { name, exact: true }).click();

browserTest.each(['&', '?'] as const)(
  'a payer pays a Razorpay link behind its short address, and returns with parameters after %s',
  async (separator) => {
    checkouts = await startCheckoutDouble(stack, { provider: 'razorpay' });
    checkouts.double.behavior.callbackSeparator = separator;
    const merchant = await checkouts.newMerchant();
    const { id, paymentUrl } = await merchant.newInvoice();
    const page = await browser.open({ javaScriptEnabled: false });
    const hosts: string[] = [];
    page.on('request', (request) => {
      const { host } = new URL(request.url());
      if (request.isNavigationRequest() && hosts.at(-1) !== host) hosts.push(host);
    });
    await page.goto(paymentUrl);
    await press(page, 'Pay ₹25.00');
    await page.waitForURL(/\/payment-link\/plink_/);
    // The page of the service, the short address and the page of the provider.
    expect(new Set(hosts).size).toBe(3);
    await stack.queues.pause();
    await press(page, 'Pay');
    await page.getByRole('heading', { name: 'We are confirming your payment' }).waitFor();
    expect(page.url()).toContain(`${separator}razorpay_payment_id=pay_`);
    stack.queues.resume();
    await page.getByText('This page is your receipt').waitFor();
    expect((await merchant.api.get(`/api/invoices/${id}`)).json.status).toBe('paid');
  },
  120_000,
);

browserTest(
  'a payer pays on a Stripe page that is on a domain of the merchant',
  async () => {
    checkouts = await startCheckoutDouble(stack, { pageHost: 'pay.merchant.localhost' });
    const merchant = await checkouts.newMerchant();
    const { paymentUrl } = await merchant.newInvoice();
    const page = await browser.open({ javaScriptEnabled: false });
    await page.goto(paymentUrl);
    await press(page, 'Pay $25.00');
    await page.waitForURL(/^http:\/\/pay\.merchant\.localhost:\d+\/c\/pay\//);
    await press(page, 'Pay');
    await page.getByText('This page is your receipt').waitFor();
  },
  120_000,
);
