/** GET /api/invoices/:id */
import { endpoint } from '../../shared/http/endpoint.ts';
import { showInvoice } from '../../shared/invoices/invoice.ts';
import { readInvoice, requireInvoice } from '../../shared/invoices/store.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.getInvoice, {
  ahead: ({ owner, params }) => readInvoice(owner, params.id ?? ''),
  handle: ({ ahead }) => showInvoice(requireInvoice(ahead)),
});
