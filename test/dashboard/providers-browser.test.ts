/** Tests the pages of payment providers in Chromium: on a phone and a desktop, light and dark, and that they are accessible. */
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { ProviderDouble } from '../../infra/local/provider-doubles/common/provider-double.ts';
import { startStripeDouble } from '../../infra/local/provider-doubles/stripe/stripe-double.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { browserTest, startBrowser, type TestBrowser, violationsOf } from '../support/browser.ts';
import { newDashboardAccount, signInBrowser } from '../support/dashboard-user.ts';
import { withDashboard } from '../support/dashboard-visitor.ts';
import { isExhaustive } from '../support/run.ts';
import { startTestStack } from '../support/stack.ts';

let stack: Stack;
let double: ProviderDouble;
let browser: TestBrowser;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000, ...withDashboard() });
  double = await startStripeDouble();
  process.env.STRIPE_API_URL = double.url;
  browser = await startBrowser();
});
afterAll(async () => {
  delete process.env.STRIPE_API_URL;
  await browser?.close();
  await double?.close();
  await stack?.close();
});

/** The page is accessible, and is not wider than the screen. */
async function expectGoodPage(page: Page): Promise<void> {
  expect(await violationsOf(page)).toEqual([]);
  const width = await page.evaluate<number>('document.documentElement.scrollWidth');
  expect(width).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
}

const screens = [
  [320, 'light'],
  [1280, 'dark'],
  [320, 'dark'],
  [1280, 'light'],
] as const;

browserTest.each(isExhaustive ? screens : screens.slice(0, 2))(
  'an owner connects Stripe on a screen of %i pixels, %s',
  async (width, colorScheme) => {
    const account = await newDashboardAccount(stack);
    const page = await browser.open({ viewport: { width, height: 800 }, colorScheme, bypassCSP: true });
    await signInBrowser(page.context(), stack);
    await page.goto(`${stack.dashboard?.url}${account.path('/settings/providers')}`);
    await expectGoodPage(page);
    await page.getByRole('link', { name: 'Connect Stripe' }).click();
    await expectGoodPage(page);
    await page.getByLabel('Secret or restricted key').fill('sk_test_wrong000000000');
    await page.getByLabel('Signing secret').fill('whsec_browser_1111');
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByRole('alert').waitFor();
    await expectGoodPage(page);
    expect(await page.getByLabel('Secret or restricted key').inputValue()).toBe('');
    await page.getByLabel('Secret or restricted key').fill(double.credentials.test.apiKey);
    await page.getByLabel('Signing secret').fill('whsec_browser_1111');
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByRole('status').waitFor();
    expect(await page.getByRole('button', { name: /^Copy/ }).count()).toBe(1);
    await expectGoodPage(page);
  },
);
