/**
 * Defines the bank statement: rows that say which money came and went, and the schemas of the requests and responses of its endpoints.
 * `match-rows.ts` decides which rows pay invoices by themselves.
 */
import * as v from 'valibot';
import { isDay } from '../../base/due-date.ts';
import { idPatternOf } from '../../base/ids.ts';
import { amountSchema, type Currency, currencySchema, maxAmount } from '../../base/money.ts';
import { paginationQuery } from '../../base/pagination.ts';
import { statuses } from '../../base/statuses.ts';
import { identifierText, typedText } from '../../base/text.ts';
import { type AccountTime, timestampSchema, toTimestamp } from '../../base/time.ts';
import type { NumberedRecord } from '../../store/records.ts';
import { invoiceIdSchema } from '../invoices/invoice.ts';
import { paymentIdSchema } from '../payments/payment.ts';
import { amountUsedOf, type RowRefund, type RowUse } from '../payments/row-use.ts';
import {
  type ColumnMapping,
  columnMappingSchema,
  newColumnMappingSchema,
  showColumnMapping,
} from './column-mapping.ts';

/** How many rows a request has at most. A file can have more. */
export const maxRows = 500;

/** A row as the service stores it. What nobody has sent is left out. */
export interface StatementRow {
  readonly id: string;
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** In the smallest unit of the currency. Negative: the money went out of the account. */
  readonly amount: number;
  readonly reference?: string | undefined;
  readonly text?: string | undefined;
  readonly name?: string | undefined;
  /** The invoices whose payment references are in the row. */
  readonly invoices?: readonly string[] | undefined;
}

/** The statement as the service stores it. Its rows are beside it. */
export interface BankStatement extends NumberedRecord<'statement'> {
  /** The bank, or the account at the bank. */
  readonly bank: string;
  readonly currency: Currency;
  readonly rowCount: number;
  /** How many items have its rows. */
  readonly rowItems: number;
  /** The earliest and the latest day of a row, as `YYYY-MM-DD`. */
  readonly firstDay: string;
  readonly lastDay: string;
  /** A worker has tried all rows with smaller ids. */
  readonly triedUntil?: string | undefined;
  /** How the columns of its file were read. */
  readonly mapping?: ColumnMapping | undefined;
  readonly createdAt: AccountTime;
  readonly updatedAt: AccountTime;
}

const rowsMessage = `rows must be a list of 1 to ${maxRows} rows. Send a longer statement as a file.`;
const fileMessage = 'file must be the ID of a file that you have uploaded, in the form file_….';
const rowMessage = 'A row must be an object with day and amount.';
const dayMessage = 'day must be a day that exists, such as 2026-03-31.';
const rowAmountMessage = `amount must be an integer from 1 to ${maxAmount} in the smallest currency unit, or negative for money that went out.`;
const rowStatuses = ['unmatched', 'matched', 'ignored'] as const;
const rowStatusMessage = `status must be one of ${rowStatuses.join(', ')}.`;

/** A row in requests. Reference and text come from the bank, so they can look like a card number. */
export const newRowSchema = v.strictObject(
  {
    day: v.pipe(
      v.string(dayMessage),
      v.check((text) => isDay(text), dayMessage),
    ),
    amount: v.pipe(
      v.number(rowAmountMessage),
      v.integer(rowAmountMessage),
      v.minValue(-maxAmount, rowAmountMessage),
      v.maxValue(maxAmount, rowAmountMessage),
      v.check((amount) => amount !== 0, rowAmountMessage),
    ),
    reference: v.nullish(identifierText('reference', 255)),
    text: v.nullish(identifierText('text', 500)),
    name: v.nullish(typedText('name', 200)),
  },
  rowMessage,
);

/** The ID of a file that a client has uploaded. */
export const fileIdSchema = v.pipe(v.string(fileMessage), v.regex(idPatternOf('file'), fileMessage));

export const createStatementBody = v.strictObject({
  bank: typedText('bank', 100),
  currency: currencySchema,
  rows: v.nullish(
    v.pipe(
      v.array(newRowSchema, rowsMessage),
      v.minLength(1, rowsMessage),
      v.maxLength(maxRows, rowsMessage),
    ),
  ),
  file: v.nullish(fileIdSchema),
  mapping: v.nullish(newColumnMappingSchema),
});

export const listStatementsQuery = v.strictObject(paginationQuery);

export const listRowsQuery = v.strictObject({
  ...paginationQuery,
  status: v.optional(v.picklist(rowStatuses, rowStatusMessage)),
});

export type NewRow = v.InferOutput<typeof newRowSchema>;
export type CreateStatement = v.InferOutput<typeof createStatementBody>;
/** A new statement, with the rows of a request or of a file. */
export type NewStatement = Omit<CreateStatement, 'rows' | 'file'> & { readonly rows: readonly NewRow[] };
export type ListRows = v.InferOutput<typeof listRowsQuery>;

const statementId = v.pipe(v.string(), v.regex(idPatternOf('statement')));
const rowId = v.pipe(v.string(), v.regex(idPatternOf('statementRow')));
const shownText = v.nullable(v.string());
const sum = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** The statement in responses. It always has all of these fields. */
export const statementSchema = v.strictObject({
  id: statementId,
  status: v.picklist(statuses.statement),
  bank: v.string(),
  currency: currencySchema,
  rowCount: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  firstDay: v.string(),
  lastDay: v.string(),
  mapping: v.nullable(columnMappingSchema),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});

/** Why a row could be the payment of an invoice, strongest first. */
export const suggestionReasons = ['payment_reference', 'amount_and_name', 'amount_and_date'] as const;
export type SuggestionReason = (typeof suggestionReasons)[number];

/** A payment that a row made, whose money it shows, or whose money the bank has taken back with it, in responses. */
export const rowPaymentSchema = v.strictObject({
  paymentId: paymentIdSchema,
  invoiceId: invoiceIdSchema,
  amount: amountSchema,
});

/** An invoice that a row could pay, in responses. */
export const suggestionSchema = v.strictObject({
  invoiceId: invoiceIdSchema,
  reason: v.picklist(suggestionReasons),
  name: shownText,
  amountDue: sum,
});

/** Why a row could be the money of a payment, strongest first. */
export const recordedReasons = ['reference', 'payment_reference', 'amount_and_date'] as const;

/** A payment whose money a row could be, in responses. */
export const recordedPaymentSchema = v.strictObject({
  paymentId: paymentIdSchema,
  invoiceId: invoiceIdSchema,
  reason: v.picklist(recordedReasons),
  amount: amountSchema,
  receivedOn: shownText,
  statementRow: v.nullable(rowId),
});

/** A refund that money that went out is, or could be, in responses. */
export const refundSuggestionSchema = v.strictObject({
  refundId: v.pipe(v.string(), v.regex(idPatternOf('refund'))),
  paymentId: paymentIdSchema,
  createdAt: timestampSchema,
});

/** A row in responses. It always has all of these fields. */
export const statementRowSchema = v.strictObject({
  id: rowId,
  status: v.picklist(rowStatuses),
  day: v.string(),
  amount: v.pipe(v.number(), v.safeInteger()),
  amountMatched: sum,
  reference: shownText,
  text: shownText,
  name: shownText,
  payments: v.array(rowPaymentSchema),
  suggestions: v.array(suggestionSchema),
  recordedPayments: v.array(recordedPaymentSchema),
  refunds: v.array(refundSuggestionSchema),
  refund: v.nullable(refundSuggestionSchema),
  returnedPayments: v.array(rowPaymentSchema),
});

/** What the answer to an ignored row says. It has no text of the row, so stored answers have none. */
export const ignoredRowSchema = v.strictObject({
  id: rowId,
  statementId,
  status: v.picklist(rowStatuses),
});

export type ShownStatement = v.InferOutput<typeof statementSchema>;
export type ShownRow = v.InferOutput<typeof statementRowSchema>;
export type ShownIgnoredRow = v.InferOutput<typeof ignoredRowSchema>;
export type Suggestion = v.InferOutput<typeof suggestionSchema>;
export type RecordedPayment = v.InferOutput<typeof recordedPaymentSchema>;
export type ReturnedPayment = v.InferOutput<typeof rowPaymentSchema>;
export type RefundSuggestion = v.InferOutput<typeof refundSuggestionSchema>;

/** Returns the statement as the API shows it. */
export function showStatement(statement: BankStatement): ShownStatement {
  const { id, status, bank, currency, rowCount, firstDay, lastDay, mapping, createdAt, updatedAt } =
    statement;
  return {
    id,
    status,
    bank,
    currency,
    rowCount,
    firstDay,
    lastDay,
    mapping: mapping ? showColumnMapping(mapping) : null,
    createdAt: toTimestamp(createdAt),
    updatedAt: toTimestamp(updatedAt),
  };
}

/** Returns the status of a row. @param use what came of it. Undefined: nobody has decided */
export const rowStatusOf = (use: RowUse | undefined): ShownRow['status'] =>
  use === undefined || use.status === 'open' ? 'unmatched' : use.status;

/** Whether a person must decide about a row: money that came in, and of which something is left. @param use what came of it */
export const isWaitingRow = ({ amount }: Pick<StatementRow, 'amount'>, use: RowUse | undefined): boolean =>
  amount > 0 && rowStatusOf(use) === 'unmatched';

/** What a row of a statement could be. */
export interface RowSuggestions {
  readonly suggestions: readonly Suggestion[];
  readonly recordedPayments: readonly RecordedPayment[];
  readonly refunds: readonly RefundSuggestion[];
  readonly returnedPayments: readonly ReturnedPayment[];
}

/** Returns the refund of a row as the API shows it. */
export const showRowRefund = ({ refundId, paymentId, createdAt }: RowRefund): RefundSuggestion => ({
  refundId,
  paymentId,
  createdAt: toTimestamp(createdAt),
});

/** Returns the row as the API shows it. */
export function showRow(
  row: StatementRow,
  use: RowUse | undefined,
  { suggestions, recordedPayments, refunds, returnedPayments }: RowSuggestions,
): ShownRow {
  const { id, day, amount, reference, text, name } = row;
  return {
    id,
    status: rowStatusOf(use),
    day,
    amount,
    amountMatched: use?.refund ? -amount : amountUsedOf(use),
    reference: reference ?? null,
    text: text ?? null,
    name: name ?? null,
    payments: (use?.payments ?? []).map(({ paymentId, invoiceId, amount: paid }) => ({
      paymentId,
      invoiceId,
      amount: paid,
    })),
    suggestions: [...suggestions],
    recordedPayments: [...recordedPayments],
    refunds: [...refunds],
    refund: use?.refund ? showRowRefund(use.refund) : null,
    returnedPayments: [...returnedPayments],
  };
}
