/** Names the fields of an invoice that an update cannot change, and those that it can. */

/**
 * The fields of an invoice that never change, or that the service sets. The reference belongs to the creation: a client that
 * repeats the creation later must find this invoice, and a number that it gave to one invoice must never mean another one.
 */
export const readOnlyInvoiceFields = [
  'id',
  'customerId',
  'currency',
  'status',
  'paymentUrl',
  'createdAt',
  'updatedAt',
  'reference',
] as const;
export const changeableInvoiceFields =
  'amount, description, dueDate and, from version 2026-11-23 on, metadata';
