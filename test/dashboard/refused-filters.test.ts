/** Tests that each list of the dashboard shows no rows while one of its parameters is refused. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { permissions } from '../../shared/domain/auth/permissions.ts';
import type { SearchType } from '../../shared/domain/search/search.ts';
import { newKey } from '../contract/examples.ts';
import { createOneOfEach } from '../contract/one-of-each.ts';
import { apiOf } from '../support/api.ts';
import { type DashboardAccount, newDashboardAccount, signedIn } from '../support/dashboard-user.ts';
import { type Visitor, withDashboard } from '../support/dashboard-visitor.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { startTestStack } from '../support/stack.ts';

let stack: Stack;
let owner: Visitor;
let account: DashboardAccount;
let ids: Readonly<Record<SearchType, string>>;

beforeAll(async () => {
  stack = await startTestStack(withDashboard());
  [owner, account] = [await signedIn(stack), await newDashboardAccount(stack)];
  const api = inNewestVersion(apiOf(stack.baseUrl, await newKey(account, { permissions })));
  ids = await createOneOfEach(stack, account, api);
  await api.post(`/api/schedules/${ids.schedule}/run`, {});
});
afterAll(() => stack?.close());

const read = async (path: string) => (await owner.get(account.path(path))).text;
const tablesOf = (text: string) => text.match(/<table/g)?.length ?? 0;

test('a list shows no rows and no other pages while a parameter is refused', async () => {
  const endpoint = `/webhooks/${ids.webhook}`;
  const statement = `/bank-statements/${ids.statement}`;
  const schedule = `/schedules/${ids.schedule}`;
  for (const [path, query, error] of [
    ['/events', 'type=lost', 'Type must be one of'],
    ['/events', 'type=invoice.paid&before=evt_1', 'before must be'],
    ['/events', `before=evt_${'0'.repeat(26)}`, 'before must be'],
    ['/settings/audit-log', 'action=lost', 'Action must be one of'],
    ['/settings/audit-log', 'before=aud_1', 'before must be'],
    ['/mails', 'before=mail_1', 'before must be'],
    ['/drafts', 'offset=lost', 'offset must be'],
    ['/products', 'offset=lost', 'offset must be'],
    ['/schedules', 'offset=lost', 'offset must be'],
    ['/exports', 'offset=lost', 'offset must be'],
    ['/bank-statements', 'offset=lost', 'offset must be'],
    [statement, 'status=lost', 'Status must be one of'],
    [statement, 'status=matched&offset=lost', 'offset must be'],
    [endpoint, 'status=lost', 'Status must be one of'],
    [endpoint, 'status=failed&before=dlv_1', 'before must be'],
    [schedule, 'before=lost', 'before must be'],
  ] as const) {
    const [all, refused] = [await read(path), await read(`${path}?${query}`)];
    // The page of a schedule has two other tables.
    const rest = path === schedule ? 1 : 0;
    expect([path, query, tablesOf(all)]).toEqual([path, query, rest + 1]);
    expect([path, query, tablesOf(refused)]).toEqual([path, query, rest]);
    expect([path, query, refused.includes(error)]).toEqual([path, query, true]);
    if (path !== schedule)
      expect([path, query, refused.includes('>Show all</a>')]).toEqual([path, query, true]);
    expect([path, query, /class="pages"/.test(refused)]).toEqual([path, query, false]);
    const status = /status=(matched|failed)|type=(invoice\.paid)/.exec(query)?.slice(1).find(Boolean);
    if (status)
      expect([path, query, refused.includes(`value="${status}" selected`)]).toEqual([path, query, true]);
  }
});

test('a statement of account shows nothing while a day is refused, and keeps what was typed', async () => {
  const invoice = await account.test.post('/api/invoices', {
    customerId: ids.customer,
    amount: 700,
    currency: 'USD',
    description: 'Tea',
  });
  expect(invoice.status).toBe(201);
  const path = `/customers/${ids.customer}/statement`;
  expect(tablesOf(await read(path))).toBe(1);
  for (const query of ['from=2026-02-31', 'from=2026-03-01&to=2026-02-01', 'from=2001-01-01']) {
    const refused = await read(`${path}?${query}`);
    expect([query, tablesOf(refused)]).toEqual([query, 0]);
    for (const [name, value] of new URLSearchParams(query))
      expect(refused).toMatch(new RegExp(`name="${name}"[^>]* value="${value}"`));
  }
});
