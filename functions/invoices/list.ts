/** GET /api/invoices */
import { endpoint } from '../../shared/http/endpoint.ts';
import { findInvoicePage, listInvoicePage, readInvoiceIndex } from '../../shared/invoices/store.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.listInvoices, {
  ahead: async ({ owner, query }) =>
    query.paymentReference === undefined ? readInvoiceIndex(owner, query.customerId) : undefined,
  handle: ({ principal, ahead, query: { status, customerId, paymentReference, offset, limit } }) =>
    ahead === undefined || paymentReference !== undefined
      ? findInvoicePage(principal, {
          status,
          customerId,
          paymentReference: paymentReference ?? '',
          offset,
          limit,
        })
      : listInvoicePage(principal, ahead, { status, offset, limit }),
});
