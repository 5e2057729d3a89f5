/** GET /api/invoices */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { InvoiceNumbers } from '../../shared/domain/documents/invoice-number-store.ts';
import { findInvoices, listInvoices } from '../../shared/domain/invoices/found-invoices.ts';
import { askToFold } from '../../shared/store/lists/volumes/fold-requests.ts';
import { isView } from '../../shared/store/search/found-records.ts';

export const handler = endpoint(routes.listInvoices, {
  load: ({ owner, query }) => findInvoices(owner, query),
  handle: async ({ principal, loaded, query }) => {
    const numbers = new InvoiceNumbers(principal.owner, principal.seller !== undefined);
    const page = listInvoices(principal, loaded, { ...query, onRead: numbers.onRead });
    return numbers.addTo(await (isView(loaded) ? askToFold(principal.owner, loaded, page) : page));
  },
});
