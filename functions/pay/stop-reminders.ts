/**
 * POST /pay/:id/reminders: stops the reminders of an account to the address of a reminder. Programs for mail also send it, after one
 * click of their user: https://www.rfc-editor.org/rfc/rfc8058#section-3.2
 */
import * as routes from '../../shared/api/routes.ts';
import { readInvoiceOfAnyAccount } from '../../shared/domain/invoices/invoice-store.ts';
import { unsubscribe } from '../../shared/domain/mails/mail-address-store.ts';
import { readMail } from '../../shared/domain/mails/mail-store.ts';
import { isUnsubscribeToken } from '../../shared/domain/mails/unsubscribe-token.ts';
import { createPaymentPageHandler } from '../../shared/web/pages/payment-page-handler.ts';

export const handler = createPaymentPageHandler(
  routes.stopReminders,
  async ({ params, query, now, logInvoice }) => {
    const id = String(query.mail);
    const isAllowed = await isUnsubscribeToken(id, String(query.token));
    const invoice = isAllowed ? (await readInvoiceOfAnyAccount(params.id ?? ''))?.record : undefined;
    const mail = invoice && (await readMail(invoice, id));
    if (!invoice || mail?.invoiceId !== invoice.id) return { status: 404, view: { kind: 'not_found' } };
    logInvoice(invoice);
    await unsubscribe(invoice, mail.to, now);
    return { status: 200, view: { kind: 'reminders_stopped' } };
  },
  // Programs for mail send another kind of form than browsers. The token permits it, from any site.
  { ignoresBody: true },
);
