/**
 * Voids a payment that the merchant recorded although its money never arrived, such as one with a wrong amount. Only payments of parts
 * that were received outside the service are voided.
 *
 * - The status of the payment stays `completed`, because lists depend on it. `voidedAt` says that it does not count.
 * - The invoice is still open, so it counts the payment no longer. An invoice that is paid stays paid: its document says what is due.
 */
import { ApiError } from '../../base/errors.ts';
import type { AccountTime } from '../../base/time.ts';
import { type Change, Command } from '../../store/commit/command.ts';
import type { LoadedRecord } from '../../store/records.ts';
import type { Invoice } from '../invoices/invoice.ts';
import type { Receipt } from '../invoices/receipt.ts';
import { isPaidBy, paymentsOf } from '../invoices/received-money.ts';
import { withdrawPayment } from '../invoices/transitions.ts';
import { findOwnBankReference } from './bank-reference-store.ts';
import { type Payment, type ShownPayment, showPayment } from './payment.ts';
import { nextPaymentVersion, paymentChange, receiptOf } from './payment-changes.ts';
import { readPayment, requirePayment } from './payment-store.ts';
import { type RowUse, releaseRow } from './row-use.ts';
import { readRowUse } from './row-use-store.ts';

/**
 * Creates the command that voids a payment. In up to three calls, which run in parallel, it reads the item of the bank reference, the
 * last other payment of the invoice, and what came of the row of a bank statement that made the payment. The money of the row is free
 * again. The command throws the errors of `voidPayment`.
 * @throws ApiError `payment_not_found`
 */
export async function voidPaymentCommand(
  loaded: readonly [LoadedRecord<Payment>, LoadedRecord<Invoice>],
  reason: string,
  now: AccountTime,
): Promise<Command<[Payment, Invoice, ...RowUse[]], ShownPayment>> {
  const before = requirePayment(loaded[0]);
  const { owner, id } = loaded[0];
  const lastId = lastOtherPaymentOf(loaded[1].record, id);
  const [reference, last, row] = await Promise.all([
    findOwnBankReference(before),
    lastId === undefined ? undefined : readPayment(owner, lastId),
    before.statementRow === undefined ? undefined : readRowUse(owner, before.statementRow),
  ]);
  const ofRow = row?.record?.payments.some((payment) => payment.paymentId === id) ? [row] : [];
  const all = [...loaded, ...ofRow] as const;
  return new Command<[Payment, Invoice, ...RowUse[]], ShownPayment>(all, (payment, invoice, use) => {
    if (!payment || !invoice) throw new ApiError('payment_not_found');
    const isLast = last?.record !== undefined && last.id === lastOtherPaymentOf(invoice, id);
    const receipt = isLast && last.record ? receiptOf(last.record) : undefined;
    const changes = voidPayment(payment, invoice, { reason, receipt }, now);
    // An erasure can have replaced bank and reference since. Then the item stays.
    const isSame = payment.bank === before.bank && payment.reference === before.reference;
    return {
      changes: [...changes, ...ofRow.map(() => releaseRow(use, id))],
      answer: showPayment(changes[0].record),
      deletes: reference && isSame ? [reference] : [],
    };
  });
}

/** Returns the id of the last payment that an invoice counts, besides the payment `id`. */
const lastOtherPaymentOf = (invoice: Invoice | undefined, id: string): string | undefined =>
  invoice && paymentsOf(invoice).findLast((other) => other !== id);

/**
 * Voids a payment, which its invoice no longer counts. Emits `payment.voided`, then `invoice.updated`.
 * @param receipt that of the last payment that is left. Undefined: none is left, or the payments of the invoice changed meanwhile
 * @throws ApiError `payment_not_voidable`, with what to do instead
 */
export function voidPayment(
  payment: Payment,
  invoice: Invoice,
  { reason, receipt }: { readonly reason: string; readonly receipt?: Receipt | undefined },
  now: AccountTime,
): readonly [Change<Payment>, Change<Invoice>] {
  requireVoidable(payment, invoice);
  const next = nextPaymentVersion(payment, now);
  return [
    paymentChange(
      { ...next, voidedAt: next.updatedAt, voidReason: reason },
      { event: 'payment.voided', sameStatus: true },
    ),
    withdrawPayment(invoice, payment.id, receipt, now),
  ];
}

function requireVoidable(payment: Payment, invoice: Invoice): void {
  const message = voidRefusalOf(payment, invoice);
  if (message !== undefined) throw new ApiError('payment_not_voidable', { message });
}

/** Whether only the invoice of a payment can prevent that it is voided. */
export const mayBeVoidable = (payment: Payment): boolean => ownRefusalOf(payment) === undefined;

/** Returns why a payment cannot be voided, and what to do. Undefined: it can. */
export function voidRefusalOf(payment: Payment, invoice: Invoice): string | undefined {
  const own = ownRefusalOf(payment);
  if (own !== undefined) return own;
  if (invoice.status === 'paid')
    return 'This payment has paid its invoice, which stays paid. Refund the payment, which only records that the money is not yours. Then create another invoice.';
  if (!isPaidBy(invoice, payment.id))
    return `The invoice of this payment is ${invoice.status}, so the payment cannot be voided.`;
  return undefined;
}

function ownRefusalOf(payment: Payment): string | undefined {
  const { method, status, voidedAt, amountRefunded, amountReserved, dispute } = payment;
  if (voidedAt !== undefined) return 'This payment is voided already.';
  if (method !== 'offline' || status !== 'completed')
    return 'Only a completed payment that you received outside Remit can be voided. Refund this payment instead.';
  if (dispute) return 'This payment has a dispute, so it cannot be voided.';
  if (amountRefunded + amountReserved > 0)
    return 'This payment has refunds, so it cannot be voided. Refund what is left of it instead.';
  return undefined;
}
