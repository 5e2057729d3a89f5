/** Reads the statement of account of a customer for the days that a query names. */
import { isAnyDay } from '../../../base/due-date.ts';
import { ApiError } from '../../../base/errors.ts';
import { type AccountStatement, accountStatementsOf } from '../../../domain/account-statements/statement.ts';
import {
  readCustomerIndexes,
  readCustomerRecords,
} from '../../../domain/account-statements/statement-store.ts';
import { dayIn, instantIn } from '../../../domain/accounts/fiscal-year.ts';
import type { Customer } from '../../../domain/customers/customer.ts';
import { InvoiceNumbers } from '../../../domain/documents/invoice-number-store.ts';
import { addDays, type DayRange, rangeOf } from '../../../domain/journal/summarize.ts';
import { readAccountUsage } from '../../../store/account-usage-store.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardRequest } from '../definitions.ts';
import { findCustomer } from './customer-queries.ts';
import { statementTexts as texts } from './statement-texts.ts';

/** The statement of a customer, by currency. */
export interface CustomerStatement {
  readonly customer: Customer;
  readonly range: DayRange;
  /** What is wrong with the range that was asked for. Then the statement is that of the default range. */
  readonly error: string | undefined;
  /** Undefined: the customer has too many records. */
  readonly statements: readonly AccountStatement[] | undefined;
  /** The numbers of invoices, by their ids. */
  readonly numbers: ReadonlyMap<string, string>;
}

/** Reads the statement that the query asks for. Two calls in sequence, and two more if money was returned. */
export async function readAccountStatement(
  request: DashboardRequest,
): Promise<CustomerStatement | undefined> {
  const { context, params, query } = request;
  const { timeZone } = context;
  const owner = requestOwnerOf(request);
  const id = params.id ?? '';
  const [customer, { principal }, indexes] = await Promise.all([
    findCustomer(owner, id),
    readAccountUsage(owner, context.now),
    readCustomerIndexes(owner, id),
  ]);
  if (!customer) return undefined;
  const { range, error } = readRange(query, dayIn(timeZone, context.moment.account));
  const numbers = new InvoiceNumbers(owner);
  const records = await readCustomerRecords(principal, indexes, numbers.onRead);
  const from = instantIn(timeZone, range.from, 0);
  const until = instantIn(timeZone, addDays(range.to, 1), 0);
  const statements = records && accountStatementsOf(records, { from, until }, timeZone);
  const named = await numbers.of(records?.invoices.map((invoice) => invoice.id) ?? []);
  return { customer, range, error, statements, numbers: named };
}

/** Reads the days of a query. Without them, the range is the last twelve months. */
function readRange(query: URLSearchParams, today: string): { range: DayRange; error: string | undefined } {
  const dayIn = (name: string) => query.get(name)?.trim() || undefined;
  const asked = { by: 'month', currency: undefined } as const;
  const [from, to] = [dayIn('from'), dayIn('to')];
  const standard = rangeOf({ ...asked, from: undefined, to: undefined }, today);
  if ([from, to].some((day) => day !== undefined && !isAnyDay(day)))
    return { range: standard, error: texts.wrongDay };
  try {
    return { range: rangeOf({ ...asked, from, to }, today), error: undefined };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { range: standard, error: texts.wrongRange };
  }
}
