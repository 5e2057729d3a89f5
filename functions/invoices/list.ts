/** GET /api/invoices */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { InvoiceNumbers } from '../../shared/domain/documents/invoice-number-store.ts';
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
  handle: async ({ principal, loaded, query: { status, ...query } }) => {
    const numbers = new InvoiceNumbers(principal.owner, principal.seller !== undefined);
    if (typeof loaded !== 'object')
      return numbers.addTo(await findInvoicePage(principal, { status, ...query }, loaded));
    const { onRead } = numbers;
    const page = listInvoicePage(principal, loaded, { ...query, status, onRead });
    return numbers.addTo(await askToFold(principal.owner, loaded, page));
  },
});
