/** GET /api/invoices */
import { endpoint } from '../../shared/http/endpoint.ts';
import { listInvoicePage, readInvoiceIndex } from '../../shared/invoices/store.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.listInvoices, {
  ahead: ({ owner, query }) => readInvoiceIndex(owner, query.customerId),
  handle: ({ principal, ahead, query: { status, offset, limit } }) =>
    listInvoicePage(principal, ahead, { status, offset, limit }),
});
