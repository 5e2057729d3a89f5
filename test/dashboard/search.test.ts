/** Tests what the search page of the dashboard shows of a record of each kind. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { permissions } from '../../shared/domain/auth/permissions.ts';
import { maxResults, type SearchType, searchTypes } from '../../shared/domain/search/search.ts';
import { newKey } from '../contract/examples.ts';
import { createOneOfEach } from '../contract/one-of-each.ts';
import { type Api, apiOf, invoiceBody, listenToRequestLog } from '../support/api.ts';
import { type DashboardAccount, newDashboardAccount, signedIn } from '../support/dashboard-user.ts';
import { type Visitor, withDashboard } from '../support/dashboard-visitor.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { untilRelayed } from '../support/until-relayed.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let owner: Visitor;
let account: DashboardAccount;
let api: Api;
/** The ID of a record of each kind. */
let ids: Readonly<Record<SearchType, string>>;
let log: Awaited<ReturnType<typeof listenToRequestLog>>;

beforeAll(async () => {
  stack = await startTestStack(withDashboard());
  [owner, account] = [await signedIn(stack), await newDashboardAccount(stack)];
  api = inNewestVersion(apiOf(stack.baseUrl, await newKey(account, { permissions })));
  ids = await createOneOfEach(stack, account, api);
  log = await listenToRequestLog('dashboard request');
});
afterAll(() => stack?.close());

/** Returns the visible text of the cells of a result. */
const cellsOf = (row: string) =>
  [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) =>
    cell
      .replace(/<[^>]*>/g, ' ')
      .replaceAll('&amp;', '&')
      .replace(/[\s\u2068\u2069]+/g, ' ')
      .trim(),
  );
const visit = (q: string) => owner.get(account.path(`/search?q=${encodeURIComponent(q)}`));
/** Searches, and returns the cells of each result, without its time. */
async function search(q: string): Promise<string[][]> {
  const { text, status } = await visit(q);
  expect([q, status]).toEqual([q, 200]);
  return text
    .split('<tr role="row">')
    .slice(1)
    .map((row) => cellsOf(row).slice(0, 5));
}
const shortened = (id: string) => `${id.slice(0, 12)}…`;

const create = async (path: string, body: object) => {
  const { status, json } = await api.post(path, body);
  expect([path, json, status]).toEqual([path, json, 201]);
  return json;
};

test('a record of each kind has what people know of it, and its status in words', async () => {
  const expected: Readonly<Record<SearchType, readonly [result: RegExp | string, status: RegExp | string]>> =
    {
      invoice: [`Invoice ${shortened(ids.invoice)}`, 'Paid'],
      payment: [`Payment ${shortened(ids.payment)}`, 'Completed'],
      refund: [`Refund ${shortened(ids.refund)}`, /^(Pending|Processed)$/],
      customer: ['Customer Pema', ''],
      draft: [`Draft ${shortened(ids.draft)}`, 'Open'],
      schedule: [`Schedule ${shortened(ids.schedule)}`, 'Active'],
      document: [/^Document INV-\d+$/, ''],
      mail: [/^Mail payer@example\.bt/, /^Mail /],
      product: ['Product Tea', 'Active'],
      statement: ['Bank statement Bank of Bhutan', 'Ready'],
      statement_row: [/^Row of a bank statement Row \d+$/, /^(Not matched|Matched)$/],
      export: ['Export Invoices', /^(Running|Completed)$/],
      webhook: ['Webhook endpoint http://127.0.0.1:9/', 'Enabled'],
      delivery: [/^Delivery (Invoice|Payment|Refund|Document) \w+$/, /^(Pending|Failed)$/],
      event: [/^Event (Invoice|Document) \w+$/, ''],
      audit_entry: [/^Entry of the audit log [A-Z][a-z]+ \w+/, 'Done'],
      api_key: ['API key Shop', 'Active'],
    };
  for (const type of searchTypes) {
    const { found, status } = await search(ids[type]).then(([row = []]) => ({
      found: row[0],
      status: row[2],
    }));
    const [result, words] = expected[type];
    const matching = (each: RegExp | string) =>
      typeof each === 'string' ? each : expect.stringMatching(each);
    expect([type, found, status]).toEqual([type, matching(result), matching(words)]);
  }
});

test('an invoice has its number, and so have the payments, refunds and mails of it', async () => {
  const invoice = await create('/api/invoices', {
    ...invoiceBody({ amount: 777_700 }),
    customerId: ids.customer,
    reference: 'Order 7',
  });
  const path = `/api/invoices/${invoice.id}`;
  const number = await waitUntil('the number', async () => (await api.get(path)).json.number);
  await create('/api/payments', { invoiceId: invoice.id, method: 'offline', reference: 'JRNL 77' });
  await untilRelayed(tableOf(stack), `${account.accountId}#test`);
  expect(await search(number)).toMatchObject([
    [`Invoice ${number} Order 7`, expect.stringContaining('7,777.00'), 'Paid', 'Pema', 'Number'],
  ]);
  expect(await search('7777')).toMatchObject([
    [`Payment JRNL 77 Invoice ${number}`, expect.stringContaining('7,777.00'), 'Completed', 'Pema', 'Amount'],
    [`Invoice ${number} Order 7`, expect.stringContaining('7,777.00'), 'Paid', 'Pema', 'Amount'],
  ]);
});

test('a mail to the merchant leads to the page of all mails', async () => {
  const { updateSettings } = await import('../../shared/domain/accounts/settings-store.ts');
  await updateSettings(account.accountId, { mailNotices: 'key' });
  await create('/api/keys', { name: 'Till', permissions: ['invoices:read'] });
  const { id } = await waitUntil('the mail', async () =>
    (await api.get('/api/mails')).json.data.find(({ kind }: { kind: string }) => kind === 'key'),
  );
  const { text } = await visit(id);
  expect(text).toContain(`href="${account.path('/mails')}" title="${id}"`);
});

test('a page with the most and the longest results is below 60 KB, and takes four calls besides the session', async () => {
  const long = `<script>${'ü'.repeat(180)}`;
  for (let count = 0; count < maxResults; count++)
    await create('/api/invoices', {
      ...invoiceBody({ amount: 66_600 + (count % 2) }),
      customerId: `${'c'.repeat(100)}${count}`,
      buyer: { name: `Longest ${long}` },
      reference: `${count}${'r'.repeat(120)}`,
    });
  await untilRelayed(tableOf(stack), `${account.accountId}#test`);
  const page = await visit('Longest');
  expect(page.text.split('<tr role="row">')).toHaveLength(maxResults + 1);
  expect(page.bytes.length).toBeLessThan(60_000);
  const sessionCalls = 2;
  expect(log.lineOf(page).dynamodbCallsInSequence).toBeLessThanOrEqual(sessionCalls + 4);
});
