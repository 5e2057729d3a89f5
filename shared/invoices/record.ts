/** How an invoice is kept: its item, and in which lists it stands. Payments, which change invoices too, know this as well. */
import { env } from '../env.ts';
import { tableHash } from '../secrets/deployment-secret.ts';
import { type Item, numbered } from '../store/records.ts';
import type { Invoice } from './invoice.ts';

export const invoiceType = numbered<Invoice>('invoice', {
  toAttributes: ({
    customerId,
    amount,
    currency,
    description,
    dueDate,
    overdueAt,
    paymentInProgress,
    receipt,
    refundedMinor,
    createdAt,
    updatedAt,
  }) => ({
    customerId,
    amount,
    currency,
    description,
    dueDate,
    overdueAt,
    paymentInProgress,
    receipt,
    refundedMinor,
    createdAt,
    updatedAt,
  }),
  fromItem: (item: Item) => {
    const { pk, sk: _, change: __, ...attributes } = item;
    return { ...attributes, id: pk, paymentUrl: paymentUrlOf(String(pk)) } as unknown as Invoice;
  },
});

/** Customers are found by a keyed hash; e-mail addresses compare without regard to case. */
export async function customerDimension(customerId: string): Promise<string> {
  const name = customerId.includes('@') ? customerId.toLowerCase() : customerId;
  return `#customer#${await tableHash('customer', name)}`;
}

/** Where the invoice can be paid. */
export function paymentUrlOf(id: string): string {
  return `${env.payUrlBase()}/${id}`;
}
