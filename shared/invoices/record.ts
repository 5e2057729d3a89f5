/** Defines how invoices are stored, and their filter keys. Payments use this file too, because they change invoices. */
import { env } from '../env.ts';
import { tableHash } from '../secrets/deployment-secret.ts';
import { defineNumberedType } from '../store/records.ts';
import type { Invoice } from './invoice.ts';

export const invoiceType = defineNumberedType<Invoice, 'paymentUrl'>('invoice', {
  attributes: {
    customerId: true,
    amount: true,
    currency: true,
    description: true,
    dueDate: true,
    overdueAt: true,
    paymentInProgress: true,
    openCheckout: true,
    receipt: true,
    refundedMinor: true,
    payerNote: true,
    paymentReference: 'pref',
    reference: true,
    metadata: true,
    createdAt: true,
    updatedAt: true,
  },
  texts: ['description'],
  // Refunds and payments still change an invoice with these statuses, but nothing that the API shows of it.
  lastStatuses: ['paid', 'cancelled'],
  derive: (id) => ({ paymentUrl: paymentUrlOf(id) }),
});

/**
 * Returns the filter key of a customer's lists, a keyed hash of the customer id. E-mail addresses that differ only in
 * case have the same key.
 */
export async function customerFilterKey(customerId: string): Promise<string> {
  const name = customerId.includes('@') ? customerId.toLowerCase() : customerId;
  return `#customer#${await tableHash('customer', name)}`;
}

/** Returns the URL of the invoice's payment page. */
export function paymentUrlOf(id: string): string {
  return `${env.payUrlBase()}/${id}`;
}
