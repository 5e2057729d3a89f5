/** GET /api/invoices/:id/mails */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readInvoice, requireInvoice } from '../../shared/domain/invoices/invoice-store.ts';
import { listInvoiceMails } from '../../shared/domain/mails/mail-store.ts';

export const handler = endpoint(routes.listInvoiceMails, {
  load: async ({ owner, params, query }) => {
    const id = params.id ?? '';
    const [invoice, mails] = await Promise.all([readInvoice(owner, id), listInvoiceMails(owner, id, query)]);
    return { invoice, mails };
  },
  handle: ({ loaded: { invoice, mails } }) => {
    requireInvoice(invoice);
    return mails;
  },
});
