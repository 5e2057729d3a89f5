/** DELETE /api/invoices/:id */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readInvoice } from '../../shared/domain/invoices/invoice-store.ts';
import { cancelInvoiceCommand } from '../../shared/domain/payments/cancel-invoice.ts';
import { voidCheckoutFirst } from '../../shared/domain/payments/checkouts/void-checkout.ts';

export const handler = endpoint(routes.cancelInvoice, {
  load: ({ owner, params }) => readInvoice(owner, params.id ?? ''),
  handle: async ({ loaded: invoice, query, clock, now }) => {
    const command = await cancelInvoiceCommand(invoice, clock.account, query.payments);
    return voidCheckoutFirst(command, now, query.force !== undefined);
  },
});
