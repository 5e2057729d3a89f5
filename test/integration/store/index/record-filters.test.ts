/**
 * Tests lists with filters by status, currency and creation time. Compares them with a naive list, for random records whose
 * facts the index pages may lack, and whose numbers are not quite in the order of creation.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Stack } from '../../../../infra/local/stack.ts';
import { queues } from '../../../../infra/triggers.ts';
import type { Owner } from '../../../../shared/base/ids.ts';
import type { IdKeys } from '../../../../shared/store/account-state.ts';
import { tableKeys } from '../../../../shared/store/keys.ts';
import { maxDisorderMs, type RecordFilter } from '../../../../shared/store/lists/filters/record-matcher.ts';
import { countUnits, sumOf, type UnitCounter } from '../../../support/capacity-units.ts';
import { isExhaustive } from '../../../support/run.ts';
import { startTestStack } from '../../../support/stack.ts';
import { type TestTable, tableOf } from '../../../support/table.ts';
import {
  expectedList,
  type ListedInvoice,
  type ListedQuery,
  listInvoices,
  midnight,
  randomIdKeys,
  someInvoices,
  someQuery,
  storeInvoices,
  toQuery,
} from './listed-records.ts';

const dayMs = 86_400_000;

let stack: Stack;
let table: TestTable;
let units: UnitCounter;
let accounts = 0;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  units = countUnits(stack);
});
afterAll(async () => {
  units.remove();
  await stack.close();
});

const newOwner = (): Owner => ({ account: `acct_${String(accounts++).padStart(16, '0')}`, mode: 'test' });

test.each([
  ['the real time', 0, isExhaustive ? 60 : 8],
  ['a clock that is 31 days ahead', 31 * dayMs, isExhaustive ? 30 : 4],
])(
  'totals and rows equal those of a naive list, for any records, filters and pages: %s',
  async (_, aheadMs, numRuns) => {
    await fc.assert(
      fc.asyncProperty(
        someInvoices(aheadMs),
        fc.array(someQuery, { minLength: 6, maxLength: 6 }),
        fc.boolean(),
        async (invoices, queries, isReadOnly) => {
          const [owner, idKeys] = [newOwner(), randomIdKeys()];
          await storeInvoices(table, owner, idKeys, invoices);
          for (const query of queries.map((each) => toQuery(each, invoices))) {
            expect(await listInvoices(owner, idKeys, query, { isReadOnly, aheadMs })).toEqual(
              expectedList(invoices, query),
            );
          }
        },
      ),
      { numRuns },
    );
  },
);

/** 20 days with 256 invoices each, from the first day on. Every fifth invoice is in another currency. */
const perDay = 256;
const manyInvoices = (isWithoutFacts: boolean): ListedInvoice[] =>
  Array.from({ length: 20 * perDay }, (_, index) => ({
    seq: index + 1,
    createdAt: midnight + Math.floor((index * dayMs) / perDay),
    currency: index % 5 === 0 ? 'USD' : 'BTN',
    status: index % 2 === 0 ? 'paid' : 'pending',
    customer: 1,
    isWithoutFacts,
  }));
const day = (first: number, last = first): RecordFilter => ({
  createdFrom: midnight + first * dayMs,
  createdTo: midnight + (last + 1) * dayMs,
});
const base = { status: undefined, customer: undefined, offset: 0, limit: 20 };

/** Lists, and returns the number of index pages and records that were read. */
async function countReads(
  owner: Owner,
  idKeys: IdKeys,
  invoices: readonly ListedInvoice[],
  query: ListedQuery,
) {
  units.take();
  expect(await listInvoices(owner, idKeys, query)).toEqual(expectedList(invoices, query));
  const calls = units.take();
  const itemsOf = (operation: string) =>
    calls.filter((call) => call.operation === operation).flatMap(({ items }) => items).length;
  return {
    operations: [...new Set(calls.map(({ operation }) => operation))],
    calls: calls.length,
    pages: itemsOf('Query'),
    records: itemsOf('BatchGetItem'),
    read: sumOf(calls, 'read'),
    write: sumOf(calls, 'write'),
  };
}

test('a range reads only the pages of its days, and few other records', async () => {
  const [owner, idKeys, invoices] = [newOwner(), randomIdKeys(), manyInvoices(false)];
  await storeInvoices(table, owner, idKeys, invoices);
  const cold = await countReads(owner, idKeys, invoices, { ...base, ...day(7) });
  // One item with the times of 32 pages, then the page of the day, and the one in which the day ends. Besides the pages, the
  // volumes and their times are read, which do not exist here. Paid and cancelled rows have a call of their own.
  expect(cold).toMatchObject({ operations: ['Query', 'BatchGetItem'], calls: 6, write: 0 });
  expect(cold.pages).toBeLessThanOrEqual(1 + 2);
  // The rows, and fewer than 16 records on each side of each of the two midnights.
  expect(cold.records).toBeLessThanOrEqual(20 + 3 * 16);
  for (const [range, pages] of [
    [day(7), 2],
    [day(0), 2],
    [day(3, 5), 4],
    [day(19), 2],
    [day(10, 19), 11],
    [{ createdTo: midnight + dayMs }, 2],
  ] as const) {
    const warm = await countReads(owner, idKeys, invoices, { ...base, ...range });
    expect(warm).toMatchObject({ operations: ['Query', 'BatchGetItem'], calls: 5, write: 0 });
    expect(warm.pages).toBeLessThanOrEqual(pages);
    const paid = { ...base, ...range, currency: 'USD', status: ['paid', 'overdue'], offset: 5 } as const;
    expect(await countReads(owner, idKeys, invoices, paid)).toMatchObject({ calls: 5, pages: warm.pages });
  }
});

test('records without facts in their pages are found, and read for their facts only once', async () => {
  const [owner, idKeys, invoices] = [newOwner(), randomIdKeys(), manyInvoices(true)];
  await storeInvoices(table, owner, idKeys, invoices);
  const first = await countReads(owner, idKeys, invoices, { ...base, ...day(7) });
  // Some at even distances, and then those around the two midnights.
  expect(first.records).toBeLessThan(600);
  const query = { ...base, ...day(7), currency: 'USD' } as const;
  expect((await countReads(owner, idKeys, invoices, query)).write).toBeGreaterThan(0);
  const again = await countReads(owner, idKeys, invoices, query);
  expect(again).toMatchObject({ operations: ['Query', 'BatchGetItem'], calls: 6, write: 0 });
  expect(again.records).toBeLessThanOrEqual(20 + 3 * 16);
  expect(again.pages).toBeLessThanOrEqual(3);
  const all = await countReads(owner, idKeys, invoices, { ...base, currency: 'USD' });
  expect(all.write).toBeGreaterThan(0);
  expect(await countReads(owner, idKeys, invoices, { ...base, currency: 'USD' })).toMatchObject({
    operations: ['Query', 'BatchGetItem'],
    calls: 4,
    records: 20,
    write: 0,
  });
});

test('a function that creates records ends before the disorder of numbers and times is too large', () => {
  const clockDifferenceMs = 45_000;
  for (const queue of ['payment', 'checkout', 'refund'] as const) {
    const timeoutMs = (queues[queue].visibilityTimeoutSeconds / 2) * 1000;
    expect(timeoutMs + 2 * clockDifferenceMs).toBeLessThanOrEqual(maxDisorderMs);
  }
});

test('a full page with the facts of all records costs one write unit', async () => {
  const [owner, idKeys] = [newOwner(), randomIdKeys()];
  const invoices = manyInvoices(false).slice(0, 511);
  await storeInvoices(table, owner, idKeys, invoices);
  const paid = invoices.map((invoice) => ({ ...invoice, status: 'cancelled' as const }));
  await storeInvoices(table, owner, idKeys, paid);
  units.take();
  await storeInvoices(table, owner, idKeys, paid.slice(-2, -1));
  const pages = units
    .take()
    .filter(({ operation }) => operation === 'UpdateItem')
    .flatMap(({ items }) => items);
  expect(pages).toHaveLength(2);
  expect(await table.get(tableKeys.indexPage(owner, 'invoice', '', 1))).toMatchObject({
    T: new Set(Array.from({ length: 16 }, () => expect.any(Uint8Array))),
  });
});
