/** Reads what the pages of bank statements show. */
import { ApiError } from '../../../base/errors.ts';
import type { Owner } from '../../../base/ids.ts';
import { readPayment } from '../../../domain/payments/payment-store.ts';
import { readRowUse } from '../../../domain/payments/row-use-store.ts';
import { listRowsToDecide } from '../../../domain/statements/row-store.ts';
import type { BankStatement, ListRows, ShownRow } from '../../../domain/statements/statement.ts';
import {
  listStatementPage,
  readStatementIndex,
  readStatementWithRows,
  type StatementWithRows,
} from '../../../domain/statements/statement-store.ts';
import { readSellerSummary } from '../../../store/account-seller-store.ts';
import { readAccountUsage } from '../../../store/account-usage-store.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardRequest } from '../definitions.ts';

/** Reads one page of the list of statements. Two calls in sequence. */
export async function readStatements(
  request: DashboardRequest,
  query: { readonly offset: number; readonly limit: number },
) {
  const owner = requestOwnerOf(request);
  const [{ principal }, view] = await Promise.all([
    readAccountUsage(owner, request.context.now),
    readStatementIndex(owner),
  ]);
  return listStatementPage(principal, view, { ...query, isReadOnly: true });
}

/** Those that the form of an import knows. */
const newestStatements = { offset: 0, limit: 50 };

/** Reads the names of the banks of the newest statements, each once. */
export async function readBanks(request: DashboardRequest): Promise<string[]> {
  const { data } = await readStatements(request, newestStatements);
  return [...new Set(data.map(({ bank }) => bank))];
}

/** Reads how the columns of the newest file of a bank were read. Undefined: none of the newest statements says it. */
export async function readMapping(request: DashboardRequest, bank: string) {
  const { data } = await readStatements(request, newestStatements);
  return data.find((statement) => statement.bank === bank && statement.mapping)?.mapping ?? undefined;
}

/** Reads a statement with its rows. Undefined: the owner has none with this id. */
export async function findStatement(request: DashboardRequest): Promise<StatementWithRows | undefined> {
  try {
    return await readStatementWithRows(requestOwnerOf(request), request.params.id ?? '');
  } catch (error) {
    if (error instanceof ApiError && error.code === 'statement_not_found') return undefined;
    throw error;
  }
}

/** Reads rows with what came of them. Four calls in sequence with those of `findStatement`. */
export const readRows = (request: DashboardRequest, found: StatementWithRows, query: ListRows) =>
  listRowsToDecide(requestOwnerOf(request), found, query);

/** A row, and what its page says of its statement and of the account. */
export interface FoundRow {
  readonly statement: BankStatement;
  readonly row: ShownRow;
  /** The account gives up parts of invoices. */
  readonly writesOff: boolean;
}

/** Reads one row with what came of it. Undefined: the statement has no such row. */
export async function findRow(request: DashboardRequest): Promise<FoundRow | undefined> {
  const found = await findStatement(request);
  const rows = found?.rows.filter(({ id }) => id === request.params.row) ?? [];
  if (!found || rows.length === 0) return undefined;
  const owner = requestOwnerOf(request);
  const [{ data }, seller, invoices] = await Promise.all([
    readRows(request, { ...found, rows }, { offset: 0, limit: 1, status: undefined }),
    readSellerSummary(owner),
    readPresentInvoices(owner, request.params.row ?? ''),
  ]);
  const [row] = data;
  if (!row) return undefined;
  const payments = row.payments.map((each) => ({
    ...each,
    invoiceId: invoices.get(each.paymentId) ?? each.invoiceId,
  }));
  const shown = { ...row, payments };
  return { statement: found.statement, row: shown, writesOff: seller?.writeOffPercent !== undefined };
}

/**
 * Returns the invoice of each payment of a row. The row names the one that it has paid. If another payment of that invoice was voided, a new
 * invoice has replaced it and has the payments that were left. Two calls in sequence.
 */
async function readPresentInvoices(owner: Owner, rowId: string): Promise<ReadonlyMap<string, string>> {
  const { record: use } = await readRowUse(owner, rowId);
  const payments = await Promise.all(
    (use?.payments ?? []).map(({ paymentId }) => readPayment(owner, paymentId)),
  );
  return new Map(payments.flatMap(({ id, record }) => (record ? [[id, record.invoiceId] as const] : [])));
}
