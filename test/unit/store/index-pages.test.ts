import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Stack } from '../../../infra/local/stack.ts';
import type { Owner } from '../../../shared/ids.ts';
import { addElement, type IndexView, rankOf, readIndex } from '../../../shared/store/index-pages.ts';
import { keys, pageSize } from '../../../shared/store/keys.ts';
import { intercept } from '../../support/faults.ts';
import { startTestStack } from '../../support/stack.ts';
import { type TestTable, tableOf } from '../../support/table.ts';

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
const add = (owner: Owner, seq: number, status: Status, dimensions: string[] = []) =>
  addElement(owner, { resource, seq, dimensions, status });

/** What a list must show, computed without pages: all numbers with their strongest state, newest first. */
function naive(elements: readonly (readonly [number, Status])[], status?: Status): number[] {
  const strongest = new Map<number, number>();
  for (const [seq, state] of elements) {
    strongest.set(seq, Math.max(strongest.get(seq) ?? 0, rankOf(resource, state)));
  }
  return [...strongest]
    .filter(([, rank]) => status === undefined || rank === rankOf(resource, status))
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

const someElements = fc.array(
  // Around the edges of pages, and pages apart.
  fc.tuple(
    fc.oneof(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 250, max: 262 }),
      fc.constantFrom(511, 512, 1023, 5000),
    ),
    fc.constantFrom(...statuses),
  ),
  { maxLength: 40 },
);
const someQuery = fc.record({
  status: fc.option(fc.constantFrom(...statuses), { nil: undefined }),
  offset: fc.oneof(fc.integer({ min: 0, max: 45 }), fc.constantFrom(1_000, Number.MAX_SAFE_INTEGER)),
  limit: fc.integer({ min: 1, max: 100 }),
});

test('totals, offsets and states are those of a naive list, whatever was added in whatever order', async () => {
  await fc.assert(
    fc.asyncProperty(
      someElements,
      fc.array(someQuery, { minLength: 5, maxLength: 5 }),
      async (elements, queries) => {
        const owner = newOwner();
        await Promise.all(elements.map(([seq, status]) => add(owner, seq, status)));
        const view = await readIndex(owner, resource, []);
        for (const { status, offset, limit } of queries) {
          expectList(view, naive(elements, status), status, offset, limit);
        }
      },
    ),
    { numRuns: 40 },
  );
});

test('what is laid over a view counts as if the pages had held it', async () => {
  await fc.assert(
    fc.asyncProperty(
      someElements,
      someElements,
      someQuery,
      async (elements, laid, { status, offset, limit }) => {
        const owner = newOwner();
        await Promise.all(elements.map(([seq]) => add(owner, seq, 'pending')));
        const view = await readIndex(owner, resource, []);
        const known = new Map<number, Status>(elements.map(([seq]) => [seq, 'pending']));
        for (const [seq, state] of laid) {
          if (!known.has(seq)) continue;
          view.lay(seq, rankOf(resource, state));
          known.set(seq, state);
        }
        expectList(view, naive([...known], status), status, offset, limit);
      },
    ),
    { numRuns: 20 },
  );
});

test('adding again, and adding a weaker state after a stronger one, changes nothing', async () => {
  const owner = newOwner();
  for (const status of ['pending', 'overdue', 'cancelled', 'overdue', 'pending', 'pending'] as const) {
    await add(owner, 7, status, ['#customer#a']);
  }
  for (const dimensions of [[], ['#customer#a']]) {
    const view = await readIndex(owner, resource, dimensions);
    expect(view.rank(7)).toBe(rankOf(resource, 'cancelled'));
    expect(view.select(undefined, 0, 10)).toEqual({ total: 1, seqs: [7] });
    expect(view.select('pending', 0, 10)).toEqual({ total: 0, seqs: [] });
  }
});

test('of several dimensions only what is in each of them exists, in the strongest state that any knows', async () => {
  const owner = newOwner();
  await add(owner, 1, 'pending', ['#a#1', '#b#1']);
  await add(owner, 2, 'pending', ['#a#1']);
  await add(owner, 3, 'pending', ['#b#1']);
  await add(owner, 300, 'pending', ['#a#1', '#b#1']);
  await add(owner, 600, 'pending', ['#b#1']);
  await table.put({
    ...keys.indexPage(owner, resource, '#b#1', 1),
    c: new Set([Uint8Array.of(300 - 256)]),
    x: new Set([Uint8Array.of(300 - 256)]),
  });
  const view = await readIndex(owner, resource, ['#a#1', '#b#1']);
  expect(view.select(undefined, 0, 10)).toEqual({ total: 2, seqs: [300, 1] });
  expect(view.select('cancelled', 0, 10)).toEqual({ total: 1, seqs: [300] });
  expect((await readIndex(owner, resource, ['#b#1', '#a#1'])).select('pending', 0, 10).seqs).toEqual([1]);
});

test('accounts, modes and customers have lists of their own', async () => {
  const owner = newOwner();
  await add(owner, 1, 'pending', ['#customer#a']);
  const others = [{ ...owner, mode: 'live' } as const, newOwner()];
  for (const other of others)
    expect((await readIndex(other, resource, [])).select(undefined, 0, 9).total).toBe(0);
  expect((await readIndex(owner, resource, ['#customer#b'])).select(undefined, 0, 9).total).toBe(0);
});

test('100 additions to one page at once all arrive', async () => {
  const owner = newOwner();
  await Promise.all(Array.from({ length: 100 }, (_, index) => add(owner, index + 1, 'pending')));
  const view = await readIndex(owner, resource, []);
  expect(view.select(undefined, 0, 100)).toEqual({
    total: 100,
    seqs: Array.from({ length: 100 }, (_, index) => 100 - index),
  });
});

test('a full page, all of whose records went through two states, costs one or two write units to change', async () => {
  const owner = newOwner();
  const all = new Set(Array.from({ length: pageSize }, (_, low) => Uint8Array.of(low)));
  const page = keys.indexPage(owner, resource, '', 3);
  expect(await table.put({ ...page, c: all })).toBe(1);
  expect(await table.put({ ...page, c: all, p: all })).toBeLessThanOrEqual(2);
});

test('more pages than one query returns are read in ranges in parallel, every one exactly once', async () => {
  const owner = newOwner();
  const pageCount = 400;
  // Makes a page as large as ten, so that 400 of them stand for 4,000.
  const ballast = 'x'.repeat(10_000);
  const low = Array.from({ length: pageSize }, (_, index) => Uint8Array.of(index));
  const evens = new Set(low.filter((_, index) => index % 2 === 0));
  const items = Array.from({ length: pageCount }, (_, page) => ({
    ...keys.indexPage(owner, resource, '', page),
    c: new Set(low),
    x: evens,
    ballast,
  }));
  // Gaps, as of numbers that were drawn in vain.
  const gap = (page: number) => page > 100 && page < 140;
  await table.putAll(items.filter((_, page) => !gap(page)));
  const wire = intercept();
  const view = await readIndex(owner, resource, []);
  wire.remove();

  const present = pageCount - 39;
  const top = pageCount * pageSize;
  expect(view.select(undefined, 0, 3)).toEqual({ total: present * 256, seqs: [top - 1, top - 2, top - 3] });
  expect(view.select('cancelled', present * 128 - 2, 5)).toEqual({ total: present * 128, seqs: [2, 0] });
  const afterGap = (pageCount - 140) * 128;
  expect(view.select('pending', afterGap - 1, 2).seqs).toEqual([140 * 256 + 1, 100 * 256 + 255]);
  // The newest pages, then at least two ranges.
  expect(wire.calls.length).toBeGreaterThan(2);
  expect(wire.calls.length).toBeLessThanOrEqual(6);
  expect(
    wire.calls.every(({ operation, body }) => operation === 'Query' && JSON.parse(body).ConsistentRead),
  ).toBe(true);
}, 60_000);
