/** How a refund is kept: its item. */
import { numbered } from '../store/records.ts';
import type { Refund } from './refund.ts';

export const refundType = numbered<Refund>('refund', {
  toAttributes: ({ paymentId, invoiceId, amount, currency, reason, failureCode, createdAt, updatedAt }) => ({
    ...{ paymentId, invoiceId, amount, currency, reason, failureCode, createdAt, updatedAt },
  }),
  fromItem: (item) => {
    const { pk, sk: _, change: __, ...attributes } = item;
    return { ...attributes, id: pk } as unknown as Refund;
  },
});
