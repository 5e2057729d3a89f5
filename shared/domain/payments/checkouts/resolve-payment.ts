/**
 * Lets a merchant decide about a payment whose amount is not that of its invoice: accept it, or refund all of it. Such a payment
 * stays pending until then, because shops send goods when a payment is completed.
 */
import { ApiError } from '../../../base/errors.ts';
import type { Owner } from '../../../base/ids.ts';
import type { Instant } from '../../../base/time.ts';
import { type Change, Command } from '../../../store/commit/command.ts';
import { type LoadedRecord, readRecord } from '../../../store/records.ts';
import type { Timer } from '../../../store/timers/timer-item.ts';
import { changedValues } from '../../events/event.ts';
import type { Invoice } from '../../invoices/invoice.ts';
import { releaseCheckout } from '../../invoices/open-checkout.ts';
import { noteUnneededMoney } from '../../invoices/payer-notes.ts';
import { amountDueOf } from '../../invoices/received-money.ts';
import { invoiceType } from '../../invoices/record.ts';
import { receivePayment, requirePayable } from '../../invoices/transitions.ts';
import { creditItems } from '../credit-store.ts';
import { takesParts } from '../payable-amount.ts';
import { type Payment, type ShownPayment, showPayment } from '../payment.ts';
import { compensationRefundTimer, nextPaymentVersion, paymentChange, receiptOf } from '../payment-changes.ts';
import { readPayment, requirePayment } from '../payment-store.ts';
import { refundable } from '../transitions.ts';
import { checkoutTimer } from './transitions.ts';

/** What the merchant decides. */
export type Resolution = 'accept' | 'refund';

type PaymentAndInvoice = readonly [Change<Payment>, Change<Invoice>];

/** Whether the payment waits for the decision of the merchant. */
export const isHeld = ({ status, pendingReason }: Pick<Payment, 'status' | 'pendingReason'>): boolean =>
  status === 'pending' && pendingReason === 'amount_differs';

/** A payment and the invoice that it is for. */
export type PaymentWithInvoice = readonly [LoadedRecord<Payment>, LoadedRecord<Invoice>];

/**
 * Reads a payment and its invoice. Two calls in sequence.
 * @throws ApiError `payment_not_found` if the payment does not exist
 */
export async function readPaymentWithInvoice(owner: Owner, id: string): Promise<PaymentWithInvoice> {
  const payment = await readPayment(owner, id);
  return [payment, await readRecord(invoiceType, owner, requirePayment(payment).invoiceId)];
}

/** Creates the command that carries out the decision. It throws the errors of `acceptPayment` and `returnPayment`. */
export function resolvePaymentCommand(
  loaded: PaymentWithInvoice,
  action: Resolution,
  now: Instant,
): Command<[Payment, Invoice], ShownPayment> {
  return new Command<[Payment, Invoice], ShownPayment>(loaded, (payment, invoice) => {
    if (!payment || !invoice) throw new ApiError('payment_not_found');
    const changes = (action === 'accept' ? acceptPayment : returnPayment)(payment, invoice, now);
    const items = creditItems([payment], [changes[0]]);
    return { changes, answer: showPayment(changes[0].record), ...items };
  });
}

/**
 * Completes the payment, which counts up to what is due. What is more is kept as `amountOver`, and so is what the provider has returned
 * already. If it is less, the rest stays due of an invoice with `acceptPartial`. Otherwise it is written off for the reason `other`: the
 * limit of the account is for money that people record, and the provider has decided this amount. Emits `payment.completed`, then
 * `invoice.paid`, or `invoice.updated` if something is still due.
 * @throws ApiError `payment_not_resolvable`, also if all of it was returned or if the invoice takes no other part after it, or as
 *   `requirePayable` if the invoice no longer waits for this payment
 */
export function acceptPayment(payment: Payment, invoice: Invoice, now: Instant): PaymentAndInvoice {
  requireHeld(payment);
  if (invoice.paymentInProgress !== payment.id) requirePayable(invoice);
  const due = amountDueOf(invoice);
  const amount = Math.min(payment.amount - payment.amountRefunded, due);
  if (amount < 1) {
    const message =
      'The payment provider has returned all of this payment. Resolve it with the action refund.';
    throw new ApiError('payment_not_resolvable', { message });
  }
  if (invoice.acceptPartial && amount < due && !takesParts(invoice)) {
    const message = `The invoice takes one more payment, which must be of all that is due: ${due}. Resolve this payment with the action refund.`;
    throw new ApiError('payment_not_resolvable', { message });
  }
  const writeOff = invoice.acceptPartial ? 0 : due - amount;
  const completed: Payment = {
    ...nextPaymentVersion(payment, now),
    status: 'completed',
    pendingReason: undefined,
    amountOver: payment.amount - amount,
    ...(writeOff > 0 && { settle: { writeOff, reason: 'other' } }),
  };
  const settled = { amount, writtenOff: writeOff };
  return [
    paymentChange(completed, {
      event: 'payment.completed',
      timers: timersOf(invoice, now),
      previous: changedValues(showPayment(payment), showPayment(completed)),
    }),
    receivePayment(invoice, receiptOf(completed), settled, now),
  ];
}

/**
 * Fails the payment, reserves all of its money for a refund, and releases the invoice, which can be paid again. Emits
 * `payment.failed`.
 * @throws ApiError `payment_not_resolvable`
 */
export function returnPayment(payment: Payment, invoice: Invoice, now: Instant): PaymentAndInvoice {
  requireHeld(payment);
  const left = refundable(payment);
  const failed: Payment = {
    ...nextPaymentVersion(payment, now),
    status: 'failed',
    failureCode: 'amount_differs',
    pendingReason: undefined,
    ...(left > 0 && { pendingCompensation: 'refund', amountReserved: payment.amountReserved + left }),
  };
  const isBound = invoice.paymentInProgress === payment.id && invoice.openCheckout !== undefined;
  const released = isBound ? releaseCheckout(invoice, invoice.openCheckout ?? '') : undefined;
  const refund = left > 0 ? [compensationRefundTimer(failed, now)] : [];
  const timers = [...refund, ...(isBound ? timersOf(invoice, now) : [])];
  return [
    paymentChange(failed, { event: 'payment.failed', timers }),
    noteUnneededMoney(invoice, released, left),
  ];
}

/** The worker ends the checkout of the payment, or voids one that the payer has begun since. */
const timersOf = ({ openCheckout: id }: Invoice, now: Instant): Timer[] =>
  id === undefined ? [] : [checkoutTimer({ id }, now)];

function requireHeld(payment: Payment): void {
  if (isHeld(payment)) return;
  const message = `Only a pending payment whose pendingReason is amount_differs needs a decision. This payment is ${payment.status}.`;
  throw new ApiError('payment_not_resolvable', { message });
}
