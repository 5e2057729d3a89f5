/** Sends forms in Chromium after their session has ended: signs in in a new tab, and returns to what was typed. */
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { localUsers } from '../../infra/local/local-users.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { browserTest, startBrowser, type TestBrowser, violationsOf } from '../support/browser.ts';
import { type DashboardAccount, newDashboardAccount, signInBrowser } from '../support/dashboard-user.ts';
import { withDashboard } from '../support/dashboard-visitor.ts';
import { startTestStack } from '../support/stack.ts';

let stack: Stack;
let account: DashboardAccount;
let browser: TestBrowser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startTestStack(withDashboard()), startBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await stack?.close();
});

const total = async () => (await account.test.get('/api/invoices')).json.pagination.total;
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

/** Checks that the page is accessible and fits the window. Takes a screenshot if `SCREENSHOTS` names a folder. */
async function inspect(page: Page, name: string): Promise<void> {
  const { SCREENSHOTS } = process.env;
  const { width = 0 } = page.viewportSize() ?? {};
  if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/${name}-${width}.png`, fullPage: true });
  expect([name, await violationsOf(page)]).toEqual([name, []]);
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
}

browserTest.each([
  [320, 'dark'],
  [1280, 'light'],
] as const)(
  'what a user typed survives the end of the session, on a screen of %i pixels, %s',
  async (width, colorScheme) => {
    account = await newDashboardAccount(stack);
    const page = await browser.open({ viewport: { width, height: 800 }, colorScheme, bypassCSP: true });
    await signInBrowser(page.context(), stack);
    await page.goto(`${stack.dashboard?.url}${account.path('/invoices/new')}`);
    await page.getByLabel('Customer', { exact: true }).fill('dorji@example.com');
    await page.getByLabel('Amount').fill('2500.50');
    await page.getByLabel('Currency').selectOption('USD');
    await page.getByLabel('Description', { exact: true }).fill('Website design\n<b>"second" line</b>');
    await page.context().clearCookies();
    await press(page, 'Create invoice');
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
    await inspect(page, 'kept');

    const [tab] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'Sign in in a new tab' }).click(),
    ]);
    await press(tab, localUsers.owner.email);
    await tab.getByRole('heading', { name: 'You are signed in' }).waitFor();
    await inspect(tab, 'signed-in');
    await tab.close();

    await press(page, 'Show the form again');
    await page.getByRole('alert').waitFor();
    await inspect(page, 'shown-again');
    expect(await page.getByLabel('Customer', { exact: true }).inputValue()).toBe('dorji@example.com');
    expect(await page.getByLabel('Amount').inputValue()).toBe('2500.50');
    expect(await page.getByLabel('Currency').inputValue()).toBe('USD');
    expect(await page.getByLabel('Description', { exact: true }).inputValue()).toBe(
      'Website design\n<b>"second" line</b>',
    );
    expect(await total()).toBe(0);
    await press(page, 'Create invoice');
    await page.getByText('The invoice is created.').waitFor();
    const [created] = (await account.test.get('/api/invoices')).json.data;
    expect(created).toMatchObject({ amount: 250_050, currency: 'USD', customerId: 'dorji@example.com' });
    expect(created.description.replaceAll('\r\n', '\n')).toBe('Website design\n<b>"second" line</b>');
  },
  120_000,
);
