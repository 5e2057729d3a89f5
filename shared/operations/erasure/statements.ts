/** Erases the rows of bank statements that show the money of a customer. Days, amounts and what came of the rows stay. */
import { recordId } from '../../base/ids.ts';
import { fromRowsItem, storedRowsOf } from '../../domain/statements/record.ts';
import type { StatementRow } from '../../domain/statements/statement.ts';
import { readRowItems } from '../../domain/statements/statement-store.ts';
import { erasedText } from '../../store/field-erasure.ts';
import type { Item } from '../../store/records.ts';
import { rewriteItem } from '../../store/rewrite-item.ts';
import { mapInChunks, readAllocatedNumbers } from '../reconciliation/reconciliation-store.ts';
import type { RecordsOf, RecordsPass } from './records.ts';

const batchSize = 25;

/**
 * Erases the rows that made payments of the customer, in all statements that have them. Reads the rows of all statements of the account.
 * @returns how many rows changed
 * @throws MalformedItemError if the rows of a statement cannot be read
 */
export async function eraseStatementRows(
  { owner, dryRun }: RecordsOf,
  { rows }: Pick<RecordsPass, 'rows'>,
): Promise<number> {
  const numbers = await readAllocatedNumbers(owner);
  if (rows.size === 0 || !numbers) return 0;
  const ids = Array.from({ length: numbers.allocated.statement }, (_, index) =>
    recordId(numbers.idKeys.of(index + 1), { ...owner, resource: 'statement' }, index + 1),
  );
  const plan = (item: Item) => planErasure(item, rows);
  let changed = 0;
  await mapInChunks(ids, batchSize, async (chunk) => {
    for (const item of (await Promise.all(chunk.map(readRowItems))).flat()) {
      const before = fromRowsItem(item).filter((row) => needsErasure(row, rows)).length;
      if (before > 0 && (dryRun || (await rewriteItem(item, plan)))) changed += before;
    }
  });
  return changed;
}

const needsErasure = (row: StatementRow, ids: ReadonlySet<string>): boolean =>
  ids.has(row.id) && [row.reference, row.text, row.name].some((text) => (text ?? erasedText) !== erasedText);

function planErasure(item: Item, ids: ReadonlySet<string>): Item | undefined {
  const rows = fromRowsItem(item);
  if (!rows.some((row) => needsErasure(row, ids))) return undefined;
  const erase = (row: StatementRow): StatementRow => ({
    ...row,
    ...(row.reference !== undefined && { reference: erasedText }),
    ...(row.text !== undefined && { text: erasedText }),
    ...(row.name !== undefined && { name: erasedText }),
  });
  const erased = rows.map((row) => (needsErasure(row, ids) ? erase(row) : row));
  return { rows: storedRowsOf(erased) };
}
