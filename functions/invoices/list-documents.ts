/** GET /api/invoices/:id/documents */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { listInvoiceDocuments } from '../../shared/domain/documents/document-store.ts';
import { readInvoice, requireInvoice } from '../../shared/domain/invoices/invoice-store.ts';

export const handler = endpoint(routes.listInvoiceDocuments, {
  load: async ({ owner, params, query }) => {
    const id = params.id ?? '';
    const [invoice, documents] = await Promise.all([
      readInvoice(owner, id),
      listInvoiceDocuments(owner, id, query),
    ]);
    return { invoice, documents };
  },
  handle: ({ loaded: { invoice, documents } }) => {
    requireInvoice(invoice);
    return documents;
  },
});
