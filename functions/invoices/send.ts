/** POST /api/invoices/:id/send */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readAccount } from '../../shared/domain/accounts/account-store.ts';
import { readCustomer } from '../../shared/domain/customers/customer-store.ts';
import { readInvoice } from '../../shared/domain/invoices/invoice-store.ts';
import { sendInvoiceCommand } from '../../shared/domain/mails/send-invoice-store.ts';

export const handler = endpoint(routes.sendInvoice, {
  load: ({ owner, params }) => Promise.all([readInvoice(owner, params.id ?? ''), readAccount(owner.account)]),
  handle: ({ principal: { owner }, loaded: [invoice, settings], body, clock }) => {
    const findCustomer = async (id: string) => (await readCustomer(owner, id)).record;
    return sendInvoiceCommand(owner, invoice, body, { settings, findCustomer }, clock);
  },
});
