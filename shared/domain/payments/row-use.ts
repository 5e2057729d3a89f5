/**
 * Defines what came of a row of a bank statement: the payments that it made, the refund that it shows, or that people ignore it. Pure.
 *
 * - A row that nobody has decided about has no record. The transaction of a payment writes the record, on the condition that it has the
 *   version that was read. So two people, a repetition and the worker never pay with the same money twice.
 * - The id of a row follows from what the bank says of it. So the same row in two files is one row, and its money is used once.
 * - Payments are in the record until they are voided. The record itself stays, so that nothing matches the row by itself again.
 */
import { ApiError } from '../../base/errors.ts';
import type { Owner } from '../../base/ids.ts';
import type { AccountTime } from '../../base/time.ts';
import { type Change, internalChange } from '../../store/commit/command.ts';
import type { RecordBase } from '../../store/records.ts';

/** A payment that a row made, or whose money it shows. */
export interface RowPayment {
  readonly paymentId: string;
  readonly invoiceId: string;
  /** In the smallest unit of the currency. */
  readonly amount: number;
}

/** The refund whose money a row shows: all money of a row that went out. */
export interface RowRefund {
  readonly refundId: string;
  readonly paymentId: string;
  readonly createdAt: AccountTime;
}

/** What came of a row. */
export interface RowUse extends RecordBase {
  /** `open`: its payments were voided, or do not use all of its money. `ignored`: what is left of its money pays nothing. */
  readonly status: 'open' | 'matched' | 'ignored';
  /** The statement with which people or the service decided. Others can have the same row. */
  readonly statementId: string;
  /** The payments that the row made or whose money it shows, without voided ones. */
  readonly payments: readonly RowPayment[];
  /** The keyed hash of the bank's reference that is reserved for its payments. Undefined: none is. */
  readonly referenceHash?: string | undefined;
  /** Undefined: the row shows no refund. */
  readonly refund?: RowRefund | undefined;
}

/** The largest number of payments of one row. */
const maxPayments = 20;

/** A row, and the statement with which a decision about it is made. */
export interface DecidedRow {
  readonly id: string;
  readonly statementId: string;
  /** In the smallest unit of the currency. Negative: the money went out of the account. */
  readonly amount: number;
}

/** Returns the part of the money of a row that its payments use. */
export const amountUsedOf = (use: RowUse | undefined): number =>
  (use?.payments ?? []).reduce((sum, { amount }) => sum + amount, 0);

/**
 * Returns the amount of the next payment of a row.
 * @param sent what the client asks for. Undefined: all that is left of the money of the row
 * @throws ApiError `row_takes_money`, `row_already_matched` or `invalid_amount`
 */
export function amountOfRow(
  use: RowUse | undefined,
  row: DecidedRow,
  invoiceId: string,
  sent: number | undefined,
): number {
  const left = leftOf(use, row);
  const earlier = use?.payments.find((payment) => payment.invoiceId === invoiceId);
  if (earlier) {
    const message = `The row has paid this invoice already, with the payment ${earlier.paymentId}.`;
    throw new ApiError('row_already_matched', { message });
  }
  if (sent === undefined || sent <= left) return sent ?? left;
  const message = `amount must be at most what is left of the money of the row, ${left}. Send that amount or leave it out.`;
  throw new ApiError('invalid_amount', { field: 'amount', message });
}

/** Returns what is left of the money of a row. @throws ApiError `row_takes_money` or `row_already_matched` */
export function leftOf(use: RowUse | undefined, row: DecidedRow): number {
  if (row.amount < 0) throw new ApiError('row_takes_money');
  const left = row.amount - amountUsedOf(use);
  if (left <= 0 || (use?.payments.length ?? 0) >= maxPayments) throw new ApiError('row_already_matched');
  return left;
}

/**
 * Adds a payment to a row, which uses at most what is left of its money.
 * @param referenceHash that of the reference that is reserved with this payment. Undefined: none is
 */
export function useRow(
  use: RowUse | undefined,
  owner: Owner,
  { id, statementId, amount }: DecidedRow,
  payment: RowPayment,
  referenceHash?: string,
): Change<RowUse> {
  const payments = [...(use?.payments ?? []), payment];
  const isUsedUp = amountUsedOf(use) + payment.amount >= amount;
  const next: RowUse = use ?? newUse(owner, id, statementId);
  return internalChange({
    ...next,
    version: (use?.version ?? 0) + 1,
    payments,
    status: isUsedUp ? 'matched' : 'open',
    ...(referenceHash !== undefined && { referenceHash }),
  });
}

/**
 * Says that a row that went out is the money of a refund.
 * @throws ApiError `row_already_matched` if it shows a refund already
 */
export function showRefundInRow(
  use: RowUse | undefined,
  owner: Owner,
  { id, statementId }: DecidedRow,
  refund: RowRefund,
): Change<RowUse> {
  if (use?.refund) {
    const message = `The row is the money of the refund ${use.refund.refundId}. Ignore the row first, which takes that refund from it.`;
    throw new ApiError('row_already_matched', { message });
  }
  const next = use ?? newUse(owner, id, statementId);
  return internalChange({ ...next, version: (use?.version ?? 0) + 1, refund, status: 'matched' });
}

/**
 * Ignores a row, or what its payments leave of its money, and takes its refund from it. Returns undefined if it is ignored already.
 * @throws ApiError `row_already_matched` if its payments leave nothing
 */
export function ignoreRow(
  use: RowUse | undefined,
  owner: Owner,
  { id, statementId, amount }: DecidedRow,
): Change<RowUse> | undefined {
  if (use?.status === 'ignored') return undefined;
  if (amount > 0 && amountUsedOf(use) >= amount) {
    const message = 'Payments use all money of the row, so nothing is left to ignore. Void a payment first.';
    throw new ApiError('row_already_matched', { message });
  }
  const next = use ?? newUse(owner, id, statementId);
  return internalChange({
    ...next,
    version: (use?.version ?? 0) + 1,
    refund: undefined,
    status: 'ignored',
  });
}

/** Takes a voided payment from a row, whose money is free again. Returns undefined if the row does not have the payment. */
export function releaseRow(use: RowUse | undefined, paymentId: string): Change<RowUse> | undefined {
  if (!use?.payments.some((payment) => payment.paymentId === paymentId)) return undefined;
  const payments = use.payments.filter((payment) => payment.paymentId !== paymentId);
  const referenceHash = payments.length > 0 ? use.referenceHash : undefined;
  return internalChange({ ...use, version: use.version + 1, payments, referenceHash, status: 'open' });
}

const newUse = ({ account, mode }: Owner, id: string, statementId: string): RowUse => ({
  account,
  mode,
  id,
  version: 0,
  status: 'open',
  statementId,
  payments: [],
});
