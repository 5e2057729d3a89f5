/** Reads what a decision of a person about a row needs, and creates its command. API and dashboard decide with it. */
import type { Clock } from '../../base/clock.ts';
import type { Owner } from '../../base/ids.ts';
import type { Principal } from '../../store/account-state.ts';
import type { Command } from '../../store/commit/command.ts';
import type { LoadedRecord } from '../../store/records.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { readInvoice } from '../invoices/invoice-store.ts';
import type { Payment, ShownPayment } from '../payments/payment.ts';
import { readPayment } from '../payments/payment-store.ts';
import type { RowUse } from '../payments/row-use.ts';
import { readRowUse } from '../payments/row-use-store.ts';
import { linkPaymentCommand } from './link-payment.ts';
import { payRowCommand } from './pay-row-store.ts';
import type { MatchRow } from './row-decision.ts';
import { requireRow } from './row-store.ts';
import { readStatementWithRows, type StatementWithRows } from './statement-store.ts';

/** A row with what came of it, and what it is matched with: an invoice that it pays, or a payment whose money it is. */
interface ReadMatch {
  readonly found: StatementWithRows;
  readonly use: LoadedRecord<RowUse>;
  readonly invoice?: LoadedRecord<Invoice>;
  readonly payment?: LoadedRecord<Payment>;
}

/** Reads what a decision needs. Three calls in parallel. @throws ApiError `statement_not_found` */
export async function readMatch(
  owner: Owner,
  { id = '', rowId = '' }: { readonly id?: string | undefined; readonly rowId?: string | undefined },
  { invoiceId, paymentId }: MatchRow,
): Promise<ReadMatch> {
  const [found, use, target] = await Promise.all([
    readStatementWithRows(owner, id),
    readRowUse(owner, rowId),
    paymentId == null
      ? readInvoice(owner, invoiceId ?? '').then((invoice) => ({ invoice }))
      : readPayment(owner, paymentId).then((payment) => ({ payment })),
  ]);
  return { found, use, ...target };
}

/**
 * Creates the command. It throws the errors of `payRowCommand` or `linkPaymentCommand`.
 * @throws ApiError `row_not_found`
 */
export async function matchRowCommand(
  principal: Principal,
  { found, use, invoice, payment }: ReadMatch,
  { amount, settle, allowDuplicateReference, acceptOver }: MatchRow,
  clock: Clock,
): Promise<Command<[Payment, Invoice, RowUse], ShownPayment>> {
  const { row } = requireRow(found, use.id);
  const { statement } = found;
  if (payment) {
    const linked = { statement, row, use, payment };
    return linkPaymentCommand(principal.owner, linked, allowDuplicateReference === true, clock);
  }
  if (!invoice) throw new Error('The row is matched with nothing.');
  const decision = {
    amount: amount ?? undefined,
    settle: settle ?? undefined,
    allowDuplicateReference: allowDuplicateReference ?? undefined,
    acceptOver: acceptOver ?? undefined,
  };
  return payRowCommand(principal, { statement, row, use, invoice }, decision, clock);
}
