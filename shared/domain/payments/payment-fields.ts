/** Declares what an erasure leaves of each field of a payment, stored and shown. */
import {
  eraseText,
  type FieldErasures,
  keepValue,
  removeMetadata,
  replaceCustomerId,
} from '../../store/field-erasure.ts';
import type { Payment, ShownPayment } from './payment.ts';

export const paymentErasures: FieldErasures<Payment | ShownPayment> = {
  id: keepValue,
  invoiceId: keepValue,
  customerId: replaceCustomerId,
  amount: keepValue,
  currency: keepValue,
  status: keepValue,
  method: keepValue,
  card: keepValue,
  reference: eraseText,
  amountRefunded: keepValue,
  amountReserved: keepValue,
  failureCode: keepValue,
  failureMessage: keepValue,
  dispute: keepValue,
  pendingReason: keepValue,
  amountOver: keepValue,
  provider: keepValue,
  providerReference: keepValue,
  fees: keepValue,
  webhookFault: keepValue,
  pendingRequest: keepValue,
  isPolled: keepValue,
  pendingCompensation: keepValue,
  createdAt: keepValue,
  updatedAt: keepValue,
  metadata: removeMetadata,
};
