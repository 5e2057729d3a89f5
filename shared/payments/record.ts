/** Defines how payments are stored. Refunds use this file too, because they change payments. */
import { defineNumberedType } from '../store/records.ts';
import type { Payment } from './payment.ts';

export const paymentType = defineNumberedType<Payment>('payment', {
  attributes: {
    invoiceId: true,
    customerId: true,
    amount: true,
    currency: true,
    method: true,
    card: true,
    reference: true,
    amountRefunded: true,
    amountReserved: true,
    failureCode: true,
    provider: true,
    providerReference: true,
    dispute: true,
    metadata: true,
    pendingRequest: 'request',
    isPolled: 'awaited',
    pendingCompensation: 'owed',
    webhookFault: true,
    createdAt: true,
    updatedAt: true,
  },
});
