/** Tests the filters of the list of payments in the dashboard, and its file. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import type { Stack } from '../../infra/local/stack.ts';
import { invoiceBody } from '../support/api.ts';
import { crowdTerms } from '../support/crowded-terms.ts';
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

beforeAll(async () => {
  stack = await startTestStack({ ...withDashboard() });
  [owner, account] = [await signedIn(stack), await newDashboardAccount(stack)];
});
afterAll(() => stack?.close());

/** Records the payment of a new invoice. Returns its id. */
async function payOf(amount: number, fields: object): Promise<string> {
  const api = inNewestVersion(account.test);
  const { id: invoiceId } = (await api.post('/api/invoices', invoiceBody({ amount }))).json;
  const { json, status } = await api.post('/api/payments', { invoiceId, method: 'offline', ...fields });
  expect([status, json.amount]).toEqual([201, amount]);
  return json.id;
}

const get = (query: string) => owner.get(account.path(`/payments?${query}`));
const idsOn = (text: string) => [...text.matchAll(/title="(pay_\w+)"/g)].map(([, id]) => id);
const errorOn = (text: string) => /<[^>]*class="wrong"[^>]*>(.*?)<\/p>/s.exec(text)?.[1];

test('amount, day of receipt, reference and method find payments, and the file has exactly those', async () => {
  const march = await payOf(125_050, { receivedOn: '2026-03-27', reference: 'JRN 1' });
  const april = await payOf(125_050, { receivedOn: '2026-04-02', reference: 'JRN 2' });
  const small = await payOf(4_200, { receivedOn: '2026-04-03', reference: 'JRN 3' });
  const table = tableOf(stack);
  await untilRelayed(table, `${account.accountId}#test`);
  for (const [query, found] of [
    ['amount=1,250.50', [april, march]],
    ['amount=1250.5&receivedOn=2026-03-27', [march]],
    ['receivedOn=2026-03-27&receivedTo=2026-04-02', [april, march]],
    ['receivedOn=2026-04-03', [small]],
    ['amount=1250.50&reference=jrn-2', [april]],
    ['amount=42&method=offline', [small]],
    ['amount=42&method=card', []],
    ['amount=&method=&receivedOn=&reference=JRN%203', [small]],
  ] as const) {
    const { text } = await get(query);
    expect([query, idsOn(text)]).toEqual([query, found]);
    if (found.length === 0) continue;
    expect(text).not.toContain('exports/new');
    const link = /href="([^"]*downloads[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const rows: { id: string }[] = parse((await owner.get(link)).text, { columns: true, bom: true });
    expect(rows.map(({ id }) => id)).toEqual(found);
  }
  for (const [query, error] of [
    ['method=offline', /^Method needs amount, reference or Received on\./],
    ['method=offline&currency=BTN', /^Method needs amount, reference or Received on\./],
    ['status=bogus', /^Status must be/],
    ['amount=12.345', /^Amount must be a number from 0\.01 to 9,999,999,999\.99, such as 2500/],
    ['amount=99999999999999', /^Amount must be a number from 0\.01 to/],
    ['amount=0', /^Amount must be/],
    ['receivedOn=2026-04-02&receivedTo=2026-03-27', /^Received until must not be before Received on/],
    ['receivedOn=2026-01-01&receivedTo=2026-12-31', /^There can be at most 92 days/],
    ['receivedOn=march', /^Received on must be a day, such as 2026-03-31\.$/],
    ['receivedTo=2026-04-03', /^Enter the first day, too/],
  ] as const) {
    const { text, status } = await get(query);
    expect([query, status, idsOn(text)]).toEqual([query, 200, []]);
    expect(text).not.toContain('downloads/');
    expect(errorOn(text)).toMatch(error);
    for (const [name, value] of new URLSearchParams(query))
      if (value !== 'bogus')
        expect(text).toMatch(new RegExp(`name="${name}"[^>]* value="${value}"|value="${value}" selected`));
    const refused = await owner.get(account.path(`/downloads/payments.csv?${query}`));
    expect([refused.status, /<p>([^<]*)<\/p>/.exec(refused.text.split('<main')[1] ?? '')?.[1]]).toEqual([
      400,
      expect.stringMatching(error),
    ]);
  }
  const entries = await table.all(`SEARCH#${account.accountId}#test#`);
  await crowdTerms(
    table,
    entries.filter(({ sk }) => String(sk).endsWith(small)),
    0,
    1001,
  );
  const many = await get('amount=42&method=offline');
  expect([many.status, idsOn(many.text)]).toEqual([200, []]);
  expect(errorOn(many.text)).toContain('Select fewer with Created from and Created to.');
  expect(many.text).toContain('value="42"');
  const file = await owner.get(account.path('/downloads/payments.csv?amount=42&method=offline'));
  expect([file.status, file.text]).toEqual([400, expect.stringContaining('Too many records')]);
});

test('an invoice is found by its number, in the lists of payments and refunds and in their files', async () => {
  const other = await newDashboardAccount(stack);
  const api = inNewestVersion(other.test);
  const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
  await changeSeller(other.accountId, { legalName: 'Druk Crafts', address: { country: 'BT' } });
  const made = [];
  for (const amount of [500, 600]) {
    const { id: invoiceId } = (await api.post('/api/invoices', invoiceBody({ amount }))).json;
    const { id } = (await api.post('/api/payments', { invoiceId, method: 'offline' })).json;
    const refund = (await api.post('/api/refunds', { paymentId: id, amount: 1 })).json.id;
    const number = await waitUntil(
      'the number',
      async () => (await api.get(`/api/invoices/${invoiceId}`)).json.number,
    );
    made.push({ invoiceId, id, refund, number });
  }
  await untilRelayed(tableOf(stack), `${other.accountId}#test`);
  const read = async (path: string) => (await owner.get(other.path(path))).text;
  for (const { invoiceId, id, refund, number } of made)
    for (const typed of [invoiceId, number, ` ${number.toLowerCase()} `]) {
      const query = `invoiceId=${encodeURIComponent(typed)}`;
      for (const [list, record, kind] of [
        ['payments', id, 'pay'],
        ['refunds', refund, 'ref'],
      ] as const) {
        const text = await read(`/${list}?${query}`);
        const rows = [...text.matchAll(/class="id"[^>]*title="(\w+)"/g)].flatMap(([, found = '']) =>
          found.startsWith(kind) ? [found] : [],
        );
        expect([list, typed, rows]).toEqual([list, typed, [record]]);
        expect([list, typed, text.includes('exports/new')]).toEqual([list, typed, typed === invoiceId]);
        const csv: { id: string }[] = parse(await read(`/downloads/${list}.csv?${query}`), {
          columns: true,
          bom: true,
        });
        expect(csv.map((row) => row.id)).toEqual([record]);
      }
    }
  for (const list of ['payments', 'refunds']) {
    const text = await read(`/${list}?invoiceId=INV-9999`);
    expect([list, errorOn(text)]).toEqual([list, expect.stringContaining('No invoice has this number')]);
    expect(text).not.toContain('<table');
  }
  expect(await read('/payments')).toContain('Finds only payments that were recorded with a day of receipt');
});
