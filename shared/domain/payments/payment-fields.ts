/** Declares what an erasure leaves of each field of a payment, stored and shown. */
import {
  eraseEach,
  eraseText,
  type FieldErasures,
  keepValue,
  removeMetadata,
  replaceCustomerId,
} from '../../store/field-erasure.ts';
import type { CreditUse, Payment, ShownPayment } from './payment.ts';

export const paymentErasures: FieldErasures<Payment | ShownPayment> = {
  id: keepValue,
  invoiceId: keepValue,
  customerId: replaceCustomerId,
  amount: keepValue,
  currency: keepValue,
  status: keepValue,
  method: keepValue,
  // The books need the brand and the last four digits, and they name nobody.
  card: { brand: keepValue, last4: keepValue },
  reference: eraseText,
  receivedOn: keepValue,
  bank: eraseText,
  note: eraseText,
  statementRow: keepValue,
  claim: keepValue,
  settle: { writeOff: keepValue, reason: keepValue },
  voidedAt: keepValue,
  voidReason: eraseText,
  amountRefunded: keepValue,
  amountReserved: keepValue,
  failureCode: keepValue,
  failureMessage: keepValue,
  dispute: {
    // Without the id, the service and the merchant do not find the dispute at the provider.
    reference: keepValue,
    status: keepValue,
    // One of the codes of the provider, such as `fraudulent`. What the payer wrote to the bank is not stored.
    reason: keepValue,
    amount: keepValue,
    openedAt: keepValue,
    isRefundable: keepValue,
    respondBy: keepValue,
  },
  pendingReason: keepValue,
  amountOver: keepValue,
  overRefunded: keepValue,
  amountCredited: keepValue,
  creditUses: eraseEach<CreditUse>({ paymentId: keepValue, amount: keepValue }),
  creditFrom: keepValue,
  provider: keepValue,
  providerReference: keepValue,
  fees: { amount: keepValue, tax: keepValue, net: keepValue, currency: keepValue },
  webhookFault: keepValue,
  // Keyed hashes. The request under this key still gets its answer.
  pendingRequest: { keyHash: keepValue, fingerprint: keepValue, status: keepValue },
  isPolled: keepValue,
  pendingCompensation: keepValue,
  isOfCancelledInvoice: keepValue,
  createdAt: keepValue,
  updatedAt: keepValue,
  metadata: removeMetadata,
};
