/** Tests GET /api/invoices: order, filters, pagination, and that a list shows every write that was answered. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { type Api, invoiceBody, newAccount } from '../../support/api.ts';
import { expectHeaders } from '../../support/expectations.ts';
import { startTestStack } from '../../support/stack.ts';

let stack: Stack;
/** An account without invoices. */
let empty: Api;
beforeAll(async () => {
  stack = await startTestStack();
  ({ test: empty } = await newAccount(stack.baseUrl));
});
afterAll(() => stack.close());

const newApi = async () => (await newAccount(stack.baseUrl)).test;
const create = async (api: Api, fields: Record<string, unknown> = {}) =>
  (await api.post('/api/invoices', invoiceBody(fields))).json;
const list = (api: Api, query = '') => api.get(`/api/invoices${query && `?${query}`}`);
const idsOf = ({ json }: Awaited<ReturnType<typeof list>>): string[] =>
  json.data.map(({ id }: { id: string }) => id);
const page = (total: number, limit: number, offset: number, hasMore: boolean) => ({
  total,
  limit,
  offset,
  hasMore,
});
const lastOffset = Number.MAX_SAFE_INTEGER;

test('an empty list has exactly data and pagination, with the defaults', async () => {
  const response = await list(empty);
  expect(response.status).toBe(200);
  expectHeaders(response);
  expect(response.json).toEqual({ data: [], pagination: page(0, 20, 0, false) });
});

test('rows are whole invoices, newest first', async () => {
  const api = await newApi();
  const created = [];
  for (let amount = 1; amount <= 5; amount++) created.unshift(await create(api, { amount }));
  const { json } = await list(api);
  expect(json).toEqual({ data: created, pagination: page(5, 20, 0, false) });
});

test('an update keeps the position of an invoice, and the next list shows the update', async () => {
  const api = await newApi();
  const [one, two] = [await create(api), await create(api)];
  const { json } = await api.patch(`/api/invoices/${one.id}`, { amount: 9 });
  expect((await list(api)).json.data).toEqual([two, json]);
});

test('the list after each answered write shows that write in every total', async () => {
  const api = await newApi();
  const totals = async () => {
    const queries = [
      '',
      'status=pending',
      'status=cancelled',
      'customerId=cust_1',
      'customerId=cust_1&status=pending',
    ];
    return Promise.all(queries.map(async (query) => (await list(api, query)).json.pagination.total));
  };
  const first = await create(api);
  expect(await totals()).toEqual([1, 1, 0, 1, 1]);
  const second = await create(api);
  expect(await totals()).toEqual([2, 2, 0, 2, 2]);
  await create(api, { customerId: 'cust_2' });
  expect(await totals()).toEqual([3, 3, 0, 2, 2]);
  await api.delete(`/api/invoices/${first.id}`);
  expect(await totals()).toEqual([3, 2, 1, 2, 1]);
  await api.patch(`/api/invoices/${second.id}`, { amount: 1 });
  await api.delete(`/api/invoices/${second.id}`);
  expect(await totals()).toEqual([3, 1, 2, 2, 0]);
});

describe('filters', () => {
  const plus = 'tashi+inv@example.com';
  let api: Api;
  let ids: Record<string, string>;
  beforeAll(async () => {
    api = await newApi();
    ids = {};
    for (const customerId of ['Cust_1', 'cust_1', 'Tashi@Example.com', 'tashi@example.com', plus]) {
      ids[customerId] = (await create(api, { customerId })).id;
    }
    ids.cancelled = (await create(api, { customerId: 'cust_1' })).id;
    await api.delete(`/api/invoices/${ids.cancelled}`);
  });

  test.each([
    ['customerId=cust_1', ['cancelled', 'cust_1']],
    ['customerId=Cust_1', ['Cust_1']],
    ['customerId=CUST_1', []],
    ['customerId=tashi@example.com', ['tashi@example.com', 'Tashi@Example.com']],
    ['customerId=TASHI%40EXAMPLE.COM', ['tashi@example.com', 'Tashi@Example.com']],
    [`customerId=${encodeURIComponent(plus)}`, [plus]],
    [`customerId=${plus}`, [plus]],
    [`customerId=${encodeURIComponent(plus.toUpperCase())}`, [plus]],
    ['status=cancelled', ['cancelled']],
    ['status=pending', [plus, 'tashi@example.com', 'Tashi@Example.com', 'cust_1', 'Cust_1']],
    ['status=paid', []],
    ['status=overdue', []],
    ['status=pending&customerId=cust_1', ['cust_1']],
    ['customerId=cust_1&status=cancelled', ['cancelled']],
    ['status=cancelled&customerId=tashi@example.com', []],
    ['%73tatus=%63ancelled', ['cancelled']],
    ['&status=cancelled&', ['cancelled']],
  ])('%s finds %j', async (query, names) => {
    const response = await list(api, query);
    expect(idsOf(response)).toEqual(names.map((name) => ids[name]));
    expect(response.json.pagination).toEqual(page(names.length, 20, 0, false));
    const second = await list(api, `${query}&limit=1&offset=1`);
    expect(idsOf(second)).toEqual(names.slice(1, 2).map((name) => ids[name]));
    expect(second.json.pagination).toEqual(page(names.length, 1, 1, names.length > 2));
  });

  test.each([
    'nobody',
    'cust',
    'cust_10',
    '%20',
    'cust_1%20',
    '%20cust_1',
    'cust%5F2',
    'a/b',
    'no@body',
    '@',
    '%00',
    'cust_1%00',
    '*',
    "'--",
    '%F0%9F%98%80',
    '__proto__',
    'constructor',
    'undefined',
    'null',
    'cust_1,Cust_1',
    'c'.repeat(129),
    `${'x'.repeat(243)}@example.com`,
    'y'.repeat(255),
  ])('customerId=%s matches no invoice and returns an empty list', async (customerId) => {
    const response = await list(api, `customerId=${customerId}`);
    expect([response.status, response.json]).toEqual([200, { data: [], pagination: page(0, 20, 0, false) }]);
  });
});

describe('more invoices than one index page can contain', () => {
  const total = 300;
  let api: Api;
  let all: string[];
  const cancelled = new Set<string>();

  beforeAll(async () => {
    api = await newApi();
    const inParallel = async (count: number, work: (index: number) => Promise<unknown>) => {
      for (let done = 0; done < count; done += 50) {
        await Promise.all(
          Array.from({ length: Math.min(50, count - done) }, (_, index) => work(done + index)),
        );
      }
    };
    await inParallel(total, (index) =>
      create(api, { customerId: index % 3 === 0 ? 'a@example.com' : 'cust_1' }),
    );
    const pages = await Promise.all([0, 100, 200].map((offset) => list(api, `limit=100&offset=${offset}`)));
    all = pages.flatMap(idsOf);
    await inParallel(75, async (index) => {
      const id = all[index * 4] ?? '';
      cancelled.add(id);
      await api.delete(`/api/invoices/${id}`);
    });
  });

  test('all pages together contain every invoice once', () => {
    expect(all).toHaveLength(total);
    expect(new Set(all).size).toBe(total);
  });

  test('every offset returns the correct rows, total and hasMore', async () => {
    for (let start = 0; start <= total + 2; start += 20) {
      const offsets = Array.from({ length: 20 }, (_, index) => start + index);
      const answers = await Promise.all(offsets.map((offset) => list(api, `limit=2&offset=${offset}`)));
      expect(answers.map((answer) => [idsOf(answer), answer.json.pagination])).toEqual(
        offsets.map((offset) => [all.slice(offset, offset + 2), page(total, 2, offset, offset + 2 < total)]),
      );
    }
  });

  test.each([
    [100, 199],
    [100, 200],
    [100, 201],
    [100, 299],
    [100, 300],
    [100, 301],
    [1, 298],
    [1, 299],
    [1, 300],
    [20, 280],
    [20, 281],
    [7, 43],
    [7, 44],
    [7, 45],
    [100, 43],
    [100, lastOffset],
  ])('limit %i at offset %i', async (limit, offset) => {
    const answer = await list(api, `limit=${limit}&offset=${offset}`);
    const count = Math.min(limit, Math.max(0, total - offset));
    expect(idsOf(answer)).toEqual(all.slice(offset, offset + count));
    expect(answer.json.pagination).toEqual(page(total, limit, offset, offset + count < total));
  });

  test('filtered lists have the same order and their own totals, at any offset', async () => {
    for (const status of ['pending', 'cancelled']) {
      const matches = all.filter((id) => cancelled.has(id) === (status === 'cancelled'));
      for (const offset of [0, 1, 50, 74, 75, 150, 224, 225]) {
        const answer = await list(api, `status=${status}&limit=100&offset=${offset}`);
        expect(idsOf(answer)).toEqual(matches.slice(offset, offset + 100));
        expect(answer.json.pagination).toEqual(
          page(matches.length, 100, offset, offset + 100 < matches.length),
        );
      }
    }
    const one = await list(api, 'customerId=A@example.com&status=pending&limit=100');
    const rest = await list(api, 'customerId=A@example.com&status=cancelled&limit=100');
    expect(one.json.pagination.total + rest.json.pagination.total).toBe(100);
    expect(all.filter((id) => [...idsOf(one), ...idsOf(rest)].includes(id))).toHaveLength(100);
    expect(rest.json.data.every(({ status }: { status: string }) => status === 'cancelled')).toBe(true);
  });
});
