/**
 * Decides what becomes of the payment of a checkout, and of the invoice and the checkout with it. The functions are pure, as those of
 * `transitions.ts` are.
 *
 * - A payment exists only after the payer has done their part. So a payer who leaves makes no failed payment. While its outcome
 *   is not known, the checkout stays `open`, and its `paymentId` names the pending payment.
 * - If the provider reports money for an expired or voided checkout, it still becomes `completed`: money is never without a payment.
 */
import type { Instant } from '../../../base/time.ts';
import { type Change, internalChange } from '../../../store/commit/command.ts';
import type { Invoice } from '../../invoices/invoice.ts';
import { bindCheckoutPayment, releaseCheckout } from '../../invoices/open-checkout.ts';
import { noteRefusal, noteUnneededMoney } from '../../invoices/payer-notes.ts';
import type { CheckoutRefusal } from '../../invoices/receipt.ts';
import { amountDueOf } from '../../invoices/received-money.ts';
import { contentVersionOf, isPayable, receivePayment, releasePayment } from '../../invoices/transitions.ts';
import type { Payment, PendingReason } from '../payment.ts';
import {
  compensationRefundTimer,
  draftPayment,
  feesOf,
  type NewPaymentIdentity,
  nextPaymentVersion,
  paymentChange,
  receiptOf,
} from '../payment-changes.ts';
import type { FailureCode } from '../provider/failures.ts';
import type { ReceivedPayment } from '../provider/hosted-provider.ts';
import { refundable } from '../transitions.ts';
import type { Checkout, ProviderReferenceName } from './checkout.ts';
import { newProviderReference } from './record.ts';
import { checkoutTimer, endCheckout, nextCheckout } from './transitions.ts';

/** A checkout with its invoice, and with its pending payment or the identity of a new one. */
export interface CheckoutToSettle {
  readonly checkout: Checkout;
  readonly invoice: Invoice;
  readonly payment: { readonly pending: Payment } | { readonly identity: NewPaymentIdentity };
}

/** The changes of what belongs to a checkout. Undefined: it stays as it is. */
export type SettledChanges = readonly [
  Change<Payment> | undefined,
  Change<Invoice> | undefined,
  Change<Checkout> | undefined,
  Change<ProviderReferenceName> | undefined,
];

/** Nothing changes. */
export const unchanged: SettledChanges = [undefined, undefined, undefined, undefined];

type TakenMoney = Pick<ReceivedPayment, 'card' | 'reference' | 'amountMinor' | 'refundedMinor' | 'fees'>;

/** When the worker asks for what was not known when the payment was stored: its fees, and refunds made at the provider. */
const askAgainAfterMs = 60_000;

/**
 * Completes the payment of a checkout, with the amount that the provider took. The caller has checked it with `isOfCheckout`.
 *
 * - If the invoice is still as the payer saw it, and as much is due, the payment counts. Emits `payment.completed`, then
 *   `invoice.paid`, or `invoice.updated` if something is still due.
 * - If it cannot be paid any more, has changed, or less is due, the whole amount must be refunded. Emits `payment.completed`.
 * - If the amount differs while the checkout is open, the payment stays pending, and the merchant decides. Emits
 *   `payment.held` once.
 * @param name the id of the name of the payment at the provider. Undefined if the payment has it already.
 */
export function completeCheckout(
  target: CheckoutToSettle,
  { card, reference, amountMinor, refundedMinor, fees }: TakenMoney,
  name: string | undefined,
  now: Instant,
): SettledChanges {
  const { checkout, invoice } = target;
  const taken: Payment = {
    ...nextPaymentOf(target, now),
    amount: amountMinor,
    card,
    reference,
    providerReference: reference,
    fees: feesOf(fees),
  };
  const isAskedAgain = fees === undefined || refundedMinor > 0;
  const timers = isAskedAgain ? [checkoutTimer(taken, now + askAgainAfterMs)] : [];
  const named =
    name === undefined ? undefined : internalChange(newProviderReference(checkout, name, taken.id));
  const isAsSeen = isAsPayerSaw(checkout, invoice);
  if (isAsSeen && amountMinor !== checkout.amount && isBoundTo(invoice, checkout)) {
    if ('pending' in target.payment && target.payment.pending.pendingReason === 'amount_differs')
      return unchanged;
    const held: Payment = { ...taken, pendingReason: 'amount_differs' };
    return [
      paymentChange(held, { event: 'payment.held', timers }),
      bindCheckoutPayment(invoice, checkout.id, held.id),
      nextCheckout(checkout, { paymentId: held.id, hasMismatch: undefined }),
      named,
    ];
  }
  const payment: Payment = { ...taken, status: 'completed' };
  const ended = endCheckout(checkout, 'completed', { paymentId: payment.id, hasMismatch: undefined });
  const event = 'payment.completed';
  if (isAsSeen && amountMinor === checkout.amount) {
    const paid = receivePayment(invoice, receiptOf(payment), payment, now);
    // Late money counts although the payer has begun another checkout. The worker voids that one.
    const other = invoice.openCheckout;
    if (other !== undefined && other !== checkout.id) timers.push(checkoutTimer({ id: other }, now));
    return [paymentChange(payment, { event, timers }), paid, ended, named];
  }
  const uncompensated: Payment = {
    ...payment,
    pendingCompensation: 'refund',
    amountReserved: refundable(payment),
  };
  timers.push(compensationRefundTimer(uncompensated, now));
  return [
    paymentChange(uncompensated, { event, timers }),
    noteUnneededMoney(invoice, releaseCheckout(invoice, checkout.id), payment.amount),
    ended,
    named,
  ];
}

/**
 * Whether the invoice is still payable, as the payer saw it. Its amount is then the same. Less is due if other payments came before,
 * and more if one of them was voided.
 */
function isAsPayerSaw({ contentVersion, amount, currency }: Checkout, invoice: Invoice): boolean {
  return (
    isPayable(invoice) &&
    contentVersionOf(invoice) === contentVersion &&
    amountDueOf(invoice) >= amount &&
    invoice.currency === currency
  );
}

const isBoundTo = ({ openCheckout }: Invoice, { id, status }: Checkout): boolean =>
  status === 'open' && openCheckout === id;

/**
 * Stores that the payer has done their part and the outcome is not known: the payment is pending, and the invoice waits for it.
 * Returns no change if this is stored already, or if the checkout has ended.
 */
export function awaitCheckout(
  target: CheckoutToSettle,
  pendingReason: PendingReason,
  now: Instant,
): SettledChanges {
  const { checkout, invoice } = target;
  const present = 'pending' in target.payment ? target.payment.pending : undefined;
  const isKnown = present !== undefined && present.pendingReason === pendingReason;
  if (isKnown || !isBoundTo(invoice, checkout)) return unchanged;
  const payment: Payment = { ...nextPaymentOf(target, now), pendingReason };
  return [
    paymentChange(payment, { sameStatus: present !== undefined }),
    bindCheckoutPayment(invoice, checkout.id, payment.id),
    nextCheckout(checkout, { paymentId: payment.id }),
    undefined,
  ];
}

/** Fails the payment of a checkout, and releases the invoice. Emits `payment.failed`. Nothing was taken. */
export function refuseCheckout(
  target: CheckoutToSettle,
  failureCode: FailureCode,
  now: Instant,
): SettledChanges {
  const { checkout, invoice } = target;
  const payment = failed(nextPaymentOf(target, now), failureCode);
  return [
    paymentChange(payment, { event: 'payment.failed' }),
    noteRefusal(invoice, releaseCheckout(invoice, checkout.id)),
    endCheckout(checkout, 'completed', { paymentId: payment.id, hasMismatch: undefined }),
    undefined,
  ];
}

/**
 * Fails the pending payment of a checkout that the payer can still pay: the bank has refused the attempt. Emits `payment.failed`.
 */
export function reopenCheckout(target: CheckoutToSettle, now: Instant): SettledChanges {
  const { checkout, invoice } = target;
  if (!('pending' in target.payment)) return unchanged;
  const payment = failed(nextPaymentOf(target, now), 'processing_error');
  return [
    paymentChange(payment, { event: 'payment.failed' }),
    noteRefusal(invoice, releasePayment(invoice, payment.id)),
    nextCheckout(checkout, { paymentId: undefined }),
    undefined,
  ];
}

/**
 * Ends a checkout that nobody can pay any more, and releases the invoice. Its pending payment fails. Nothing was taken, or the
 * money has been returned at the provider.
 * @param refusal set if the provider refused to begin the checkout
 */
export function abandonCheckout(
  checkout: Checkout,
  invoice: Invoice,
  status: 'expired' | 'voided',
  pending: Payment | undefined,
  now: Instant,
  refusal?: CheckoutRefusal,
): SettledChanges {
  const isOpen = checkout.status === 'open';
  if (!isOpen && !pending) return unchanged;
  const code = pending?.pendingReason === 'amount_differs' ? 'amount_differs' : 'processing_error';
  const payment = pending && failed(nextPaymentVersion(pending, now), code);
  const details = { hasMismatch: undefined, paymentId: undefined };
  return [
    payment && paymentChange(payment, { event: 'payment.failed' }),
    releaseCheckout(invoice, checkout.id, refusal),
    endCheckout(checkout, isOpen ? status : (checkout.status as typeof status), details),
    undefined,
  ];
}

/**
 * Fails the pending payment of a checkout that the merchant has ended, because its outcome stays unknown. Emits `payment.failed`. Money
 * that still arrives becomes another payment. Returns no change if the checkout is open, or if the merchant must decide
 * about money that was taken.
 */
export function failUnanswered(
  { checkout, invoice, payment }: CheckoutToSettle,
  now: Instant,
): SettledChanges {
  if (!('pending' in payment) || checkout.status === 'open') return unchanged;
  if (payment.pending.pendingReason === 'amount_differs') return unchanged;
  const unanswered = failed(nextPaymentOf({ checkout, invoice, payment }, now), 'outcome_unknown');
  return [
    paymentChange(unanswered, { event: 'payment.failed' }),
    undefined,
    nextCheckout(checkout, { paymentId: undefined }),
    undefined,
  ];
}

const failed = (payment: Payment, failureCode: FailureCode): Payment => ({
  ...payment,
  status: 'failed',
  failureCode,
});

/** A new payment has the amount that the checkout asked for, also if the invoice has changed since. */
function nextPaymentOf({ checkout, invoice, payment }: CheckoutToSettle, now: Instant): Payment {
  if ('pending' in payment) return { ...nextPaymentVersion(payment.pending, now), pendingReason: undefined };
  const { amount, currency, provider } = checkout;
  return { ...draftPayment(payment.identity, invoice, 'provider', now), amount, currency, provider };
}
