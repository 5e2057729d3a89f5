/** Uses the dashboard's records in Chromium: with a mouse, by keyboard, and without scripts. */
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Stack } from '../../infra/local/stack.ts';
import { type MailboxReceiver, startMailboxReceiver } from '../api/webhooks/receiver.ts';
import { invoiceBody } from '../support/api.ts';
import { browserTest, startBrowser, type TestBrowser } from '../support/browser.ts';
import { type DashboardAccount, newDashboardAccount, signInBrowser } from '../support/dashboard-user.ts';
import { withDashboard } from '../support/dashboard-visitor.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { goodCard } from '../support/pay-page.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let account: DashboardAccount;
let browser: TestBrowser;
let receiver: MailboxReceiver;

beforeAll(async () => {
  receiver = await startMailboxReceiver();
  process.env.WEBHOOK_ALLOWED_PORTS = new URL(receiver.mailbox().url).port;
  [stack, browser] = await Promise.all([startTestStack(withDashboard()), startBrowser()]);
  account = await newDashboardAccount(stack);
});

afterAll(async () => {
  delete process.env.WEBHOOK_ALLOWED_PORTS;
  await browser?.close();
  await stack?.close();
  await receiver?.close();
});

const urlOf = (path: string) => `${stack.dashboard?.url}${account.path(path)}`;

async function open(path: string, options: Parameters<TestBrowser['open']>[0] = {}): Promise<Page> {
  const page = await browser.open(options);
  await signInBrowser(page.context(), stack);
  await page.goto(urlOf(path));
  return page;
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
const waitForHeading = (page: Page, name: string) =>
  page.getByRole('heading', { name, exact: true }).waitFor();

browserTest(
  'a user creates an invoice by keyboard, the customer pays it on its page, and the user refunds it',
  async () => {
    const page = await open('/invoices');
    await link(page, 'Create invoice').focus();
    await page.keyboard.press('Enter');
    await waitForHeading(page, 'Create invoice');
    await page.getByLabel('Customer', { exact: true }).focus();
    // After the customer come the button that finds one, and the details of the buyer, which are folded away.
    for (const text of ['dorji@example.bt', '', '', '2500', '', 'Website design']) {
      await page.keyboard.type(text);
      await page.keyboard.press('Tab');
    }
    await page.getByLabel('Due date').focus();
    await page.keyboard.press('Enter');
    await waitForHeading(page, 'Invoice');
    expect(await page.getByRole('status').textContent()).toBe('The invoice is created.');
    const address = (await page.locator('code.whole').textContent()) ?? '';
    const copy = page.getByRole('button', { name: /^Copy/ });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await copy.click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(address);

    const payer = await browser.open();
    await payer.goto(address);
    await payer.getByLabel('Card number').fill(goodCard.number);
    await payer.getByLabel('Expiry date').fill(goodCard.expiry);
    await payer.getByLabel('Security code').fill(goodCard.cvc);
    await payer.getByRole('button').click();
    await payer.getByRole('heading', { name: /paid/i }).waitFor();

    await page.reload();
    await page.locator('strong', { hasText: 'Payment completed' }).waitFor();
    await page.locator('.timeline a[href*="/payments/"]').first().click();
    await link(page, 'Refund').click();
    await page.getByLabel('Amount').fill('1000');
    await button(page, 'Refund this amount').click();
    await waitForHeading(page, 'Payment');
    expect(await page.locator('table').textContent()).toContain('1,000.00');
  },
);

browserTest('a user sees a delivery that failed, and sends it again', async () => {
  const mailbox = receiver.mailbox();
  mailbox.respondWith((_, nth) => ({ status: nth === 1 ? 500 : 200, body: 'The database is down.' }));
  const page = await open('/webhooks/new');
  await page.getByLabel('URL').fill(mailbox.url);
  await button(page, 'Add endpoint').click();
  await page.getByText(/whsec_/).waitFor();
  await account.test.post('/api/invoices', invoiceBody());
  await waitUntil('the first attempt', async () => mailbox.received.length > 0);
  await link(page, 'Back to the endpoint').click();
  await waitUntil('the failed attempt', async () => {
    await page.reload();
    return page.getByText('HTTP 500').isVisible();
  });
  await page.locator('td a').first().click();
  await waitForHeading(page, 'Delivery');
  expect(await page.locator('pre').first().textContent()).toBe('The database is down.');
  await button(page, 'Send again').click();
  await page.getByText('HTTP 200').waitFor();
  expect(mailbox.received.length).toBeGreaterThan(1);
});

browserTest('a user goes through the rows of a bank statement by keyboard, and ignores one', async () => {
  const api = inNewestVersion(account.test);
  const rows = [1, 2, 3].map((day) => ({
    day: `2026-01-0${day}`,
    amount: 1000 * day,
    reference: `FT ${day}`,
  }));
  const { id } = (await api.post('/api/statements', { bank: 'Bank', currency: 'BTN', rows })).json;
  const page = await open(`/bank-statements/${id}`);
  const links = page
    .locator('tr:has(.decide) a[href*="/rows/"]:first-child')
    .filter({ hasText: '2026-01-0' });
  const days = await links.allTextContents();
  expect(days).toHaveLength(3);
  const focused = () => page.evaluate<string>('document.activeElement.textContent');
  const visited: string[] = [];
  for (const key of ['j', 'j', 'j', 'j', 'k']) {
    await page.keyboard.press(key);
    visited.push(await focused());
  }
  expect(visited).toEqual([days[0], days[1], days[2], days[2], days[1]]);
  await page.keyboard.press('i');
  expect(await focused()).toBe('Ignore');
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  await waitForHeading(page, 'Row of a bank statement');
  expect(await page.locator('dl').first().textContent()).toContain(days[0]);
  await page.goBack();
  await page.keyboard.press('i');
  await page.keyboard.press('Enter');
  await waitUntil('the ignored row', async () => {
    const { data } = (await api.get(`/api/statements/${id}/rows?status=ignored`)).json;
    return data.length === 1 && data[0].day === days[0];
  });
  await page.keyboard.press('?');
  expect(await page.locator('dialog.keys').textContent()).toContain('Next row of a bank statement');
});

browserTest('a form works without scripts, and the payment link can be selected', async () => {
  const page = await open('/invoices/new', { javaScriptEnabled: false });
  await page.getByLabel('Customer', { exact: true }).fill('cust_1');
  await page.getByLabel('Amount').fill('2500');
  await page.getByLabel('Description', { exact: true }).fill('Website design');
  await button(page, 'Create invoice').click();
  await waitForHeading(page, 'Invoice');
  expect(await page.locator('code.whole').textContent()).toMatch(/\/pay\/inv_/);
  expect(await page.getByRole('button', { name: /^Copy/ }).count()).toBe(0);
});
