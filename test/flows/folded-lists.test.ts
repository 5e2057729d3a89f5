/** Tests lists through HTTP while their index is folded: each answer equals what was written, with every filter. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { setClockOffset } from '../support/clock.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';

const options = { headers: { 'X-API-Version': '2026-11-23' } };
const customers = ['anna@example.com', 'bo@example.com'];
const hourMs = 3_600_000;

let stack: Stack;
let api: Api;
let account: string;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: hourMs });
  const created = await newAccount(stack.baseUrl);
  api = created.test;
  account = created.accountId;
});
afterAll(async () => {
  setClockOffset();
  await stack.close();
});

interface Row {
  readonly id: string;
  readonly status: string;
  readonly customerId: string;
  readonly currency: string;
}

/** The invoices, oldest first. */
const rows: Row[] = [];

async function expectLists(): Promise<void> {
  for (const status of [undefined, 'pending', 'paid', 'cancelled'])
    for (const customerId of [undefined, ...customers])
      for (const currency of [undefined, 'USD']) {
        const filters = Object.entries({ status, customerId, currency }).filter(
          ([, value]) => value !== undefined,
        );
        const query = new URLSearchParams({ ...Object.fromEntries(filters), limit: '7', offset: '2' });
        const matches = rows.filter((row) =>
          filters.every(([name, value]) => row[name as keyof Row] === value),
        );
        const { json } = await api.get(`/api/invoices?${query}`, options);
        expect(json.pagination.total).toBe(matches.length);
        expect(json.data.map(({ id, status: shown }: Row) => [id, shown])).toEqual(
          matches
            .toReversed()
            .slice(2, 9)
            .map(({ id, status: known }) => [id, known]),
        );
      }
}

async function foldAll(): Promise<void> {
  const { foldList } = await import('../../shared/operations/folding/fold-lists.ts');
  const lists = ['', ...(await filterKeys())].map((filterKey) => ({
    account,
    mode: 'test' as const,
    resource: 'invoice' as const,
    filterKey,
    volumes: [0],
  }));
  await Promise.all([...lists, ...lists].map((list) => foldList(list)));
}

async function filterKeys(): Promise<string[]> {
  const { customerFilterKey } = await import('../../shared/domain/invoices/record.ts');
  return Promise.all(customers.map((customer) => customerFilterKey(customer)));
}

test('lists are the same before, during and after folds', async () => {
  for (let number = 0; number < 120; number++) {
    const customerId = customers[number % 5 === 0 ? 1 : 0] ?? '';
    const currency = number % 4 === 0 ? 'USD' : 'BTN';
    const { json } = await api.post('/api/invoices', invoiceBody({ customerId, currency }));
    rows.push({ id: json.id, status: 'pending', customerId, currency });
  }
  const change = async (index: number, status: 'paid' | 'cancelled') => {
    const row = rows[index] as Row;
    if (status === 'cancelled') await api.delete(`/api/invoices/${row.id}`);
    else await api.post('/api/payments', { invoiceId: row.id, method: 'offline', reference: 'Receipt' });
    rows[index] = { ...row, status };
  };
  await expectLists();
  for (let hour = 0; hour < 4; hour++) {
    setClockOffset(() => hour * hourMs);
    await Promise.all([foldAll(), expectLists()]);
    for (const index of [hour * 10, hour * 10 + 3])
      await change(index, index % 2 === 0 ? 'paid' : 'cancelled');
    await expectLists();
  }
  setClockOffset(() => 5 * hourMs);
  await foldAll();
  await expectLists();
  const stored = (await tableOf(stack).all(`INDEX#${account}#test#invoice`)).map(({ sk }) => String(sk));
  expect(stored.filter((sk) => sk.startsWith('VOLUME#')).length).toBeGreaterThanOrEqual(2);
});
