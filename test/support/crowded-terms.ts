/** Lets the terms of a record lead to many more records, so that a filter finds too many to count. */
import type { TestItem, TestTable } from './table.ts';

/** Adds items beside the given ones. Each leads to a record that does not exist, and that was made some time before the real one. */
export async function crowdTerms(
  table: TestTable,
  entries: readonly TestItem[],
  from: number,
  to: number,
): Promise<void> {
  await table.putAll(
    entries.flatMap((entry) => {
      const [at = '', ofRecord = ''] = String(entry.sk).split('#');
      return Array.from({ length: to - from }, (_, index) => {
        const number = from + index;
        const [earlier, digits] = [Number(at) - 1000 - number, String(number).padStart(4, '0')];
        const other = `${ofRecord.slice(0, -digits.length)}${digits}`;
        return { ...entry, sk: `${String(earlier).padStart(at.length, '0')}#${other}` };
      });
    }),
  );
}
