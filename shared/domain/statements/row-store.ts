/** Lists the rows of a statement with what came of them. */
import { ApiError } from '../../base/errors.ts';
import { type Owner, statementRowIdPrefix } from '../../base/ids.ts';
import { paginationOf } from '../../base/pagination.ts';
import { tableKeys } from '../../store/keys.ts';
import { noteLeftOut } from '../../store/left-out-items.ts';
import { queryAll } from '../../store/query-pages.ts';
import type { FoundRecords } from '../../store/records.ts';
import { MalformedItemError, parseOrError } from '../../store/stored-fields.ts';
import { isPayable } from '../invoices/transitions.ts';
import { amountUsedOf, type DecidedRow, type RowUse } from '../payments/row-use.ts';
import { parseRowUse } from '../payments/row-use-store.ts';
import { readCandidates, readNames, readRecorded, readWentOut } from './row-candidates.ts';
import {
  type BankStatement,
  isWaitingRow,
  type ListRows,
  rowStatusOf,
  type ShownRow,
  type StatementRow,
  showRow,
} from './statement.ts';
import type { StatementWithRows } from './statement-store.ts';
import { suggestInvoices, suggestRecorded, suggestRefunds, suggestReturned } from './suggest.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** Reads what came of the rows of a statement, by row, and which of it is malformed. One call, strongly consistent. */
export async function readUses(
  owner: Owner,
  { firstDay, lastDay }: Pick<BankStatement, 'firstDay' | 'lastDay'>,
): Promise<FoundRecords<RowUse>> {
  const items = await queryAll({
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :end',
    ExpressionAttributeValues: {
      ':pk': tableKeys.rowUse(owner, '').pk,
      ':first': statementRowIdPrefix(Date.parse(firstDay)),
      ':end': statementRowIdPrefix(Date.parse(lastDay) + dayMs),
    },
  });
  const parsed = items.map(
    (item) => [String(item.sk), parseOrError(item, () => parseRowUse(owner, item))] as const,
  );
  return {
    records: new Map(parsed.flatMap(([id, use]) => (use instanceof MalformedItemError ? [] : [[id, use]]))),
    malformed: new Map(parsed.flatMap(([id, use]) => (use instanceof MalformedItemError ? [[id, use]] : []))),
  };
}

/**
 * Lists rows in the order in which they were sent, with the exact total. Rows that nobody has decided about have suggestions. Up to four
 * calls in sequence: what came of the rows, the invoices with their amounts, those invoices, and the names of their customers.
 */
export async function listRows(owner: Owner, found: StatementWithRows, query: ListRows) {
  const { data, pagination } = await listRowsToDecide(owner, found, query, ({ rows }) => rows);
  return { data, pagination };
}

/** The rows of a statement, and what came of them. */
interface RowsWithUses {
  readonly rows: readonly StatementRow[];
  readonly uses: ReadonlyMap<string, RowUse>;
}

/** Returns the rows that wait for a decision, and then all others. */
function waitingFirst({ rows, uses }: RowsWithUses): readonly StatementRow[] {
  const { waiting = [], others = [] } = Object.groupBy(rows, (row) =>
    isWaitingRow(row, uses.get(row.id)) ? 'waiting' : 'others',
  );
  return [...waiting, ...others];
}

/** Lists rows as `listRows` does, those that wait for a decision first, with how many wait. @param order another order of the rows */
export async function listRowsToDecide(
  owner: Owner,
  { statement, rows }: StatementWithRows,
  { status, offset, limit }: ListRows,
  order: (known: RowsWithUses) => readonly StatementRow[] = waitingFirst,
) {
  const { records: uses, malformed } = await readUses(owner, statement);
  noteLeftOut(malformed.values());
  const found = order({ rows, uses }).filter(
    ({ id }) => status === undefined || rowStatusOf(uses.get(id)) === status,
  );
  const page = found.slice(offset, offset + limit);
  const undecided = page.filter(({ id }) => rowStatusOf(uses.get(id)) === 'unmatched');
  const [came, went] = [1, -1].map((sign) => undecided.filter(({ amount }) => Math.sign(amount) === sign));
  const [candidates, wentOf] = await Promise.all([
    readCandidates(owner, came ?? []),
    readWentOut(owner, went ?? []),
  ]);
  const [nameOf, recordedOf] = await Promise.all([
    readNames(
      owner,
      (came ?? []).flatMap((row) => candidates(row).invoices),
    ),
    readRecorded(owner, came ?? [], candidates),
  ]);
  const data = page.map((row): ShownRow => {
    const use = uses.get(row.id);
    const left = rowStatusOf(use) === 'unmatched' ? row.amount - amountUsedOf(use) : 0;
    const { currency } = statement;
    const { invoices, named: ids } = candidates(row);
    const named = { ...row, invoices: ids };
    const recordedPayments = suggestRecorded(named, left, recordedOf(row), currency);
    // Money that is recorded already is no more money of a paid invoice.
    const open = recordedPayments.length > 0 ? invoices.filter(isPayable) : invoices;
    return showRow(row, use, {
      suggestions: suggestInvoices(named, left, open, currency, nameOf),
      recordedPayments,
      refunds: suggestRefunds(row, wentOf(row).refunds, currency),
      returnedPayments: suggestReturned(row, wentOf(row).payments, currency),
    });
  });
  const pagination = paginationOf({ offset, limit, total: found.length, count: page.length });
  return { data, pagination, waiting: rows.filter((row) => isWaitingRow(row, uses.get(row.id))).length };
}

/** Returns a row of a statement. @throws ApiError `row_not_found` */
export function requireRow(
  { statement, rows }: StatementWithRows,
  id: string,
): { readonly row: StatementRow; readonly decided: DecidedRow } {
  const row = rows.find((each) => each.id === id);
  if (!row) throw new ApiError('row_not_found');
  return { row, decided: { id, statementId: statement.id, amount: row.amount } };
}
