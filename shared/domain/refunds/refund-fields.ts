/** Declares what an erasure leaves of each field of a refund, stored and shown. */
import { eraseTextBut, type FieldErasures, keepValue, removeMetadata } from '../../store/field-erasure.ts';
import type { Refund, ShownRefund } from './refund.ts';
import { compensationReason, latePaymentReason } from './transitions.ts';

export const refundErasures: FieldErasures<Refund | ShownRefund> = {
  id: keepValue,
  paymentId: keepValue,
  invoiceId: keepValue,
  amount: keepValue,
  amountOver: keepValue,
  credits: keepValue,
  currency: keepValue,
  status: keepValue,
  reason: eraseTextBut(compensationReason, latePaymentReason),
  failureCode: keepValue,
  providerReference: keepValue,
  isOffline: keepValue,
  statementRow: keepValue,
  processedAt: keepValue,
  processedVersion: keepValue,
  undoneAt: keepValue,
  webhookFault: keepValue,
  source: keepValue,
  method: keepValue,
  createdAt: keepValue,
  updatedAt: keepValue,
  metadata: removeMetadata,
};
