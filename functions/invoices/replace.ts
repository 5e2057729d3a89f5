/** POST /api/invoices/:id/replace */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readInvoice, replaceInvoiceCommand } from '../../shared/domain/invoices/invoice-store.ts';
import { voidCheckoutFirst } from '../../shared/domain/payments/checkouts/void-checkout.ts';

export const handler = endpoint(routes.replaceInvoice, {
  load: ({ owner, params }) => readInvoice(owner, params.id ?? ''),
  handle: async ({ principal, loaded: invoice, query, body, clock, now }) => {
    const command = await replaceInvoiceCommand(principal, invoice, body, clock.account);
    return voidCheckoutFirst(command, now, query.force !== undefined);
  },
});
