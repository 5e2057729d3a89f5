/** POST /api/invoices */
import { endpoint } from '../../shared/http/endpoint.ts';
import { createInvoiceCommand } from '../../shared/invoices/store.ts';
import { readPaymentWarning } from '../../shared/payments/payment-ways.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.createInvoice, {
  warn: ({ owner, body, now }) => readPaymentWarning(owner, body.currency, now),
  handle: ({ principal, body, now }) => createInvoiceCommand(principal, body, now),
});
