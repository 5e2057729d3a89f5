/** POST /api/invoices */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import { readPaymentWarning } from '../../shared/api/payment-warning.ts';
import * as routes from '../../shared/api/routes.ts';
import { withOwnTaxes } from '../../shared/domain/accounts/own-taxes-store.ts';
import { withNumber } from '../../shared/domain/documents/await-number.ts';
import { createInvoiceCommand, readTaxedCustomer } from '../../shared/domain/invoices/invoice-store.ts';
import { fillLines } from '../../shared/domain/products/fill-lines.ts';
import { readProductsOf } from '../../shared/domain/products/product-store.ts';

export const handler = endpoint(routes.createInvoice, {
  load: ({ owner, body }) =>
    Promise.all([readProductsOf(owner, body, 'all'), readTaxedCustomer(owner, body)]),
  warn: readPaymentWarning,
  handle: async ({ principal, body: sent, loaded: [products, customer], clock }) => {
    const filled = fillLines(sent, 'all', products, () => sent.currency, principal.seller?.defaultTax);
    const body = await withOwnTaxes(principal.owner.account, filled, clock.account);
    return createInvoiceCommand(principal, body, clock.account, customer);
  },
  awaitMore: withNumber,
});
