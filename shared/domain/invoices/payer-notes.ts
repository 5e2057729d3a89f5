/**
 * Notes in an invoice what became of money that payers sent, for the payment page. The functions are pure, and the API shows
 * nothing of this, so the changes are internal.
 */

import type { AccountTime } from '../../base/time.ts';
import { type Change, internalChange } from '../../store/commit/command.ts';
import type { Invoice } from './invoice.ts';
import type { PayerNote } from './receipt.ts';
import { isPaidBy } from './received-money.ts';

/** What is refunded, in the smallest unit of the currency. Below 0 if a processed refund has failed. */
export interface RefundedMoney {
  readonly amountMinor: number;
  /** The part of it that no invoice needed, see `payments/refunded-money.ts`. */
  readonly overMinor: number;
}

/** The payment whose money goes back. */
interface RefundedPayment {
  readonly paymentId: string;
  /** All of it is credit of the customer, so nobody expects that it goes back. */
  readonly isCredit?: boolean;
}

/** Whether a payment brought money that must go back, because the invoice needs none of it. */
const isUnneeded = (invoice: Invoice, { paymentId, isCredit = false }: RefundedPayment): boolean =>
  !isCredit && !isPaidBy(invoice, paymentId);

/** Records a processed refund of a payment, or, with amounts below 0, that such a refund has failed. */
export function recordRefundedAmount(
  invoice: Invoice,
  { amountMinor, overMinor, ...payment }: RefundedMoney & RefundedPayment,
  now: AccountTime,
): Change<Invoice> {
  const refundedMinor = (invoice.refundedMinor ?? 0) + amountMinor;
  const { unneededRefundedMinor = 0, overRefundedMinor = 0 } = invoice.payerNote ?? {};
  const credited = creditedAfter(invoice, amountMinor - overMinor);
  const over = overMinor !== 0 && { overRefundedMinor: overRefundedMinor + overMinor };
  const note = isUnneeded(invoice, payment)
    ? { unneededRefundedMinor: unneededRefundedMinor + amountMinor, isRefundRefused: amountMinor < 0 }
    : over;
  return withNote({ ...invoice, refundedMinor }, invoice, {
    ...note,
    ...(credited !== invoice.payerNote?.creditedMinor && { creditedMinor: credited }),
    ...(amountMinor > 0 && { refundedAt: now }),
  });
}

/**
 * Returns what the credit note of a refund credits. Credit notes of refunds that the bank returned stay, so later refunds use them first.
 * @param chargedMinor what is refunded of what the invoice charges, in the smallest currency unit
 */
export function newlyCreditedOf({ payerNote }: Pick<Invoice, 'payerNote'>, chargedMinor: number): number {
  return Math.max(0, chargedMinor - (payerNote?.creditedMinor ?? 0));
}

/** Returns what credit notes credit without money having gone back, after a refund, or, below 0, after one has failed. */
function creditedAfter({ isDocumented, payerNote }: Invoice, chargedMinor: number): number | undefined {
  return isDocumented ? Math.max(0, (payerNote?.creditedMinor ?? 0) - chargedMinor) || undefined : undefined;
}

/** Records that a refund was refused. Returns undefined for a payment whose refunds nobody expects. */
export function noteRefusedRefund(invoice: Invoice, payment: RefundedPayment): Change<Invoice> | undefined {
  if (!isUnneeded(invoice, payment)) return undefined;
  return withNote(invoice, invoice, { isRefundRefused: true });
}

/**
 * Records money that arrived although the invoice did not need it.
 * @param released the change that releases the invoice from the payment, if the invoice was bound to it
 */
export function noteUnneededMoney(
  invoice: Invoice,
  released: Change<Invoice> | undefined,
  amountMinor: number,
): Change<Invoice> {
  const unneededMinor = (invoice.payerNote?.unneededMinor ?? 0) + amountMinor;
  return withNote(released?.record ?? invoice, invoice, { unneededMinor });
}

/** Notes in the change that cancels an invoice that the money of its payments is refunded. */
export function noteReturnedParts(cancelled: Change<Invoice>, returnedMinor: number): Change<Invoice> {
  const { payerNote } = cancelled.record;
  if (returnedMinor === 0) return cancelled;
  const unneededMinor = (payerNote?.unneededMinor ?? 0) + returnedMinor;
  return { ...cancelled, record: { ...cancelled.record, payerNote: { ...payerNote, unneededMinor } } };
}

/** Adds to the release from a payment that the payment was refused. */
export function noteRefusal(
  invoice: Invoice,
  released: Change<Invoice> | undefined,
): Change<Invoice> | undefined {
  return released && withNote(released.record, invoice, { isRefused: true });
}

function withNote(next: Invoice, { version, payerNote }: Invoice, note: PayerNote): Change<Invoice> {
  return internalChange({ ...next, version: version + 1, payerNote: { ...payerNote, ...note } });
}
