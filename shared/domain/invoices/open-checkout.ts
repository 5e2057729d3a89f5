/**
 * Decides how a checkout at a provider binds an invoice. The functions are pure.
 *
 * - An invoice has at most one open checkout. It does not block the merchant: a change of the invoice voids the checkout
 *   first.
 * - The API does not show the binding, so its changes are internal.
 */
import { ApiError } from '../../base/errors.ts';
import { type Change, internalChange } from '../../store/commit/command.ts';
import type { Invoice } from './invoice.ts';

/**
 * A change needs that no checkout is open, and one is. If nobody voids the checkout, the client gets
 * `payment_in_progress`.
 */
export class CheckoutOpenError extends ApiError {
  readonly checkoutId: string;

  constructor(checkoutId: string) {
    super('payment_in_progress', { message: inProgressMessage });
    this.checkoutId = checkoutId;
  }
}

const inProgressMessage =
  'A payment for this invoice is in progress at the payment provider. Wait for its outcome, or send the query parameter force=payment_in_progress to go on without it.';

/** @throws CheckoutOpenError if a checkout of the invoice is open */
export function requireNoCheckout({ openCheckout }: Invoice): void {
  if (openCheckout !== undefined) throw new CheckoutOpenError(openCheckout);
}

/** Binds the invoice to a new checkout. The caller has checked that the invoice is payable and has no checkout. */
export function bindCheckout(invoice: Invoice, checkoutId: string): Change<Invoice> {
  const bound = { openCheckout: checkoutId, checkoutRefusal: undefined };
  return internalChange({ ...invoice, version: invoice.version + 1, ...bound });
}

/**
 * Binds the invoice also to the pending payment of its open checkout, so that no other payment begins. Returns undefined if the
 * invoice is not bound to that checkout, or has the payment already.
 */
export function bindCheckoutPayment(
  invoice: Invoice,
  checkoutId: string,
  paymentId: string,
): Change<Invoice> | undefined {
  if (invoice.openCheckout !== checkoutId || invoice.paymentInProgress === paymentId) return undefined;
  return internalChange({ ...invoice, version: invoice.version + 1, paymentInProgress: paymentId });
}

/**
 * Releases the invoice from a checkout and its pending payment. Returns undefined if the invoice is not bound to that
 * checkout.
 * @param checkoutRefusal set if the provider refused to begin the checkout
 */
export function releaseCheckout(
  invoice: Invoice,
  checkoutId: string,
  checkoutRefusal = invoice.checkoutRefusal,
): Change<Invoice> | undefined {
  if (invoice.openCheckout !== checkoutId) return undefined;
  const released = { openCheckout: undefined, paymentInProgress: undefined, checkoutRefusal };
  return internalChange({ ...invoice, version: invoice.version + 1, ...released });
}
