/**
 * Decides which rows of money that went out are matched with refunds by themselves. Pure.
 *
 * - A row names a refund by its ID, or by the payment reference of its invoice, whose check characters are right. Amount and currency must
 *   be exactly those of the refund, and only one refund may fit. A refund that another row shows fits, too: which one a row is does not
 *   follow from earlier matches. So a run after a crash matches what the first one would have.
 * - Several rows can name one refund. Those with its ID are tried first, and each in the order of their ids. So the order of the rows in a
 *   file changes nothing.
 */
import { isRecordId } from '../../base/ids.ts';
import type { Currency } from '../../base/money.ts';
import type { Refund } from '../refunds/refund.ts';
import type { StatementRow } from './statement.ts';
import { hasMoneyOfRow } from './suggest.ts';

/** A row that is the money of a refund by itself. */
export interface RefundMatch {
  readonly row: StatementRow;
  readonly refund: Refund;
}

/** Banks write capital letters, and a space or nothing in place of the underscore. */
const refundIds = /(?<![\p{L}\p{N}])ref[_\s\p{Pd}]?([0-9a-z]{26})(?![\p{L}\p{N}])/giu;

/** Returns the ids of the refunds that a row of money that went out names. Some may not exist. */
export function namedRefundsOf({ amount, reference = '', text = '' }: StatementRow): readonly string[] {
  if (amount > 0) return [];
  const ids = [...`${reference}\n${text}`.matchAll(refundIds)].map(
    ([, id = '']) => `ref_${id.toLowerCase()}`,
  );
  return [...new Set(ids)].filter((id) => isRecordId('refund', id));
}

/** Whether a row of money that went out names a refund, or an invoice with one. */
export const namesRefund = (row: StatementRow): boolean =>
  row.amount < 0 && (namedRefundsOf(row).length > 0 || (row.invoices ?? []).length > 0);

/**
 * Returns the rows that are refunds by themselves, in the order in which they are tried.
 * @param rows those that name a refund, and that nobody has decided about
 * @param candidatesOf the refunds that could be a row. Undefined: there can be more
 * @param currency that of the rows
 */
export function matchRefunds(
  rows: readonly StatementRow[],
  candidatesOf: (row: StatementRow) => readonly Refund[] | undefined,
  currency: Currency,
): RefundMatch[] {
  const used = new Set<string>();
  const sorted = rows.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const { named = [], others = [] } = Object.groupBy(sorted, (row) =>
    namedRefundsOf(row).length > 0 ? 'named' : 'others',
  );
  return [...named, ...others].flatMap((row) => {
    const ids = namedRefundsOf(row);
    const isNamed = ({ id, invoiceId }: Refund) =>
      ids.length > 0 ? ids.includes(id) : (row.invoices ?? []).includes(invoiceId);
    const [refund, ...more] = (candidatesOf(row) ?? []).filter(
      (each) => isNamed(each) && hasMoneyOfRow(each, row, currency),
    );
    if (!refund || more.length > 0 || refund.statementRow !== undefined || used.has(refund.id)) return [];
    used.add(refund.id);
    return [{ row, refund }];
  });
}
