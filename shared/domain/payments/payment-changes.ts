/** Builds payments and their changes, for the transitions of payments and of checkouts. Pure. */

import type { Owner } from '../../base/ids.ts';
import type { WebhookFault } from '../../base/test-fault.ts';
import type { AccountTime, Instant } from '../../base/time.ts';
import { type Change, internalChange } from '../../store/commit/command.ts';
import type { Timer } from '../../store/timers/timer-item.ts';
import { draftEvent, type EventType } from '../events/event.ts';
import type { Invoice } from '../invoices/invoice.ts';
import type { Receipt } from '../invoices/receipt.ts';
import { isReceived } from '../journal/chart.ts';
import { type Payment, type PaymentFees, showPayment } from './payment.ts';
import type { ReceivedPayment } from './provider/hosted-provider.ts';

/**
 * So many events of payments fit into the transaction of the event log, which takes all that follows from a change at once. It also stores
 * an event of each of up to two invoices, the documents, an entry of the journal and one of the audit log, and the sums of some days
 * (`append-changes.ts`). The transaction of the change itself has two items for each of these events at most.
 */
export const maxPaymentEvents = 38;

/** The properties that identify a new payment: owner, id and sequence number, and the fault of its events. */
export interface NewPaymentIdentity extends Owner {
  readonly id: string;
  readonly seq: number;
  readonly webhookFault?: WebhookFault | undefined;
}

/** Returns a `pending` payment of the invoice's amount, paid by `method`. A part has another amount, which the caller sets. */
export function draftPayment(
  identity: NewPaymentIdentity,
  invoice: Invoice,
  method: Payment['method'],
  now: AccountTime,
): Payment {
  const { id, customerId, amount, currency, filterKeys } = invoice;
  return {
    ...identity,
    version: 1,
    objectVersion: 1,
    filterKeys: [paymentListOf(id), ...filterKeys],
    invoiceId: id,
    customerId,
    amount,
    currency,
    status: 'pending',
    method,
    card: null,
    reference: null,
    amountRefunded: 0,
    amountReserved: 0,
    failureCode: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** The key of the list of the payments of an invoice. */
const paymentListOf = (invoiceId: string): string => `#invoice#${invoiceId}`;

/** Whether a payment is for an invoice, or was for it until that one was replaced. */
export const isOrWasFor = ({ filterKeys }: Pick<Payment, 'filterKeys'>, invoiceId: string): boolean =>
  filterKeys.includes(paymentListOf(invoiceId));

/** How often a payment has moved to an invoice that replaces its own. */
export const movesOf = ({ filterKeys }: Pick<Payment, 'filterKeys'>): number =>
  Math.max(0, filterKeys.filter((key) => key.startsWith(paymentListOf(''))).length - 1);

/** Applies a payment to the invoice that replaces its own, and emits `payment.updated`. The lists of both invoices have it. */
export const movePayment = (payment: Payment, invoiceId: string, now: AccountTime): Change<Payment> =>
  paymentChange(
    {
      ...nextPaymentVersion(payment, now),
      invoiceId,
      filterKeys: [...payment.filterKeys, paymentListOf(invoiceId)],
    },
    { event: 'payment.updated' },
  );

type PaymentEvent = Extract<EventType, `payment.${string}`>;

/**
 * Returns the change to a payment that clients see. Notes when its money arrived. With `sameStatus`, it stays at the same place in lists.
 */
export function paymentChange(
  payment: Payment,
  {
    event,
    timers = [],
    sameStatus = false,
    previous,
  }: {
    event?: PaymentEvent | undefined;
    timers?: readonly Timer[];
    sameStatus?: boolean;
    previous?: object;
  },
): Change<Payment> {
  const { seq, filterKeys, status, updatedAt } = payment;
  const noted = isReceived(payment) ? { ...payment, receivedAt: payment.receivedAt ?? updatedAt } : payment;
  // The change that makes a payment final also answers the request that waits for it.
  const record: Payment = status === 'pending' ? noted : { ...noted, pendingRequest: undefined };
  return {
    record,
    indexEntry: sameStatus ? undefined : { resource: 'payment', seq, filterKeys, status },
    events: event ? [draftEvent(event, payment, updatedAt, showPayment(payment), previous)] : [],
    timers,
  };
}

/** A new version that looks the same to clients. */
export const internalPaymentChange = (payment: Payment): Change<Payment> =>
  internalChange({ ...payment, version: payment.version + 1 });

/** Makes `updatedAt` strictly later, even if the clock of this instance is behind that of another one. */
export function nextPaymentVersion(payment: Payment, now: AccountTime): Payment {
  return {
    ...payment,
    version: payment.version + 1,
    objectVersion: payment.objectVersion + 1,
    updatedAt: Math.max(now, payment.updatedAt + 1),
  };
}

/** Returns the fees of a payment as the service stores them. Undefined if the provider does not tell them, or not yet. */
export function feesOf(fees: ReceivedPayment['fees']): PaymentFees | undefined {
  if (!fees) return undefined;
  const { amountMinor: amount, taxMinor: tax, netMinor: net, currency } = fees;
  return { amount, tax, net, currency };
}

/** Returns the details of a payment that its paid invoice stores. */
export function receiptOf({ id, method, card, reference }: Payment): Receipt {
  return { paymentId: id, method, card, reference };
}

/** Returns the ids of the payments that use the credit of a payment, as a text. */
export const usersOf = ({ creditUses = [] }: Pick<Payment, 'creditUses'>): string =>
  creditUses.map(({ paymentId }) => paymentId).join(', ');

/** The timer with which the worker creates the compensating refund of a payment, at `due`. */
export const compensationRefundTimer = ({ id }: Payment, due: Instant): Timer => ({
  due,
  kind: 'refund',
  reference: id,
});
