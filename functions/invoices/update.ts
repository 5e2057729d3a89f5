/** PATCH /api/invoices/:id */
import { endpoint } from '../../shared/http/endpoint.ts';
import { showInvoice } from '../../shared/invoices/invoice.ts';
import { changeInvoiceCommand, readInvoice } from '../../shared/invoices/store.ts';
import { updateInvoice } from '../../shared/invoices/transitions.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.updateInvoice, {
  ahead: ({ owner, params }) => readInvoice(owner, params.id ?? ''),
  handle: ({ ahead, body, now }) =>
    changeInvoiceCommand(ahead, (invoice) => {
      const change = updateInvoice(invoice, body, now);
      return { change, answer: showInvoice(change?.record ?? invoice) };
    }),
});
