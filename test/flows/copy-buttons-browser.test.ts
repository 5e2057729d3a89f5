/**
 * Copies values from the payment instructions in Chromium, also where the browser refuses, and opens the page without scripts. The page is
 * accessible and fits a phone. Takes 10 seconds.
 */
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Stack } from '../../infra/local/stack.ts';
import { invoiceBody, newAccount } from '../support/api.ts';
import { browserTest, startBrowser, type TestBrowser, violationsOf } from '../support/browser.ts';
import { startTestStack } from '../support/stack.ts';

const phone = { width: 390, height: 844 };
let stack: Stack;
let browser: TestBrowser;
let paymentUrl: string;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startTestStack(), startBrowser()]);
  const account = await newAccount(stack.baseUrl);
  const { updateSettings } = await import('../../shared/domain/accounts/settings-store.ts');
  await updateSettings(account.accountId, {
    displayName: 'Druk Shop',
    contact: 'shop@druk.example',
    paymentInstructionsBtn:
      'Pay by transfer.\nBank: Bank of Bhutan\nAccount: 100 200 300\nCall +975 17 12 34 56.',
  });
  const body = invoiceBody({ currency: 'BTN', amount: 125_000 });
  paymentUrl = (await account.live.post('/api/invoices', body)).json.paymentUrl;
});
afterAll(async () => {
  await browser?.close();
  await stack?.close();
});

const copyButton = (page: Page, label: string) =>
  page.getByRole('button', { name: `Copy: ${label}`, exact: true });
const status = (page: Page) => page.getByRole('status').textContent();

browserTest('a payer copies account, amount and reference, and hears it', async () => {
  const permissions = ['clipboard-read', 'clipboard-write'];
  const page = await browser.open({ viewport: phone, permissions });
  await page.goto(paymentUrl);
  const expected: [string, RegExp][] = [
    ['Account', /^100 200 300$/],
    ['Amount', /^1250\.00$/],
    ['Payment reference', /^[0-9A-Z]{8}$/],
  ];
  for (const [label, copied] of expected) {
    await copyButton(page, label).click();
    await page.getByText('Copied', { exact: true }).first().waitFor();
    expect(await status(page)).toBe('Copied');
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toMatch(copied);
  }
  expect((await copyButton(page, 'Account').boundingBox())?.height).toBeGreaterThanOrEqual(44);
  expect(await page.locator('a[href^="mailto:"], a[href^="tel:"]').count()).toBe(2);
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(phone.width);
  // The page allows only its own script, and the one that examines it is another.
  const examined = await browser.open({ viewport: phone, bypassCSP: true });
  await examined.goto(paymentUrl);
  expect(await violationsOf(examined)).toEqual([]);
});

browserTest('a browser that refuses selects the text', async () => {
  const page = await browser.open({ viewport: phone });
  await page.addInitScript('navigator.clipboard.writeText = () => Promise.reject(new Error())');
  await page.goto(paymentUrl);
  await copyButton(page, 'Amount').click();
  await page.getByText('Selected', { exact: true }).first().waitFor();
  expect(await page.evaluate<string>('String(getSelection())')).toBe('1250.00');
});

browserTest('without scripts, the page has all values and no copy buttons', async () => {
  const page = await browser.open({ viewport: phone, javaScriptEnabled: false });
  await page.goto(paymentUrl);
  await page.getByText('100 200 300').waitFor();
  expect(await page.getByRole('button').count()).toBe(0);
});
