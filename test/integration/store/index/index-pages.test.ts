/** Tests index pages: totals, statuses and offsets, and how many calls and write units they cost. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Stack } from '../../../../infra/local/stack.ts';
import type { Owner } from '../../../../shared/base/ids.ts';
import { pageSize, tableKeys } from '../../../../shared/store/keys.ts';
import { addIndexEntry, addMissingEntries } from '../../../../shared/store/lists/pages/add-index-entries.ts';
import { precedenceOf } from '../../../../shared/store/lists/pages/index-pages.ts';
import type { IndexView } from '../../../../shared/store/lists/pages/index-view.ts';
import { readIndex } from '../../../../shared/store/lists/pages/read-index.ts';
import { interceptCalls } from '../../../support/intercept-calls.ts';
import { startTestStack } from '../../../support/stack.ts';
import { type TestTable, tableOf } from '../../../support/table.ts';

const statuses = ['pending', 'overdue', 'paid', 'cancelled'] as const;
type Status = (typeof statuses)[number];
const resource = 'invoice';

let stack: Stack;
let table: TestTable;
let accounts = 0;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
});
afterAll(() => stack.close());

const newOwner = (): Owner => ({ account: `acct_${String(accounts++).padStart(16, '0')}`, mode: 'test' });
const add = (owner: Owner, seq: number, status: Status, filterKeys: string[] = []) =>
  addIndexEntry(owner, { resource, seq, filterKeys, status });

/** Computes without pages what a list must show: all numbers with their status of highest precedence, newest first. */
function naiveList(entries: readonly (readonly [number, Status])[], status?: Status): number[] {
  const highest = new Map<number, number>();
  for (const [seq, reached] of entries) {
    highest.set(seq, Math.max(highest.get(seq) ?? 0, precedenceOf(resource, reached)));
  }
  return [...highest]
    .filter(([, precedence]) => status === undefined || precedence === precedenceOf(resource, status))
    .map(([seq]) => seq)
    .sort((a, b) => b - a);
}

function expectList(
  view: IndexView,
  expected: number[],
  status: Status | undefined,
  offset: number,
  limit: number,
) {
  expect(view.select(status, offset, limit)).toEqual({
    total: expected.length,
    seqs: expected.slice(offset, offset + limit),
  });
}

const someEntries = fc.array(
  // Numbers around the edges of pages, and far apart.
  fc.tuple(
    fc.oneof(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 250, max: 262 }),
      fc.constantFrom(511, 512, 1023, 5000),
    ),
    fc.constantFrom(...statuses),
  ),
  { maxLength: 40, size: 'max' },
);
const someQuery = fc.record({
  status: fc.option(fc.constantFrom(...statuses), { nil: undefined }),
  offset: fc.oneof(fc.integer({ min: 0, max: 45 }), fc.constantFrom(1_000, Number.MAX_SAFE_INTEGER)),
  limit: fc.integer({ min: 1, max: 100 }),
});

test('totals, offsets and statuses equal those of a naive list, for any entries in any order', async () => {
  await fc.assert(
    fc.asyncProperty(
      someEntries,
      fc.array(fc.boolean(), { minLength: 3, maxLength: 7 }),
      fc.array(someQuery, { minLength: 5, maxLength: 5 }),
      async (entries, isByRelay, queries) => {
        const owner = newOwner();
        await Promise.all(
          entries.map(([seq, status], index) =>
            isByRelay[index % isByRelay.length]
              ? addMissingEntries(owner, [{ resource, seq, filterKeys: [], status }])
              : add(owner, seq, status),
          ),
        );
        const view = await readIndex(owner, resource, []);
        for (const { status, offset, limit } of queries) {
          expectList(view, naiveList(entries, status), status, offset, limit);
        }
      },
    ),
    { numRuns: 40 },
  );
});

test('an overlay on a view counts as if the pages had contained it', async () => {
  await fc.assert(
    fc.asyncProperty(
      someEntries,
      someEntries,
      someQuery,
      async (entries, overlays, { status, offset, limit }) => {
        const owner = newOwner();
        await Promise.all(entries.map(([seq]) => add(owner, seq, 'pending')));
        const view = await readIndex(owner, resource, []);
        const known = new Map<number, Status>(entries.map(([seq]) => [seq, 'pending']));
        for (const [seq, reached] of overlays) {
          if (!known.has(seq)) continue;
          view.overlay(seq, precedenceOf(resource, reached));
          known.set(seq, reached);
        }
        expectList(view, naiveList([...known], status), status, offset, limit);
      },
    ),
    { numRuns: 20 },
  );
});

test('adding an entry again, or one of lower precedence later, changes nothing', async () => {
  const owner = newOwner();
  for (const status of ['pending', 'overdue', 'cancelled', 'overdue', 'pending', 'pending'] as const) {
    await add(owner, 7, status, ['#customer#a']);
  }
  for (const filterKeys of [[], ['#customer#a']]) {
    const view = await readIndex(owner, resource, filterKeys);
    expect(view.precedenceAt(7)).toBe(precedenceOf(resource, 'cancelled'));
    expect(view.select(undefined, 0, 10)).toEqual({ total: 1, seqs: [7] });
    expect(view.select('pending', 0, 10)).toEqual({ total: 0, seqs: [] });
  }
});

test('several filters list only the records in all of their pages, each with its highest status in any page', async () => {
  const owner = newOwner();
  await add(owner, 1, 'pending', ['#a#1', '#b#1']);
  await add(owner, 2, 'pending', ['#a#1']);
  await add(owner, 3, 'pending', ['#b#1']);
  await add(owner, 300, 'pending', ['#a#1', '#b#1']);
  await add(owner, 600, 'pending', ['#b#1']);
  await table.put({
    ...tableKeys.indexPage(owner, resource, '#b#1', 1),
    c: new Set([Uint8Array.of(300 - 256)]),
    x: new Set([Uint8Array.of(300 - 256)]),
  });
  const view = await readIndex(owner, resource, ['#a#1', '#b#1']);
  expect(view.select(undefined, 0, 10)).toEqual({ total: 2, seqs: [300, 1] });
  expect(view.select('cancelled', 0, 10)).toEqual({ total: 1, seqs: [300] });
  expect((await readIndex(owner, resource, ['#b#1', '#a#1'])).select('pending', 0, 10).seqs).toEqual([1]);
});

test('accounts, modes and customers have separate lists', async () => {
  const owner = newOwner();
  await add(owner, 1, 'pending', ['#customer#a']);
  const others = [{ ...owner, mode: 'live' } as const, newOwner()];
  for (const other of others)
    expect((await readIndex(other, resource, [])).select(undefined, 0, 9).total).toBe(0);
  expect((await readIndex(owner, resource, ['#customer#b'])).select(undefined, 0, 9).total).toBe(0);
});

test('100 parallel additions to one page are all stored', async () => {
  const owner = newOwner();
  await Promise.all(Array.from({ length: 100 }, (_, index) => add(owner, index + 1, 'pending')));
  const view = await readIndex(owner, resource, []);
  expect(view.select(undefined, 0, 100)).toEqual({
    total: 100,
    seqs: Array.from({ length: 100 }, (_, index) => 100 - index),
  });
});

test('changing a full page costs one write unit, or two if all of its records have reached two statuses', async () => {
  const owner = newOwner();
  const all = new Set(Array.from({ length: pageSize }, (_, low) => Uint8Array.of(low)));
  const page = tableKeys.indexPage(owner, resource, '', 3);
  expect(await table.put({ ...page, c: all })).toBe(1);
  expect(await table.put({ ...page, c: all, p: all })).toBeLessThanOrEqual(2);
});

test('if one query does not return all pages, the rest is read in parallel ranges, each page once', async () => {
  const owner = newOwner();
  const pageCount = 400;
  // Makes each page as large as ten, so 400 pages represent 4,000.
  const ballast = 'x'.repeat(10_000);
  const low = Array.from({ length: pageSize }, (_, index) => Uint8Array.of(index));
  const evens = new Set(low.filter((_, index) => index % 2 === 0));
  const items = Array.from({ length: pageCount }, (_, page) => ({
    ...tableKeys.indexPage(owner, resource, '', page),
    c: new Set(low),
    x: evens,
    ballast,
  }));
  // Sequence numbers that were allocated but not used leave gaps.
  const isGap = (page: number) => page > 100 && page < 140;
  await table.putAll(items.filter((_, page) => !isGap(page)));
  const wire = interceptCalls();
  const view = await readIndex(owner, resource, []);
  wire.remove();

  const present = pageCount - 39;
  const top = pageCount * pageSize;
  expect(view.select(undefined, 0, 3)).toEqual({ total: present * 256, seqs: [top - 1, top - 2, top - 3] });
  expect(view.select('cancelled', present * 128 - 2, 5)).toEqual({ total: present * 128, seqs: [2, 0] });
  const afterGap = (pageCount - 140) * 128;
  expect(view.select('pending', afterGap - 1, 2).seqs).toEqual([140 * 256 + 1, 100 * 256 + 255]);
  // One query for the newest pages, then at least two ranges.
  expect(wire.calls.length).toBeGreaterThan(2);
  expect(wire.calls.length).toBeLessThanOrEqual(6);
  expect(
    wire.calls.every(({ operation, body }) => operation === 'Query' && JSON.parse(body).ConsistentRead),
  ).toBe(true);
});

test('the relay adds no status to pages that show a later one, and adds what they lack', async () => {
  const owner = newOwner();
  await add(owner, 1, 'paid');
  const written = async (status: Status, filterKeys: string[] = []) => {
    const interception = interceptCalls();
    await addMissingEntries(owner, [
      { resource, seq: 1, filterKeys, status, facts: { currency: 'USD', createdAt: 1 } },
    ]);
    interception.remove();
    return interception.calls.filter(({ operation }) => operation === 'UpdateItem').length;
  };
  // The currency.
  expect(await written('pending')).toBe(1);
  expect(await written('pending')).toBe(0);
  expect(await written('pending', ['#customer#1'])).toBe(1);
  expect(await written('cancelled')).toBe(1);
  expect((await readIndex(owner, resource, [])).select('cancelled', 0, 1)).toEqual({ total: 1, seqs: [1] });
  const page = await table.get(tableKeys.indexPage(owner, resource, '', 0));
  expect(Object.keys(page ?? {}).sort()).toEqual(['U', 'p', 'pk', 'sk', 'x']);
});
