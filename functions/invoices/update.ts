/** PATCH /api/invoices/:id */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readInvoice, updateInvoiceCommand } from '../../shared/domain/invoices/invoice-store.ts';
import { voidCheckoutFirst } from '../../shared/domain/payments/checkouts/void-checkout.ts';

export const handler = endpoint(routes.updateInvoice, {
  load: ({ owner, params }) => readInvoice(owner, params.id ?? ''),
  handle: ({ loaded: invoice, query, body, clock, now }) =>
    voidCheckoutFirst(updateInvoiceCommand(invoice, body, clock.account), now, query.force !== undefined),
});
