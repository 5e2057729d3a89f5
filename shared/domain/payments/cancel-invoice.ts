/**
 * Cancels an invoice, and decides what becomes of the payments of parts that it has received. One transaction does both.
 *
 * - `refund`: it reserves the money of each payment, and the worker creates the refunds, as it does for money that arrives too late
 *   (`processing.ts` of refunds).
 * - `credit`: the money stays on the payments, as credit of the customer, and the invoice names them no longer.
 * - What credit has paid goes back to the payments that gave it, in both cases.
 */
import { ApiError } from '../../base/errors.ts';
import type { AccountTime } from '../../base/time.ts';
import { type Change, Command } from '../../store/commit/command.ts';
import { type LoadedRecord, readRecords } from '../../store/records.ts';
import { type Invoice, type ShownCancellation, showCancellation } from '../invoices/invoice.ts';
import { noteReturnedParts } from '../invoices/payer-notes.ts';
import { paymentsOf } from '../invoices/received-money.ts';
import { cancelInvoice, type ReturnedParts } from '../invoices/transitions.ts';
import { afterChange, giveCreditBack, keepAsCredit } from './credit.ts';
import { creditItems } from './credit-store.ts';
import { amountCreditedOf, type Payment } from './payment.ts';
import { compensationRefundTimer, internalPaymentChange, maxPaymentEvents } from './payment-changes.ts';
import { paymentType } from './record.ts';
import { refundable, requireRefundable } from './transitions.ts';
import { voidedChange } from './void-payment.ts';

/** The changes of payments, by their ids. */
type PaymentChanges = Map<string, Change<Payment>>;

/**
 * Creates the command that cancels an invoice. The command throws the errors of `cancelInvoice`.
 * @param payments reads the payments of the invoice, and refunds them or keeps them as credit. Then the command also throws
 * `payment_not_refundable` if a payment cannot be refunded now, `invoice_partly_paid` if there are too many to keep, and
 * `payment_in_progress` if another payment has just arrived
 */
export async function cancelInvoiceCommand(
  loaded: LoadedRecord<Invoice>,
  now: AccountTime,
  payments: ReturnedParts | undefined,
): Promise<Command<[Invoice, ...Payment[]], ShownCancellation>> {
  const ids = payments && loaded.record?.parts ? paymentsOf(loaded.record) : [];
  const parts = await readAll(loaded, ids);
  const sources = parts.flatMap(({ record }) => record?.creditFrom ?? []);
  const others = await readAll(
    loaded,
    [...new Set(sources)].filter((id) => !ids.includes(id)),
  );
  return new Command<[Invoice, ...Payment[]], ShownCancellation>(
    [loaded, ...parts, ...others],
    (invoice, ...present) => {
      if (!invoice) throw new ApiError('invoice_not_found');
      if (!payments) {
        const cancelled = cancelInvoice(invoice, now);
        return { changes: [cancelled], answer: showCancellation(cancelled.record) };
      }
      if (invoice.parts && paymentsOf(invoice).some((id) => !ids.includes(id)))
        throw new ApiError('payment_in_progress');
      const known = [...parts, ...others].map(({ id }, index) => {
        const payment = present[index];
        if (!payment) throw new Error(`The payment ${id} does not exist.`);
        return payment;
      });
      const [cancelled, ...changes] = cancelWithPayments(invoice, known, payments, now);
      return {
        changes: [cancelled, ...changes],
        answer: showCancellation(cancelled.record),
        ...creditItems(known, changes),
      };
    },
  );
}

/**
 * Cancels an invoice, and decides what becomes of its payments. Emits `invoice.cancelled`, `payment.voided` of each payment with credit,
 * and `payment.updated` of each that gave it, and of each that is kept as credit.
 * @param known the payments that the invoice counts, and those whose credit it used
 * @returns the change of the invoice, and those of the payments, in their order
 * @throws ApiError as `cancelInvoice`, `payment_not_refundable`, or `invoice_partly_paid` if there are too many payments to keep
 */
export function cancelWithPayments(
  invoice: Invoice,
  known: readonly Payment[],
  payments: ReturnedParts,
  now: AccountTime,
): readonly [Change<Invoice>, ...Change<Payment>[]] {
  const cancelled = cancelInvoice(invoice, now, { payments, ...partsLeftOf(invoice, payments) });
  const changes = returnParts(known, new Set(paymentsOf(invoice)), payments, now);
  const noted = noteReturnedParts(cancelled, returnedMinorOf(cancelled.record, known));
  // The version of each payment that was read rises, so that no other change of it goes unseen.
  return [noted, ...known.map((payment) => changes.get(payment.id) ?? internalPaymentChange(payment))];
}

async function readAll(
  { owner }: LoadedRecord<Invoice>,
  ids: readonly string[],
): Promise<readonly LoadedRecord<Payment>[]> {
  const { records } = await readRecords(paymentType, owner, ids);
  return ids.map((id) => ({ type: paymentType, owner, id, record: records.get(id) }));
}

/** Returns what a cancelled invoice still names: the payments that are refunded. It counts no credit, and nothing that is kept as credit. */
function partsLeftOf(
  { parts, receipt }: Invoice,
  payments: ReturnedParts,
): Partial<Pick<Invoice, 'parts' | 'receipt'>> {
  if (!parts) return {};
  const left = payments === 'credit' ? [] : parts.filter(({ isCredit }) => !isCredit);
  const hasReceipt = left.some(({ paymentId }) => paymentId === receipt?.paymentId);
  return { parts: left, receipt: hasReceipt ? receipt : undefined };
}

/** Returns what is refunded of the payments that a cancelled invoice names. */
const returnedMinorOf = ({ parts = [] }: Invoice, known: readonly Payment[]): number =>
  known
    .filter(({ id }) => parts.some(({ paymentId }) => paymentId === id))
    .reduce((sum, payment) => sum + payment.amount - amountCreditedOf(payment), 0);

/**
 * Returns the changes of the payments of a cancelled invoice, and of those whose credit they used.
 * @param known all of these payments
 * @param named the ids of those that the invoice counts
 */
function returnParts(
  known: readonly Payment[],
  named: ReadonlySet<string>,
  payments: ReturnedParts,
  now: AccountTime,
): PaymentChanges {
  const changes: PaymentChanges = new Map();
  const currentOf = (id: string) => changes.get(id)?.record ?? known.find((payment) => payment.id === id);
  const add = (change: Change<Payment>) =>
    changes.set(change.record.id, afterChange(changes.get(change.record.id), change));
  const ofInvoice = known.filter(({ id }) => named.has(id));
  const [used, received] = [
    ofInvoice.filter(({ creditFrom }) => creditFrom !== undefined),
    ofInvoice.filter(({ creditFrom }) => creditFrom === undefined),
  ];
  // One event for each payment that is kept, and two for each that used credit.
  if (payments === 'credit' && received.length + 2 * used.length > maxPaymentEvents) {
    const message = `The invoice has too many payments to keep them as credit. Send payments=refund to refund them.`;
    throw new ApiError('invoice_partly_paid', { message });
  }
  for (const payment of used) {
    add(voidedChange(payment, 'The invoice was cancelled.', now));
    const source = currentOf(payment.creditFrom ?? '');
    if (source) add(giveCreditBack(source, payment.id, now));
  }
  for (const { id } of received) {
    const payment = currentOf(id);
    if (payment) add(payments === 'credit' ? keepAsCredit(payment, now) : returnPart(payment, now));
  }
  return changes;
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
