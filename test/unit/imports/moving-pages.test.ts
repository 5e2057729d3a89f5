/** Tests that the page of each move names the columns that `remit import` reads, and says which ones are required. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { importColumns } from '../../../cli/import-columns.ts';
import { importKinds, importTools } from '../../../cli/import-records.ts';

const comparable = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Returns the required columns and the others, as the table `Columns` of a page shows them, in the order of the kinds. */
function shownColumns(tool: string): string[][][] {
  const page = readFileSync(`docs/use/moving-from-${tool}.md`, 'utf8');
  const table = page.split('\n## Columns\n')[1]?.split('\n## ')[0] ?? '';
  const rows = table.split('\n').filter((line) => line.startsWith('| ') && line.includes('`'));
  return rows.map((row) =>
    row
      .split('|')
      .slice(2, 4)
      .map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => comparable(name))),
  );
}

test.each(importTools)('the page of the move from %s has the columns of each file', (tool) => {
  const shown = shownColumns(tool);
  expect(shown).toHaveLength(importKinds.length);
  for (const [index, kind] of importKinds.entries()) {
    const { required, names } = importColumns[tool][kind];
    for (const part of [0, 1]) {
      const columns = shown[index]?.[part] ?? [];
      const fields = Object.entries(names).filter(([field]) => required.includes(field) === (part === 0));
      const read = fields.map(([field, candidates]) => [field, candidates.map(comparable)] as const);
      const left = read.filter(([, candidates]) => !candidates.some((name) => columns.includes(name)));
      const unread = columns.filter((name) => !read.some(([, candidates]) => candidates.includes(name)));
      expect({ kind, left: left.map(([field]) => field), unread }).toEqual({ kind, left: [], unread: [] });
    }
  }
});
