/** DELETE /api/invoices/:id */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { cancelInvoiceCommand, readInvoice } from '../../shared/domain/invoices/invoice-store.ts';
import { cancelAndRefundCommand } from '../../shared/domain/payments/cancel-and-refund.ts';
import { voidCheckoutFirst } from '../../shared/domain/payments/checkouts/void-checkout.ts';

export const handler = endpoint(routes.cancelInvoice, {
  load: ({ owner, params }) => readInvoice(owner, params.id ?? ''),
  handle: async ({ loaded: invoice, query, clock, now }) =>
    query.payments === undefined
      ? voidCheckoutFirst(cancelInvoiceCommand(invoice, clock.account), now, query.force !== undefined)
      : voidCheckoutFirst(
          await cancelAndRefundCommand(invoice, clock.account),
          now,
          query.force !== undefined,
        ),
});
