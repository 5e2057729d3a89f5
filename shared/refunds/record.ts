/** How a refund is kept: its item. */
import { numbered } from '../store/records.ts';
import type { Refund } from './refund.ts';

export const refundType = numbered<Refund>('refund', [
  ...(['paymentId', 'invoiceId', 'amount', 'currency', 'reason', 'failureCode'] as const),
  ...(['createdAt', 'updatedAt'] as const),
]);
