/** Declares what an erasure leaves of each field of an invoice, stored and shown. */
import {
  eraseParts,
  eraseText,
  type FieldErasures,
  keepValue,
  removeMetadata,
  replaceCustomerId,
} from '../../store/field-erasure.ts';
import type { Invoice, ShownCancellation, ShownInvoice } from './invoice.ts';
import type { Receipt } from './receipt.ts';

export const invoiceErasures: FieldErasures<Invoice | ShownInvoice | ShownCancellation> = {
  id: keepValue,
  customerId: replaceCustomerId,
  amount: keepValue,
  currency: keepValue,
  status: keepValue,
  description: eraseText,
  dueDate: keepValue,
  overdueAt: keepValue,
  paymentUrl: keepValue,
  paymentInProgress: keepValue,
  openCheckout: keepValue,
  checkoutRefusal: keepValue,
  receipt: eraseParts<Receipt>({
    paymentId: keepValue,
    method: keepValue,
    card: keepValue,
    reference: eraseText,
  }),
  refundedMinor: keepValue,
  paymentReference: keepValue,
  payerNote: keepValue,
  createdAt: keepValue,
  updatedAt: keepValue,
  deletedAt: keepValue,
  reference: eraseText,
  metadata: removeMetadata,
};
