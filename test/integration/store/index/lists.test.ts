/** Tests that the rows of lists agree with filter and total, also if pages and records disagree. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../../../infra/local/stack.ts';
import type { Owner } from '../../../../shared/base/ids.ts';
import { tableKeys } from '../../../../shared/store/keys.ts';
import { addIndexEntry } from '../../../../shared/store/lists/pages/add-index-entries.ts';
import { type Api, invoiceBody, newAccount } from '../../../support/api.ts';
import { countUnits, sumOf } from '../../../support/capacity-units.ts';
import {
  type FaultHandler,
  injectFault,
  interceptCalls,
  respondWith,
} from '../../../support/intercept-calls.ts';
import { startTestStack } from '../../../support/stack.ts';
import { type TestTable, tableOf } from '../../../support/table.ts';
import { readWireBody, type WireResponse, withBody } from '../../../support/wire-call.ts';
import { listInvoices, midnight, putRecords, randomIdKeys, storeInvoices } from './listed-records.ts';

type Json = Readonly<Record<string, unknown>>;

let stack: Stack;
let table: TestTable;
let owner: Owner;
let api: Api;
let ids: string[];

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  // In these tests, only lists may repair pages.
  await stack.stream.pause();
});
beforeEach(async () => {
  const account = await newAccount(stack.baseUrl);
  owner = { account: account.accountId, mode: 'test' };
  api = account.test;
  ids = [];
  for (let amount = 1; amount <= 6; amount++) {
    ids.push((await api.post('/api/invoices', invoiceBody({ amount }))).json.id);
  }
});
afterAll(() => stack.close());

/** Changes only the record, as if its request had not updated the pages yet. */
const change = async (seq: number, status: string) => {
  const item = await table.get(tableKeys.record(ids[seq - 1] ?? ''));
  await table.put({ ...item, status, version: item?.version + 1 });
};
const list = async (query = '') => {
  const { data, pagination } = (await api.get(`/api/invoices${query}`)).json;
  return {
    seqs: data.map(({ amount }: { amount: number }) => amount),
    total: pagination.total,
    data,
    pagination,
  };
};
async function withFault<T>(fault: FaultHandler, work: () => Promise<T>): Promise<T> {
  const interception = interceptCalls(fault);
  try {
    return await work();
  } finally {
    interception.remove();
  }
}

test('a record that is ahead of its page counts with its own status, and other records fill the list', async () => {
  for (const seq of [6, 4, 3]) await change(seq, 'cancelled');
  expect(await list('?status=pending&limit=2')).toMatchObject({ seqs: [5, 2] });
  expect(await list('?status=pending&limit=2&offset=2')).toMatchObject({
    seqs: [1],
    total: 3,
    pagination: { hasMore: false },
  });
});

test('every row has the status of the filter, and the number of rows equals the total', async () => {
  for (const seq of [6, 5, 4, 3, 2, 1]) await change(seq, 'overdue');
  expect(await list('?status=pending&limit=3')).toMatchObject({ seqs: [], total: 0 });
  expect(await list('?status=overdue&limit=4&offset=1')).toMatchObject({ seqs: [5, 4, 3, 2], total: 6 });
});

test('a list that reads a record ahead of its page updates all pages of the record', async () => {
  await change(5, 'cancelled');
  expect(await list('?status=cancelled')).toMatchObject({ total: 0 });
  expect((await list()).data[1]).toMatchObject({ status: 'cancelled' });
  for (const filter of ['?status=cancelled', '?status=cancelled&customerId=cust_1']) {
    expect(await list(filter)).toMatchObject({ seqs: [5], total: 1 });
  }
  expect(await list('?status=pending')).toMatchObject({ seqs: [6, 4, 3, 2, 1], total: 5 });
});

test('records that are deleted but still in the index do not count, and other records fill the list', async () => {
  for (const seq of [6, 2]) await table.delete(tableKeys.record(ids[seq - 1] ?? ''));
  // The second round reads ahead, so it also finds that number 2 does not exist.
  expect(await list('?limit=3')).toMatchObject({ seqs: [5, 4, 3], total: 4 });
  expect(await list('?limit=10')).toMatchObject({
    seqs: [5, 4, 3, 1],
    total: 4,
    pagination: { hasMore: false },
  });
  // This list did not read number 6. So the number still counts, and the rows agree with that.
  expect(await list('?status=pending&offset=3')).toMatchObject({ seqs: [3, 1], total: 5 });
});

test('numbers without a record leave no gap', async () => {
  await addIndexEntry(owner, { resource: 'invoice', seq: 9, filterKeys: [], status: 'pending' });
  expect(await list('?limit=2')).toMatchObject({ seqs: [6, 5], total: 6, pagination: { hasMore: true } });
});

test('a record that one read does not find is read again before it counts as absent', async () => {
  const key = tableKeys.record(ids[5] ?? '');
  const item = await table.get(key);
  await table.delete(key);
  const late = injectFault(
    ({ operation }) => operation === 'BatchGetItem',
    async (_, send) => {
      const answer = await send();
      await table.put(item ?? {});
      return answer;
    },
  );
  expect(await withFault(late, () => list())).toMatchObject({ seqs: [6, 5, 4, 3, 2, 1], total: 6 });
  expect(late.left()).toBe(0);
});

test('keys that a batch read leaves unprocessed are read again', async () => {
  let remaining = 3;
  const unprocessed: FaultHandler = async (call, send) => {
    if (call.operation !== 'BatchGetItem' || remaining === 0) return send();
    remaining -= 1;
    return respondWith({ Responses: {}, UnprocessedKeys: JSON.parse(call.body).RequestItems });
  };
  expect(await withFault(unprocessed, () => list())).toMatchObject({ seqs: [6, 5, 4, 3, 2, 1], total: 6 });
  expect(remaining).toBe(0);
});

describe('while records leave a list', () => {
  const idKeys = randomIdKeys();
  const oldestFirst = Array.from({ length: 2_400 }, (_, index) => ({
    seq: index + 1,
    createdAt: midnight + index,
    currency: 'BTN' as const,
    status: (['pending', 'paid', 'cancelled'] as const)[index % 3] ?? 'pending',
    customer: 1,
    isWithoutFacts: false,
  }));
  const newestFirst = oldestFirst.toReversed();
  const mixed: Owner = { account: 'acc_leaving', mode: 'test' };
  beforeAll(() => storeInvoices(table, mixed, idKeys, oldestFirst));

  test.each([
    { limit: 20, leaving: [60, 60, 60, 60], most: 3 },
    { limit: 1, leaving: [210, 210, 210, 210], most: 4 },
    { limit: 100, leaving: [210, 210, 210, 210], most: 4 },
    { limit: 20, leaving: [1_000], most: 4 },
  ])(
    'a page of $limit has at most $most calls in sequence if before its reads leave $leaving',
    async ({ limit, leaving, most }) => {
      let left = 0;
      const leave = async (count: number) => {
        const next = newestFirst.slice(left, left + count).map((invoice) => ({ ...invoice, customer: 2 }));
        left += next.length;
        await putRecords(table, mixed, idKeys, next);
      };
      let sequence = 0;
      let open = 0;
      let arriving: Promise<void> | undefined;
      const counting = interceptCalls(async ({ operation }, send) => {
        if (open === 0) {
          sequence += 1;
          arriving = operation === 'BatchGetItem' ? leave(leaving[sequence - 2] ?? 0) : undefined;
        }
        open += 1;
        await arriving;
        return send().finally(() => {
          open -= 1;
        });
      });
      const query = { status: undefined, customer: 1, offset: 0, limit } as const;
      const { seqs } = await listInvoices(mixed, idKeys, query).finally(() => counting.remove());
      await putRecords(table, mixed, idKeys, newestFirst.slice(0, left));
      // Some rows can have left after the list has read them, but none before its first read of records.
      const newest = newestFirst.length - (leaving[0] ?? 0);
      expect(seqs).toHaveLength(limit);
      expect(seqs[0]).toBeLessThanOrEqual(newest);
      expect(seqs).toEqual(Array.from({ length: limit }, (_, index) => (seqs[0] ?? 0) - index));
      // A request makes one more call before, which authorizes it, together with the first.
      expect(sequence).toBeLessThanOrEqual(most);
    },
  );
});

test('a row that is cancelled costs half of a row that can change', async () => {
  const unitsOf = async () => {
    const units = countUnits(stack);
    await list();
    units.remove();
    return sumOf(units.take(), 'read');
  };
  const before = await unitsOf();
  for (const seq of [2, 3, 6]) await api.delete(`/api/invoices/${ids[seq - 1]}`);
  expect(await unitsOf()).toBe(before - 1.5);
});

/** What an eventually consistent read can return in place of the present item. */
const copies: readonly [name: string, copy: (item: Json) => Json | undefined][] = [
  ['an absent record', () => undefined],
  ['a status that can change', (item) => ({ ...item, status: { S: 'pending' }, amount: { N: '99' } })],
  ['lists of another customer', (item) => ({ ...item, filterKeys: { L: [] }, amount: { N: '99' } })],
];

test.each(copies)(
  'if a copy shows %s, the list reads the record again, strongly consistent',
  async (_, copy) => {
    for (const seq of [2, 3, 6]) await api.delete(`/api/invoices/${ids[seq - 1]}`);
    const isEventual = ({ operation, body }: { operation: string; body: string }) =>
      operation === 'BatchGetItem' && !body.includes('"ConsistentRead":true');
    const outdated = injectFault(isEventual, async (_call, send) => {
      const response = (await send()) as unknown as WireResponse;
      const { Responses, ...rest } = JSON.parse(await readWireBody(response)) as {
        Responses: Record<string, Json[]>;
      };
      const entries = Object.entries(Responses).map(([name, items]) => [
        name,
        items.flatMap((item) => copy(item) ?? []),
      ]);
      const text = JSON.stringify({ ...rest, Responses: Object.fromEntries(entries) });
      return withBody(response, text) as unknown as Awaited<ReturnType<typeof send>>;
    });
    const listed = await withFault(outdated, () => list('?customerId=cust_1&status=cancelled'));
    expect(listed).toMatchObject({ seqs: [6, 3, 2], total: 3 });
    expect(listed.data.map(({ status }: { status: string }) => status)).toEqual([
      'cancelled',
      'cancelled',
      'cancelled',
    ]);
    expect(outdated.left()).toBe(0);
  },
);

test('a list that begins after an answer shows its change, while other requests write', async () => {
  const seen: Promise<void>[] = [];
  const work = Array.from({ length: 15 }, async (_, index) => {
    const { id } = (await api.post('/api/invoices', invoiceBody({ amount: 100 + index }))).json;
    seen.push(list('?limit=100').then(({ seqs }) => expect(seqs).toContain(100 + index)));
    if (index % 2 === 0) return;
    await api.delete(`/api/invoices/${id}`);
    const cancelled = await list('?status=cancelled&limit=100');
    expect(cancelled.seqs).toContain(100 + index);
    expect(cancelled.total).toBe(cancelled.seqs.length);
  });
  await Promise.all(work);
  await Promise.all(seen);
  expect(await list('?status=cancelled')).toMatchObject({ total: 7 });
  expect(await list('?status=pending')).toMatchObject({ total: 14 });
});
