/** DELETE /api/invoices/:id */
import { endpoint } from '../../shared/http/endpoint.ts';
import { showCancellation } from '../../shared/invoices/invoice.ts';
import { changeInvoiceCommand, readInvoice } from '../../shared/invoices/store.ts';
import { cancelInvoice } from '../../shared/invoices/transitions.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.cancelInvoice, {
  ahead: ({ owner, params }) => readInvoice(owner, params.id ?? ''),
  handle: ({ ahead, now }) =>
    changeInvoiceCommand(ahead, (invoice) => {
      const change = cancelInvoice(invoice, now);
      return { change, answer: showCancellation(change.record) };
    }),
});
