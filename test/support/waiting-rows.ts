/** Compares the marks of rows of bank statements with the rows that wait. */
import { expect } from '@jest/globals';
import { tableKeys } from '../../shared/store/keys.ts';
import type { Api } from './api.ts';
import type { TestTable } from './table.ts';

/** Checks that exactly the rows that wait have a mark. All statements were tried. @param api of the newest version */
export async function expectMarksOfWaitingRows(
  account: string,
  { table, api }: { readonly table: TestTable; readonly api: Api },
): Promise<void> {
  const waiting = new Set<string>();
  const { data } = (await api.get('/api/statements?limit=100')).json;
  for (const { id } of data) {
    const { data: rows } = (await api.get(`/api/statements/${id}/rows?limit=100&status=unmatched`)).json;
    for (const row of rows) if (row.amount > 0) waiting.add(row.id);
  }
  const { pk, sk } = tableKeys.waitingRow({ account, mode: 'test' }, '');
  const marks = (await table.partition(pk)).filter((item) => item.sk.startsWith(sk));
  expect(marks.map((item) => item.sk.slice(sk.length))).toEqual([...waiting].sort());
}
