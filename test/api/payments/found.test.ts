/** Tests the filters of the lists of payments and invoices by amount, reference, method and day. They lead to records without a scan. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { type Api, apiOf, invoiceBody, newAccount } from '../../support/api.ts';
import { crowdTerms } from '../../support/crowded-terms.ts';
import { expectError } from '../../support/expectations.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { startTestStack } from '../../support/stack.ts';
import { tableOf } from '../../support/table.ts';
import { untilRelayed } from '../../support/until-relayed.ts';

let stack: Stack;
let api: Api;
const ids: Record<'first' | 'same' | 'card' | 'other' | 'failed', string> = {
  first: '',
  same: '',
  card: '',
  other: '',
  failed: '',
};
const invoiceOf: Record<string, string> = {};

beforeAll(async () => {
  stack = await startTestStack();
  const account = await newAccount(stack.baseUrl);
  api = inNewestVersion(account.test);
  const card = (number: string) => ({
    method: 'card',
    card: { number, expMonth: 12, expYear: 2030, cvc: '123' },
  });
  const offline = (reference: string, receivedOn?: string) => ({ method: 'offline', reference, receivedOn });
  for (const [name, amount, how, customerId] of [
    ['first', 125_000, offline('FT 2603-1598', '2026-03-27'), 'cust_1'],
    ['same', 125_000, offline('FT26031599', '2026-03-31'), 'cust_2'],
    ['card', 125_000, card('4242424242424242'), 'cust_1'],
    ['other', 99_000, offline('ft26031598', '2026-03-27'), 'cust_1'],
    ['failed', 125_000, card('4000000000000002'), 'cust_1'],
  ] as const) {
    const { id: invoiceId } = (
      await api.post('/api/invoices', invoiceBody({ amount, customerId, reference: name }))
    ).json;
    const { json, status } = await api.post('/api/payments', { invoiceId, ...how });
    expect(status).toBe(201);
    ids[name] = json.id;
    invoiceOf[name] = invoiceId;
  }
  await untilRelayed(tableOf(stack), `${account.accountId}#test`);
});
afterAll(() => stack?.close());

/** Returns the names of the payments of a list, and its total. */
async function found(query: string): Promise<[names: string[], total: number]> {
  const { json, status, text } = await api.get(`/api/payments?${query}`);
  expect([status, text]).toEqual([200, text]);
  const names = json.data.map(
    ({ id }: { id: string }) => Object.entries(ids).find((each) => each[1] === id)?.[0],
  );
  return [names, json.pagination.total];
}

test.each([
  ['amount=125000', ['failed', 'card', 'same', 'first']],
  ['amount=125000&status=completed', ['card', 'same', 'first']],
  ['amount=125000&method=offline', ['same', 'first']],
  ['amount=125000&customerId=cust_2', ['same']],
  ['amount=125000&currency=INR', []],
  ['amount=125000&createdFrom=2999-01-01', []],
  ['reference=FT26031598', ['other', 'first']],
  ['reference=ft%202603%201598&amount=99000', ['other']],
  ['reference=FT26031598&method=card', []],
  ['reference=FT2603159', []],
  ['amount=1', []],
  ['receivedOn=2026-03-27', ['other', 'first']],
  ['receivedOn=2026-03-27/2026-03-31', ['same', 'other', 'first']],
  ['receivedOn=2026-01-01/2026-04-02&amount=125000', ['same', 'first']],
  ['receivedOn=2026-03-28/2026-03-30', []],
  ['receivedOn=2026-03-27&method=card', []],
])('payments by %s', async (query, names) => {
  expect(await found(query)).toEqual([names, names.length]);
});

test('pages have the exact total, whatever the offset', async () => {
  expect(await found('amount=125000&limit=2')).toEqual([['failed', 'card'], 4]);
  expect(await found('amount=125000&limit=2&offset=2')).toEqual([['same', 'first'], 4]);
  expect(await found('amount=125000&limit=2&offset=9')).toEqual([[], 4]);
});

test('a total is exact beyond 1,000, and a list that cannot be exact is refused', async () => {
  const table = tableOf(stack);
  const own = await newAccount(stack.baseUrl);
  const newest = inNewestVersion(own.test);
  const { id: invoiceId } = (await newest.post('/api/invoices', invoiceBody({ amount: 4200 }))).json;
  const body = { invoiceId, method: 'offline', receivedOn: '2026-03-27' };
  const { id } = (await newest.post('/api/payments', body)).json;
  await untilRelayed(table, `${own.accountId}#test`);
  const entries = (await table.all(`SEARCH#${own.accountId}#test#`)).filter(({ sk }) => sk.endsWith(id));
  expect(entries).toHaveLength(2);
  const addBefore = (from: number, to: number) => crowdTerms(table, entries, from, to);
  await addBefore(0, 1500);
  const listed = async (query: string) => (await newest.get(`/api/payments?limit=1&${query}`)).json;
  for (const query of ['amount=4200', 'receivedOn=2026-03-27', 'amount=4200&currency=USD'])
    expect(await listed(query)).toMatchObject({ data: [{ id }], pagination: { total: 1501 } });
  const since = `createdFrom=${new Date(Number(String(entries[0]?.sk).split('#')[0]) - 500).toISOString()}`;
  expect(await listed(`amount=4200&${since}`)).toMatchObject({ data: [{ id }], pagination: { total: 1 } });
  for (const more of ['method=offline', 'status=completed'])
    expectError(await newest.get(`/api/payments?amount=4200&${more}`), 400, 'invalid_amount', 'amount');
  expect((await listed(`amount=4200&method=offline&${since}`)).pagination.total).toBe(1);
  await addBefore(1500, 5100);
  const refused = await newest.get('/api/payments?receivedOn=2026-03-27');
  expectError(refused, 400, 'invalid_received_on', 'receivedOn');
  expect(refused.json.error.message).toContain('createdFrom');
  expectError(await newest.get('/api/payments?amount=4200'), 400, 'invalid_amount', 'amount');
  expect((await listed(`receivedOn=2026-03-27&${since}`)).pagination.total).toBe(1);
});

test('invoices have the filter by amount, which follows a change of the amount', async () => {
  const listed = async (query: string) =>
    (await api.get(`/api/invoices?${query}`)).json.data.map(({ id }: { id: string }) => id);
  expect(await listed('amount=125000&status=paid')).toEqual([
    invoiceOf.card,
    invoiceOf.same,
    invoiceOf.first,
  ]);
  expect(await listed('amount=99000')).toEqual([invoiceOf.other]);
  expect((await api.patch(`/api/invoices/${invoiceOf.failed}`, { amount: 77_000 })).status).toBe(200);
  expect(await listed('amount=125000&status=pending')).toEqual([]);
  expect(await listed('reference=other&amount=99000')).toEqual([invoiceOf.other]);
  expect(await listed('reference=other&amount=98000')).toEqual([]);
});

test.each([
  ['payments', 'amount=', 'invalid_amount', 'amount'],
  ['payments', 'amount=12.50', 'invalid_amount', 'amount'],
  ['payments', 'amount=-1', 'invalid_amount', 'amount'],
  ['payments', 'amount=1&amount=2', 'invalid_amount', 'amount'],
  ['payments', 'reference=', 'invalid_reference', 'reference'],
  ['payments', 'method=offline', 'invalid_method', 'method'],
  ['payments', 'method=cash&amount=1', 'invalid_method', 'method'],
  ['payments', 'receivedOn=', 'invalid_received_on', 'receivedOn'],
  ['payments', 'receivedOn=2026-02-30', 'invalid_received_on', 'receivedOn'],
  ['payments', 'receivedOn=2026-03-31/2026-03-30', 'invalid_received_on', 'receivedOn'],
  ['payments', 'receivedOn=2026-01-01/2026-04-03', 'invalid_received_on', 'receivedOn'],
  ['payments', 'receivedOn=2026-03-30/2026-03-31/', 'invalid_received_on', 'receivedOn'],
  ['invoices', 'amount=0', 'invalid_amount', 'amount'],
  ['invoices', 'method=card&amount=1', 'unknown_parameter', 'method'],
])('%s?%s: 400 %s', async (resource, query, code, field) => {
  expectError(await api.get(`/api/${resource}?${query}`), 400, code, field);
});

test('the first version does not have the filters', async () => {
  const first = apiOf(stack.baseUrl, api.apiKey);
  expectError(await first.get('/api/payments?amount=1'), 400, 'unknown_parameter', 'amount');
  expectError(await first.get('/api/invoices?amount=1'), 400, 'unknown_parameter', 'amount');
});
