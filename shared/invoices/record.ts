/** How an invoice is kept: its item, and in which lists it stands. Payments, which change invoices too, know this as well. */
import { env } from '../env.ts';
import { tableHash } from '../secrets/deployment-secret.ts';
import { numbered } from '../store/records.ts';
import type { Invoice } from './invoice.ts';

export const invoiceType = numbered<Invoice>(
  'invoice',
  [
    ...(['customerId', 'amount', 'currency', 'description', 'dueDate', 'overdueAt'] as const),
    ...(['paymentInProgress', 'receipt', 'refundedMinor', 'createdAt', 'updatedAt'] as const),
  ],
  (id) => ({ paymentUrl: paymentUrlOf(id) }),
);

/** Customers are found by a keyed hash; e-mail addresses compare without regard to case. */
export async function customerDimension(customerId: string): Promise<string> {
  const name = customerId.includes('@') ? customerId.toLowerCase() : customerId;
  return `#customer#${await tableHash('customer', name)}`;
}

/** Where the invoice can be paid. */
export function paymentUrlOf(id: string): string {
  return `${env.payUrlBase()}/${id}`;
}
