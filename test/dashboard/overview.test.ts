/** Tests what the overview asks for: the first steps of a new account, and what needs a decision. Takes 4 seconds. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { formatDate } from '../../shared/web/pages/dates.ts';
import { invoiceBody } from '../support/api.ts';
import { claimOnPage } from '../support/claims.ts';
import { type DashboardAccount, newDashboardAccount, signedIn } from '../support/dashboard-user.ts';
import { type Visitor, withDashboard } from '../support/dashboard-visitor.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { untilRelayed } from '../support/until-relayed.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let account: DashboardAccount;
let owner: Visitor;

beforeAll(async () => {
  stack = await startTestStack(withDashboard());
  account = await newDashboardAccount(stack);
  owner = await signedIn(stack);
});
afterAll(() => stack?.close());

const overview = async (visitor: Visitor = owner) => (await visitor.get(account.path(''))).text;
const stepOf = (text: string, title: string) => text.slice(text.indexOf(title)).split('</li>')[0] ?? '';

test('a new account shows the first steps, with links for those who may take them', async () => {
  const text = await overview();
  for (const path of [
    '/settings/invoices',
    '/settings/account',
    '/settings/providers',
    '/customers/new',
    '/invoices/new',
  ])
    expect(text).toContain(`href="${account.path(path)}"`);
  expect(text).toContain('Do it with the API');
  const viewer = await overview(await signedIn(stack, 'viewer'));
  expect(stepOf(viewer, 'Create your first invoice')).toContain('Ask an owner');
  expect(viewer).not.toContain(`href="${account.path('/customers/new')}"`);
});

test('the overview names what needs a decision, until it is decided', async () => {
  const api = inNewestVersion(account.test);
  const { id: customerId } = (await api.post('/api/customers', { name: 'Dorji Stores' })).json;
  const claimed = (await api.post('/api/invoices', invoiceBody({ customerId }))).json;
  await claimOnPage(claimed);
  const other = (await api.post('/api/invoices', invoiceBody())).json;
  const card = { number: '4000000000000259', expMonth: 12, expYear: 2030, cvc: '123' };
  const paid = (await api.post('/api/payments', { invoiceId: other.id, method: 'card', card })).json;
  await waitUntil('the dispute', async () => (await api.get(`/api/payments/${paid.id}`)).json.dispute);
  await untilRelayed(tableOf(stack), `${account.accountId}#test`);
  const text = await overview();
  expect(text).toContain('2 things need your decision');
  const card1 = text.slice(text.indexOf('2 things need your decision')).split('</section>')[0] ?? '';
  expect(card1.indexOf(`/payments/${paid.id}`)).toBeLessThan(card1.indexOf(`/invoices/${claimed.id}`));
  expect(card1).toMatch(/Disputed payment.*Answer by.*they have paid.*Dorji Stores/s);
  const claimId = (await api.get(`/api/invoices/${claimed.id}`)).json.claim.id;
  const rejected = await api.post(`/api/invoices/${claimed.id}/claim/reject`, {
    claimId,
    reason: 'Nothing came',
  });
  expect(rejected.status).toBe(200);
  expect(await overview()).toContain('One thing needs your decision');
});

test('the overview counts the rows of each bank statement that wait, until people have decided about them', async () => {
  const api = inNewestVersion(account.test);
  const row = (amount: number) => ({ day: '2026-03-31', amount, reference: `FT ${amount}` });
  const body = { bank: 'Bank of Bhutan', currency: 'BTN', rows: [row(100), row(200), row(-300)] };
  const { id } = (await api.post('/api/statements', body)).json;
  const link = async () =>
    new RegExp(`<a href="[^"]*/bank-statements/${id}">([^<]*)</a>`).exec(await overview())?.[1];
  await waitUntil('the rows wait', async () => (await link()) === '2 rows of a bank statement');
  const [first, second] = (await api.get(`/api/statements/${id}/rows`)).json.data;
  await api.post(`/api/statements/${id}/rows/${first.id}/ignore`);
  await waitUntil('one row waits', async () => (await link()) === 'One row of a bank statement');
  await api.post(`/api/statements/${id}/rows/${second.id}/ignore`);
  await waitUntil('no row waits', async () => (await link()) === undefined);
});

test('a currency has its last 90 days, by day', async () => {
  const { currency } = invoiceBody();
  const link = `/days?currency=${currency}`;
  expect(await overview()).toContain(`href="${account.path(link)}"`);
  const { text } = await owner.get(account.path(link));
  expect(text).toContain(`Received in the last 90 days, in ${currency}`);
  expect(text.match(/<rect /g)).toHaveLength(90);
  const rows = text.slice(text.indexOf('<tbody')).match(/<tr/g) ?? [];
  expect(rows.length).toBeGreaterThan(0);
  expect(text.length).toBeLessThan(60_000);
  // Only the last day and the last month are marked as not over, in the table and at the bars.
  const { today } = (await inNewestVersion(account.test).get('/api/summary')).json;
  const dayNow = `${formatDate(Date.parse(today))}, so far`;
  expect(text).toContain(`>${dayNow}</td>`);
  expect(text).toContain(`<title>${dayNow}: `);
  expect(text).toContain('The last day is not over yet.');
  expect(text.match(/, so far/g)).toHaveLength(2);
  const months = await overview();
  expect(months).toMatch(/<dt>Received this month so far<.*The last month is not over yet\./s);
  expect(months).toMatch(/>[A-Z][a-z]+ \d{4}, so far<\/td>/);
  expect(months.match(/<title>[A-Z][a-z]+ \d{4}, so far, /g)).toHaveLength(
    2 * months.split('Money in ').slice(1).length,
  );
  for (const wrong of ['', '?currency=EUR'])
    expect((await owner.get(account.path(`/days${wrong}`))).status).toBe(404);
});
