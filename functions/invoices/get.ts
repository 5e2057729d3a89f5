/** GET /api/invoices/:id */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { showInvoice } from '../../shared/domain/invoices/invoice.ts';
import { readInvoice, requireInvoice } from '../../shared/domain/invoices/invoice-store.ts';

export const handler = endpoint(routes.getInvoice, {
  load: ({ owner, params }) => readInvoice(owner, params.id ?? ''),
  handle: ({ loaded }) => showInvoice(requireInvoice(loaded)),
});
