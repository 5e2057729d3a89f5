/**
 * Defines the mark of a row of a bank statement that waits for a person: money that came in, and that no invoice has. The overview counts
 * the marks.
 *
 * - The worker marks the rows that it could not let pay, and only if they still wait (`mark-waiting-rows.ts`).
 * - The transaction of each decision of a person, and of each void, writes or deletes the mark. So a row has its mark exactly while it
 *   waits, after every order of these changes.
 */
import type { Owner } from '../../base/ids.ts';
import type { Decision } from '../../store/commit/command.ts';
import { tableKeys } from '../../store/keys.ts';
import type { Item, RecordBase } from '../../store/records.ts';
import { defineItem, text } from '../../store/stored-fields.ts';
import type { RowUse } from './row-use.ts';

/** A row that waits. Of several statements with the row, one is named. */
export interface WaitingRow {
  readonly id: string;
  readonly statementId: string;
}

const parseWaitingRow = defineItem<Pick<WaitingRow, 'statementId'>>(({ sk }) => String(sk), {
  statementId: text,
});

/** Returns the mark in an item. @throws MalformedItemError */
export const toWaitingRow = (item: Item): WaitingRow => ({
  id: String(item.sk).split('#')[1] ?? '',
  ...parseWaitingRow(item),
});

/** Returns the item of a mark. */
export const waitingRowItem = (owner: Owner, { id, statementId }: WaitingRow): Item => ({
  ...tableKeys.waitingRow(owner, id),
  statementId,
});

/** Returns what a transaction does with the mark of a row of money that came in. @param use what came of the row after the transaction */
export const markAfter = (use: RowUse): Pick<Decision<RecordBase[], unknown>, 'puts' | 'deletes'> =>
  use.status === 'open'
    ? { puts: [waitingRowItem(use, use)] }
    : { deletes: [tableKeys.waitingRow(use, use.id)] };
