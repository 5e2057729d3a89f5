/** DELETE /api/invoices/:id */
import { endpoint } from '../../shared/http/endpoint.ts';
import { showCancellation } from '../../shared/invoices/invoice.ts';
import { changeInvoice, readInvoice } from '../../shared/invoices/store.ts';
import { cancelInvoice } from '../../shared/invoices/transitions.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.cancelInvoice, {
  ahead: ({ claim, params }) => readInvoice(claim, params.id ?? ''),
  handle: ({ ahead, now }) =>
    changeInvoice(ahead, (invoice) => {
      const change = cancelInvoice(invoice, now);
      return { change, answer: showCancellation(change.record) };
    }),
});
