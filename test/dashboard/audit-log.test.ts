/** Tests the page of the audit log over HTTP: its entries, its filter, roles, and what the dashboard itself records. */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { invoiceBody } from '../support/api.ts';
import { appendAuditEntries } from '../support/append-entries.ts';
import { type DashboardAccount, newDashboardAccount, signedIn } from '../support/dashboard-user.ts';
import { formsOf, type Visitor, withDashboard } from '../support/dashboard-visitor.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { untilRelayed } from '../support/until-relayed.ts';
import { waitUntil } from '../support/wait-until.ts';

const path = '/settings/audit-log';

let stack: Stack;
let account: DashboardAccount;
let owner: Visitor;

beforeAll(async () => {
  stack = await startTestStack(withDashboard());
  account = await newDashboardAccount(stack);
  owner = await signedIn(stack);
});
afterAll(() => stack?.close());

const relayed = () => untilRelayed(tableOf(stack), `${account.accountId}#test`);
const read = async (query = '') => (await owner.get(account.path(`${path}${query}`))).text;

async function submit(page: string, fields: Record<string, string>) {
  const link = account.path(page);
  const form = formsOf(await owner.get(link)).find(({ action }) => action.endsWith(link));
  return owner.post(form?.action ?? '', { ...form?.initial, ...fields });
}

test('shows what keys and users did, with the actor, and filters by action', async () => {
  const { json } = await account.test.post('/api/invoices', invoiceBody());
  const fields = { customerId: 'a@example.com', amount: '10', currency: 'USD', description: 'Design' };
  expect((await submit('/invoices/new', fields)).status).toBe(303);
  await waitUntil(
    'both entries',
    async () =>
      (await read()).match(/<td[^>]*><span title="invoice.create">Create invoice<\/span><\/td>/g)?.length ===
      2,
  );
  const text = await read();
  expect(text).toContain(json.id);
  expect(text).toMatch(/User<br><span title="usr_\w+">.*owner@example\.com/);
  expect(text).toMatch(/API key<br><span title="key_\w+">.*Default/);
  expect(await read('?action=invoice.create')).toContain(json.id);
  expect(await read('?action=key.revoke')).toContain('None of the newest entries');
  expect(await read('?action=nonsense')).toContain('Action must be one of');
});

test('records changes of settings with the values before and after, and shows the names of people', async () => {
  const name = { name: 'Druk Shop', displayName: '<b>Shop</b>' };
  expect((await submit('/settings/account/edit', name)).status).toBe(303);
  await relayed();
  expect(await read()).toContain('displayName: – → &lt;b&gt;Shop&lt;/b&gt;');
  const members = await owner.get(account.path('/settings/members'));
  const form = formsOf(members).find(({ action }) => action.endsWith('/invitations'));
  const invited = { ...form?.initial, email: 'new@example.com', role: 'viewer' };
  expect((await owner.post(form?.action ?? '', invited)).status).toBe(200);
  await relayed();
  expect(await read()).toMatch(/member\.invite[\s\S]*new@example\.com: – → viewer/);
  const items = JSON.stringify(await tableOf(stack).all('AUDIT#'));
  expect(items).toMatch(/invitation_\w+/);
  expect(items).not.toContain('new@example.com');
});

test('shows the id of a key or a user that the account does not have', async () => {
  const { newAuditEntry } = await import('../../shared/domain/audit/entry.ts');
  const rest = { outcome: 'done', requestId: null, source: null, resource: 'key_gone', changes: [] } as const;
  const actor = { type: 'user', id: 'usr_gone' } as const;
  const entry = newAuditEntry('gone', Date.now(), { ...rest, actor, action: 'key.revoke' });
  await appendAuditEntries({ account: account.accountId, mode: 'test' }, [entry]);
  const text = await read();
  expect(text).toMatch(/<span class="id">.*usr_gone/);
  expect(text).toMatch(/<span class="id">.*key_gone/);
});

test('shows the stored name of an action that only a later release knows', async () => {
  const { newAuditEntry } = await import('../../shared/domain/audit/entry.ts');
  const rest = { outcome: 'done', requestId: null, source: null, resource: null, changes: [] } as const;
  const actor = { type: 'service', id: null } as const;
  const entry = newAuditEntry('later', Date.now(), {
    ...rest,
    actor,
    action: 'invoice.later' as 'key.revoke',
  });
  await appendAuditEntries({ account: account.accountId, mode: 'test' }, [entry]);
  expect(await read()).toContain('<span title="invoice.later">invoice.later</span>');
});

test('only owners see it', async () => {
  for (const role of ['developer', 'viewer'] as const)
    expect((await (await signedIn(stack, role)).get(account.path(path))).status).toBe(403);
});
