/** Reads what a decision of a person about a row needs, and creates its command. API and dashboard decide with it. */
import type { Clock } from '../../base/clock.ts';
import type { Owner } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import type { Principal } from '../../store/account-state.ts';
import type { Command } from '../../store/commit/command.ts';
import type { LoadedRecord } from '../../store/records.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { readInvoice } from '../invoices/invoice-store.ts';
import { voidCheckoutFirst } from '../payments/checkouts/void-checkout.ts';
import { type Payment, type ShownPayment, showPayment } from '../payments/payment.ts';
import { readPayment } from '../payments/payment-store.ts';
import type { RowUse } from '../payments/row-use.ts';
import { readRowUse } from '../payments/row-use-store.ts';
import type { Refund } from '../refunds/refund.ts';
import { readRefund } from '../refunds/refund-store.ts';
import { linkPaymentCommand } from './link-payment.ts';
import { linkRefundCommand } from './link-refund.ts';
import { payRowCommand } from './pay-row-store.ts';
import type { MatchRow } from './row-decision.ts';
import { requireRow } from './row-store.ts';
import { readStatementWithRows, type StatementWithRows } from './statement-store.ts';

/** A row with what came of it, and what it is matched with: an invoice that it pays, or a payment or a refund whose money it is. */
interface ReadMatch {
  readonly found: StatementWithRows;
  readonly use: LoadedRecord<RowUse>;
  readonly invoice?: LoadedRecord<Invoice>;
  readonly payment?: LoadedRecord<Payment>;
  readonly refund?: LoadedRecord<Refund>;
  /** That of the refund. */
  readonly refunded?: Payment | undefined;
}

/** Reads what a decision needs. Three calls in parallel, and then that of the payment of a refund. @throws ApiError `statement_not_found` */
export async function readMatch(
  owner: Owner,
  { id = '', rowId = '' }: { readonly id?: string | undefined; readonly rowId?: string | undefined },
  { invoiceId, paymentId, refundId }: MatchRow,
): Promise<ReadMatch> {
  const [found, use, target] = await Promise.all([
    readStatementWithRows(owner, id),
    readRowUse(owner, rowId),
    refundId != null
      ? readRefundAndPayment(owner, refundId)
      : paymentId == null
        ? readInvoice(owner, invoiceId ?? '').then((invoice) => ({ invoice }))
        : readPayment(owner, paymentId).then((payment) => ({ payment })),
  ]);
  return { found, use, ...target };
}

async function readRefundAndPayment(owner: Owner, refundId: string) {
  const refund = await readRefund(owner, refundId);
  if (!refund.record) return { refund };
  return { refund, refunded: (await readPayment(owner, refund.record.paymentId)).record };
}

/** Creates a payment, or changes one, or changes a refund. The answer is the payment. */
type MatchCommand =
  | Command<[Payment, Invoice, RowUse], ShownPayment>
  | Command<[Refund, RowUse], ShownPayment>;

/**
 * Creates the command. It throws the errors of `payRowCommand`, `linkPaymentCommand` or `linkRefundCommand`.
 * @param force ends a checkout of the invoice whose provider does not answer
 * @throws ApiError `row_not_found`
 */
export async function matchRowCommand(
  principal: Principal,
  { found, use, invoice, payment, refund, refunded }: ReadMatch,
  { amount, settle, allowDuplicateReference, acceptOver }: MatchRow,
  clock: Clock,
  { now, force }: { readonly now: Instant; readonly force: boolean },
): Promise<MatchCommand> {
  const { row } = requireRow(found, use.id);
  const { statement } = found;
  if (refund) {
    const answer = () => {
      if (!refunded) throw new Error(`The payment of the refund ${refund.id} is missing.`);
      return showPayment(refunded);
    };
    return linkRefundCommand(principal.owner, { statement, row, use, refund }, { answer }, clock);
  }
  if (payment) {
    const linked = { statement, row, use, payment };
    const isDuplicate = allowDuplicateReference === true;
    const command = await linkPaymentCommand(principal.owner, linked, isDuplicate, clock);
    return voidCheckoutFirst(command, now, force);
  }
  if (!invoice) throw new Error('The row is matched with nothing.');
  const decision = {
    amount: amount ?? undefined,
    settle: settle ?? undefined,
    allowDuplicateReference: allowDuplicateReference ?? undefined,
    acceptOver: acceptOver ?? undefined,
  };
  const command = await payRowCommand(principal, { statement, row, use, invoice }, decision, clock);
  return voidCheckoutFirst(command, now, force);
}
