/** DELETE /api/invoices/:id */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { cancelInvoiceCommand, readInvoice } from '../../shared/domain/invoices/invoice-store.ts';
import { voidCheckoutFirst } from '../../shared/domain/payments/checkouts/void-checkout.ts';

export const handler = endpoint(routes.cancelInvoice, {
  load: ({ owner, params }) => readInvoice(owner, params.id ?? ''),
  handle: ({ loaded: invoice, query, clock, now }) =>
    voidCheckoutFirst(cancelInvoiceCommand(invoice, clock.account), now, query.force !== undefined),
});
