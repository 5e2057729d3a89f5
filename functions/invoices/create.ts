/** POST /api/invoices */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readPageSettings } from '../../shared/domain/accounts/account-store.ts';
import { withOwnTaxes } from '../../shared/domain/accounts/own-taxes-store.ts';
import type { Customer } from '../../shared/domain/customers/customer.ts';
import { buyerOfCustomer } from '../../shared/domain/customers/customer-buyer.ts';
import { withNumber } from '../../shared/domain/documents/await-number.ts';
import type { TaxParties } from '../../shared/domain/invoices/indian-gst.ts';
import type { CreateInvoice } from '../../shared/domain/invoices/invoice.ts';
import { newCharges } from '../../shared/domain/invoices/invoice-charges.ts';
import { createInvoiceCommand, readTaxedCustomer } from '../../shared/domain/invoices/invoice-store.ts';
import { customerIdWith, toBuyer } from '../../shared/domain/parties/buyer.ts';
import { readPageConnections } from '../../shared/domain/payments/connections/connection-store.ts';
import { paymentProblemOf } from '../../shared/domain/payments/payment-ways.ts';
import { fillLines } from '../../shared/domain/products/fill-lines.ts';
import { readProductsOf } from '../../shared/domain/products/product-store.ts';

/** The parts of a tax of India change the amount by a paisa at most, so any place will do for a warning. */
function partiesOf(body: CreateInvoice, customer: Customer | undefined): TaxParties {
  const customerId = customerIdWith(body.customerId, body.buyer);
  const buyer = body.buyer ? toBuyer(body.buyer, customerId) : undefined;
  return { sellerState: '27', customerId, buyer, customer: customer && buyerOfCustomer(customer) };
}

export const handler = endpoint(routes.createInvoice, {
  load: ({ owner, body }) =>
    Promise.all([readProductsOf(owner, body, 'all'), readTaxedCustomer(owner, body)]),
  // The settings and connections are at most 30 seconds old.
  warn: async ({ owner, body: sent, now }) => {
    if (owner.mode === 'test') return undefined;
    const [settings, connections, products, customer] = await Promise.all([
      readPageSettings(owner.account, now),
      readPageConnections(owner, now),
      readProductsOf(owner, sent, 'all'),
      readTaxedCustomer(owner, sent),
    ]);
    const filled = fillLines(sent, 'all', products, () => sent.currency);
    const body = await withOwnTaxes(owner.account, filled, now);
    const { amount } = newCharges(body, now, partiesOf(body, customer));
    return paymentProblemOf(settings, connections, { ...body, amount });
  },
  handle: async ({ principal, body: sent, loaded: [products, customer], clock }) => {
    const filled = fillLines(sent, 'all', products, () => sent.currency, principal.seller?.defaultTax);
    const body = await withOwnTaxes(principal.owner.account, filled, clock.account);
    return createInvoiceCommand(principal, body, clock.account, customer);
  },
  awaitMore: withNumber,
});
