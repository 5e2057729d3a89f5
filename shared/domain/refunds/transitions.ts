/**
 * Decides which changes of a refund are allowed, and which changes of its payment and invoice, events and timers follow
 * from each. The functions are pure: they get the time as an argument and do no input or output.
 *
 * - A refund is `pending` first, and then `processed` or `failed`. A failed refund never changes. A processed refund fails
 *   only if the provider says later that the payer's bank returned the money. Lists depend on this order.
 * - A pending refund reserves its amount in the payment, so refunds never exceed the payment.
 */

import { ApiError } from '../../base/errors.ts';
import type { Owner } from '../../base/ids.ts';
import { formatAmount } from '../../base/money.ts';
import type { WebhookFault } from '../../base/test-fault.ts';
import type { AccountTime, Instant } from '../../base/time.ts';
import { type Change, internalChange } from '../../store/commit/command.ts';
import type { EventDraft } from '../../store/commit/outbox-item.ts';
import type { Timer } from '../../store/timers/timer-item.ts';
import { draftEvent } from '../events/event.ts';
import type { Invoice } from '../invoices/invoice.ts';
import {
  newlyCreditedOf,
  noteRefusedRefund,
  type RefundedMoney,
  recordRefundedAmount,
} from '../invoices/payer-notes.ts';
import { checkoutTimer } from '../payments/checkouts/transitions.ts';
import { isKeptAsCredit } from '../payments/credit.ts';
import type { Payment } from '../payments/payment.ts';
import type { FailureCode } from '../payments/provider/failures.ts';
import type { HostedProviderName } from '../payments/provider/hosted-provider.ts';
import type { ProviderOutcome } from '../payments/provider/provider.ts';
import { divideRefund } from '../payments/refunded-money.ts';
import {
  applyRefundOutcome,
  assignCompensationRefund,
  countRefund,
  refundable,
  reserveRefund,
} from '../payments/transitions.ts';
import { type Refund, showRefund } from './refund.ts';

/** The properties that identify a new refund: owner, id and sequence number, and the fault of its events. */
export interface NewRefundIdentity extends Owner {
  readonly id: string;
  readonly seq: number;
  readonly webhookFault?: WebhookFault | undefined;
}

type RefundAndPayment = readonly [Change<Refund> | undefined, Change<Payment> | undefined];

/** The reason of a refund that the service creates itself. */
export const compensationReason = 'The invoice was cancelled while the payment was in progress.';
/** The same for a payment that was made on the page of a provider. */
export const latePaymentReason = 'The invoice was paid, cancelled or changed before the payment arrived.';

/** The same for a payment of a part of an invoice that the merchant cancels. */
const cancellationReason = 'The invoice was cancelled.';

/** The same for a payment of another amount, which the merchant has not accepted. */
export const differingAmountReason = 'The amount paid was not the amount of the invoice.';

/**
 * Creates a `pending` refund, reserves its amount in the payment, and sets the timer with which the worker executes it.
 * @param amount in the smallest currency unit. If undefined, all that is left of the payment.
 * @throws ApiError `payment_not_refundable`, `refund_exceeds_payment`, `invalid_amount`
 */
export function createRefund(
  identity: NewRefundIdentity,
  payment: Payment,
  {
    amount = refundable(payment),
    reason,
    metadata,
  }: { amount: number | undefined; reason: string | null; metadata?: string | undefined },
  now: AccountTime,
): readonly [Change<Refund>, Change<Payment>] {
  requireProviderTakes(payment, amount);
  const reserved = reserveRefund(payment, amount);
  const refund = {
    ...newRefund(identity, payment, amount, reason, now),
    ...(metadata !== undefined && { metadata }),
  };
  return [creationOf(refund, now), reserved];
}

/** The smallest refund that a provider takes, in the smallest unit of its currency (razorpay.com/docs/api/refunds/create-normal). */
const smallestRefunds: Readonly<Partial<Record<HostedProviderName, number>>> = { razorpay: 100 };

/**
 * @throws ApiError `invalid_amount` if the provider of the payment never takes a refund of this amount, or of what it leaves of
 *   the payment
 */
function requireProviderTakes(payment: Payment, amountMinor: number): void {
  const { provider, currency } = payment;
  const smallest = provider && smallestRefunds[provider];
  if (smallest === undefined || amountMinor < 1) return;
  const show = (minor: number) => `${minor} (${formatAmount(minor, currency)})`;
  const least = `at least ${show(smallest)}, because the payment provider refuses smaller refunds.`;
  const all = refundable(payment);
  const left = all - amountMinor;
  let message: string | undefined;
  if (amountMinor < smallest) message = `amount must be ${least} Return the money in another way.`;
  else if (left > 0 && left < smallest)
    message = `amount must leave nothing of the payment, or ${least} Refund all that is left: ${show(all)}.`;
  if (message !== undefined) throw new ApiError('invalid_amount', { field: 'amount', message });
}

/**
 * Creates the refund of a payment that needs compensation. The payment has already reserved its amount. Returns no change if this
 * refund exists already.
 *
 * What somebody has returned at the provider is left out, because the provider refuses a refund of more than the rest. The worker
 * then asks about the payment, and records that refund.
 * @param refundedMinor what the provider has returned of the payment, in the smallest currency unit. Less than its amount
 */
export function createCompensatingRefund(
  identity: NewRefundIdentity,
  payment: Payment,
  refundedMinor: number,
  now: AccountTime,
): RefundAndPayment {
  const assigned = assignRest(payment, refundedMinor, now);
  if (!assigned) return [undefined, undefined];
  const refund = newRefund(identity, payment, assigned.record.amountReserved, reasonOf(payment), now);
  return [creationOf(refund, now), assigned];
}

/**
 * Ends the compensation of a payment of which nothing is left, because the provider has returned all of it. Returns no change if it
 * does not need compensation.
 */
export const endCompensation = (payment: Payment, now: AccountTime): Change<Payment> | undefined =>
  assignRest(payment, payment.amount, now);

function assignRest(payment: Payment, refundedMinor: number, now: AccountTime): Change<Payment> | undefined {
  const assigned = assignCompensationRefund(payment, refundedMinor);
  const isReduced = assigned !== undefined && assigned.record.amountReserved < payment.amountReserved;
  return isReduced ? { ...assigned, timers: [checkoutTimer(payment, now)] } : assigned;
}

function reasonOf({ method, failureCode, isOfCancelledInvoice }: Payment): string {
  if (isOfCancelledInvoice) return cancellationReason;
  if (failureCode === 'amount_differs') return differingAmountReason;
  return method === 'provider' ? latePaymentReason : compensationReason;
}

/** A refund that somebody made in the provider's own dashboard. */
export interface ProviderRefund {
  /** The id of the refund at the provider. */
  readonly reference: string;
  /** In the smallest currency unit. */
  readonly amountMinor: number;
}

/**
 * Records a refund that the provider has carried out on its own. The payment and the invoice count it. Emits
 * `refund.processed`. A pending refund of this service can be of the same money: then the provider refuses that one.
 */
export function recordProviderRefund(
  identity: NewRefundIdentity,
  payment: Payment,
  invoice: Invoice,
  { reference, amountMinor }: ProviderRefund,
  now: AccountTime,
): readonly [Change<Refund>, Change<Payment>, Change<Invoice>] {
  const refunded = divideRefund(payment, invoice, amountMinor);
  const drafted = newRefund(identity, payment, amountMinor, null, now);
  const processed = { status: 'processed', providerReference: reference } as const;
  const refund = withProcessing({ ...drafted, ...processed, ...divided(invoice, refunded) });
  const event = eventOf('refund.processed', refund);
  return [
    {
      record: refund,
      indexEntry: indexEntryOf(refund),
      events: [event],
      ...creditNoteOf(invoice, refund),
      timers: [],
    },
    countRefund(payment, refunded, now),
    recordRefundedAmount(invoice, { ...nameOf(payment), ...refunded }, now),
  ];
}

/**
 * Applies the provider's outcome to a refund, its payment and its invoice.
 *
 * - `done`: the refund is processed. Emits `refund.processed`.
 * - `refused`: the refund fails, and its amount can be refunded again. Emits `refund.failed`. The invoice notes it if it did
 *   not need the money.
 * - `unknown`: nothing changes. The worker polls the provider later.
 *
 * A refund that has an outcome does not change.
 */
export function settleRefund(
  refund: Refund,
  payment: Payment,
  invoice: Invoice,
  outcome: ProviderOutcome,
  now: AccountTime,
): readonly [...RefundAndPayment, Change<Invoice> | undefined] {
  if (refund.status !== 'pending' || outcome.kind === 'unknown') return [undefined, undefined, undefined];
  const { amount: amountMinor } = refund;
  if (outcome.kind === 'refused')
    return [
      outcomeChange(refund, outcome.code, now),
      applyRefundOutcome(payment, amountMinor, undefined, now),
      noteRefusedRefund(invoice, nameOf(payment)),
    ];
  const refunded = divideRefund(payment, invoice, amountMinor);
  const change = outcomeChange({ ...refund, ...divided(invoice, refunded) }, null, now);
  return [
    { ...change, ...creditNoteOf(invoice, change.record) },
    applyRefundOutcome(payment, amountMinor, refunded, now),
    recordRefundedAmount(invoice, { ...nameOf(payment), ...refunded }, change.record.updatedAt),
  ];
}

const nameOf = (payment: Payment) => ({ paymentId: payment.id, isCredit: isKeptAsCredit(payment) });

/** Returns which part of a refund is over, and what its credit note credits if that is less than the other part. */
function divided(invoice: Invoice, { amountMinor, overMinor }: RefundedMoney) {
  const charged = amountMinor - overMinor;
  const credits = newlyCreditedOf(invoice, charged);
  return { ...(overMinor > 0 && { amountOver: overMinor }), ...(credits < charged && { credits }) };
}

/**
 * A credit note follows from a refund of money that paid for what the invoice charges. Other money did not. No note follows if one of a
 * refund that the bank returned credits as much.
 */
export const hasCreditNote = (
  { isDocumented }: Pick<Invoice, 'isDocumented'>,
  {
    amount,
    amountOver = 0,
    credits = amount - amountOver,
  }: Pick<Refund, 'amount' | 'amountOver' | 'credits'>,
): boolean => isDocumented === true && credits > 0;

const creditNoteOf = (invoice: Invoice, refund: Refund) =>
  hasCreditNote(invoice, refund) ? { issuesDocuments: true as const } : {};

/**
 * Fails a processed refund, because the provider says that the money did not reach the payer. The payment and the invoice
 * do not count it any more, so the merchant can refund the amount again. Emits `refund.failed`. Changes nothing if the
 * refund is not processed.
 */
export function failProcessedRefund(
  refund: Refund,
  payment: Payment,
  invoice: Invoice,
  code: FailureCode,
  now: AccountTime,
): readonly [...RefundAndPayment, Change<Invoice> | undefined] {
  if (refund.status !== 'processed') return [undefined, undefined, undefined];
  const { amount, amountOver = 0 } = refund;
  const undone: RefundedMoney = { amountMinor: -amount, overMinor: -amountOver };
  return [
    outcomeChange({ ...refund, amountOver: undefined, credits: undefined }, code, now),
    countRefund(payment, undone, now),
    recordRefundedAmount(invoice, { ...nameOf(payment), ...undone }, now),
  ];
}

/**
 * Says which row of a bank statement shows the money of a refund. Its events stay as they are, because nothing of the money changes.
 * @param statementRow undefined: none
 */
export function showInRow(
  refund: Refund,
  statementRow: string | undefined,
  now: AccountTime,
): Change<Refund> {
  return internalChange({
    ...refund,
    version: refund.version + 1,
    objectVersion: refund.objectVersion + 1,
    updatedAt: Math.max(now, refund.updatedAt + 1),
    statementRow,
  });
}

/** Notes when and in which version a refund is processed. */
const withProcessing = (refund: Refund): Refund => ({
  ...refund,
  processedAt: refund.updatedAt,
  processedVersion: refund.objectVersion,
});

/** Gives a refund an outcome. @param failureCode null if the refund is processed */
function outcomeChange(refund: Refund, failureCode: FailureCode | null, now: AccountTime): Change<Refund> {
  const processed = failureCode === null;
  const updatedAt = Math.max(now, refund.updatedAt + 1);
  const changed: Refund = {
    ...refund,
    version: refund.version + 1,
    objectVersion: refund.objectVersion + 1,
    updatedAt,
    ...(refund.processedAt !== undefined && { undoneAt: updatedAt }),
    status: processed ? 'processed' : 'failed',
    failureCode,
  };
  const next = processed ? withProcessing(changed) : changed;
  const type = processed ? 'refund.processed' : 'refund.failed';
  const event = eventOf(type, next);
  return { record: next, indexEntry: indexEntryOf(next), events: [event], timers: [] };
}

function eventOf(type: 'refund.processed' | 'refund.failed', refund: Refund): EventDraft {
  const { updatedAt, credits } = refund;
  const draft = draftEvent(type, refund, updatedAt, showRefund(refund));
  return credits === undefined ? draft : { ...draft, credits };
}

/** The timer with which the worker executes or polls a refund, at `due`. */
export const processTimer = ({ id }: Pick<Refund, 'id'>, due: Instant): Timer => ({
  due,
  kind: 'refund',
  reference: id,
});

function creationOf(refund: Refund, now: AccountTime): Change<Refund> {
  return {
    record: refund,
    indexEntry: indexEntryOf(refund),
    events: [],
    timers: [processTimer(refund, now)],
  };
}

function newRefund(
  identity: NewRefundIdentity,
  { id, invoiceId, currency, method }: Payment,
  amount: number,
  reason: string | null,
  now: AccountTime,
): Refund {
  return {
    ...identity,
    version: 1,
    objectVersion: 1,
    filterKeys: [`#payment#${id}`, `#invoice#${invoiceId}`],
    paymentId: id,
    invoiceId,
    amount,
    currency,
    status: 'pending',
    reason,
    failureCode: null,
    ...(method === 'offline' && { isOffline: true }),
    createdAt: now,
    updatedAt: now,
  };
}

function indexEntryOf({ seq, filterKeys, status }: Refund) {
  return { resource: 'refund', seq, filterKeys, status } as const;
}
