/** PATCH /api/invoices/:id */
import { endpoint } from '../../shared/http/endpoint.ts';
import { readInvoice, updateInvoiceCommand } from '../../shared/invoices/store.ts';
import { voidCheckoutFirst } from '../../shared/payments/checkouts/void-checkout.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.updateInvoice, {
  ahead: ({ owner, params }) => readInvoice(owner, params.id ?? ''),
  handle: ({ ahead: invoice, query, body, accountNow, now }) =>
    voidCheckoutFirst(updateInvoiceCommand(invoice, body, accountNow), now, query.force !== undefined),
});
