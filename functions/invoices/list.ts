/** GET /api/invoices */
import { endpoint } from '../../shared/http/endpoint.ts';
import { listInvoices, readInvoiceIndex } from '../../shared/invoices/store.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.listInvoices, {
  ahead: ({ claim, query }) => readInvoiceIndex(claim, query.customerId),
  handle: ({ admission, ahead, query: { status, offset, limit } }) =>
    listInvoices(admission, ahead, { status, offset, limit }),
});
