/** Which state of a payment may follow which, what becomes of its invoice, and what is announced. Pure. */
import { ApiError } from '../errors.ts';
import { eventOf } from '../events/event.ts';
import type { Owner } from '../ids.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { beginPayment, endPayment, isOpen, payInvoice, requirePayable } from '../invoices/transitions.ts';
import type { Timer } from '../store/timers.ts';
import type { Change, OpenRequest } from '../store/transition.ts';
import type { Instant } from '../time.ts';
import type { CardSummary } from './card.ts';
import type { FailureCode } from './failures.ts';
import { type Payment, showPayment } from './payment.ts';
import type { Outcome } from './provider.ts';

/** When a payment whose outcome the request did not tell is looked at: no request is still at work then. */
export const abandonedAfterMs = 60_000;
const firstLookMs = 5_000;

/** A new payment's own number and id. */
export interface PaymentPlace extends Owner {
  readonly id: string;
  readonly seq: number;
}

type PaymentAndInvoice = readonly [Change<Payment> | undefined, Change<Invoice> | undefined];

/**
 * Money received outside pays the invoice at once. Announces `payment.completed`, then `invoice.paid`.
 * @throws ApiError as `requirePayable`, `invalid_amount`
 */
export function recordOffline(
  place: PaymentPlace,
  invoice: Invoice,
  { amount, reference }: { amount: number | undefined; reference: string | null },
  now: Instant,
): readonly [Change<Payment>, Change<Invoice>] {
  requireAmount(invoice, amount);
  requirePayable(invoice);
  const payment: Payment = {
    ...newPayment(place, invoice, now),
    status: 'completed',
    method: 'offline',
    reference,
  };
  return [changeTo(payment, { event: 'payment.completed' }), payInvoice(invoice, receiptOf(payment), now)];
}

/**
 * The intent of a card payment: `pending`, and the invoice is bound to it. It is stored before the provider is called.
 * @param request the request under a key that its outcome will answer
 * @throws ApiError as `requirePayable`, `invalid_amount`
 */
export function beginCardPayment(
  place: PaymentPlace,
  invoice: Invoice,
  {
    amount,
    card,
    request,
  }: { amount: number | undefined; card: CardSummary; request: OpenRequest | undefined },
  now: Instant,
): readonly [Change<Payment>, Change<Invoice>] {
  requireAmount(invoice, amount);
  const payment: Payment = { ...newPayment(place, invoice, now), method: 'card', card, request };
  const look = lookAt(payment, now + abandonedAfterMs);
  return [changeTo(payment, { timers: [look] }), beginPayment(invoice, place.id)];
}

/**
 * What the provider's answer makes of payment and invoice. A payment that is final stays so.
 * - `done`: completed, and the invoice is paid. If nothing is open any more, as it was cancelled meanwhile, the whole
 *   amount is owed back. Announces `payment.completed`, then `invoice.paid`.
 * - `refused`: failed, and the invoice is free again. Announces `payment.failed`.
 * - `unknown`: the request that waits for it is answered that it is pending; it will be asked for again.
 */
export function settlePayment(
  payment: Payment,
  invoice: Invoice,
  outcome: Outcome,
  now: Instant,
): PaymentAndInvoice {
  if (payment.status !== 'pending') return [reversalOf(payment, outcome, now), undefined];
  if (outcome.kind === 'unknown') return [awaitOutcome(payment, now), undefined];
  if (outcome.kind === 'refused') return failPayment(payment, invoice, outcome.code, now);
  const completed: Payment = { ...nextVersion(payment, now), status: 'completed' };
  if (isOpen(invoice)) {
    return [
      changeTo(completed, { event: 'payment.completed' }),
      payInvoice(invoice, receiptOf(completed), now),
    ];
  }
  const owed: Payment = { ...completed, owed: 'refund', amountReserved: payment.amount };
  return [
    changeTo(owed, { event: 'payment.completed', timers: [refundOwed(owed, now)] }),
    endPayment(invoice, payment.id),
  ];
}

/** What is left of a payment for refunds, beside those that are pending. */
export const refundable = ({ amount, amountRefunded, amountReserved }: Payment): number =>
  amount - amountRefunded - amountReserved;

/**
 * Keeps `amountMinor` of a completed payment for a refund. Nothing that the API shows.
 * @throws ApiError `payment_not_refundable`, `refund_exceeds_payment`
 */
export function reserveRefund(payment: Payment, amountMinor: number): Change<Payment> {
  if (payment.status !== 'completed') {
    const message = `Only completed payments can be refunded; this one is ${payment.status}.`;
    throw new ApiError('payment_not_refundable', { message });
  }
  const left = refundable(payment);
  if (amountMinor > left || left === 0) {
    const message = `Of this payment ${left} can still be refunded, beside refunds that are pending.`;
    throw new ApiError('refund_exceeds_payment', { message });
  }
  return unseen({ ...payment, amountReserved: payment.amountReserved + amountMinor });
}

/** The whole amount, kept when the payment was completed, goes to the refund that is now made of it. */
export function assignOwedRefund(payment: Payment): Change<Payment> | undefined {
  return payment.owed === 'refund' ? unseen({ ...payment, owed: undefined }) : undefined;
}

/** A reversal was carried out by the provider. */
export function endReversal(payment: Payment): Change<Payment> | undefined {
  return payment.owed === 'reversal' ? unseen({ ...payment, owed: undefined }) : undefined;
}

/** A refund has an outcome: its amount is refunded, or free again. */
export function settleRefundOf(
  payment: Payment,
  { amountMinor, processed }: { amountMinor: number; processed: boolean },
  now: Instant,
): Change<Payment> {
  const amountReserved = payment.amountReserved - amountMinor;
  if (!processed) return unseen({ ...payment, amountReserved });
  const amountRefunded = payment.amountRefunded + amountMinor;
  return changeTo({ ...nextVersion(payment, now), amountReserved, amountRefunded }, { sameStatus: true });
}

/** The timer by which the payment is looked at, at `due`. */
export const lookAt = ({ id }: Payment, due: Instant): Timer => ({ due, kind: 'payment', reference: id });

/** The timer by which the refund that is owed is made. */
const refundOwed = ({ id }: Payment, due: Instant): Timer => ({ due, kind: 'refund', reference: id });

function newPayment(place: PaymentPlace, invoice: Invoice, now: Instant): Payment {
  const { id, customerId, amount, currency, dimensions } = invoice;
  return {
    ...place,
    version: 1,
    objectVersion: 1,
    dimensions: [`#invoice#${id}`, ...dimensions],
    invoiceId: id,
    customerId,
    amount,
    currency,
    status: 'pending',
    method: 'provider',
    card: null,
    reference: null,
    amountRefunded: 0,
    amountReserved: 0,
    failureCode: null,
    createdAt: now,
    updatedAt: now,
  };
}

function failPayment(
  payment: Payment,
  invoice: Invoice,
  failureCode: FailureCode,
  now: Instant,
): PaymentAndInvoice {
  const failed: Payment = { ...nextVersion(payment, now), status: 'failed', failureCode };
  return [changeTo(failed, { event: 'payment.failed' }), endPayment(invoice, payment.id)];
}

/** The first to learn that the outcome is open answers so, and has it looked at soon. */
function awaitOutcome(payment: Payment, now: Instant): Change<Payment> | undefined {
  if (payment.awaited) return undefined;
  const awaited: Payment = { ...payment, version: payment.version + 1, awaited: true, request: undefined };
  return changeTo(awaited, { timers: [lookAt(awaited, now + firstLookMs)] });
}

/** Money that was taken though the payment had failed goes back. */
function reversalOf(payment: Payment, outcome: Outcome, now: Instant): Change<Payment> | undefined {
  if (payment.status !== 'failed' || outcome.kind !== 'done' || payment.owed) return undefined;
  const owed: Payment = { ...payment, owed: 'reversal' };
  return { ...unseen(owed), timers: [lookAt(owed, now)] };
}

function changeTo(
  payment: Payment,
  {
    event,
    timers = [],
    sameStatus = false,
  }: {
    event?: 'payment.completed' | 'payment.failed';
    timers?: readonly Timer[];
    sameStatus?: boolean;
  },
): Change<Payment> {
  const { seq, dimensions, status, updatedAt } = payment;
  // Once it is final there is nobody left to answer.
  const record = status === 'pending' ? payment : { ...payment, request: undefined };
  return {
    record,
    element: sameStatus ? undefined : { resource: 'payment', seq, dimensions, status },
    events: event ? [eventOf(event, payment, updatedAt, showPayment(payment))] : [],
    timers,
  };
}

/** A change of nothing that the API shows. */
const unseen = (payment: Payment): Change<Payment> => ({
  record: { ...payment, version: payment.version + 1 },
  element: undefined,
  events: [],
  timers: [],
});

function nextVersion(payment: Payment, now: Instant): Payment {
  return {
    ...payment,
    version: payment.version + 1,
    objectVersion: payment.objectVersion + 1,
    updatedAt: Math.max(now, payment.updatedAt + 1),
  };
}

function receiptOf({ id, method, card, reference }: Payment) {
  return { paymentId: id, method, card, reference };
}

/** An amount that is sent along can only confirm the invoice's (semantics 8). */
function requireAmount({ amount, currency }: Invoice, sent: number | undefined): void {
  if (sent === undefined || sent === amount) return;
  const message = `amount must be that of the invoice, ${amount} (${currency}), or be left out.`;
  throw new ApiError('invalid_amount', { field: 'amount', message });
}
