/** Uses the pages of API keys in Chromium: limits a key to addresses and rolls it over, on a phone and a desktop, in both color schemes. */
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Stack } from '../../infra/local/stack.ts';
import { apiOf } from '../support/api.ts';
import { browserTest, startBrowser, type TestBrowser, violationsOf } from '../support/browser.ts';
import { type DashboardAccount, newDashboardAccount, signInBrowser } from '../support/dashboard-user.ts';
import { withDashboard } from '../support/dashboard-visitor.ts';
import { isExhaustive } from '../support/run.ts';
import { startTestStack } from '../support/stack.ts';

const phone = { width: 320, height: 640 };
const desktop = { width: 1280, height: 800 };

let stack: Stack;
let account: DashboardAccount;
let browser: TestBrowser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startTestStack(withDashboard()), startBrowser()]);
  account = await newDashboardAccount(stack);
});
afterAll(async () => {
  await browser?.close();
  await stack?.close();
});

const path = '/settings/keys';
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const statusOf = async (value: string) => (await apiOf(stack.baseUrl, value).get('/api/invoices')).status;

/** Checks that the page fits the window and is accessible. Takes screenshots if `SCREENSHOTS` names a folder. */
async function inspect(page: Page, name: string, colorScheme: string): Promise<void> {
  for (const viewport of [phone, desktop]) {
    await page.setViewportSize(viewport);
    expect([name, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([
      name,
      viewport.width,
    ]);
    const { SCREENSHOTS } = process.env;
    const file = `${SCREENSHOTS}/${name}-${colorScheme}-${viewport.width}.png`;
    if (SCREENSHOTS) await page.screenshot({ path: file, fullPage: true });
    if (isExhaustive || viewport === phone) expect([name, await violationsOf(page)]).toEqual([name, []]);
  }
}

browserTest.each(isExhaustive ? (['light', 'dark'] as const) : (['light'] as const))(
  'a user limits a key to addresses, sees what is wrong, changes the addresses and rolls the key over, in %s',
  async (colorScheme) => {
    const page = await browser.open({ colorScheme, viewport: phone, bypassCSP: true });
    await signInBrowser(page.context(), stack);
    await page.goto(`${stack.dashboard?.url}${account.path(`${path}/new`)}`);
    await page.getByLabel('Name').fill(`Shop ${colorScheme}`);
    const addresses = page.getByLabel('Allowed addresses');
    await addresses.fill('203.0.113.0/24\n300.1.1.1');
    await inspect(page, 'new', colorScheme);
    await press(page, 'Create API key');
    await page.getByRole('alert').waitFor();
    expect(await addresses.inputValue()).toBe('203.0.113.0/24\n300.1.1.1');
    expect(await addresses.getAttribute('aria-invalid')).toBe('true');
    await inspect(page, 'wrong', colorScheme);
    await addresses.fill('203.0.113.0/24\n2001:db8::/48\n2001:db8:1:2:3:4:5:6');
    await press(page, 'Create API key');
    await page.getByRole('heading', { name: 'API key created' }).waitFor();
    const value = (await page.locator('code').first().textContent()) ?? '';
    expect(await statusOf(value)).toBe(403);
    await page.getByRole('link', { name: 'All API keys' }).click();
    await inspect(page, 'list', colorScheme);
    await page.getByRole('link', { name: `Edit the key Shop ${colorScheme}` }).click();
    await page.getByLabel('Note').fill('Server room in Thimphu');
    await addresses.fill('127.0.0.0/8');
    await inspect(page, 'edit', colorScheme);
    await press(page, 'Save');
    await page.getByText('The API key is saved.').waitFor();
    expect(await statusOf(value)).toBe(200);
    await page.getByRole('link', { name: `Roll over the key Shop ${colorScheme}` }).click();
    await page.getByLabel('Overlap in hours').fill('169');
    await press(page, 'Roll over');
    await page.getByRole('alert').waitFor();
    await inspect(page, 'roll-over', colorScheme);
    await page.getByLabel('Overlap in hours').fill('0');
    await press(page, 'Roll over');
    await page.getByRole('heading', { name: 'API key replaced' }).waitFor();
    await inspect(page, 'replaced', colorScheme);
    const next = (await page.locator('code').first().textContent()) ?? '';
    expect([await statusOf(value), await statusOf(next)]).toEqual([401, 200]);
    await page.getByRole('link', { name: 'All API keys' }).click();
    await page.getByText(`Replaced by …${next.slice(-4)}`).waitFor();
    await inspect(page, 'list-replaced', colorScheme);
  },
);
