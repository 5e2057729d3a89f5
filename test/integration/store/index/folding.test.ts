/**
 * Tests lists whose pages are folded into volumes: they stay equal to a naive list at each step, for any records and filters,
 * and take fewer units.
 */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Stack } from '../../../../infra/local/stack.ts';
import type { Owner } from '../../../../shared/base/ids.ts';
import { statuses } from '../../../../shared/base/statuses.ts';
import { tableKeys, volumeSize } from '../../../../shared/store/keys.ts';
import { precedenceOf } from '../../../../shared/store/lists/pages/index-pages.ts';
import { readIndex } from '../../../../shared/store/lists/pages/read-index.ts';
import { removeIndexEntries } from '../../../../shared/store/lists/pages/remove-index-entries.ts';
import {
  readIndexPages,
  readLastPageNumber,
  readListedPages,
} from '../../../../shared/store/lists/pages/single-pages.ts';
import { foldVolume, settleMs } from '../../../../shared/store/lists/volumes/fold-volume.ts';
import { foldStoreOf } from '../../../../shared/store/lists/volumes/volume-store.ts';
import { countUnits, sumOf, type UnitCounter } from '../../../support/capacity-units.ts';
import { setClock, stopClock, type TestClock } from '../../../support/clock.ts';
import { startTestStack } from '../../../support/stack.ts';
import { type TestTable, tableOf } from '../../../support/table.ts';
import {
  expectedList,
  filterKeyOf,
  type ListedInvoice,
  listInvoices,
  midnight,
  randomIdKeys,
  someInvoices,
  someQuery,
  storeInvoices,
  toQuery,
} from './listed-records.ts';

let stack: Stack;
let table: TestTable;
let units: UnitCounter;
let clock: TestClock;
let accounts = 0;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  units = countUnits(stack);
  clock = stopClock();
});
afterEach(() => setClock(clock.now));
afterAll(async () => {
  setClock();
  units.remove();
  await stack.close();
});

const newOwner = (): Owner => ({ account: `acct_${String(accounts++).padStart(16, '0')}`, mode: 'test' });
const filterKeys = ['', ...[1, 2, 3].map(filterKeyOf)];
/** Continues to fold all lists of the test, with two folders at once. */
async function foldAll(owner: Owner, minBytes = 1): Promise<void> {
  const stores = filterKeys.map((filterKey) => foldStoreOf(owner, 'invoice', filterKey));
  await Promise.all(
    [...stores, ...stores].map((store) => foldVolume(store, 'invoice', 0, clock.now, minBytes)),
  );
}
const partition = (owner: Owner, filterKey = '') => tableKeys.indexPage(owner, 'invoice', filterKey, 0).pk;
const itemsOf = async (owner: Owner, filterKey = '') =>
  (await table.all(partition(owner, filterKey)))
    .filter(({ pk }) => pk === partition(owner, filterKey))
    .map(({ sk }) => String(sk));

test('lists stay equal to a naive list before, between and after folds, for any records and filters', async () => {
  const someChange = fc.record({ position: fc.nat(200), status: fc.constantFrom(...statuses.invoice) });
  await fc.assert(
    fc.asyncProperty(
      someInvoices(),
      fc.array(someQuery, { minLength: 3, maxLength: 3 }),
      fc.array(fc.array(someChange, { maxLength: 10 }), { minLength: 4, maxLength: 4 }),
      async (initial, queries, changes) => {
        const [owner, idKeys] = [newOwner(), randomIdKeys()];
        const invoices = [...initial];
        await storeInvoices(table, owner, idKeys, invoices);
        const expectLists = async () => {
          for (const query of queries.map((each) => toQuery(each, invoices)))
            expect(await listInvoices(owner, idKeys, query)).toEqual(expectedList(invoices, query));
        };
        for (const some of changes) {
          // Folds and reads at the same time.
          await Promise.all([foldAll(owner), expectLists()]);
          for (const { position, status } of some) {
            const [index, invoice] = [
              position % Math.max(1, invoices.length),
              invoices[position % Math.max(1, invoices.length)],
            ];
            // Statuses only move forward.
            if (!invoice || precedenceOf('invoice', status) < precedenceOf('invoice', invoice.status))
              continue;
            invoices[index] = { ...invoice, status };
            await storeInvoices(table, owner, idKeys, [invoices[index]]);
          }
          clock.advance(settleMs);
          await expectLists();
        }
      },
    ),
    { numRuns: 25 },
  );
});

/** Invoices in the first two volumes, each created five minutes after the one before. */
const manyInvoices = (count: number): ListedInvoice[] =>
  Array.from({ length: count }, (_, index) => ({
    seq: index + 1,
    createdAt: midnight + index * 300_000,
    currency: index % 5 === 0 ? 'USD' : 'BTN',
    status: index % 8 === 0 ? 'pending' : 'paid',
    customer: 1,
    isWithoutFacts: false,
  }));

test('a folded list has no pages, takes few units, and shows changes at once', async () => {
  const [owner, idKeys] = [newOwner(), randomIdKeys()];
  const invoices = manyInvoices(3_000);
  await storeInvoices(table, owner, idKeys, invoices);
  const query = { status: ['pending'], customer: undefined, offset: 100, limit: 5 };
  const day = { createdFrom: midnight + 5 * 86_400_000, createdTo: midnight + 6 * 86_400_000 };
  const expectLists = async () => {
    for (const filter of [
      {},
      { currency: 'USD' },
      day,
      { ...day, currency: 'BTN', status: undefined, offset: 3 },
    ] as const)
      expect(await listInvoices(owner, idKeys, { ...query, ...filter })).toEqual(
        expectedList(invoices, { ...query, ...filter }),
      );
  };
  const unitsOfList = async () => {
    units.take();
    await readIndex(owner, 'invoice', []);
    return sumOf(units.take(), 'read');
  };
  const before = await unitsOfList();
  await expectLists();
  await foldAll(owner);
  expect(await unitsOfList()).toBeGreaterThanOrEqual(before);
  await expectLists();
  clock.advance(settleMs - 1);
  await foldAll(owner);
  expect((await itemsOf(owner)).filter((sk) => sk.startsWith('PAGE#'))).toHaveLength(12);
  clock.advance(1);
  await foldAll(owner);
  for (const filterKey of ['', filterKeyOf(1)])
    expect(await itemsOf(owner, filterKey)).toEqual([
      'CREATED#0000000000',
      'CURRENCIES#0000000000',
      'VOLUME#0000000000',
      'VOLUMES#0000000000',
    ]);
  expect(await unitsOfList()).toBe(1);
  units.take();
  await expectLists();
  // Facts come from the volume, so no page gets them again.
  expect(sumOf(units.take(), 'write')).toBe(0);
  invoices[700] = { ...(invoices[700] as ListedInvoice), status: 'cancelled' };
  await storeInvoices(table, owner, idKeys, [invoices[700]]);
  await expectLists();
});

test('single pages show what volumes hold, and what pages add', async () => {
  const [owner, idKeys] = [newOwner(), randomIdKeys()];
  await storeInvoices(table, owner, idKeys, manyInvoices(600));
  const read = async () => ({
    pages: [...(await readListedPages(owner, 'invoice', 1, 2))].map(([page, held]) => [page, ...held]).sort(),
    lists: [...(await readIndexPages(owner, 'invoice', 1, filterKeys))]
      .map(([list, held]) => [list, ...held])
      .sort(),
    last: await readLastPageNumber(owner, 'invoice'),
  });
  const before = await read();
  expect(before.last).toBe(2);
  for (let hour = 0; hour < 2; hour++) {
    await foldAll(owner);
    expect(await read()).toEqual(before);
    clock.advance(settleMs);
  }
  const one = manyInvoices(600)[511] as ListedInvoice;
  await storeInvoices(table, owner, idKeys, [{ ...one, status: 'cancelled' }]);
  const after = await read();
  expect(after).not.toEqual(before);
  expect(after.last).toBe(2);
});

test('two volumes and the pages of a third one make one list', async () => {
  const [owner, idKeys] = [newOwner(), randomIdKeys()];
  const around = [5, volumeSize - 1, volumeSize, 2 * volumeSize - 1, 2 * volumeSize, 2 * volumeSize + 300];
  const invoices = manyInvoices(around.length).map((invoice, index) => ({
    ...invoice,
    seq: around[index] ?? 0,
  }));
  await storeInvoices(table, owner, idKeys, invoices);
  const store = foldStoreOf(owner, 'invoice', '');
  for (let hour = 0; hour < 2; hour++) {
    for (const volume of [0, 1]) await foldVolume(store, 'invoice', volume, clock.now, 1);
    for (const filter of [{}, { createdFrom: midnight + 300_000, createdTo: midnight + 1_500_000 }]) {
      const query = { status: undefined, customer: undefined, offset: 0, limit: 10, ...filter };
      expect(await listInvoices(owner, idKeys, query)).toEqual(expectedList(invoices, query));
    }
    clock.advance(settleMs);
  }
  expect((await itemsOf(owner)).filter((sk) => sk.startsWith('PAGE#'))).toHaveLength(2);
});

test('an erased number leaves the volume, and a folder that had read it does not add it again', async () => {
  const [owner, idKeys] = [newOwner(), randomIdKeys()];
  const list = filterKeyOf(1);
  await storeInvoices(table, owner, idKeys, manyInvoices(40));
  const store = foldStoreOf(owner, 'invoice', list);
  const total = async () => (await readIndex(owner, 'invoice', [list])).select(undefined, 0, 99).total;
  await foldVolume(store, 'invoice', 0, clock.now, 1);
  await storeInvoices(table, owner, idKeys, manyInvoices(60).slice(40));
  clock.advance(settleMs);
  // The folder is interrupted between its reads and its write.
  const interrupted = {
    ...store,
    readPages: async (volume: number) => {
      const pages = await store.readPages(volume);
      await removeIndexEntries(owner, 'invoice', list, [7, 48, 50]);
      return pages;
    },
  };
  await foldVolume(interrupted, 'invoice', 0, clock.now, 1);
  expect(await total()).toBe(57);
  for (let hour = 0; hour < 3; hour++) {
    await foldVolume(store, 'invoice', 0, clock.now, 1);
    expect(await total()).toBe(57);
    clock.advance(settleMs);
  }
  const rest = manyInvoices(60).map(({ seq }) => seq);
  await removeIndexEntries(owner, 'invoice', list, rest);
  expect(await total()).toBe(0);
  // Creation times and counts name no customer.
  expect((await itemsOf(owner, list)).filter((sk) => !sk.startsWith('CREATED#'))).toEqual([
    'VOLUMES#0000000000',
  ]);
});

test('a page or a volume with an attribute of a newer version is left alone', async () => {
  const [owner, idKeys] = [newOwner(), randomIdKeys()];
  await storeInvoices(table, owner, idKeys, manyInvoices(10));
  const key = tableKeys.indexPage(owner, 'invoice', '', 0);
  const page = await table.get(key);
  await table.put({ ...page, ...key, z: new Set([Uint8Array.of(3)]) });
  await foldAll(owner);
  expect(await itemsOf(owner)).toEqual(['PAGE#0000000000']);
  await table.put({ ...page, ...key });
  await foldAll(owner);
  const volume = await table.get(tableKeys.volume(owner, 'invoice', '', 0));
  await table.put({ ...volume, ...tableKeys.volume(owner, 'invoice', '', 0), sets: 'zopx' });
  clock.advance(settleMs);
  await foldAll(owner);
  expect(await itemsOf(owner)).toContain('PAGE#0000000000');
  // The records exist in any case, and the page still says what this version knows.
  expect((await readIndex(owner, 'invoice', [])).select(undefined, 0, 99).total).toBe(10);
});

test('an index of more than one megabyte is read in several queries, before, between and after folds', async () => {
  const owner = newOwner();
  const all = new Set(Array.from({ length: 256 }, (_, low) => Uint8Array.of(low)));
  const count = 2_000;
  await table.putAll(
    Array.from({ length: count }, (_, page) => ({
      ...tableKeys.indexPage(owner, 'invoice', '', page),
      c: all,
      [page % 2 === 0 ? 'p' : 'x']: all,
    })),
  );
  const expectTotals = async () => {
    const view = await readIndex(owner, 'invoice', []);
    expect(view.select(undefined, count * 256 - 1, 5)).toEqual({ total: count * 256, seqs: [0] });
    expect(view.select('cancelled', 0, 1)).toEqual({ total: (count / 2) * 256, seqs: [count * 256 - 1] });
  };
  await expectTotals();
  const store = foldStoreOf(owner, 'invoice', '');
  for (const volumes of [[20, 21, 31], Array.from({ length: 32 }, (_, volume) => volume)]) {
    for (const volume of volumes) await foldVolume(store, 'invoice', volume, clock.now);
    await expectTotals();
    clock.advance(settleMs);
  }
  for (let volume = 0; volume <= 31; volume++) await foldVolume(store, 'invoice', volume, clock.now);
  await expectTotals();
  expect((await itemsOf(owner)).filter((sk) => sk.startsWith('PAGE#'))).toEqual([]);
});
