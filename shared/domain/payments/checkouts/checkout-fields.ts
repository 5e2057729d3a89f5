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
  returnUrl: keepValue,
  createdAt: keepValue,
  expiresAt: keepValue,
  reference: keepValue,
  redirectUrl: keepValue,
  paymentId: keepValue,
  hasMismatch: keepValue,
};
