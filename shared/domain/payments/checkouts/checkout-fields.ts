/** Declares what an erasure leaves of each field of a checkout. */
import { eraseText, type FieldErasures, keepValue, replaceWith } from '../../../store/field-erasure.ts';
import type { Checkout } from './checkout.ts';

export const checkoutErasures: FieldErasures<Checkout> = {
  id: keepValue,
  status: keepValue,
  provider: keepValue,
  invoiceId: keepValue,
  contentVersion: keepValue,
  amount: keepValue,
  currency: keepValue,
  description: eraseText,
  customerEmail: replaceWith(undefined),
  // The payment page with the id of the checkout. A repetition of `begin` must send the same URL.
  returnUrl: keepValue,
  createdAt: keepValue,
  openUntil: keepValue,
  reference: keepValue,
  // The provider's page of this checkout, which its id names. The payer can still have it open, and a second visit leads there.
  redirectUrl: keepValue,
  paymentId: keepValue,
  hasMismatch: keepValue,
};
