/** GET /api/invoices/:id */
import { endpoint } from '../../shared/http/endpoint.ts';
import { showInvoice } from '../../shared/invoices/invoice.ts';
import { foundInvoice, readInvoice } from '../../shared/invoices/store.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.getInvoice, {
  ahead: ({ claim, params }) => readInvoice(claim, params.id ?? ''),
  handle: ({ ahead }) => showInvoice(foundInvoice(ahead)),
});
