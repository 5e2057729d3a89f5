/** Tests the filters of the lists of invoices, payments and refunds by statuses, currency and creation time. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { newestApiVersion } from '../../shared/domain/versions/versions.ts';
import { type Api, apiOf, invoiceBody, listenToRequestLog, newAccount } from '../support/api.ts';
import { setClock } from '../support/clock.ts';
import { expectError } from '../support/expectations.ts';
import type { HttpResponse } from '../support/http.ts';
import { injectFault, interceptCalls } from '../support/intercept-calls.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';

const resources = ['invoices', 'payments', 'refunds'] as const;
type ResourceName = (typeof resources)[number];
const headers = { 'X-API-Version': newestApiVersion };
const dayMs = 86_400_000;
/** The hour of this test run, so that API keys and rate limits are as in other tests. */
const today = Math.floor(Date.now() / dayMs) * dayMs;
const days = [today - 3 * dayMs, today - 2 * dayMs, today - dayMs] as const;
const dateOf = (instant: number) => new Date(instant).toISOString().slice(0, 10);
const timeOf = (instant: number) => new Date(instant).toISOString();

let stack: Stack;
let log: Awaited<ReturnType<typeof listenToRequestLog>>;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  log = await listenToRequestLog();
  ({ test: api } = await newAccount(stack.baseUrl));
  // On each day an invoice in each currency, at noon. The first two are paid, and the first payment is refunded.
  for (const day of days) {
    setClock(() => day + dayMs / 2);
    for (const currency of ['BTN', 'USD', 'INR']) {
      const invoice = (await api.post('/api/invoices', invoiceBody({ currency }))).json;
      if (currency === 'INR') continue;
      const body = { invoiceId: invoice.id, method: 'offline' };
      const payment = (await api.post('/api/payments', body)).json;
      await api.post('/api/refunds', { paymentId: payment.id });
    }
    if (day === days[1]) {
      const last = (await api.post('/api/invoices', invoiceBody())).json;
      await api.delete(`/api/invoices/${last.id}`);
    }
  }
  setClock();
  // A refund changes in the background. The lists of a test must not differ because of it.
  await waitUntil('every refund is processed', async () => {
    const refunds: Row[] = (await list(api, 'refunds', 'limit=100')).json.data;
    return refunds.every(({ status }) => status === 'processed');
  });
});
afterEach(() => setClock());
afterAll(() => stack.close());

const list = (of: Api, resource: ResourceName, query: string) =>
  of.get(`/api/${resource}?${query}`, { headers });

interface Row {
  readonly id: string;
  readonly currency: string;
  readonly status: string;
  readonly createdAt: string;
}

const lastStatus = { invoices: 'paid', payments: 'completed', refunds: 'processed' } as const;
const queries: readonly (readonly [string, (row: Row) => boolean])[] = [
  ['currency=BTN', ({ currency }) => currency === 'BTN'],
  [`createdFrom=${dateOf(days[1])}`, ({ createdAt }) => Date.parse(createdAt) >= days[1]],
  [`createdTo=${dateOf(days[1])}`, ({ createdAt }) => Date.parse(createdAt) < days[2]],
  [
    `createdFrom=${dateOf(days[1])}&createdTo=${dateOf(days[1])}&currency=USD`,
    ({ createdAt, currency }) => createdAt.startsWith(dateOf(days[1])) && currency === 'USD',
  ],
  [`createdFrom=${timeOf(days[1] + dayMs / 2)}`, ({ createdAt }) => Date.parse(createdAt) > days[1]],
  [`createdFrom=${timeOf(days[1] + dayMs / 2 + 1)}`, ({ createdAt }) => Date.parse(createdAt) > days[2]],
  [`createdTo=${timeOf(days[1] + dayMs / 2)}`, ({ createdAt }) => Date.parse(createdAt) < days[2]],
  [`createdTo=${timeOf(days[1] + dayMs / 2 - 1)}`, ({ createdAt }) => Date.parse(createdAt) < days[1]],
  ['createdFrom=2098-01-01', () => false],
  ['createdTo=1999-01-01', () => false],
  ['status=pending', ({ status }) => status === 'pending'],
];

test.each(resources)('%s: the filters give the rows and the total that a client would select', async (of) => {
  const all: Row[] = (await list(api, of, 'limit=100')).json.data;
  expect(all.length).toBeGreaterThanOrEqual(6);
  const ofStatus = [`status=${lastStatus[of]}`, ({ status }: Row) => status === lastStatus[of]] as const;
  for (const [query, isMatch] of [...queries, ofStatus]) {
    const matches = all.filter(isMatch);
    const { data, pagination } = (await list(api, of, `${query}&limit=2&offset=1`)).json;
    expect({ query, data, total: pagination.total }).toEqual({
      query,
      data: matches.slice(1, 3),
      total: matches.length,
    });
  }
});

test('several statuses are combined with the other filters', async () => {
  const all: Row[] = (await list(api, 'invoices', 'limit=100')).json.data;
  for (const statuses of ['pending,cancelled', 'cancelled,paid,pending', 'overdue', 'paid,paid']) {
    const query = `status=${statuses}&currency=USD&customerId=cust_1&createdFrom=${dateOf(days[1])}`;
    const matches = all
      .filter(({ status }) => statuses.split(',').includes(status))
      .filter(({ currency, createdAt }) => currency === 'USD' && Date.parse(createdAt) >= days[1]);
    const { data, pagination } = (await list(api, 'invoices', query)).json;
    expect([statuses, data, pagination.total]).toEqual([statuses, matches, matches.length]);
  }
});

test('a payment reference is combined with the filters', async () => {
  const [invoice] = (await list(api, 'invoices', 'currency=INR&limit=1')).json.data;
  const { readInvoiceOfAnyAccount } = await import('../../shared/domain/invoices/invoice-store.ts');
  const reference = (await readInvoiceOfAnyAccount(invoice.id))?.record?.paymentReference;
  const find = async (query: string) =>
    (await list(api, 'invoices', `paymentReference=${reference}&${query}`)).json.pagination.total;
  expect(await find('currency=INR&status=overdue,pending')).toBe(1);
  expect(await find(`createdFrom=${dateOf(days[2])}`)).toBe(1);
  for (const query of ['currency=BTN', `createdTo=${dateOf(days[1])}`, 'status=paid,cancelled'])
    expect([query, await find(query)]).toEqual([query, 0]);
});

test.each(resources)(
  '%s: a list with all filters needs two calls in sequence, and writes nothing',
  async (of) => {
    const query = `status=pending&currency=BTN&createdFrom=${dateOf(days[0])}&createdTo=${dateOf(days[1])}`;
    const { dynamodbCallsInSequence, dynamodbCalls } = log.lineOf(await list(api, of, query));
    expect(dynamodbCallsInSequence).toBeLessThanOrEqual(2);
    // The count and the API key; at the same time the pages of the range, and the volumes before and in it; then the rows.
    expect(dynamodbCalls).toBeLessThanOrEqual(6);
  },
);

test('a number that is allocated before midnight and committed after it belongs to the day of its request', async () => {
  const { test: other } = await newAccount(stack.baseUrl);
  setClock(() => days[0] - 10);
  const hold = injectFault(
    ({ operation }) => operation === 'TransactWriteItems',
    async (_, send) => {
      setClock(() => days[0] + 10);
      await Promise.all([1, 2].map((amount) => other.post('/api/invoices', invoiceBody({ amount }))));
      return send();
    },
  );
  const interception = interceptCalls(hold);
  const slow = await other.post('/api/invoices', invoiceBody({ amount: 3 }));
  interception.remove();
  expect(Date.parse(slow.json.createdAt)).toBe(days[0] - 10);
  const amounts = async (query: string) => {
    const { data, pagination } = (await list(other, 'invoices', query)).json;
    expect(pagination.total).toBe(data.length);
    return data.map(({ amount }: { amount: number }) => amount).sort();
  };
  expect(await amounts(`createdTo=${dateOf(days[0] - dayMs)}`)).toEqual([3]);
  expect(await amounts(`createdFrom=${dateOf(days[0])}`)).toEqual([1, 2]);
});

test('clocks of functions can differ: each invoice belongs to the day in its createdAt', async () => {
  const { test: other } = await newAccount(stack.baseUrl);
  // More than one stored creation time, while the clocks of the functions differ by 80 seconds.
  for (let amount = 1; amount <= 40; amount++) {
    setClock(() => days[0] + amount * 1000 - 20_000 + (amount % 2 === 0 ? 40_000 : -40_000));
    await other.post('/api/invoices', invoiceBody({ amount }));
  }
  const all: Row[] = (await list(other, 'invoices', 'limit=100')).json.data;
  const early = all.filter(({ createdAt }) => Date.parse(createdAt) < days[0]);
  expect(early.length).toBeGreaterThan(5);
  const before = (await list(other, 'invoices', `createdTo=${dateOf(days[0] - dayMs)}&limit=100`)).json;
  const after = (await list(other, 'invoices', `createdFrom=${dateOf(days[0])}&limit=100`)).json;
  expect(before.data).toEqual(early);
  expect([before.pagination.total, after.pagination.total]).toEqual([early.length, 40 - early.length]);
});

test('a list shows all or nothing of an invoice that is created while the list is read', async () => {
  const { test: other } = await newAccount(stack.baseUrl);
  await other.post('/api/invoices', invoiceBody());
  const create = injectFault(
    ({ operation, body }) => operation === 'Query' && body.includes('BETWEEN'),
    async (_, send) => {
      const answer = await send();
      await other.post('/api/invoices', invoiceBody());
      return answer;
    },
  );
  const interception = interceptCalls(create);
  const query = `createdFrom=${dateOf(today - dayMs)}&currency=USD`;
  const { data, pagination } = (await list(other, 'invoices', query)).json;
  interception.remove();
  expect([data.length, pagination.total]).toEqual([1, 1]);
  expect((await list(other, 'invoices', query)).json.pagination.total).toBe(2);
});

test.each([
  ['status=pending,', 'invalid_status', 'status'],
  ['status=pending,open', 'invalid_status', 'status'],
  ['status=pending&status=paid', 'invalid_status', 'status'],
  ['currency=btn', 'invalid_currency', 'currency'],
  ['currency=BTN,USD', 'invalid_currency', 'currency'],
  ['currency=__proto__', 'invalid_currency', 'currency'],
  ['createdFrom=', 'invalid_created_from', 'createdFrom'],
  ['createdFrom=yesterday', 'invalid_created_from', 'createdFrom'],
  ['createdFrom=2026-02-30', 'invalid_created_from', 'createdFrom'],
  ['createdFrom=2026-03-01%00', 'invalid_created_from', 'createdFrom'],
  ['createdFrom=2026-03-01&createdFrom=2026-03-02', 'invalid_created_from', 'createdFrom'],
  ['createdTo=2026-03-01T24:00:00Z', 'invalid_created_to', 'createdTo'],
  ['createdTo=%F0%9F%98%80', 'invalid_created_to', 'createdTo'],
  ['createdFrom=2026-03-02&createdTo=2026-03-01', 'invalid_created_to', 'createdTo'],
  ['createdfrom=2026-03-02', 'unknown_parameter', 'createdfrom'],
])('%s: 400 %s for every resource', async (query, code, field) => {
  for (const resource of resources) {
    const response = await list(api, resource, query);
    expectError(response, 400, code, field);
    if (query.includes('createdFrom=2026-03-02&'))
      expect(response.json.error.message).toMatch(/createdTo.*createdFrom/);
  }
});

test.each([
  [
    'status=pending&status=paid',
    'status must be sent only once. From version 2026-11-23 on, separate several values with commas.',
  ],
  ['currency=BTN&currency=BTN', 'currency must be sent only once.'],
  ['createdFrom=2026-03-01&createdFrom=2026-03-02', 'createdFrom must be sent only once.'],
  ['createdTo=2026-03-01&createdTo=2026-03-02', 'createdTo must be sent only once.'],
])('%s: the message says to send it once', async (query, message) => {
  for (const resource of resources)
    expect((await list(api, resource, query)).json.error.message).toBe(message);
});

test.each(resources)('%s: the first version does not have the filters', async (resource) => {
  const send = (query: string) => apiOf(stack.baseUrl, api.apiKey).get(`/api/${resource}?${query}`);
  for (const [query, field] of [
    ['currency=BTN', 'currency'],
    ['createdFrom=2026-03-01', 'createdFrom'],
    ['createdTo=2026-03-01', 'createdTo'],
  ] as const) {
    expectError(await send(query), 400, 'unknown_parameter', field);
  }
  expectError(await send('status=pending,pending'), 400, 'invalid_status', 'status');
  const shown = ({ json: { data, pagination } }: HttpResponse) => [
    data.map(({ id }: { id: string }) => id),
    pagination,
  ];
  expect(shown(await send('status=pending'))).toEqual(shown(await list(api, resource, 'status=pending')));
});
