/**
 * Decides which rows pay invoices by themselves. Pure.
 *
 * - A row pays an invoice by itself if the payment reference of exactly one invoice is in it, and the amount fits what is due: it is all of
 *   it, or a part that the invoice accepts.
 * - People can have recorded the transfer already, with another name of the bank. So a row pays nothing by itself if they have recorded a
 *   payment of the invoice with the same amount or reference, which no row shows (`transfer.ts`).
 * - Two statements can have the same row with different names of the bank. So a row pays nothing by itself if another row with its
 *   reference, or without one with its amount and day, has paid a part of the invoice.
 * - Of a thousand references of banks, one has right check characters by chance. It names an invoice that does not exist, and counts
 *   for nothing.
 * - Several rows can name one invoice. The rows are tried in the order of their ids, which is that of their days. So the order of the
 *   rows in a file changes nothing, and neither does that of the invoices.
 */
import { ApiError } from '../../base/errors.ts';
import type { Currency } from '../../base/money.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { amountDueOf, type PartPayment } from '../invoices/received-money.ts';
import { isPayable } from '../invoices/transitions.ts';
import { payableAmountOf } from '../payments/payable-amount.ts';
import { isRecorded } from '../payments/transfer.ts';
import type { StatementRow } from './statement.ts';

/** A row that pays an invoice by itself. */
export interface RowMatch {
  readonly row: StatementRow;
  readonly invoiceId: string;
}

/** Returns the ids of the invoices that a row of money that came in names. Some may not exist. */
export const namedInvoicesOf = ({ amount, invoices = [] }: StatementRow): readonly string[] =>
  amount > 0 ? invoices : [];

/**
 * Returns the rows that pay by themselves, in the order in which they do.
 * @param rows those that nobody has decided about
 * @param invoices those that the rows name, by id
 * @param currency that of the rows
 * @param transferOf the keyed hash of the reference of a row, or an empty text
 */
export function matchRows(
  rows: readonly StatementRow[],
  invoices: ReadonlyMap<string, Invoice>,
  currency: Currency,
  transferOf: (row: StatementRow) => string,
): RowMatch[] {
  const present = new Map(invoices);
  const matches: RowMatch[] = [];
  for (const row of rows.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
    const [invoice, ...others] = namedInvoicesOf(row).flatMap((id) => present.get(id) ?? []);
    if (!invoice || others.length > 0 || !fits(invoice, row.amount, currency)) continue;
    const transfer = transferOf(row);
    if (isRecorded(invoice.parts, { ...row, transfer })) continue;
    matches.push({ row, invoiceId: invoice.id });
    present.set(invoice.id, withPart(invoice, row, transfer));
  }
  return matches;
}

/** Whether an invoice takes this amount as it is. */
export function fits(invoice: Invoice, amount: number, currency: Currency): boolean {
  if (!isPayable(invoice) || invoice.currency !== currency || amountDueOf(invoice) === 0) return false;
  try {
    return payableAmountOf(invoice, amount, 1) === amount;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Returns an invoice as a payment of a row leaves it, for the rows after it. */
function withPart(invoice: Invoice, { id, amount, day }: StatementRow, transfer: string): Invoice {
  const part: PartPayment = { paymentId: id, amount, transfer, shownOn: day };
  return { ...invoice, parts: [...(invoice.parts ?? []), part] };
}
