/** GET /api/invoices/:id */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { ApiError } from '../../shared/base/errors.ts';
import { readNumberedInvoice } from '../../shared/domain/documents/invoice-number-store.ts';
import { showInvoice } from '../../shared/domain/invoices/invoice.ts';

export const handler = endpoint(routes.getInvoice, {
  load: ({ owner, params }) => readNumberedInvoice(owner, params.id ?? ''),
  handle: ({ loaded: { invoice, number } }) => {
    if (!invoice) throw new ApiError('invoice_not_found');
    return showInvoice(invoice, number);
  },
});
