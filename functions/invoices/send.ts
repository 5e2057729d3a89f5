/** POST /api/invoices/:id/send */
import { endpoint } from '../../shared/api/http/endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { readAccount } from '../../shared/domain/accounts/account-store.ts';
import { readCustomer } from '../../shared/domain/customers/customer-store.ts';
import { readInvoice } from '../../shared/domain/invoices/invoice-store.ts';
import { sendInvoiceCommand } from '../../shared/domain/mails/send-invoice-store.ts';
import { readPayment } from '../../shared/domain/payments/payment-store.ts';
import { readRefund } from '../../shared/domain/refunds/refund-store.ts';

export const handler = endpoint(routes.sendInvoice, {
  load: ({ owner, params }) => Promise.all([readInvoice(owner, params.id ?? ''), readAccount(owner.account)]),
  handle: ({ principal: { owner }, loaded: [invoice, settings], body, clock }) => {
    const findCustomer = async (id: string) => (await readCustomer(owner, id)).record;
    const findPayment = async (id: string) => (await readPayment(owner, id)).record;
    const findRefund = async (id: string) => (await readRefund(owner, id)).record;
    return sendInvoiceCommand(
      owner,
      invoice,
      body,
      { settings, findCustomer, findPayment, findRefund },
      clock,
    );
  },
});
