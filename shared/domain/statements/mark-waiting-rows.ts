/**
 * Marks the rows of a statement that wait for a person, after the worker has let the others pay.
 *
 * - A mark is written on the condition that nobody has decided about the row, in one transaction with that check. So a decision of the
 *   same moment is before the mark, which is then not written, or after it, and deletes it.
 * - A payment of the worker costs nothing for the mark that another statement with the same row has. The worker deletes such marks here,
 *   on the condition that the row is still decided. A worker that begins again comes here again.
 */
import { env } from '../../base/env.ts';
import { type Owner, statementRowIdPrefix } from '../../base/ids.ts';
import { type Key, tableKeys } from '../../store/keys.ts';
import { leaveOutMalformed } from '../../store/left-out-items.ts';
import { queryAll } from '../../store/query-pages.ts';
import { parseOrError } from '../../store/stored-fields.ts';
import { type TransactionItem, writeTransaction } from '../../store/transactions.ts';
import { toWaitingRow, waitingRowItem } from '../payments/waiting-row.ts';
import { readUses } from './row-store.ts';
import { type BankStatement, isWaitingRow } from './statement.ts';
import type { StatementWithRows } from './statement-store.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** DynamoDB allows 100 actions, and a row needs two. */
const rowsPerTransaction = 50;

/** A change of a mark, and the state of the row that it needs. */
type MarkChange = readonly [check: TransactionItem, change: TransactionItem];

/** Marks the rows that wait, and deletes the marks of the others. Two calls, and one for 50 rows whose marks change. Calling it again is safe. */
export async function markWaitingRows(owner: Owner, { statement, rows }: StatementWithRows): Promise<void> {
  const [{ records: uses, malformed }, marked] = await Promise.all([
    readUses(owner, statement),
    readMarks(owner, statement),
  ]);
  const readable = [...new Map(rows.map((row) => [row.id, row])).values()].filter(
    ({ id }) => !malformed.has(id),
  );
  const changes = readable.flatMap((row): MarkChange[] => {
    const isWaiting = isWaitingRow(row, uses.get(row.id));
    if (isWaiting === marked.has(row.id)) return [];
    const use = tableKeys.rowUse(owner, row.id);
    return isWaiting
      ? [[check(use, 'attribute_not_exists(pk) OR #status = :open'), putMark(owner, row.id, statement)]]
      : [[check(use, '#status <> :open'), deleteMark(tableKeys.waitingRow(owner, row.id))]];
  });
  for (let start = 0; start < changes.length; start += rowsPerTransaction)
    await writeIfUnchanged(changes.slice(start, start + rowsPerTransaction));
}

async function readMarks(
  owner: Owner,
  { firstDay, lastDay }: Pick<BankStatement, 'firstDay' | 'lastDay'>,
): Promise<ReadonlySet<string>> {
  const at = (day: number) => tableKeys.waitingRow(owner, statementRowIdPrefix(day));
  const items = await queryAll({
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :end',
    ExpressionAttributeValues: {
      ':pk': at(0).pk,
      ':first': at(Date.parse(firstDay)).sk,
      ':end': at(Date.parse(lastDay) + dayMs).sk,
    },
  });
  return new Set(
    leaveOutMalformed(items.map((item) => parseOrError(item, toWaitingRow))).map(({ id }) => id),
  );
}

const check = (key: Key, condition: string): TransactionItem => ({
  ConditionCheck: {
    TableName: env.tableName(),
    Key: { ...key },
    ConditionExpression: condition,
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':open': 'open' },
  },
});

const putMark = (owner: Owner, id: string, statement: BankStatement): TransactionItem => ({
  Put: { TableName: env.tableName(), Item: waitingRowItem(owner, { id, statementId: statement.id }) },
});

const deleteMark = (key: Key): TransactionItem => ({
  Delete: { TableName: env.tableName(), Key: { ...key } },
});

/** Writes the changes whose rows are still as they were read. The decisions that came between have changed the other marks. */
async function writeIfUnchanged(changes: readonly MarkChange[]): Promise<void> {
  let remaining = changes;
  while (remaining.length > 0) {
    const result = await writeTransaction(remaining.flat());
    if (result.written) return;
    remaining = remaining.filter((_, index) => !result.failed[2 * index]?.failed);
  }
}
