/** DELETE /api/invoices/:id */
import { endpoint } from '../../shared/http/endpoint.ts';
import { cancelInvoiceCommand, readInvoice } from '../../shared/invoices/store.ts';
import { voidCheckoutFirst } from '../../shared/payments/checkouts/void-checkout.ts';
import * as routes from '../../shared/routes.ts';

export const handler = endpoint(routes.cancelInvoice, {
  ahead: ({ owner, params }) => readInvoice(owner, params.id ?? ''),
  handle: ({ ahead: invoice, query, accountNow, now }) =>
    voidCheckoutFirst(cancelInvoiceCommand(invoice, accountNow), now, query.force !== undefined),
});
