/** POST /api/invoices */
import { endpoint } from '../../shared/http/endpoint.ts';
import { createInvoiceCommand } from '../../shared/invoices/store.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.createInvoice, {
  handle: ({ principal, body, now }) => createInvoiceCommand(principal, body, now),
});
