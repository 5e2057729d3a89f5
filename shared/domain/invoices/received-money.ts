/**
 * Says what an invoice has received, and what is still due. Pure. Amounts are in the smallest unit of the currency.
 *
 * - An invoice lists its payments only if one payment alone does not pay exactly its amount. So an invoice that one payment pays
 *   stores nothing more.
 * - Refunds never lower what an invoice has received.
 */
import type { Receipt } from './receipt.ts';

/** A payment of a part of an invoice, or one that closes it with a difference. */
export interface PartPayment {
  readonly paymentId: string;
  /** What the payment settles, without what was paid above the amount due. */
  readonly amount: number;
  /** What was still due then, and is given up. */
  readonly writtenOff?: number | undefined;
  /** Credit of the customer paid it. */
  readonly isCredit?: true | undefined;
  /** The money was received outside the service: the keyed hash of its reference. Empty without one. */
  readonly transfer?: string | undefined;
  /** The day, as `YYYY-MM-DD`, of the row of a bank statement that shows this money. Undefined: none does. */
  readonly shownOn?: string | undefined;
  /** It is the money of a claim of the payer. Only with `transfer`. */
  readonly isClaimed?: true | undefined;
  /** What this money was above `amount`. Only with `transfer`. */
  readonly over?: number | undefined;
}

/**
 * The largest number of payments of one invoice. Its cancellation with refunds changes all of them, and those that gave credit, in one
 * transaction, which has at most 100 items (docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html).
 */
export const maxParts = 50;

/** What an invoice says of its payments. */
interface NamedPayments {
  readonly parts?: readonly PartPayment[] | undefined;
  readonly receipt?: Receipt | undefined;
}

interface MoneyOfInvoice extends NamedPayments {
  readonly amount: number;
  readonly status: string;
}

/** Returns the sum of the payments that an invoice counts. */
export const amountPaidOf = ({ amount, status, parts }: MoneyOfInvoice): number =>
  parts ? parts.reduce((sum, part) => sum + part.amount, 0) : status === 'paid' ? amount : 0;

/** Returns the sum of what was given up. */
export const amountWrittenOffOf = ({ parts = [] }: Pick<NamedPayments, 'parts'>): number =>
  parts.reduce((sum, { writtenOff = 0 }) => sum + writtenOff, 0);

/** Returns what is still to be paid: 0 if the invoice is paid or cancelled. */
export const amountDueOf = (invoice: MoneyOfInvoice): number =>
  invoice.status === 'pending' || invoice.status === 'overdue' ? openAmountOf(invoice) : 0;

/** Returns what its payments leave of the amount of an invoice, whatever its status. */
export const openAmountOf = (invoice: MoneyOfInvoice): number =>
  invoice.amount - (invoice.parts ? amountPaidOf(invoice) : 0) - amountWrittenOffOf(invoice);

/**
 * Whether an invoice was paid, and is credited in full because a payment of it was voided. Another one replaces it and has its other
 * payments, so it names none.
 */
export const isCredited = ({
  status,
  replacedBy,
}: Pick<MoneyOfInvoice, 'status'> & { readonly replacedBy?: string | undefined }): boolean =>
  status === 'paid' && replacedBy !== undefined;

/** Whether an invoice has payments of parts. */
export const hasParts = ({ parts = [] }: Pick<NamedPayments, 'parts'>): boolean => parts.length > 0;

/** Whether a payment paid for what the invoice charges. Nobody owes what a cancelled invoice charges. */
export const isPaidBy = (
  { status, receipt, parts }: Omit<MoneyOfInvoice, 'amount'>,
  paymentId: string,
): boolean =>
  status !== 'cancelled' &&
  (parts ? parts.some((part) => part.paymentId === paymentId) : receipt?.paymentId === paymentId);

/** Returns the ids of the payments that an invoice names, without one in progress. */
export const paymentsOf = ({ receipt, parts }: NamedPayments): string[] =>
  parts ? parts.map(({ paymentId }) => paymentId) : receipt ? [receipt.paymentId] : [];
