/** Decides which amount of an invoice a payer or a merchant can pay at once. Pure. Amounts are in the smallest currency unit. */
import { ApiError } from '../../base/errors.ts';
import { formatAmount, parseMajorUnits } from '../../base/money.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { amountDueOf, maxParts } from '../invoices/received-money.ts';
import { isPayable } from '../invoices/transitions.ts';

/**
 * The smallest part that a card or a provider takes: 1.00 of the currency. It is above the limits of all providers
 * (`provider/amount-limits.ts`), and fees would eat smaller payments up.
 */
const smallestPart = 100;

/** Returns the smallest part of an invoice that can be paid by card or at a provider. The rest can be less. */
export const smallestPartOf = (invoice: Invoice): number => Math.min(smallestPart, amountDueOf(invoice));

/** Whether an invoice takes payments of less than what is due. */
export const takesParts = (invoice: Invoice): boolean =>
  invoice.acceptPartial === true && (invoice.parts ?? []).length < maxParts - 1;

/**
 * Returns the amount to pay.
 * @param sent what the client asks for. Undefined: all that is due
 * @param smallest the smallest part. What a part leaves is nothing, or at least as much
 * @throws ApiError `invalid_amount` with the figures. An invoice that nobody can pay has its own error, which the caller throws
 */
export function payableAmountOf(invoice: Invoice, sent: number | undefined, smallest: number): number {
  const { currency } = invoice;
  const due = isPayable(invoice) ? amountDueOf(invoice) : invoice.amount;
  if (sent === undefined || sent === due) return due;
  const show = (minor: number) => `${minor} (${formatAmount(minor, currency)})`;
  const refuse = (message: string) => new ApiError('invalid_amount', { field: 'amount', message });
  if (!isPayable(invoice) || (!invoice.acceptPartial && due === invoice.amount))
    throw refuse(
      `amount must be the amount of the invoice, ${due} (${currency}). Send that amount or leave it out.`,
    );
  if (sent > due)
    throw refuse(`amount must be at most what is due, ${show(due)}. Send that amount or leave it out.`);
  if (!invoice.acceptPartial)
    throw refuse(
      `amount must be what is due, ${show(due)}. Or let the invoice accept parts with acceptPartial.`,
    );
  if (!takesParts(invoice))
    throw refuse(
      `amount must be what is due, ${show(due)}, because an invoice takes at most ${maxParts} payments.`,
    );
  if (sent < smallest) throw refuse(`amount must be at least ${show(smallest)} and at most ${show(due)}.`);
  if (due - sent < Math.min(smallest, due))
    throw refuse(
      `amount must leave at least ${show(smallest)}, or be what is due, ${show(due)}. Smaller payments are not possible.`,
    );
  return sent;
}

/** Whether a payer can choose an amount: both the part and what it leaves are large enough. */
export const offersParts = (invoice: Invoice): boolean =>
  isPayable(invoice) && takesParts(invoice) && amountDueOf(invoice) >= 2 * smallestPart;

/**
 * Reads the amount that a payer typed, in units of the currency. An empty text asks for all that is due.
 * @returns undefined if the invoice does not take this amount
 */
export function typedAmountOf(invoice: Invoice, typed: string): number | undefined {
  const text = typed.trim();
  const sent = text === '' ? amountDueOf(invoice) : parseMajorUnits(text);
  try {
    return sent === undefined ? undefined : payableAmountOf(invoice, sent, smallestPartOf(invoice));
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
