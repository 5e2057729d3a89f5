/** Describes the fields of invoices, and shows an example. */
import {
  createdAt,
  currency,
  type FieldTexts,
  metadata,
  metadataUpdate,
  newMetadata,
  pagination,
  readOnly,
  updatedAt,
} from './common-field-texts.ts';
import type { Example } from './named-schemas.ts';

export const invoice: Example<'Invoice'> = {
  id: 'inv_7k2m9qv4xw0hzt3c8ejb5rnd1a',
  customerId: 'dorji@example.bt',
  amount: 250_000,
  currency: 'BTN',
  status: 'pending',
  description: 'Website design',
  dueDate: '2026-12-21T09:30:00.000Z',
  paymentUrl: 'https://remit.example.com/pay/inv_7k2m9qv4xw0hzt3c8ejb5rnd1a',
  createdAt: '2026-11-21T09:30:00.000Z',
  updatedAt: '2026-11-21T09:30:00.000Z',
  reference: 'INV-2026-0042',
  metadata: { orderId: '1047' },
};

const customerId =
  'The customer who pays: an email address, or an ID from your own system. An ID has 1 to 128 letters, digits and `_ . : -`, and begins with a letter or digit. You do not have to register customers with Remit.';

export const invoiceFieldTexts: Pick<
  FieldTexts,
  'Invoice' | 'InvoiceList' | 'InvoiceCancellation' | 'CreateInvoice' | 'UpdateInvoice'
> = {
  Invoice: {
    id: 'The ID of the invoice.',
    customerId: 'The customer who pays the invoice, exactly as you sent it.',
    amount: 'The amount due, in the smallest currency unit. For example, 250000 is Nu. 2,500.00.',
    currency,
    status:
      'The status of the invoice. It is `pending` at first, and becomes `paid`, `cancelled` or, after the due date, `overdue`. An `overdue` invoice can still be paid or cancelled.',
    description: 'What the invoice is for. The customer sees this text.',
    dueDate: 'The time at which payment is due. The invoice becomes `overdue` within two minutes after it.',
    paymentUrl:
      'The URL of the web page (HTML) where the customer can view and pay the invoice. The page does not require an API key.',
    createdAt,
    updatedAt,
    reference: 'Your own number for the invoice. Null if you did not set one.',
    metadata,
  },
  InvoiceList: { data: 'The invoices, newest first.', pagination },
  InvoiceCancellation: {
    id: 'The ID of the invoice.',
    status: 'Always `cancelled`.',
    deletedAt: 'The time at which the invoice was cancelled.',
  },
  CreateInvoice: {
    customerId,
    amount: 'The amount due, in the smallest currency unit. For example, use 250000 for Nu. 2,500.00.',
    currency,
    description:
      'What the invoice is for. The customer sees this text. It must not be only white space or contain a card number, and it is stored exactly as sent.',
    dueDate:
      'The time at which payment is due: an ISO 8601 date and time with `Z`, with an offset such as `+06:00`, or without a time zone (UTC). A date without a time means the end of that day in UTC. The default is 30 days from now.',
    reference:
      'Your own number for the invoice. It cannot be changed, and no other invoice of your account and mode can ever have it: a second request gets `reference_taken`, which names the first invoice. So it protects from duplicates like an idempotency key that never expires.',
    metadata: newMetadata,
  },
  UpdateInvoice: {
    id: readOnly,
    customerId: readOnly,
    amount: 'The new amount, in the smallest currency unit.',
    currency: readOnly,
    status: 'Read-only. Accepted only with its current value. To cancel the invoice, send a DELETE request.',
    description: 'The new description.',
    dueDate: 'The new due date, in the same formats as when you create an invoice.',
    paymentUrl: readOnly,
    createdAt: readOnly,
    updatedAt: readOnly,
    reference: readOnly,
    metadata: metadataUpdate,
  },
};
