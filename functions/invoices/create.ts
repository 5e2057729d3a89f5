/** POST /api/invoices */

import { endpoint } from '../../shared/api/http/endpoint.ts';
import { readPaymentWarning } from '../../shared/api/payment-warning.ts';
import * as routes from '../../shared/api/routes.ts';
import { readAccount } from '../../shared/domain/accounts/account-store.ts';
import { withOwnTaxes } from '../../shared/domain/accounts/own-taxes-store.ts';
import { readCustomer } from '../../shared/domain/customers/customer-store.ts';
import { withNumber } from '../../shared/domain/documents/await-number.ts';
import type { Invoice } from '../../shared/domain/invoices/invoice.ts';
import {
  createInvoiceCommand,
  prepareInvoice,
  readTaxedCustomer,
} from '../../shared/domain/invoices/invoice-store.ts';
import { newInvoiceTimer } from '../../shared/domain/mails/mail-timer.ts';
import { requireSendable } from '../../shared/domain/mails/sendable.ts';
import { customerIdWith } from '../../shared/domain/parties/buyer.ts';
import { createInvoiceWithCreditCommand } from '../../shared/domain/payments/invoice-with-credit.ts';
import { fillLines } from '../../shared/domain/products/fill-lines.ts';
import { readProductsOf } from '../../shared/domain/products/product-store.ts';
import type { Timer } from '../../shared/store/timers/timer-item.ts';

export const handler = endpoint(routes.createInvoice, {
  load: ({ owner, body }) =>
    Promise.all([
      readProductsOf(owner, body, 'all'),
      readTaxedCustomer(owner, body),
      body.send ? readAccount(owner.account) : undefined,
    ]),
  warn: readPaymentWarning,
  handle: async ({ principal, body: sent, loaded: [products, customer, settings], clock }) => {
    const { owner } = principal;
    const filled = fillLines(sent, 'all', products, () => sent.currency, principal.seller?.defaultTax);
    const body = await withOwnTaxes(owner.account, filled, clock.account);
    const create = async (timersOf?: (invoice: Invoice) => readonly Timer[]) => {
      const now = clock.account;
      if (!body.useCredit) return createInvoiceCommand(principal, body, now, customer, timersOf);
      const creation = await prepareInvoice(principal, body, now, customer);
      return createInvoiceWithCreditCommand(creation, now, timersOf);
    };
    if (!body.send) return create();
    const findCustomer = async (id: string) => (await readCustomer(owner, id)).record;
    const addressed = { ...body, customerId: customerIdWith(body.customerId, body.buyer) };
    await requireSendable(addressed, { settings, findCustomer });
    return create((invoice) => [newInvoiceTimer(invoice, clock.account)]);
  },
  awaitMore: withNumber,
});
