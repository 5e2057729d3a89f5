/**
 * Tests lists with more volumes than one call reads: once an instance knows how many there are, it takes the totals of old
 * volumes, and the lists stay equal to a naive list.
 */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Stack } from '../../../../infra/local/stack.ts';
import type { Owner } from '../../../../shared/base/ids.ts';
import { statuses } from '../../../../shared/base/statuses.ts';
import { tableKeys, volumeSize } from '../../../../shared/store/keys.ts';
import { precedenceOf } from '../../../../shared/store/lists/pages/index-pages.ts';
import type { ListOrder } from '../../../../shared/store/lists/pages/index-view.ts';
import { readIndex, readListIndex } from '../../../../shared/store/lists/pages/read-index.ts';
import { newestVolumes } from '../../../../shared/store/lists/pages/read-list-items.ts';
import { removeIndexEntries } from '../../../../shared/store/lists/pages/remove-index-entries.ts';
import { foldVolume, settleMs } from '../../../../shared/store/lists/volumes/fold-volume.ts';
import { foldStoreOf } from '../../../../shared/store/lists/volumes/volume-store.ts';
import { countUnits, type UnitCounter } from '../../../support/capacity-units.ts';
import { setClock, stopClock, type TestClock } from '../../../support/clock.ts';
import { isExhaustive } from '../../../support/run.ts';
import { startTestStack } from '../../../support/stack.ts';
import { type TestTable, tableOf } from '../../../support/table.ts';
import {
  expectedList,
  filterKeyOf,
  type ListedInvoice,
  type ListedQuery,
  listInvoices,
  midnight,
  randomIdKeys,
  storeInvoices,
} from './listed-records.ts';

let stack: Stack;
let table: TestTable;
let units: UnitCounter;
let clock: TestClock;
/** The tests use one list, since its volumes take most of their time. */
let folded: Awaited<ReturnType<typeof newFoldedList>>;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  units = countUnits(stack);
  clock = stopClock();
  folded = await newFoldedList();
});
afterEach(() => setClock(clock.now));
afterAll(async () => {
  setClock();
  units.remove();
  await stack.close();
});

const owner: Owner = { account: 'acct_0000000000000000', mode: 'test' };
/** Six more than one call reads. */
const volumes = Array.from({ length: newestVolumes + 6 }, (_, volume) => volume);
const lists = ['', filterKeyOf(1)];
/** Two invoices of each volume. */
const someOfEach: readonly ListedInvoice[] = volumes.flatMap((volume) =>
  [3, 700].map((low) => ({
    seq: volume * volumeSize + low,
    createdAt: midnight + volume * 1000,
    currency: 'BTN',
    status: statuses.invoice[volume % statuses.invoice.length] ?? 'pending',
    customer: 1,
    isWithoutFacts: false,
  })),
);

/** Continues to fold volumes, with several folders at once. */
async function fold(some = volumes, folders = 2): Promise<void> {
  const stores = lists.map((filterKey) => foldStoreOf(owner, 'invoice', filterKey));
  const all = Array.from({ length: folders }, () => stores).flat();
  for (const volume of some)
    await Promise.all(all.map((store) => foldVolume(store, 'invoice', volume, clock.now, 1)));
}

/** Folds volumes until the pages of their entries are gone. */
async function foldToTheEnd(some = volumes) {
  await fold(some, 1);
  clock.advance(settleMs);
  await fold(some, 1);
}

async function newFoldedList() {
  const [idKeys, invoices] = [randomIdKeys(), [...someOfEach]];
  await storeInvoices(table, owner, idKeys, invoices);
  await foldToTheEnd();
  // Now this instance knows that the lists have many volumes.
  for (const list of lists) await readListIndex(owner, 'invoice', list === '' ? [] : [list]);
  return { idKeys, invoices };
}

const base: ListedQuery = { status: undefined, customer: undefined, offset: 0, limit: 5 };

test('only pages that begin in old volumes need a further call', async () => {
  const { idKeys, invoices } = folded;
  const callsOf = async (query: Partial<ListedQuery>) => {
    units.take();
    const asked = { ...base, ...query };
    expect(await listInvoices(owner, idKeys, asked)).toEqual(expectedList(invoices, asked));
    const calls = units.take();
    return {
      queries: calls.filter(({ operation }) => operation === 'Query').length,
      volumes: calls.flatMap(({ operation, items }) => (operation === 'Query' ? items : [])).length,
    };
  };
  // The newest volumes with one item of totals, and the pages, which are gone.
  const newest = { queries: 2, volumes: newestVolumes + 1 };
  expect(await callsOf({})).toEqual(newest);
  expect(await callsOf({ customer: 1, status: ['paid'], offset: 20 })).toEqual(newest);
  expect(await callsOf({ offset: 2 * newestVolumes - 5 })).toEqual(newest);
  expect(await callsOf({ offset: 2 * newestVolumes - 4 })).toEqual({
    queries: 3,
    volumes: newestVolumes + 2,
  });
  // Two volumes that are next to each other.
  expect(await callsOf({ offset: 2 * volumes.length - 4 })).toEqual({
    queries: 3,
    volumes: newestVolumes + 3,
  });
  expect(await callsOf({ limit: 4, order: 'oldest' })).toEqual({ queries: 3, volumes: newestVolumes + 3 });
  expect(await callsOf({ offset: 1000 })).toEqual(newest);
  // Entries in the page of an old volume.
  const index = invoices.findIndex(({ seq }) => seq === volumeSize + 3);
  invoices[index] = { ...(invoices[index] as ListedInvoice), status: 'cancelled' };
  await storeInvoices(table, owner, idKeys, [invoices[index]]);
  expect(await callsOf({ status: ['cancelled'] })).toEqual({ queries: 3, volumes: newestVolumes + 3 });
  // Filters that need each number read all volumes. Their currencies are items of their own.
  expect((await callsOf({ currency: 'USD' })).volumes).toBeGreaterThanOrEqual(2 * volumes.length);
  await foldToTheEnd([1]);
});

test('lists stay equal to a naive list while invoices change and folds go on', async () => {
  const { idKeys, invoices } = folded;
  const someQuery = fc.record({
    status: fc.option(fc.subarray([...statuses.invoice], { minLength: 1 }), { nil: undefined }),
    customer: fc.constantFrom(undefined, 1),
    offset: fc.nat(150),
    limit: fc.integer({ min: 1, max: 100 }),
    order: fc.constantFrom<ListOrder>('newest', 'oldest'),
  });
  const someChange = fc.record({
    position: fc.nat(invoices.length - 1),
    status: fc.constantFrom(...statuses.invoice),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(someQuery, { minLength: 4, maxLength: 4 }),
      fc.array(someChange, { maxLength: 4 }),
      async (queries, changes) => {
        const expectLists = async () => {
          for (const query of queries)
            expect(await listInvoices(owner, idKeys, query)).toEqual(expectedList(invoices, query));
        };
        for (const { position, status } of changes) {
          const invoice = invoices[position] as ListedInvoice;
          // Statuses only move forward. Sometimes a request repeats its write late.
          if (precedenceOf('invoice', status) >= precedenceOf('invoice', invoice.status))
            invoices[position] = { ...invoice, status };
          await storeInvoices(table, owner, idKeys, [invoices[position] as ListedInvoice]);
        }
        await expectLists();
        const changed = changes.map(({ position }) => Math.floor(position / 2));
        await Promise.all([fold(changed), expectLists()]);
        clock.advance(settleMs);
        await Promise.all([fold(changed), expectLists()]);
        await expectLists();
      },
    ),
    { numRuns: isExhaustive ? 12 : 4 },
  );
});

test('an erasure changes the totals with the volume', async () => {
  const list = filterKeyOf(1);
  const totalOf = async () => (await readListIndex(owner, 'invoice', [list])).select(undefined, 0, 0).total;
  expect(await totalOf()).toBe(2 * volumes.length);
  const erased = [3, volumeSize + 3, volumeSize + 700, 69 * volumeSize + 3];
  await Promise.all([removeIndexEntries(owner, 'invoice', list, erased), fold([0, 1, 69])]);
  expect(await totalOf()).toBe(2 * volumes.length - erased.length);
  const all = (await readIndex(owner, 'invoice', [list])).select(undefined, 0, 1_000);
  expect(all.total).toBe(2 * volumes.length - erased.length);
  expect(await table.get(tableKeys.volume(owner, 'invoice', list, 1))).toBeUndefined();
});
