/**
 * Cancels an invoice, and refunds the payments of parts that it has received if the caller asks for it. One transaction cancels the
 * invoice and reserves the money of each payment, and the worker creates the refunds, as it does for money that arrives too late
 * (`processing.ts` of refunds).
 */
import { ApiError } from '../../base/errors.ts';
import type { AccountTime } from '../../base/time.ts';
import { type Change, Command } from '../../store/commit/command.ts';
import { type LoadedRecord, readRecords } from '../../store/records.ts';
import { type Invoice, type ShownCancellation, showCancellation } from '../invoices/invoice.ts';
import { noteReturnedParts } from '../invoices/payer-notes.ts';
import { paymentsOf } from '../invoices/received-money.ts';
import { cancelInvoice } from '../invoices/transitions.ts';
import type { Payment } from './payment.ts';
import { compensationRefundTimer, internalPaymentChange } from './payment-changes.ts';
import { paymentType } from './record.ts';
import { refundable, requireRefundable } from './transitions.ts';

/**
 * Creates the command that cancels an invoice. The command throws the errors of `cancelInvoice`.
 * @param refundsParts reads the payments of the invoice, and refunds them. Then the command also throws `payment_not_refundable` if a
 * payment cannot be refunded now, and `payment_in_progress` if another payment has just arrived
 */
export async function cancelInvoiceCommand(
  loaded: LoadedRecord<Invoice>,
  now: AccountTime,
  { refundsParts }: { readonly refundsParts: boolean },
): Promise<Command<[Invoice, ...Payment[]], ShownCancellation>> {
  const ids = refundsParts && loaded.record?.parts ? paymentsOf(loaded.record) : [];
  const { records } = await readRecords(paymentType, loaded.owner, ids);
  const payments = ids.map((id) => ({ type: paymentType, owner: loaded.owner, id, record: records.get(id) }));
  return new Command<[Invoice, ...Payment[]], ShownCancellation>(
    [loaded, ...payments],
    (invoice, ...present) => {
      if (!invoice) throw new ApiError('invoice_not_found');
      const cancelled = cancelInvoice(invoice, now, { refundsParts });
      if (!refundsParts) return { changes: [cancelled], answer: showCancellation(cancelled.record) };
      if (invoice.parts && paymentsOf(invoice).some((id) => !ids.includes(id)))
        throw new ApiError('payment_in_progress');
      const parts = present.map((payment, index) => {
        if (!payment) throw new Error(`The payment ${ids[index]} does not exist.`);
        return payment;
      });
      const noted = noteReturnedParts(cancelled, parts);
      return {
        changes: [noted, ...parts.map((each) => returnPart(each, now))],
        answer: showCancellation(noted.record),
      };
    },
  );
}

/**
 * Reserves what is left of a payment, and sets the timer of its refund. If nothing is left, only its version rises, so that no other
 * change of it goes unseen.
 */
function returnPart(payment: Payment, now: AccountTime): Change<Payment> {
  if (payment.amountReserved > 0) {
    const message = `A refund of the payment ${payment.id} is pending. Wait for its outcome, then cancel the invoice.`;
    throw new ApiError('payment_not_refundable', { message });
  }
  const left = refundable(payment);
  if (left === 0) return internalPaymentChange(payment);
  requireRefundable(payment);
  const returned: Payment = {
    ...payment,
    pendingCompensation: 'refund',
    amountReserved: left,
    isOfCancelledInvoice: true,
  };
  return { ...internalPaymentChange(returned), timers: [compensationRefundTimer(returned, now)] };
}
