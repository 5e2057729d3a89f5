/** Tests what the dashboard says about a sandbox: its end on every page, and that it connects no payment provider. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { newDashboardAccount, signedIn } from '../support/dashboard-user.ts';
import { addLocalMembers, formsOf, type Visitor, withDashboard } from '../support/dashboard-visitor.ts';
import { startTestStack } from '../support/stack.ts';

const text = 'Sandbox, deleted after';

let stack: Stack;
let owner: Visitor;
let account: string;
let until: string;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000, ...withDashboard() });
  const { createSandbox } = await import('../../shared/domain/accounts/account-store.ts');
  const sandbox = await createSandbox({ name: 'Tests', plan: 'standard', days: 2 });
  account = sandbox.accountId;
  until = new Date(sandbox.sandboxUntil).toISOString();
  await addLocalMembers(stack, account);
  owner = await signedIn(stack);
});
afterAll(() => stack?.close());

test('every page of a sandbox shows when it ends, and no page of another account does', async () => {
  for (const page of ['/invoices', '/settings/providers']) {
    const shown = await owner.get(`/${account}/test${page}`);
    expect([shown.status, shown.text]).toEqual([200, expect.stringContaining(text)]);
    expect(shown.text).toContain(`datetime="${until}"`);
  }
  const other = await newDashboardAccount(stack);
  expect((await owner.get(other.path('/invoices'))).text).not.toContain(text);
});

test('a sandbox cannot connect a payment provider', async () => {
  const path = `/${account}/test/settings/providers`;
  const form = formsOf(await owner.get(`${path}/stripe/connect`)).find(({ action }) =>
    action.endsWith(`${path}/stripe/connect`),
  );
  const fields = { apiKey: 'sk_test_1', notificationSecret: 'whsec_1', currencies: 'USD' };
  const refused = await owner.post(form?.action ?? '', { ...form?.initial, ...fields });
  expect([refused.status, refused.text]).toEqual([
    409,
    expect.stringContaining('A sandbox cannot connect a payment provider.'),
  ]);
  expect((await owner.get(path)).text).toContain('Not connected');
});
