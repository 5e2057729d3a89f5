/** Lists the rows of a statement with what came of them, and creates the commands by which people decide about a row. */
import { ApiError } from '../../base/errors.ts';
import { isRecordId, type Owner, statementRowIdPrefix } from '../../base/ids.ts';
import { paginationOf } from '../../base/pagination.ts';
import { type TableHash, tableHasher } from '../../platform/secrets/deployment-secret.ts';
import { Command } from '../../store/commit/command.ts';
import { tableKeys } from '../../store/keys.ts';
import { noteLeftOut } from '../../store/left-out-items.ts';
import { queryAll } from '../../store/query-pages.ts';
import { type FoundRecords, type LoadedRecord, readRecords } from '../../store/records.ts';
import { queryNewest } from '../../store/search/query-entries.ts';
import { termLookup } from '../../store/search/search-entries.ts';
import { MalformedItemError, parseOrError } from '../../store/stored-fields.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { invoiceType } from '../invoices/record.ts';
import { amountUsedOf, type DecidedRow, ignoreRow, type RowUse } from '../payments/row-use.ts';
import { parseRowUse } from '../payments/row-use-store.ts';
import {
  type BankStatement,
  type ListRows,
  rowStatusOf,
  type ShownIgnoredRow,
  type ShownRow,
  type StatementRow,
  showRow,
} from './statement.ts';
import type { StatementWithRows } from './statement-store.ts';
import { suggestInvoices } from './suggest.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** How many invoices with the amount of a row are compared with it, the newest ones. */
const maxOfAmount = 10;
const idsPerCall = 100;

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
 * Lists rows in the order in which they were sent, with the exact total. Rows that nobody has decided about have suggestions. Up to three
 * calls in sequence: what came of the rows, the invoices with their amounts, and those invoices.
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

/** Whether a person must decide about a row: money that came in, and that no invoice has. */
const isWaiting = ({ amount }: Pick<StatementRow, 'amount'>, use: RowUse | undefined): boolean =>
  amount > 0 && rowStatusOf(use) === 'unmatched';

/** Returns the rows that wait for a decision, and then all others. */
function waitingFirst({ rows, uses }: RowsWithUses): readonly StatementRow[] {
  const { waiting = [], others = [] } = Object.groupBy(rows, (row) =>
    isWaiting(row, uses.get(row.id)) ? 'waiting' : 'others',
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
  const candidates = await readCandidates(
    owner,
    page.filter((row) => isWaiting(row, uses.get(row.id))),
  );
  const data = page.map((row): ShownRow => {
    const use = uses.get(row.id);
    const left = rowStatusOf(use) === 'unmatched' ? row.amount - amountUsedOf(use) : 0;
    return showRow(row, use, suggestInvoices(row, left, candidates(row), statement.currency));
  });
  const pagination = paginationOf({ offset, limit, total: found.length, count: page.length });
  return { data, pagination, waiting: rows.filter((row) => isWaiting(row, uses.get(row.id))).length };
}

/** Reads the invoices that rows name, and those that have their amounts. Returns those of a row. */
async function readCandidates(
  owner: Owner,
  rows: readonly StatementRow[],
): Promise<(row: StatementRow) => Invoice[]> {
  const hash = await tableHasher();
  const amounts = [...new Set(rows.map(({ amount }) => amount))];
  const byAmount = new Map(
    await Promise.all(
      amounts.map(async (amount) => [amount, await findAmount(owner, hash, amount)] as const),
    ),
  );
  const idsOf = ({ amount, invoices = [] }: StatementRow) => [
    ...new Set([...invoices, ...(byAmount.get(amount) ?? [])]),
  ];
  const invoices = await readInvoicesById(owner, [...new Set(rows.flatMap(idsOf))]);
  return (row) => idsOf(row).flatMap((id) => invoices.get(id) ?? []);
}

async function findAmount(owner: Owner, hash: TableHash, amount: number): Promise<string[]> {
  const term = termLookup(hash, { kind: 'amount', value: String(amount) });
  const ids = await queryNewest(owner, term, 2 * maxOfAmount);
  return ids.filter((id) => isRecordId('invoice', id)).slice(0, maxOfAmount);
}

/** Reads invoices by id. Malformed ones are left out. */
export async function readInvoicesById(
  owner: Owner,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Invoice>> {
  const calls = Array.from({ length: Math.ceil(ids.length / idsPerCall) }, (_, index) =>
    readRecords(invoiceType, owner, ids.slice(index * idsPerCall, (index + 1) * idsPerCall)),
  );
  const found = await Promise.all(calls);
  for (const { malformed } of found) noteLeftOut(malformed.values());
  return new Map(found.flatMap(({ records }) => [...records]));
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

/** Creates the command that ignores a row. The command throws the errors of `ignoreRow`. */
export function ignoreRowCommand(
  owner: Owner,
  found: StatementWithRows,
  loaded: LoadedRecord<RowUse>,
): Command<[RowUse], ShownIgnoredRow> {
  const { decided } = requireRow(found, loaded.id);
  return new Command([loaded], (use) => {
    const change = ignoreRow(use, owner, decided);
    const { id, statementId } = decided;
    return {
      changes: [change],
      answer: { id, statementId, status: 'ignored' as const },
      auditedAs: statementId,
    };
  });
}
