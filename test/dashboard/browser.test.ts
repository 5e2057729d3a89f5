/**
 * Tests the sign-in, the members and the sign-out in Chromium. It stores the `__Host-` cookies also over HTTP on a loopback
 * address, although they are secure. curl does the same with a cookie jar (`-c` and `-b`).
 */
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { localUsers } from '../../infra/local/local-users.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { browserTest, startBrowser, type TestBrowser } from '../support/browser.ts';
import { addLocalMembers, withDashboard } from '../support/dashboard-visitor.ts';
import { startTestStack } from '../support/stack.ts';

let stack: Stack;
let browser: TestBrowser;
let account: string;
let url: string;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000, ...withDashboard() });
  const { createAccount } = await import('../../shared/domain/accounts/account-store.ts');
  account = (await createAccount({ name: 'Druk Shop', plan: 'standard' })).accountId;
  await addLocalMembers(stack, account);
  browser = await startBrowser();
  url = stack.dashboard?.url ?? '';
});

afterAll(async () => {
  await browser?.close();
  await stack?.close();
});

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

async function signIn(page: Page, email = localUsers.owner.email): Promise<void> {
  await page.goto(url);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await press(page, email);
  await page.waitForURL(`${url}/${account}/test`);
}

browserTest('a user signs in, changes the mode, and signs out here and at the issuer', async () => {
  const page = await browser.open();
  await signIn(page);
  const cookies = (await page.context().cookies(url)).filter(({ name }) => name.startsWith('__Host-'));
  const safe = { httpOnly: true, secure: true, sameSite: 'Lax', path: '/' };
  expect(cookies.sort((one, other) => (one.name < other.name ? -1 : 1))).toMatchObject([
    { name: expect.stringMatching(/^__Host-remit-known-usr_\w+$/), ...safe },
    { name: '__Host-remit-session', ...safe },
  ]);
  await page.getByRole('link', { name: 'Switch to live mode' }).click();
  expect(page.url()).toBe(`${url}/${account}/live`);
  await press(page, 'Sign out');
  await page.getByRole('heading', { name: 'Sign out' }).waitFor();
  await press(page, 'Sign out');
  await page.waitForURL(/\/sign-in/);
  await page.goto(`${url}/${account}/test`);
  expect(await page.getByRole('heading').textContent()).toBe('Sign in to Remit');
  // The issuer asks again.
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Choose a user' }).waitFor();
});

browserTest('the printed link signs the owner in with one step, also after another user', async () => {
  const page = await browser.open();
  await signIn(page, localUsers.viewer.email);
  await page.goto(stack.dashboard?.issuer.createSignInLink(localUsers.owner) ?? '');
  expect(page.url()).toBe(`${url}/${account}/test`);
  await page.getByText(localUsers.owner.email).waitFor();
});

browserTest('an owner invites a person with the keyboard only, and opens the link', async () => {
  const page = await browser.open();
  await signIn(page);
  await page.goto(`${url}/${account}/test/settings/members`);
  await page.getByLabel('E-mail address').focus();
  await page.keyboard.type('invited@example.com');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Dev');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const link = await page.locator('code').textContent();
  expect(link).toMatch(new RegExp(`^${url}/sign-in/invitation\\?account=${account}&token=\\w{32}$`));
  // The owner is a member already.
  await page.goto(link ?? '');
  expect(page.url()).toBe(`${url}/${account}/test`);
});
