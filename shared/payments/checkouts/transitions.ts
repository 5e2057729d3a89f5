/**
 * Decides which changes of a checkout are allowed, and which changes of its invoice and payment follow from each. The
 * functions are pure: they get the time as an argument and do no input or output.
 *
 * - A checkout is `open` first, and then `completed`, `expired` or `voided`. If the provider reports money for an expired
 *   or voided checkout, it still becomes `completed`: money is never without a payment.
 * - A payment exists only after money moved or was refused. So a payer who leaves makes no failed payment.
 * - Only an answer of the provider ends a checkout that a payer may pay, or a merchant who forces it.
 */
import type { Owner } from '../../ids.ts';
import type { Invoice } from '../../invoices/invoice.ts';
import { bindCheckout, releaseCheckout, requireNoCheckout } from '../../invoices/open-checkout.ts';
import { noteRefusal, noteUnneededMoney } from '../../invoices/payer-notes.ts';
import { contentVersionOf, isPayable, payInvoice, requirePayable } from '../../invoices/transitions.ts';
import { type Change, internalChange } from '../../store/commit/command.ts';
import type { Timer } from '../../store/timers/timer-item.ts';
import type { Instant } from '../../time.ts';
import type { Payment } from '../payment.ts';
import {
  compensationRefundTimer,
  draftPayment,
  type NewPaymentIdentity,
  paymentChange,
  receiptOf,
} from '../payment-changes.ts';
import type { FailureCode } from '../provider/failures.ts';
import type { HostedProviderName, ReceivedPayment } from '../provider/hosted-provider.ts';
import { type Checkout, checkoutMs, type ProviderPaymentName } from './checkout.ts';

/** When the worker looks at a new checkout for the first time, if no notification arrives before. */
const firstPollMs = 30_000;

/** The properties of a new checkout that the invoice does not determine. */
export interface NewCheckout extends Owner {
  readonly id: string;
  readonly provider: HostedProviderName;
  readonly returnUrl: string;
}

/**
 * Opens a checkout for the invoice as it is now, and binds the invoice to it. The caller stores both before it calls the
 * provider, so a crash cannot lose a payment.
 * @throws ApiError as `requirePayable`
 * @throws CheckoutOpenError if the invoice has an open checkout already
 */
export function openCheckout(
  identity: NewCheckout,
  invoice: Invoice,
  now: Instant,
): readonly [Change<Checkout>, Change<Invoice>] {
  requirePayable(invoice);
  requireNoCheckout(invoice);
  const { id: invoiceId, amount, currency, description } = invoice;
  const checkout: Checkout = {
    ...identity,
    version: 1,
    status: 'open',
    invoiceId,
    contentVersion: contentVersionOf(invoice),
    amount,
    currency,
    description,
    createdAt: now,
    expiresAt: now + checkoutMs,
  };
  const timers = [checkoutTimer(checkout, now + firstPollMs)];
  return [{ ...internalChange(checkout), timers }, bindCheckout(invoice, identity.id)];
}

/** Stores what the provider answered to `begin`. Returns undefined if the checkout has it already, or has ended. */
export function noteBegun(
  checkout: Checkout,
  { reference, redirectUrl }: { readonly reference: string; readonly redirectUrl: string },
): Change<Checkout> | undefined {
  if (checkout.status !== 'open' || checkout.redirectUrl !== undefined) return undefined;
  return nextCheckout(checkout, { reference, redirectUrl });
}

/** Whether a payment that the provider reports is the one that the checkout asked for. */
export function isExpectedPayment(
  { id, amount, currency }: Checkout,
  received: Pick<ReceivedPayment, 'key' | 'amountMinor' | 'currency'>,
): boolean {
  return received.key === id && received.amountMinor === amount && received.currency === currency;
}

/** Marks a checkout whose payment is not the expected one. Nothing is paid. Returns undefined if it is marked already. */
export function markMismatch(checkout: Checkout): Change<Checkout> | undefined {
  return checkout.hasMismatch ? undefined : nextCheckout(checkout, { hasMismatch: true });
}

/** The records of a checkout that has ended with a payment. */
export type CheckoutPaid = readonly [
  Change<Payment>,
  Change<Invoice> | undefined,
  Change<Checkout>,
  Change<ProviderPaymentName>,
];

/**
 * Creates the completed payment of a checkout. The caller has checked the payment with `isExpectedPayment`.
 *
 * - If the invoice is still as the payer saw it, it is paid. Emits `payment.completed`, then `invoice.paid`.
 * - If it cannot be paid any more, or has changed, the whole amount must be refunded. Emits `payment.completed`.
 * @param name the id of the name of the payment at the provider
 */
export function completeCheckout(
  { checkout, invoice, identity, name }: CheckoutToComplete,
  { card, reference }: Pick<ReceivedPayment, 'card' | 'reference'>,
  now: Instant,
): CheckoutPaid {
  const payment: Payment = {
    ...paymentOf(checkout, invoice, identity, now),
    status: 'completed',
    card,
    reference,
    providerReference: reference,
  };
  const ended = endCheckout(checkout, 'completed', { paymentId: payment.id, hasMismatch: undefined });
  const named = {
    ...ownerOf(checkout),
    id: name,
    version: 1,
    status: 'named',
    paymentId: payment.id,
  } as const;
  const event = 'payment.completed';
  if (paysInvoice(checkout, invoice)) {
    const paid = payInvoice(invoice, receiptOf(payment), now);
    // Late money pays the invoice although the payer has begun another checkout. The worker voids that one.
    const other = invoice.openCheckout;
    const timers = other === undefined || other === checkout.id ? [] : [checkoutTimer({ id: other }, now)];
    return [paymentChange(payment, { event, timers }), paid, ended, internalChange(named)];
  }
  const uncompensated: Payment = {
    ...payment,
    pendingCompensation: 'refund',
    amountReserved: payment.amount,
  };
  const timers = [compensationRefundTimer(uncompensated, now)];
  return [
    paymentChange(uncompensated, { event, timers }),
    noteUnneededMoney(invoice, releaseCheckout(invoice, checkout.id), payment.amount),
    ended,
    internalChange(named),
  ];
}

export interface CheckoutToComplete {
  readonly checkout: Checkout;
  readonly invoice: Invoice;
  readonly identity: NewPaymentIdentity;
  readonly name: string;
}

/** Whether a payment of the checkout pays the invoice, which is still as the payer saw it. */
function paysInvoice({ contentVersion, amount, currency }: Checkout, invoice: Invoice): boolean {
  return (
    isPayable(invoice) &&
    contentVersionOf(invoice) === contentVersion &&
    invoice.amount === amount &&
    invoice.currency === currency
  );
}

/** Creates the failed payment of a checkout, and releases the invoice. Emits `payment.failed`. Nothing was taken. */
export function refuseCheckout(
  { checkout, invoice, identity }: Omit<CheckoutToComplete, 'name'>,
  failureCode: FailureCode,
  now: Instant,
): readonly [Change<Payment>, Change<Invoice> | undefined, Change<Checkout>] {
  const payment: Payment = { ...paymentOf(checkout, invoice, identity, now), status: 'failed', failureCode };
  return [
    paymentChange(payment, { event: 'payment.failed' }),
    noteRefusal(invoice, releaseCheckout(invoice, checkout.id)),
    endCheckout(checkout, 'completed', { paymentId: payment.id, hasMismatch: undefined }),
  ];
}

/** Ends a checkout that nobody can pay any more, and releases the invoice. Nothing was taken. */
export function abandonCheckout(
  checkout: Checkout,
  invoice: Invoice,
  status: 'expired' | 'voided',
): readonly [Change<Checkout> | undefined, Change<Invoice> | undefined] {
  if (checkout.status !== 'open') return [undefined, undefined];
  return [endCheckout(checkout, status, { hasMismatch: undefined }), releaseCheckout(invoice, checkout.id)];
}

/** Whether no payer has seen the page of the provider: its address is stored before a payer gets it. */
export const isNeverShown = ({ redirectUrl }: Checkout): boolean => redirectUrl === undefined;

/**
 * Ends an open checkout that the provider may still have, and releases the invoice. Sets the timer with which the worker
 * voids it at the provider.
 */
export function detachCheckout(
  checkout: Checkout,
  invoice: Invoice,
  now: Instant,
): readonly [Change<Checkout>, Change<Invoice> | undefined] {
  const timers = [checkoutTimer(checkout, now + firstPollMs)];
  return [{ ...endCheckout(checkout, 'voided', {}), timers }, releaseCheckout(invoice, checkout.id)];
}

/** The timer with which the worker asks the provider about a checkout, at `due`. */
export const checkoutTimer = ({ id }: Pick<Checkout, 'id'>, due: Instant): Timer => ({
  due,
  kind: 'checkout',
  reference: id,
});

/** The payment has the amount that the checkout asked for, also if the invoice has changed since. */
function paymentOf(
  { amount, currency, provider }: Checkout,
  invoice: Invoice,
  identity: NewPaymentIdentity,
  now: Instant,
): Payment {
  return { ...draftPayment(identity, invoice, now), amount, currency, provider };
}

const ownerOf = ({ account, mode }: Owner): Owner => ({ account, mode });

function endCheckout(
  checkout: Checkout,
  status: 'completed' | 'expired' | 'voided',
  details: Partial<Checkout>,
): Change<Checkout> {
  return nextCheckout(checkout, { ...details, status, description: '' });
}

function nextCheckout(checkout: Checkout, next: Partial<Checkout>): Change<Checkout> {
  return internalChange({ ...checkout, ...next, version: checkout.version + 1 });
}
