/**
 * Decides about the credit of customers: money that no invoice needs, and that pays another invoice of the same customer. Pure.
 *
 * - The money stays on the payment that received it, the source. Its `creditUses` name the payments of other invoices that use it.
 * - A use is a payment of its own with the method `credit`. It receives no money, so the journal moves what it pays from `unapplied` to
 *   what the customer owes (`journal/chart.ts`).
 * - Refunds of a source come first from its credit, and what is used is never refunded. So no money is given back twice.
 * - Each change of a source is conditional on its version, so two invoices never use the same money.
 */
import { ApiError } from '../../base/errors.ts';
import { formatAmount } from '../../base/money.ts';
import type { AccountTime } from '../../base/time.ts';
import type { Change } from '../../store/commit/command.ts';
import type { RecordBase } from '../../store/records.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { requireNoCheckout } from '../invoices/open-checkout.ts';
import { amountDueOf, maxParts } from '../invoices/received-money.ts';
import { receivePayments, requirePayable } from '../invoices/transitions.ts';
import { amountCreditedOf, type Payment } from './payment.ts';
import {
  draftPayment,
  type NewPaymentIdentity,
  nextPaymentVersion,
  paymentChange,
  receiptOf,
} from './payment-changes.ts';

/** The largest number of payments with credit of one invoice. Its cancellation changes all of them with their sources. */
export const maxCreditParts = 20;
/** The largest number of uses of one payment, because its record names them. What is left is refunded. */
const maxUses = 50;

/** Returns the part of a payment that can pay other invoices. Nothing of one with a dispute that is open or lost. */
export function creditLeftOf(payment: Payment): number {
  const { status, voidedAt, amountOver = 0, amountReserved, dispute, creditUses } = payment;
  if (status !== 'completed' || voidedAt !== undefined || (creditUses?.length ?? 0) >= maxUses) return 0;
  if (dispute && dispute.status !== 'won' && dispute.status !== 'closed') return 0;
  // What was refunded before a cancellation was not over then, and is now.
  const refunded = isKeptAsCredit(payment) ? payment.amountRefunded : (payment.overRefunded ?? 0);
  return Math.max(0, amountOver - amountCreditedOf(payment) - refunded - amountReserved);
}

/** Returns the filter key of the customer of a record. */
export const customerKeyOf = ({ filterKeys }: { readonly filterKeys: readonly string[] }): string =>
  filterKeys.find((key) => key.startsWith('#customer#')) ?? '';

/** Whether the money of a payment belongs to the customer of an invoice, in its currency. */
export const isCreditFor = (payment: Payment, invoice: Invoice): boolean =>
  payment.currency === invoice.currency && customerKeyOf(payment) === customerKeyOf(invoice);

/** How much of a source pays an invoice. */
export interface CreditRequest {
  /** In the smallest unit of the currency. Undefined: what is due, or all that is left of the credit. */
  readonly amount: number | undefined;
  readonly metadata?: string | undefined;
  /** Whether the client named the source. */
  readonly isNamed: boolean;
}

/**
 * Pays an invoice with the credit of a source, also if the invoice takes no other parts. Emits `payment.completed`, then `invoice.paid`,
 * or `invoice.updated` if something is still due, and `payment.updated` of the source.
 * @param source undefined: the customer has none
 * @throws ApiError `no_credit`, `invalid_credit_from`, `invalid_amount`, or as `requirePayable`
 * @throws CheckoutOpenError if the invoice is payable and a checkout is open
 */
export function payWithCredit(
  identity: NewPaymentIdentity,
  invoice: Invoice,
  source: Payment | undefined,
  { amount: sent, metadata, isNamed }: CreditRequest,
  now: AccountTime,
): readonly [Change<Payment>, Change<Invoice>, Change<Payment>] {
  requirePayable(invoice);
  requireNoCheckout(invoice);
  const from = requireSource(source, invoice, isNamed);
  const amount = amountOfCredit(invoice, from, sent);
  const payment: Payment = {
    ...newCredit(identity, invoice, from, amount, now),
    ...(metadata !== undefined && { metadata }),
  };
  return [
    paymentChange(payment, { event: 'payment.completed' }),
    receivePayments(invoice, [{ receipt: receiptOf(payment), amount }], now),
    useCreditOf(from, payment, now),
  ];
}

/** A payment with credit that a new invoice is created with, and the change of its source. */
interface FirstCredit {
  readonly payment: Change<Payment>;
  readonly source: Change<Payment>;
}

/**
 * Pays a new invoice with the credit of its customer: of each source all that is left, until nothing is due. Emits `payment.completed`
 * and `payment.updated` for each, then `invoice.paid` or `invoice.updated`.
 * @param sources those that have no credit left are skipped
 * @returns the credits, and the change of the invoice. Undefined: no credit is left
 */
export function payNewWithCredit(
  identities: readonly NewPaymentIdentity[],
  invoice: Invoice,
  sources: readonly (Payment | undefined)[],
  now: AccountTime,
): { readonly credits: readonly (FirstCredit | undefined)[]; readonly invoice: Change<Invoice> | undefined } {
  let due = amountDueOf(invoice);
  const credits = sources.map((source, index) => {
    const identity = identities[index];
    const amount = source && isCreditFor(source, invoice) ? Math.min(due, creditLeftOf(source)) : 0;
    if (!source || !identity || amount === 0) return undefined;
    due -= amount;
    const payment = newCredit(identity, invoice, source, amount, now);
    return {
      payment: paymentChange(payment, { event: 'payment.completed' }),
      source: useCreditOf(source, payment, now),
    };
  });
  const received = credits.flatMap((credit) =>
    credit ? { receipt: receiptOf(credit.payment.record), amount: credit.payment.record.amount } : [],
  );
  return { credits, invoice: received.length > 0 ? receivePayments(invoice, received, now) : undefined };
}

const newCredit = (
  identity: NewPaymentIdentity,
  invoice: Invoice,
  { id: creditFrom }: Payment,
  amount: number,
  now: AccountTime,
): Payment => ({
  ...draftPayment(identity, invoice, 'credit', now),
  amount,
  status: 'completed',
  creditFrom,
});

function requireSource(source: Payment | undefined, invoice: Invoice, isNamed: boolean): Payment {
  const refuse = (message: string) => new ApiError('invalid_credit_from', { field: 'creditFrom', message });
  if (isNamed && !source)
    throw refuse('creditFrom must be the ID of one of your payments, in the form pay_…. Check the ID.');
  if (!source) throw new ApiError('no_credit');
  if (!isCreditFor(source, invoice))
    throw refuse('creditFrom must be a payment of the customer of the invoice, in the same currency.');
  if (creditLeftOf(source) > 0) return source;
  if (!isNamed) throw new ApiError('no_credit');
  throw refuse('creditFrom must be a payment with credit: amountOver less amountCredited and its refunds.');
}

function amountOfCredit(invoice: Invoice, source: Payment, sent: number | undefined): number {
  const due = amountDueOf(invoice);
  const left = creditLeftOf(source);
  const show = (minor: number) => `${minor} (${formatAmount(minor, invoice.currency)})`;
  const refuse = (message: string) => new ApiError('invalid_amount', { field: 'amount', message });
  if (sent !== undefined && sent > due) throw refuse(`amount must be at most what is due, ${show(due)}.`);
  if (sent !== undefined && sent > left)
    throw refuse(`amount must be at most what is left of the credit of ${source.id}, ${show(left)}.`);
  const ofCredit = creditPartsOf(invoice);
  if (ofCredit >= maxCreditParts || (invoice.parts?.length ?? 0) >= maxParts - 1)
    throw refuse('The invoice has too many payments to use credit. Receive what is due in another way.');
  return sent ?? Math.min(due, left);
}

/** Returns how many payments with credit an invoice counts. */
const creditPartsOf = ({ parts = [] }: Invoice): number => parts.filter((part) => part.isCredit).length;

function useCreditOf(source: Payment, { id, amount }: Payment, now: AccountTime): Change<Payment> {
  const creditUses = [...(source.creditUses ?? []), { paymentId: id, amount }];
  return paymentChange({ ...nextPaymentVersion(source, now), creditUses }, updated);
}

const updated = { event: 'payment.updated', sameStatus: true } as const;

/** Gives the credit that a payment used back to its source. Emits `payment.updated`. @throws Error if the source does not name it */
export function giveCreditBack(source: Payment, paymentId: string, now: AccountTime): Change<Payment> {
  const left = (source.creditUses ?? []).filter((use) => use.paymentId !== paymentId);
  if (left.length + 1 !== source.creditUses?.length)
    throw new Error(`The payment ${source.id} does not give credit to ${paymentId}.`);
  const creditUses = left.length > 0 ? left : undefined;
  return paymentChange({ ...nextPaymentVersion(source, now), creditUses }, updated);
}

/** Keeps all that a payment received as credit, because its invoice is cancelled. Emits `payment.updated`. */
export const keepAsCredit = (payment: Payment, now: AccountTime): Change<Payment> =>
  paymentChange({ ...nextPaymentVersion(payment, now), amountOver: payment.amount }, updated);

/** Whether all of a payment is credit, because its invoice was cancelled, or was paid before. */
export const isKeptAsCredit = ({ amount, amountOver }: Payment): boolean => amountOver === amount;

/** Returns a change of a record that follows another one of the same record, with what follows from both. */
export function afterChange<T extends RecordBase>(first: Change<T> | undefined, next: Change<T>): Change<T> {
  if (!first) return next;
  return {
    record: next.record,
    indexEntry: next.indexEntry ?? first.indexEntry,
    events: [...first.events, ...next.events],
    timers: [...first.timers, ...next.timers],
    ...((first.issuesDocuments || next.issuesDocuments) && { issuesDocuments: true as const }),
  };
}
