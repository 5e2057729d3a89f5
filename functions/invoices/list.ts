/** GET /api/invoices */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import {
  findInvoicePage,
  listInvoicePage,
  readInvoiceIndex,
} from '../../shared/domain/invoices/invoice-store.ts';
import { findInvoiceId } from '../../shared/domain/invoices/reference-store.ts';
import { askToFold } from '../../shared/store/lists/volumes/fold-requests.ts';

export const handler = endpoint(routes.listInvoices, {
  load: async ({ owner, query }) => {
    if (query.reference !== undefined) return findInvoiceId(owner, query.reference);
    return query.paymentReference === undefined ? readInvoiceIndex(owner, query) : undefined;
  },
  handle: ({ principal, loaded, query }) =>
    typeof loaded === 'object'
      ? askToFold(
          principal.owner,
          loaded,
          listInvoicePage(principal, loaded, { ...query, status: query.status }),
        )
      : findInvoicePage(principal, query, loaded),
});
