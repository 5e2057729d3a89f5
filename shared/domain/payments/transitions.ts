/**
 * Decides which changes of a payment are allowed, and which changes of its invoice, events and timers follow from each.
 * The functions are pure: they get the time as an argument and do no input or output.
 *
 * - A payment is `pending` first, and then `completed` or `failed`, for good. Lists depend on this.
 * - Only an answer of the provider ends a pending payment, so the service never contradicts the provider about money.
 * - Refunded and reserved amounts together never exceed the amount of the payment.
 */
import { ApiError } from '../../base/errors.ts';
import type { AccountTime, Instant } from '../../base/time.ts';
import { type Change, internalChange, type PendingRequest } from '../../store/commit/command.ts';
import type { Timer } from '../../store/timers/timer-item.ts';
import { dayIn } from '../accounts/fiscal-year.ts';
import { requireOpenClaim } from '../invoices/claim.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { requireNoCheckout } from '../invoices/open-checkout.ts';
import { noteRefusal, noteUnneededMoney, type RefundedMoney } from '../invoices/payer-notes.ts';
import { amountDueOf } from '../invoices/received-money.ts';
import {
  bindPayment,
  hasDayBegun,
  isPayable,
  receivePayment,
  releasePayment,
  requireKnownStatus,
  requirePayable,
} from '../invoices/transitions.ts';
import {
  moreThanPaidOf,
  payableAmountOf,
  receivedAmountOf,
  settlingAmountOf,
  smallestPartOf,
} from './payable-amount.ts';
import { amountCreditedOf, type OfflineDetails, type Payment } from './payment.ts';
import {
  compensationRefundTimer,
  draftPayment,
  internalPaymentChange,
  type NewPaymentIdentity,
  nextPaymentVersion,
  paymentChange,
  receiptOf,
  usersOf,
} from './payment-changes.ts';
import type { CardSummary } from './provider/card.ts';
import type { FailureCode } from './provider/failures.ts';
import { isUndecided } from './provider/hosted-provider.ts';
import type { ProviderOutcome } from './provider/provider.ts';
import { disputeOfTestCard } from './test-dispute.ts';

/**
 * The age, in milliseconds, from which no request can still be working on a pending payment. It is polled from then on.
 */
export const abandonedAfterMs = 60_000;
const firstPollMs = 5_000;

type PaymentAndInvoice = readonly [Change<Payment> | undefined, Change<Invoice> | undefined];

/** What the client says about a new payment, besides how it is paid. */
interface PaymentDetails {
  readonly amount: number | undefined;
  readonly metadata?: string | undefined;
}

/**
 * Checks the day on which money was received.
 * @param timeZone that of the account: an IANA name. Undefined: it is not known, so the day must have begun somewhere
 * @throws ApiError `invalid_received_on` if the day has not begun
 */
export function requireBegun(day: string | undefined, now: AccountTime, timeZone?: string): void {
  if (day === undefined || (timeZone ? day <= dayIn(timeZone, now) : hasDayBegun(day, now))) return;
  const message = 'receivedOn must not be in the future. Send the day on which you received the money.';
  throw new ApiError('invalid_received_on', { field: 'receivedOn', message });
}

/**
 * Records money received outside the service. It counts immediately. Emits `payment.completed`, then `invoice.paid`, or
 * `invoice.updated` if something is still due.
 * @param details Undefined `amount`: all that is due. Only an invoice with `acceptPartial` takes less, or `settle` gives up the rest. With
 *   `acceptOver`, what is more than is due is kept as `amountOver`: of a paid invoice all of it
 * @param writeOffPercent the largest share of an invoice that the account gives up
 * @throws ApiError `invalid_claim`, `invalid_amount`, `invalid_settle`, `invalid_received_on`, or as `requirePayable`
 * @throws CheckoutOpenError if the invoice is payable and a checkout is open
 */
export function recordOffline(
  identity: NewPaymentIdentity,
  invoice: Invoice,
  { amount, allowDuplicateReference: _, acceptOver, transfer, ...details }: OfflineDetails,
  now: AccountTime,
  writeOffPercent = 0,
): readonly [Change<Payment>, Change<Invoice>] {
  // What became of the claim comes first, because no other amount would help.
  if (details.claim !== undefined) requireOpenClaim(invoice, details.claim, 'claim');
  const { writeOff } = details.settle ?? {};
  if (invoice.status === 'paid') {
    const more = {
      ...details,
      amount: moreThanPaidOf(invoice, { amount, settle: details.settle, acceptOver }),
    };
    return recordMoreThanPaid(identity, invoice, more, now);
  }
  const { counted, over } =
    writeOff === undefined
      ? receivedAmountOf(invoice, { amount, acceptOver })
      : { counted: settlingAmountOf(invoice, amount, writeOff, writeOffPercent), over: 0 };
  requireBegun(details.receivedOn, now);
  requirePayable(invoice);
  requireNoCheckout(invoice);
  const payment: Payment = {
    ...draftPayment(identity, invoice, 'offline', now),
    amount: counted + over,
    status: 'completed',
    ...details,
    ...(over > 0 && { amountOver: over }),
  };
  const shownOn = details.statementRow === undefined ? undefined : details.receivedOn;
  return [
    paymentChange(payment, { event: 'payment.completed' }),
    receivePayment(
      invoice,
      receiptOf(payment),
      { amount: counted, over, writtenOff: writeOff, claim: details.claim, transfer, shownOn },
      now,
    ),
  ];
}

/**
 * Records money that came although its invoice was paid. The invoice counts nothing of it and stays as it is. Its version rises, so that a
 * void of the payment that has paid it does not run at once. Emits `payment.completed`.
 */
function recordMoreThanPaid(
  identity: NewPaymentIdentity,
  invoice: Invoice,
  { amount, ...details }: Omit<OfflineDetails, 'acceptOver'> & { readonly amount: number },
  now: AccountTime,
): readonly [Change<Payment>, Change<Invoice>] {
  requireBegun(details.receivedOn, now);
  const payment: Payment = {
    ...draftPayment(identity, invoice, 'offline', now),
    ...{ amount, amountOver: amount, status: 'completed', ...details },
  };
  return [
    paymentChange(payment, { event: 'payment.completed' }),
    internalChange({ ...invoice, version: invoice.version + 1 }),
  ];
}

/**
 * Creates a `pending` card payment and binds the invoice to it. The caller stores both before it calls the provider, so
 * a crash cannot lose a capture.
 * @param amount in the smallest currency unit. Undefined: all that is due. Only an invoice with `acceptPartial` takes less
 * @param pendingRequest the request under an idempotency key that the outcome of the payment will answer
 * @throws ApiError `invalid_amount`, or as `requirePayable`
 * @throws CheckoutOpenError if the invoice is payable and a checkout is open
 */
export function beginCardPayment(
  identity: NewPaymentIdentity,
  invoice: Invoice,
  { amount, ...details }: PaymentDetails & { card: CardSummary; pendingRequest: PendingRequest | undefined },
  now: AccountTime,
): readonly [Change<Payment>, Change<Invoice>] {
  const amountToPay = payableAmountOf(invoice, amount, smallestPartOf(invoice));
  const payment: Payment = {
    ...draftPayment(identity, invoice, 'card', now),
    amount: amountToPay,
    ...details,
  };
  const timer = pollTimer(payment, now + abandonedAfterMs);
  return [paymentChange(payment, { timers: [timer] }), bindPayment(invoice, identity.id)];
}

/**
 * Applies the provider's outcome to a payment and its invoice.
 *
 * - `done`: the payment completes and counts. Emits `payment.completed`, then `invoice.paid`, or `invoice.updated` if something is
 *   still due. If the invoice cannot be paid any more, for example because it was cancelled, the whole amount must be refunded.
 * - `refused`: the payment fails, and the invoice is released. Emits `payment.failed`.
 * - `unknown`: the request that waits for the outcome gets the pending payment as its answer, and polling starts.
 *
 * A payment that is final keeps its status. But if the provider reports `done` for a failed payment, the provider must
 * return the money.
 */
export function settlePayment(
  payment: Payment,
  invoice: Invoice,
  outcome: ProviderOutcome,
  now: AccountTime,
): PaymentAndInvoice {
  if (payment.status !== 'pending') return [compensationOf(payment, outcome, now), undefined];
  if (outcome.kind === 'unknown') return [awaitOutcome(payment, now), undefined];
  if (outcome.kind === 'refused') return failPayment(payment, invoice, outcome.code, now);
  const completed: Payment = { ...nextPaymentVersion(payment, now), status: 'completed' };
  if (isPayable(invoice) && completed.amount <= amountDueOf(invoice)) {
    return [
      paymentChange(completed, { event: 'payment.completed', timers: disputeTimers(completed, now) }),
      receivePayment(invoice, receiptOf(completed), completed, now),
    ];
  }
  requireKnownStatus(invoice);
  const uncompensated: Payment = {
    ...completed,
    pendingCompensation: 'refund',
    amountReserved: payment.amount,
  };
  const timers = [compensationRefundTimer(uncompensated, now)];
  return [
    paymentChange(uncompensated, { event: 'payment.completed', timers }),
    noteUnneededMoney(invoice, releasePayment(invoice, payment.id), payment.amount),
  ];
}

/**
 * The amount of a payment that can still be refunded, without what pending refunds have reserved, and without what pays other invoices. A
 * voided payment has none, and neither has one with credit: the payment that received the money is refunded.
 */
export const refundable = (payment: Payment): number => {
  const { amount, amountRefunded, amountReserved, voidedAt, creditFrom } = payment;
  if (voidedAt !== undefined || creditFrom !== undefined) return 0;
  // A provider can have returned more, because its dashboard does not know what is used.
  return Math.max(0, amount - amountRefunded - amountReserved - amountCreditedOf(payment));
};

/**
 * Reserves a part of a completed payment for a refund. The API does not show this, so it is an internal change.
 * @param amountMinor in the smallest currency unit
 * @throws ApiError `payment_not_refundable`, `refund_exceeds_payment`
 */
export function reserveRefund(payment: Payment, amountMinor: number): Change<Payment> {
  requireRefundable(payment);
  const left = refundable(payment);
  if (amountMinor > left || left === 0) {
    const used = payment.creditUses
      ? ` So are ${amountCreditedOf(payment)} that pay other invoices: ${usersOf(payment)}. To return them, void these payments first.`
      : '';
    const message = `This payment has ${left} left to refund. Pending refunds are already subtracted.${used}`;
    throw new ApiError('refund_exceeds_payment', { message });
  }
  return internalPaymentChange({ ...payment, amountReserved: payment.amountReserved + amountMinor });
}

/** @throws ApiError `payment_not_refundable` if the status, the void or a dispute of the payment allows no refund */
export function requireRefundable(payment: Payment): void {
  if (payment.status !== 'completed' && payment.failureCode !== 'amount_differs') {
    const message = `Only completed payments can be refunded. This payment is ${payment.status}.`;
    throw new ApiError('payment_not_refundable', { message });
  }
  if (payment.creditFrom !== undefined) {
    const message = `This payment used the credit of ${payment.creditFrom}, so it has no money of its own. Void it, and refund that payment.`;
    throw new ApiError('payment_not_refundable', { message });
  }
  if (payment.voidedAt !== undefined) {
    const message = 'This payment is voided: its money never arrived, so it cannot be refunded.';
    throw new ApiError('payment_not_refundable', { message });
  }
  if (payment.dispute && isUndecided(payment.dispute.status) && !payment.dispute.isRefundable) {
    const message =
      'This payment cannot be refunded while its dispute is open. Answer the dispute at the payment provider.';
    throw new ApiError('payment_not_refundable', { message });
  }
}

/**
 * Assigns the amount that the payment reserved when it became final to the compensating refund that is created now.
 * @param refundedMinor what the provider has returned of the payment, in the smallest currency unit. It is not refunded again.
 * @returns undefined if the payment does not need such a refund
 */
export function assignCompensationRefund(
  payment: Payment,
  refundedMinor: number,
): Change<Payment> | undefined {
  if (payment.pendingCompensation !== 'refund') return undefined;
  const left = Math.max(0, payment.amount - refundedMinor - amountCreditedOf(payment));
  const amountReserved = Math.min(payment.amountReserved, left);
  return internalPaymentChange({ ...payment, amountReserved, pendingCompensation: undefined });
}

/** Notes that the provider has reversed the capture. Returns undefined if the payment does not need a reversal. */
export function completeCompensation(payment: Payment): Change<Payment> | undefined {
  return payment.pendingCompensation === 'reversal'
    ? internalPaymentChange({ ...payment, pendingCompensation: undefined })
    : undefined;
}

/**
 * Applies the outcome of a refund: its amount counts as refunded, or is no longer reserved.
 * @param refunded what is refunded if it is processed. Undefined: it was refused
 */
export function applyRefundOutcome(
  payment: Payment,
  amountMinor: number,
  refunded: RefundedMoney | undefined,
  now: AccountTime,
): Change<Payment> {
  const released = { ...payment, amountReserved: payment.amountReserved - amountMinor };
  return refunded ? countRefund(released, refunded, now) : internalPaymentChange(released);
}

/**
 * Counts a refund: one that was processed or that the provider made on its own, or, with amounts below 0, one that has failed since. Then
 * its amount can be refunded again.
 */
export function countRefund(
  payment: Payment,
  { amountMinor, overMinor }: RefundedMoney,
  now: AccountTime,
): Change<Payment> {
  const amountRefunded = payment.amountRefunded + amountMinor;
  const overRefunded = (payment.overRefunded ?? 0) + overMinor || undefined;
  return paymentChange(
    { ...nextPaymentVersion(payment, now), amountRefunded, overRefunded },
    { sameStatus: true },
  );
}

/** The timer with which the worker polls the outcome of a payment, at `due`. */
export const pollTimer = ({ id }: Payment, due: Instant): Timer => ({ due, kind: 'payment', reference: id });

/** The timer with which the worker asks about the dispute that a test card causes. */
const disputeTimers = (payment: Payment, now: Instant): Timer[] =>
  disputeOfTestCard(payment) ? [pollTimer(payment, now + firstPollMs)] : [];

function failPayment(
  payment: Payment,
  invoice: Invoice,
  failureCode: FailureCode,
  now: AccountTime,
): PaymentAndInvoice {
  const failed: Payment = { ...nextPaymentVersion(payment, now), status: 'failed', failureCode };
  const released = noteRefusal(invoice, releasePayment(invoice, payment.id));
  return [paymentChange(failed, { event: 'payment.failed' }), released];
}

/**
 * Answers the waiting request with the pending payment, and starts polling. Only the first unknown outcome does this.
 */
function awaitOutcome(payment: Payment, now: AccountTime): Change<Payment> | undefined {
  if (payment.isPolled) return undefined;
  const polled: Payment = {
    ...payment,
    version: payment.version + 1,
    isPolled: true,
    pendingRequest: undefined,
  };
  return paymentChange(polled, { timers: [pollTimer(polled, now + firstPollMs)] });
}

/** Starts the reversal of a capture that succeeded although the payment had failed. */
function compensationOf(
  payment: Payment,
  outcome: ProviderOutcome,
  now: AccountTime,
): Change<Payment> | undefined {
  if (payment.status !== 'failed' || outcome.kind !== 'done' || payment.pendingCompensation) return undefined;
  const uncompensated: Payment = { ...payment, pendingCompensation: 'reversal' };
  return { ...internalPaymentChange(uncompensated), timers: [pollTimer(uncompensated, now)] };
}
