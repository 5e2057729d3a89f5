/** GET /api/invoices */
import { endpoint } from '../../shared/http/endpoint.ts';
import { findInvoiceId } from '../../shared/invoices/reference-store.ts';
import { findInvoicePage, listInvoicePage, readInvoiceIndex } from '../../shared/invoices/store.ts';
import * as routes from '../../shared/routes.ts';
import { askToFold } from '../../shared/store/index/fold-requests.ts';

export const handler = endpoint(routes.listInvoices, {
  ahead: async ({ owner, query }) => {
    if (query.reference !== undefined) return findInvoiceId(owner, query.reference);
    return query.paymentReference === undefined ? readInvoiceIndex(owner, query) : undefined;
  },
  handle: ({ principal, ahead, query }) =>
    typeof ahead === 'object'
      ? askToFold(
          principal.owner,
          ahead,
          listInvoicePage(principal, ahead, { ...query, status: query.status }),
        )
      : findInvoicePage(principal, query, ahead),
});
