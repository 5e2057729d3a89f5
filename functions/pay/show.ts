/** GET /pay/:id, the payment page: whatever there is to say about the invoice, to whoever has its address. */
import { readPageSettings } from '../../shared/accounts/store.ts';
import { randomAttempt } from '../../shared/ids.ts';
import { readAnyInvoice } from '../../shared/invoices/store.ts';
import { paymentPage } from '../../shared/pages/payment-page-handler.ts';
import { noticeOf, paymentPageOf } from '../../shared/pages/payment-page-state.ts';
import { providerOf } from '../../shared/payments/providers.ts';
import { readAnyPayment } from '../../shared/payments/store.ts';
import * as routes from '../../shared/routes.ts';

export const handler = paymentPage(routes.showPaymentPage, async ({ exchange: { params, query, now } }) => {
  const [reading, payment] = await Promise.all([
    readAnyInvoice(params.id ?? ''),
    readAnyPayment(String(query.payment ?? '')),
  ]);
  if (!reading?.record) return { status: 404, view: { kind: 'not_found' } };
  const { record: invoice } = reading;
  const surroundings = {
    settings: await readPageSettings(invoice.account, now),
    takesCards: providerOf(invoice.mode) !== undefined,
    attempt: randomAttempt(),
  };
  const notice = noticeOf(invoice, payment?.record, query.changed !== undefined);
  return { status: 200, view: paymentPageOf(invoice, surroundings, notice && { notice }) };
});
