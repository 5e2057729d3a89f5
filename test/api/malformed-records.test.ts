/**
 * Writes each kind of record with each attribute missing and of another type, directly into the table. The record itself is neither
 * shown nor changed. Its neighbors in every list are as before.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { newestApiVersion } from '../../shared/domain/versions/versions.ts';
import { type Api, invoiceBody, listenToRequestLog, newAccount } from '../support/api.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';
import { untilRelayed } from '../support/until-relayed.ts';

const headers = { 'X-API-Version': newestApiVersion };

let stack: Stack;
let table: TestTable;
let owner: string;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  await listenToRequestLog();
  const account = await newAccount(stack.baseUrl);
  ({ test: api } = account);
  owner = account.accountId;
});
afterAll(() => stack?.close());

const post = async (path: string, body: object) => {
  const { status, json } = await api.post(path, body, { headers });
  expect({ path, status, json }).toMatchObject({ status: 201 });
  return json;
};

/** The records of a resource: the path of its list, how to make one, and a change of one. */
interface Kind {
  readonly path: string;
  readonly create: () => Promise<{ id: string }>;
  readonly change: (id: string) => Promise<{ status: number }>;
  readonly query?: string;
}

const newInvoice = () =>
  post('/api/invoices', invoiceBody({ metadata: { order: '1' }, reference: `r-${Math.random()}` }));
const newPayment = async () =>
  post('/api/payments', { invoiceId: (await newInvoice()).id, method: 'offline', reference: 'cash' });

const kinds: Readonly<Record<string, Kind>> = {
  invoice: {
    path: '/api/invoices',
    create: newInvoice,
    change: (id) => api.patch(`/api/invoices/${id}`, { amount: 77 }, { headers }),
  },
  payment: {
    path: '/api/payments',
    create: newPayment,
    change: (id) => api.post('/api/refunds', { paymentId: id, amount: 1 }, { headers }),
  },
  refund: {
    path: '/api/refunds',
    create: async () => post('/api/refunds', { paymentId: (await newPayment()).id, reason: 'why' }),
    change: (id) => api.get(`/api/refunds/${id}`, { headers }),
  },
  customer: {
    path: '/api/customers',
    create: () =>
      post('/api/customers', {
        name: 'Dorji',
        email: 'dorji@example.bt',
        address: { city: 'Thimphu' },
        taxIds: [{ type: 'in_gst', value: '1' }],
        metadata: { a: 'b' },
      }),
    change: (id) => api.patch(`/api/customers/${id}`, { name: 'Pema' }, { headers }),
  },
  webhook: {
    path: '/api/webhooks',
    create: () =>
      post('/api/webhooks', { url: 'https://example.com/hook', events: ['*'], metadata: { a: 'b' } }),
    change: (id) => api.patch(`/api/webhooks/${id}`, { description: 'other' }, { headers }),
  },
};

const keyAttributes = new Set(['pk', 'sk', 'account', 'mode', 'change']);

const findItem = async (id: string): Promise<TestItem> => {
  const items = id.startsWith('wh_') ? await table.all(`WEBHOOKS#${owner}`) : await table.all(id);
  const found = items.find(({ pk, sk }) => pk === id || sk === id);
  if (!found) throw new Error(`There is no item of ${id}.`);
  return found;
};

const list = async ({ path }: Kind, query = 'limit=100') => {
  const { status, json, headers: answered } = await api.get(`${path}?${query}`, { headers });
  return { status, ...json, warning: answered['remit-warning'] };
};

describe.each(Object.entries(kinds))('a malformed %s', (_, kind) => {
  test('harms only itself, whichever attribute it is', async () => {
    const older = await kind.create();
    const bad = await kind.create();
    const newer = await kind.create();
    await untilRelayed(table, `${owner}#test`);
    const before = await list(kind);
    const position = before.data.findIndex(({ id }: { id: string }) => id === bad.id);
    const others = before.data.filter(({ id }: { id: string }) => id !== bad.id);
    const item = await findItem(bad.id);
    const attributes = Object.keys(item).filter((name) => !keyAttributes.has(name));
    expect(attributes.length).toBeGreaterThan(8);
    for (const name of attributes) {
      for (const value of [undefined, { garbage: 1 }, typeof item[name] === 'number' ? 'lots' : 7]) {
        if (value === undefined && name in optionalAttributes) continue;
        const { [name]: _original, ...rest } = item;
        await table.put({ ...rest, ...(value !== undefined && { [name]: value }) });
        const label = { name, value };
        const shown = await list(kind);
        expect({ ...label, ...shown }).toMatchObject({
          ...label,
          status: 200,
          warning: `malformed_records ${bad.id}`,
          pagination: { total: before.pagination.total },
        });
        if (kind.path !== '/api/webhooks') {
          // A page of one row that would be this record is empty, and the next one follows it.
          const page = await list(kind, `limit=1&offset=${position}`);
          expect({ ...label, ...page }).toMatchObject({ status: 200, data: [], warning: expect.any(String) });
          expect(page.pagination.hasMore).toBe(true);
          expect((await list(kind, `limit=1&offset=${position + 1}`)).data).toEqual([
            before.data[position + 1],
          ]);
        }
        expect(shown.data).toEqual(others);
        const stored = await findItem(bad.id);
        expect({ ...label, ...(await api.get(`${kind.path}/${bad.id}`, { headers })).json }).toMatchObject({
          ...label,
          error: { code: 'record_unreadable' },
        });
        expect({ ...label, status: (await kind.change(bad.id)).status }).toEqual({ ...label, status: 500 });
        expect(await findItem(bad.id)).toEqual(stored);
      }
    }
    if ('currency' in item) {
      // Whether the filters match is not known, so the record counts.
      await table.put({ ...item, createdAt: 'now', currency: 'dollars' });
      const query = `limit=100&currency=${item.currency}&createdFrom=2020-01-01&createdTo=2090-01-01`;
      expect(await list(kind, query)).toMatchObject({
        data: others,
        pagination: { total: before.pagination.total },
        warning: `malformed_records ${bad.id}`,
      });
    }
    await table.put({ ...item, unknownAttribute: { from: 'a later version' } });
    expect(await list(kind)).toEqual(before);
    expect((await kind.change(bad.id)).status).toBeLessThan(300);
    expect((await findItem(bad.id)).unknownAttribute).toEqual({ from: 'a later version' });
    for (const { id } of [older, newer])
      expect((await api.get(`${kind.path}/${id}`, { headers })).status).toBe(200);
  });
});

/** The attributes that an item of this test has, and others do not. */
const optionalAttributes: Readonly<Record<string, true>> = {
  metadata: true,
  reference: true,
  paymentReference: true,
  receipt: true,
  receivedAt: true,
  refundedMinor: true,
  payerNote: true,
  apiVersion: true,
  source: true,
  isOffline: true,
  processedAt: true,
  processedVersion: true,
};
