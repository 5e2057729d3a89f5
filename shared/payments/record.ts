/** How a payment is kept: its item. Refunds, which change payments too, know this as well. */
import { numbered } from '../store/records.ts';
import type { Payment } from './payment.ts';

export const paymentType = numbered<Payment>('payment', {
  toAttributes: ({ invoiceId, customerId, amount, currency, method, card, reference, ...rest }) => {
    const { amountRefunded, amountReserved, failureCode, request, awaited, owed, createdAt, updatedAt } =
      rest;
    return {
      ...{ invoiceId, customerId, amount, currency, method, card, reference, amountRefunded, amountReserved },
      ...{ failureCode, request, awaited, owed, createdAt, updatedAt },
    };
  },
  fromItem: (item) => {
    const { pk, sk: _, change: __, ...attributes } = item;
    return { ...attributes, id: pk } as unknown as Payment;
  },
});
