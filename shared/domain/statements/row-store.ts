/** Lists the rows of a statement with what came of them, and creates the commands by which people decide about a row. */
import { ApiError } from '../../base/errors.ts';
import { isRecordId, type Owner, statementRowIdPrefix } from '../../base/ids.ts';
import { paginationOf } from '../../base/pagination.ts';
import { tableHasher } from '../../platform/secrets/deployment-secret.ts';
import { Command } from '../../store/commit/command.ts';
import { tableKeys } from '../../store/keys.ts';
import { noteLeftOut } from '../../store/left-out-items.ts';
import { queryAll } from '../../store/query-pages.ts';
import {
  type FoundRecords,
  type LoadedRecord,
  type NumberedRecord,
  type NumberedType,
  readRecords,
} from '../../store/records.ts';
import { queryNewest } from '../../store/search/query-entries.ts';
import { termLookup } from '../../store/search/search-entries.ts';
import { MalformedItemError, parseOrError } from '../../store/stored-fields.ts';
import { customerType } from '../customers/record.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { invoiceType } from '../invoices/record.ts';
import { isPayable } from '../invoices/transitions.ts';
import { amountUsedOf, type DecidedRow, ignoreRow, type RowUse } from '../payments/row-use.ts';
import { parseRowUse } from '../payments/row-use-store.ts';
import { markAfter } from '../payments/waiting-row.ts';
import { refundType } from '../refunds/record.ts';
import type { Refund } from '../refunds/refund.ts';
import {
  type BankStatement,
  isWaitingRow,
  type ListRows,
  rowStatusOf,
  type ShownIgnoredRow,
  type ShownRow,
  type StatementRow,
  showRow,
} from './statement.ts';
import type { StatementWithRows } from './statement-store.ts';
import { suggestInvoices, suggestRefunds } from './suggest.ts';

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
  const [candidates, refundsOf] = await Promise.all([
    readCandidates(owner, came ?? []),
    readRefunds(owner, went ?? []),
  ]);
  const nameOf = await readNames(owner, (came ?? []).flatMap(candidates));
  const data = page.map((row): ShownRow => {
    const use = uses.get(row.id);
    const left = rowStatusOf(use) === 'unmatched' ? row.amount - amountUsedOf(use) : 0;
    const { currency } = statement;
    const suggestions = suggestInvoices(row, left, candidates(row), currency, nameOf);
    return showRow(row, use, suggestions, suggestRefunds(row, refundsOf(row), currency));
  });
  const pagination = paginationOf({ offset, limit, total: found.length, count: page.length });
  return { data, pagination, waiting: rows.filter((row) => isWaitingRow(row, uses.get(row.id))).length };
}

/** Reads the invoices that rows name, and those that have their amounts. Returns those of a row. */
async function readCandidates(
  owner: Owner,
  rows: readonly StatementRow[],
): Promise<(row: StatementRow) => Invoice[]> {
  const byAmount = await findAmounts(owner, 'invoice', rows);
  const idsOf = ({ amount, invoices = [] }: StatementRow) => [
    ...new Set([...invoices, ...(byAmount.get(amount) ?? [])]),
  ];
  const invoices = await readInvoicesById(owner, [...new Set(rows.flatMap(idsOf))]);
  return (row) => idsOf(row).flatMap((id) => invoices.get(id) ?? []);
}

/** Reads the names of the customers of open invoices. Returns that of an invoice: of the buyer that it says itself, or else of its customer. */
async function readNames(
  owner: Owner,
  candidates: readonly Invoice[],
): Promise<(invoice: Invoice) => string | undefined> {
  const open = candidates.filter(isPayable);
  const ids = [...new Set(open.flatMap(({ buyer, customerId }) => (buyer ? [] : [customerId])))];
  const customers = await readById(customerType, owner, ids.filter(customerType.isId));
  return ({ buyer, customerId }) => buyer?.name ?? customers.get(customerId)?.name ?? undefined;
}

/** Reads the refunds that have the amounts of rows. Returns those of a row. */
async function readRefunds(
  owner: Owner,
  rows: readonly StatementRow[],
): Promise<(row: StatementRow) => Refund[]> {
  const byAmount = await findAmounts(owner, 'refund', rows);
  const refunds = await readById(refundType, owner, [...new Set([...byAmount.values()].flat())]);
  return ({ amount }) => (byAmount.get(amount) ?? []).flatMap((id) => refunds.get(id) ?? []);
}

/** Returns the ids of the newest records with the amount of each row, by the amount of the row. */
async function findAmounts(
  owner: Owner,
  resource: 'invoice' | 'refund',
  rows: readonly StatementRow[],
): Promise<ReadonlyMap<number, string[]>> {
  if (rows.length === 0) return new Map();
  const hash = await tableHasher();
  const amounts = [...new Set(rows.map(({ amount }) => amount))];
  return new Map(
    await Promise.all(
      amounts.map(async (amount) => {
        const term = termLookup(hash, { kind: 'amount', value: String(Math.abs(amount)) });
        const ids = await queryNewest(owner, term, 2 * maxOfAmount);
        return [amount, ids.filter((id) => isRecordId(resource, id)).slice(0, maxOfAmount)] as const;
      }),
    ),
  );
}

/** Reads invoices by id. Malformed ones are left out. */
export const readInvoicesById = (owner: Owner, ids: readonly string[]) => readById(invoiceType, owner, ids);

/** Reads records by id, 100 in each call. Malformed ones are left out. */
async function readById<T extends NumberedRecord>(
  type: NumberedType<T>,
  owner: Owner,
  ids: readonly string[],
): Promise<ReadonlyMap<string, T>> {
  const calls = Array.from({ length: Math.ceil(ids.length / idsPerCall) }, (_, index) =>
    readRecords(type, owner, ids.slice(index * idsPerCall, (index + 1) * idsPerCall)),
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
      ...(change && decided.amount > 0 && markAfter(change.record)),
    };
  });
}
