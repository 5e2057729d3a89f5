/** Tests that a run that ends early leaves the next one all rows that it has not tried. Takes a second. */
import { expect, test } from '@jest/globals';
import type { RowMatch } from '../../../shared/domain/statements/match-rows.ts';
import { tryInGroups } from '../../../shared/domain/statements/try-in-groups.ts';

const match = (day: number, invoiceId: string): RowMatch => ({
  row: { id: `row_${String(day).padStart(3, '0')}`, day: '2026-03-31', amount: 1 },
  invoiceId,
});

test('the next run begins with the first row that was not tried, also if a later invoice has it', async () => {
  // The first invoice has rows until the end. 60 others have a row each.
  const matches = [
    match(0, 'inv_0'),
    ...Array.from({ length: 60 }, (_, index) => match(index + 1, `inv_${index + 1}`)),
    match(99, 'inv_0'),
  ];
  const tried: string[] = [];
  const first = await tryInGroups(matches, async (groups) => {
    for (const { row } of groups.flat()) if (row.id !== 'row_099') tried.push(row.id);
    return groups.flat().filter(({ row }) => row.id === 'row_099');
  });
  expect(tried).toHaveLength(50);
  expect(first).toBe('row_050');
  const all: string[] = [];
  const end = await tryInGroups(matches, async (groups) => {
    all.push(...groups.flat().map(({ row }) => row.id));
    return [];
  });
  expect([end, all.length]).toEqual([undefined, matches.length]);
  expect(await tryInGroups([], async () => [])).toBeUndefined();
});
