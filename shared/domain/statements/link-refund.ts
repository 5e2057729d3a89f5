/**
 * Creates the commands by which a row that went out is matched with a refund, and by which the refund is taken from it again. One
 * transaction writes the refund and what came of the row, each on the condition that it has the version that was read. So a refund has at
 * most one row, and a row at most one refund, also after a crash and beside another decision. No money is counted again.
 */
import type { Clock } from '../../base/clock.ts';
import { ApiError } from '../../base/errors.ts';
import type { Owner } from '../../base/ids.ts';
import { Command } from '../../store/commit/command.ts';
import type { LoadedRecord } from '../../store/records.ts';
import { type DecidedRow, ignoreRow, type RowUse, showRefundInRow } from '../payments/row-use.ts';
import type { Refund } from '../refunds/refund.ts';
import { showInRow } from '../refunds/transitions.ts';
import type { BankStatement, StatementRow } from './statement.ts';
import { isRefundOfRow } from './suggest.ts';

/** A row, and the refund whose money it shows. */
export interface RowOfRefund {
  readonly statement: BankStatement;
  readonly row: StatementRow;
  readonly use: LoadedRecord<RowUse>;
  readonly refund: LoadedRecord<Refund>;
}

/**
 * Creates the command that matches a row with a refund. Emits no event. The command throws `invalid_refund` if the row cannot be its
 * money, or `row_already_matched`.
 * @param answer returns what the command answers
 * @param isUndecided the row is matched by itself: only if nobody has decided about it
 */
export function linkRefundCommand<A>(
  owner: Owner,
  { statement, row, use, refund }: RowOfRefund,
  { answer, isUndecided = false }: { readonly answer: () => A; readonly isUndecided?: boolean },
  clock: Clock,
): Command<[Refund, RowUse], A> {
  const decided: DecidedRow = { id: row.id, statementId: statement.id, amount: row.amount };
  return new Command([refund, use], (present, presentUse) => {
    if (isUndecided && presentUse) throw new ApiError('row_already_matched');
    const { id: refundId, paymentId, createdAt } = requireRefundOfRow(present, statement, row, presentUse);
    return {
      changes: [
        showInRow(present as Refund, row.id, clock.account),
        showRefundInRow(presentUse, owner, decided, { refundId, paymentId, createdAt }),
      ] as const,
      answer: answer(),
      auditedAs: statement.id,
    };
  });
}

/** @throws ApiError as `linkRefundCommand` */
function requireRefundOfRow(
  refund: Refund | undefined,
  { currency }: BankStatement,
  row: StatementRow,
  use: RowUse | undefined,
): Refund {
  const refuse = (message: string) => new ApiError('invalid_refund', { field: 'refundId', message });
  if (row.amount > 0)
    throw refuse('The row is money that came in, so it is no refund. Send invoiceId or paymentId.');
  if (!refund)
    throw refuse('The refund with this refundId does not exist. Check the ID and the mode of your API key.');
  if (use?.refund?.refundId === refund.id) {
    const message = `The row is matched with the refund ${refund.id} already.`;
    throw new ApiError('row_already_matched', { message });
  }
  if (refund.statementRow !== undefined)
    throw refuse(`The row ${refund.statementRow} shows the money of this refund. Choose another refund.`);
  if (!isRefundOfRow(refund, row, currency))
    throw refuse(
      `The row is of ${-row.amount} in ${currency}, and the refund of ${refund.amount} in ${refund.currency} with the status ${refund.status}. Choose a refund of the same amount that did not fail.`,
    );
  return refund;
}

/**
 * Creates the command that ignores a row which shows a refund, and takes the refund from it. The command throws `row_already_matched` if
 * somebody has decided otherwise meanwhile.
 * @param answer what the command answers
 */
export function unlinkRefundCommand<A>(
  owner: Owner,
  { decided, use, refund }: Pick<RowOfRefund, 'use' | 'refund'> & { readonly decided: DecidedRow },
  answer: A,
  clock: Clock,
): Command<[Refund, RowUse], A> {
  return new Command([refund, use], (present, presentUse) => {
    if (presentUse?.refund?.refundId !== refund.id || !present) throw decidedMeanwhile();
    return {
      changes: [showInRow(present, undefined, clock.account), ignoreRow(presentUse, owner, decided)] as const,
      answer,
      auditedAs: decided.statementId,
    };
  });
}

/** The error of a decision whose row shows another refund than the one that was read. */
export const decidedMeanwhile = (): ApiError =>
  new ApiError('row_already_matched', {
    message: 'Somebody has just decided about this row. Read the row, and send the request again.',
  });
