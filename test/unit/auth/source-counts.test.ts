/** Tests when the counts of source addresses are written, and how far several instances can exceed the limit. */
import { expect, test } from '@jest/globals';
import { SourceCounts } from '../../../shared/domain/auth/source-counts.ts';

const hourMs = 3_600_000;

test('requests are counted exactly, and written in batches of ten', () => {
  const counts = new SourceCounts();
  const added = Array.from({ length: 25 }, () => counts.add('network', 0));
  expect(added.map(({ known }) => known)).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
  expect(added.flatMap(({ toWrite }, index) => (toWrite > 0 ? [[index, toWrite]] : []))).toEqual([
    [9, 10],
    [19, 10],
  ]);
});

test('the counts of other instances are added, and those of the table never lower a count', () => {
  const counts = new SourceCounts();
  for (let count = 0; count < 12; count++) counts.add('network', 0);
  counts.learn('network', 500, 0);
  expect(counts.add('network', 0).known).toBe(503);
  counts.learn('network', 10, 0);
  expect(counts.add('network', 0).known).toBe(504);
});

test('a request can count as several, and batches can have another size', () => {
  const counts = new SourceCounts(100);
  expect(counts.add('network', 0, 60)).toEqual({ known: 60, toWrite: 0 });
  expect(counts.add('network', 0, 60)).toEqual({ known: 120, toWrite: 120 });
});

test('networks and clock hours have counts of their own', () => {
  const counts = new SourceCounts();
  counts.add('a', 0);
  counts.add('a', hourMs - 1);
  expect(counts.add('b', 0).known).toBe(1);
  expect(counts.add('a', hourMs).known).toBe(1);
});

test('the memory of an instance is bounded: it forgets the first of 10,001 networks', () => {
  const counts = new SourceCounts();
  for (let network = 0; network <= 10_000; network++) counts.add(String(network), 0);
  expect(counts.add('10000', 0).known).toBe(2);
  expect(counts.add('0', 0).known).toBe(1);
});

test.each([1, 3, 20])('%d instances together allow at most nine requests each beyond the limit', (size) => {
  const limit = 1_000;
  let stored = 0;
  const instances = Array.from({ length: size }, () => new SourceCounts());
  const isAllowed = (counts: SourceCounts) => {
    const { known, toWrite } = counts.add('network', 0);
    if (known > limit) return false;
    if (toWrite > 0) {
      stored = stored < limit ? stored + toWrite : limit + 1;
      counts.learn('network', stored, 0);
    }
    return Math.max(known, toWrite > 0 ? stored : 0) <= limit;
  };
  let allowed = 0;
  for (let round = 0; round < 2_000; round++)
    for (const instance of instances) if (isAllowed(instance)) allowed += 1;
  expect(allowed).toBeGreaterThanOrEqual(limit);
  expect(allowed).toBeLessThanOrEqual(limit + 9 * size);
});
