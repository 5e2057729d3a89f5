/** POST /api/invoices/:id/replace */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import { readPaymentWarning } from '../../shared/api/payment-warning.ts';
import * as routes from '../../shared/api/routes.ts';
import { withOwnTaxes } from '../../shared/domain/accounts/own-taxes-store.ts';
import { withNumber } from '../../shared/domain/documents/await-number.ts';
import {
  readCustomerOfChange,
  readInvoice,
  replaceInvoiceCommand,
  requireInvoice,
} from '../../shared/domain/invoices/invoice-store.ts';
import { voidCheckoutFirst } from '../../shared/domain/payments/checkouts/void-checkout.ts';
import { fillLines } from '../../shared/domain/products/fill-lines.ts';
import { readProductsOf } from '../../shared/domain/products/product-store.ts';

export const handler = endpoint(routes.replaceInvoice, {
  load: ({ owner, params, body }) =>
    Promise.all([readInvoice(owner, params.id ?? ''), readProductsOf(owner, body, 'incomplete')]),
  warn: readPaymentWarning,
  handle: async ({ principal, loaded: [invoice, products], query, body, clock, now }) => {
    const currencyOf = () => body.currency ?? requireInvoice(invoice).currency;
    const filled = fillLines(body, 'incomplete', products, currencyOf, principal.seller?.defaultTax);
    const changes = await withOwnTaxes(principal.owner.account, filled, clock.account);
    const customer = await readCustomerOfChange(invoice.record, changes, { isReplaced: true });
    const command = await replaceInvoiceCommand(principal, invoice, changes, clock.account, { customer });
    return voidCheckoutFirst(command, now, query.force !== undefined);
  },
  awaitMore: withNumber,
});
