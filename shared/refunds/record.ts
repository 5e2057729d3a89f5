/** Defines how refunds are stored. */
import { defineNumberedType } from '../store/records.ts';
import type { Refund } from './refund.ts';

export const refundType = defineNumberedType<Refund>('refund', {
  attributes: {
    paymentId: true,
    invoiceId: true,
    amount: true,
    currency: true,
    reason: true,
    failureCode: true,
    webhookFault: true,
    metadata: true,
    createdAt: true,
    updatedAt: true,
  },
});
