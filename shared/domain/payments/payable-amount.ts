/** Decides which amount of an invoice a payer or a merchant can pay at once. Pure. Amounts are in the smallest currency unit. */
import { ApiError } from '../../base/errors.ts';
import { type Currency, formatAmount, parseMajorUnits } from '../../base/money.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { amountDueOf, amountWrittenOffOf, isCredited, maxParts } from '../invoices/received-money.ts';
import { isPayable } from '../invoices/transitions.ts';
import type { OfflineDetails } from './payment.ts';

/**
 * The smallest part that a card or a provider takes: 1.00 of the currency. It is above the limits of all providers
 * (`provider/amount-limits.ts`), and fees would eat smaller payments up.
 */
const smallestPart = 100;

/** What the refusal of more than what is due says of money that was received outside the service. */
const overRemedy = 'send acceptOver: true to keep the rest as credit of the customer.';

/** Whether an error refuses more than what is due, or more for a paid invoice, which `acceptOver` would accept. */
export const refusesOver = (error: unknown): boolean =>
  error instanceof ApiError && error.message.endsWith(overRemedy);

/** Returns the smallest part of an invoice that can be paid by card or at a provider. The rest can be less. */
export const smallestPartOf = (invoice: Invoice): number => Math.min(smallestPart, amountDueOf(invoice));

/** Whether an invoice takes payments of less than what is due. */
export const takesParts = (invoice: Invoice): boolean =>
  invoice.acceptPartial === true && (invoice.parts ?? []).length < maxParts - 1;

/**
 * Returns the amount to pay.
 * @param sent what the client asks for. Undefined: all that is due
 * @param smallest the smallest part. What a part leaves is nothing, or at least as much
 * @param canKeepOver whether the client could keep more as credit, so that the refusal of more names this
 * @throws ApiError `invalid_amount` with the figures. An invoice that nobody can pay has its own error, which the caller throws
 */
export function payableAmountOf(
  invoice: Invoice,
  sent: number | undefined,
  smallest: number,
  canKeepOver = false,
): number {
  const { currency } = invoice;
  const due = isPayable(invoice) ? amountDueOf(invoice) : invoice.amount;
  if (sent === undefined || sent === due) return due;
  const show = (minor: number) => `${minor} (${formatAmount(minor, currency)})`;
  const refuse = (message: string) => new ApiError('invalid_amount', { field: 'amount', message });
  if (canKeepOver && isPayable(invoice) && sent > due)
    throw refuse(
      `amount must be at most what is due, ${show(due)}. Send that amount. Or, if you received more, ${overRemedy}`,
    );
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

/**
 * Returns what an invoice counts of money that was received outside the service. What is more than is due is refused, or kept as credit.
 * @param details `amount` is undefined for all that is due. `acceptOver` keeps what is more
 * @returns `counted` and `over`. Together the amount of the payment
 * @throws ApiError as `payableAmountOf`
 */
export function receivedAmountOf(
  invoice: Invoice,
  { amount, acceptOver = false }: Pick<OfflineDetails, 'amount' | 'acceptOver'>,
): { readonly counted: number; readonly over: number } {
  const due = isPayable(invoice) ? amountDueOf(invoice) : invoice.amount;
  const over = acceptOver ? Math.max(0, (amount ?? 0) - due) : 0;
  return { counted: payableAmountOf(invoice, over > 0 ? due : amount, 1, true), over };
}

/**
 * Returns the amount of money that was received outside the service although the invoice is paid.
 * @throws ApiError `invoice_already_paid` with `settle`, without `acceptOver`, or if another invoice replaces it. `invalid_amount` without
 *   an amount, because nothing is due
 */
export function moreThanPaidOf(
  invoice: Invoice,
  { amount, settle, acceptOver = false }: Pick<OfflineDetails, 'amount' | 'settle' | 'acceptOver'>,
): number {
  if (isCredited(invoice)) {
    const message = `This invoice has been paid and credited, and ${invoice.replacedBy} replaces it. Record the payment for that one.`;
    throw new ApiError('invoice_already_paid', { message });
  }
  if (settle || !acceptOver) {
    const ofSettle = settle ? ', so there is nothing to write off. Leave settle out' : '';
    const message = `This invoice has already been paid${ofSettle}. If you received more money for it, send amount, which a row of a bank statement can leave out, and ${overRemedy}`;
    throw new ApiError('invoice_already_paid', { message });
  }
  if (amount !== undefined) return amount;
  const message = `Nothing is due of this paid invoice, so amount must be what you received beside it, in ${invoice.currency}.`;
  throw new ApiError('invalid_amount', { field: 'amount', message });
}

/**
 * Returns how much of an invoice can still be written off. The limit holds for the sum of what all of its payments gave up, also of those
 * that it took over from the invoice that it replaces.
 * @param limitPercent the largest share of an invoice that the account writes off
 */
export const writeOffLeftOf = (invoice: Invoice, limitPercent: number): number =>
  Math.max(0, Math.floor((invoice.amount * limitPercent) / 100) - amountWrittenOffOf(invoice));

/**
 * Returns the amount of a payment that closes an invoice although it is less than what is due.
 * @param sent what the client says was paid. Undefined: what is due without what is written off
 * @param limitPercent the largest share of an invoice that the account writes off
 * @throws ApiError `invalid_settle` or `invalid_amount` with the figures. An invoice that nobody can pay has its own error, which the
 *   caller throws
 */
export function settlingAmountOf(
  invoice: Invoice,
  sent: number | undefined,
  writeOff: number,
  limitPercent: number,
): number {
  if (!isPayable(invoice)) return invoice.amount;
  const show = (minor: number) => `${minor} (${formatAmount(minor, invoice.currency)})`;
  const refuse = (message: string) => new ApiError('invalid_settle', { field: 'settle.writeOff', message });
  if (limitPercent === 0)
    throw refuse('Your account writes nothing off. Set seller.writeOffPercent of the account first.');
  const limit = writeOffLeftOf(invoice, limitPercent);
  if (writeOff > limit) {
    const other = amountWrittenOffOf(invoice);
    const less = other > 0 ? `, less ${show(other)} that is written off already` : '';
    throw refuse(
      `settle.writeOff must be at most ${show(limit)}: ${limitPercent} percent of the invoice${less}, as your account says.`,
    );
  }
  const due = amountDueOf(invoice);
  if (writeOff >= due) throw refuse(`settle.writeOff must be less than what is due, ${show(due)}.`);
  const paid = due - writeOff;
  if (sent === undefined || sent === paid) return paid;
  const message = `amount must be ${show(paid)}, so that it comes to what is due, ${show(due)}, together with settle.writeOff. Send that amount or leave it out.`;
  throw new ApiError('invalid_amount', { field: 'amount', message });
}

/**
 * @param sent the currency that the client expects. Undefined: it expects none
 * @throws ApiError `invalid_currency` if the invoice has another one
 */
export function requireExpectedCurrency({ currency }: Invoice, sent: Currency | undefined): void {
  if (sent === undefined || sent === currency) return;
  const message = `currency must be that of the invoice, ${currency}. Send that currency or leave it out.`;
  throw new ApiError('invalid_currency', { field: 'currency', message });
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
