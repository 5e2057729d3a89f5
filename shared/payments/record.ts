/** How a payment is kept: its item. Refunds, which change payments too, know this as well. */
import { numbered } from '../store/records.ts';
import type { Payment } from './payment.ts';

export const paymentType = numbered<Payment>('payment', [
  ...(['invoiceId', 'customerId', 'amount', 'currency', 'method', 'card', 'reference'] as const),
  ...(['amountRefunded', 'amountReserved', 'failureCode', 'request', 'awaited', 'owed'] as const),
  ...(['createdAt', 'updatedAt'] as const),
]);
