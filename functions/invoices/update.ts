/** PATCH /api/invoices/:id */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { withOwnTaxes } from '../../shared/domain/accounts/own-taxes-store.ts';
import {
  readCustomerOfChange,
  readInvoice,
  requireInvoice,
  updateInvoiceCommand,
} from '../../shared/domain/invoices/invoice-store.ts';
import { voidCheckoutFirst } from '../../shared/domain/payments/checkouts/void-checkout.ts';
import { fillLines } from '../../shared/domain/products/fill-lines.ts';
import { readProductsOf } from '../../shared/domain/products/product-store.ts';

export const handler = endpoint(routes.updateInvoice, {
  load: ({ owner, params, body }) =>
    Promise.all([readInvoice(owner, params.id ?? ''), readProductsOf(owner, body, 'incomplete')]),
  handle: async ({ principal, loaded: [invoice, products], query, body, clock, now }) => {
    const currencyOf = () => requireInvoice(invoice).currency;
    const filled = fillLines(body, 'incomplete', products, currencyOf, principal.seller?.defaultTax);
    const madeAt = invoice.record?.createdAt ?? clock.account;
    const changes = await withOwnTaxes(principal.owner.account, filled, madeAt);
    const customer = await readCustomerOfChange(invoice.record, changes, { isReplaced: false });
    const command = updateInvoiceCommand(invoice, changes, clock.account, { customer });
    return voidCheckoutFirst(command, now, query.force !== undefined);
  },
});
