/**
 * Pays through a provider in Chromium without scripts: the owner connects the provider in the dashboard, and payers pay on
 * its page, which a double of Stripe serves. Each page is accessible and fits a phone.
 */
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { setEnvironment } from '../../infra/local/environment.ts';
import { localUsers } from '../../infra/local/local-users.ts';
import type { ProviderDouble } from '../../infra/local/provider-doubles/common/provider-double.ts';
import { startStripeDouble } from '../../infra/local/provider-doubles/stripe/stripe-double.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { invoiceBody } from '../support/api.ts';
import { browserTest, startBrowser, type TestBrowser, violationsOf } from '../support/browser.ts';
import { connectTo } from '../support/checkouts.ts';
import { type DashboardAccount, newDashboardAccount, signInBrowser } from '../support/dashboard-user.ts';
import { withDashboard } from '../support/dashboard-visitor.ts';
import { startTestStack } from '../support/stack.ts';

const phone = { width: 320, height: 640 };
const hourMs = 60 * 60 * 1000;

let stack: Stack;
let double: ProviderDouble;
let browser: TestBrowser;
/** Axe is a script. So this page, which runs scripts, shows copies of the pages to it. */
let copy: Page;

beforeAll(async () => {
  stack = await startTestStack(withDashboard());
  [double, browser] = await Promise.all([startStripeDouble(), startBrowser()]);
  setEnvironment({ STRIPE_API_URL: double.url });
});
afterAll(async () => {
  delete process.env.STRIPE_API_URL;
  await browser?.close();
  await double?.close();
  await stack?.close();
});

const openWithoutScripts = () => browser.open({ viewport: phone, javaScriptEnabled: false });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const waitForHeading = (page: Page, text: string | RegExp) =>
  page.getByRole('heading', { level: 1 }).filter({ hasText: text }).waitFor();

/** The page is accessible and is not wider than the window. Takes a screenshot if `SCREENSHOTS` names a folder. */
async function inspect(page: Page, name: string): Promise<void> {
  const { SCREENSHOTS } = process.env;
  if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/${name}.png`, fullPage: true });
  copy ??= await browser.open({ viewport: phone });
  await copy.setContent(await page.content());
  expect([name, await violationsOf(copy)]).toEqual([name, []]);
  const width = await copy.evaluate<number>('document.documentElement.scrollWidth');
  expect([name, width]).toEqual([name, phone.width]);
}

interface PaidInvoice {
  readonly id: string;
  readonly paymentUrl: string;
}

async function newInvoice(account: DashboardAccount): Promise<PaidInvoice> {
  const body = invoiceBody({ amount: 2500, currency: 'USD' });
  return (await account.test.post('/api/invoices', body)).json;
}

const paymentsOf = async (account: DashboardAccount, { id }: PaidInvoice) =>
  (await account.test.get(`/api/payments?invoiceId=${id}`)).json.data;

/** Presses the pay button of the payment page, and waits for the page of the provider. */
async function goToProvider(page: Page): Promise<void> {
  await press(page, 'Pay $25.00');
  await page.waitForURL(`${double.url}/c/pay/*`);
  await waitForHeading(page, 'Pay');
}

/** Pays on the page of the provider, sees the confirmation, and then the receipt. */
async function payAndReturn(page: Page, { paymentUrl }: PaidInvoice): Promise<void> {
  await stack.queues.pause();
  await press(page, 'Pay');
  await waitForHeading(page, 'We are confirming your payment');
  expect(page.url().startsWith(`${paymentUrl}?checkout=co_`)).toBe(true);
  await inspect(page, 'confirming');
  stack.queues.resume();
  // The page refreshes itself until the payment is there.
  await page.getByText('This page is your receipt').waitFor();
  await inspect(page, 'paid');
}

browserTest(
  'the owner connects the provider after a new sign-in, and a payer pays, without scripts',
  async () => {
    const account = await newDashboardAccount(stack);
    const page = await openWithoutScripts();
    await signInBrowser(page.context(), stack, 'owner', hourMs);
    await page.goto(`${stack.dashboard?.url}${account.path('/settings')}`);
    await page.getByRole('link', { name: 'Payment providers' }).click();
    await inspect(page, 'providers');
    await page.getByRole('link', { name: 'Connect Stripe' }).click();
    await waitForHeading(page, 'Sign in again to continue');
    await inspect(page, 'sign-in-again');
    await page.getByRole('link', { name: 'Sign in again' }).click();
    await press(page, localUsers.owner.email);
    await waitForHeading(page, 'Connect Stripe');
    await inspect(page, 'connect');

    const enter = async (key: string) => {
      await page.getByLabel('Secret or restricted key').fill(key);
      await page.getByLabel('Signing secret').fill('whsec_browser_1111');
      await press(page, 'Connect');
    };
    await enter('sk_test_wrong000000000');
    const alert = page.getByRole('alert');
    expect(await alert.textContent()).toContain('Stripe does not accept the key. Copy the key again');
    expect(await page.getByLabel('Secret or restricted key').inputValue()).toBe('');
    await inspect(page, 'wrong-key');
    await enter(double.credentials.live.apiKey);
    expect(await alert.textContent()).toContain('This is a live key of Stripe');
    await enter(double.credentials.test.apiKey);
    await page.getByText('The provider is connected.').waitFor();
    await inspect(page, 'connected');

    const invoice = await newInvoice(account);
    const payer = await openWithoutScripts();
    await payer.goto(invoice.paymentUrl);
    await inspect(payer, 'pay');
    await goToProvider(payer);
    await inspect(payer, 'provider');
    await payAndReturn(payer, invoice);
    expect(await paymentsOf(account, invoice)).toMatchObject([
      { status: 'completed', method: 'provider', amount: 2500, currency: 'USD' },
    ]);
  },
  120_000,
);

browserTest(
  'a payer cancels at the provider, comes back, is declined once, and pays, without scripts',
  async () => {
    const account = await newDashboardAccount(stack);
    await connectTo(double, { account: account.accountId, mode: 'test' });
    const invoice = await newInvoice(account);
    const page = await openWithoutScripts();
    await page.goto(invoice.paymentUrl);
    await goToProvider(page);
    await press(page, 'Cancel');
    await page.getByText('This invoice is not paid yet.').waitFor();
    await inspect(page, 'cancelled');
    expect(await paymentsOf(account, invoice)).toEqual([]);
    await goToProvider(page);
    await press(page, 'Pay with a card that is declined');
    await page.getByText('The card was declined.').waitFor();
    await inspect(page, 'declined');
    await payAndReturn(page, invoice);
    const paid = await paymentsOf(account, invoice);
    expect(paid).toMatchObject([{ status: 'completed' }]);
    expect(double.books().filter(({ reference }) => reference === paid[0].reference)).toHaveLength(1);
  },
  120_000,
);
