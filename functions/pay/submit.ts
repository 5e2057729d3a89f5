/** POST /pay/:id: makes one payment from the page's form, and redirects to the page, which shows the result. */
import { readCurrentPageSettings, readPageSettings } from '../../shared/accounts/store.ts';
import type { PageAnswer } from '../../shared/http/page.ts';
import { maintenanceRetrySeconds } from '../../shared/http/rate-limit-headers.ts';
import { randomAttempt } from '../../shared/ids.ts';
import { readInvoiceOfAnyAccount } from '../../shared/invoices/store.ts';
import { createPaymentPageHandler } from '../../shared/pages/payment-page-handler.ts';
import { buildPaymentPageView } from '../../shared/pages/payment-page-state.ts';
import type { PaymentPageView } from '../../shared/pages/payment-page-view.ts';
import { parsePaymentForm } from '../../shared/pages/sent-form.ts';
import { payFromPage } from '../../shared/payments/page-payment.ts';
import { providerOf } from '../../shared/payments/provider/registry.ts';
import * as routes from '../../shared/routes.ts';
import { hourEndSeconds, hourOf } from '../../shared/store/account-state.ts';
import { toSeconds } from '../../shared/time.ts';

export const handler = createPaymentPageHandler(
  routes.submitPaymentPage,
  async ({ params, form: fields, sourceIp, now }) => {
    const loaded = await readInvoiceOfAnyAccount(params.id ?? '');
    if (!loaded?.record) return { status: 404, view: { kind: 'not_found' } };
    const { record: invoice } = loaded;
    const provider = providerOf(invoice.mode);
    if (!provider) return { redirectTo: '?' };

    const sent = parsePaymentForm(fields, invoice.mode, now);
    if (!sent) return { status: 403, view: { kind: 'refused' } };
    const readDependencies = async (readSettings = readPageSettings) => ({
      settings: await readSettings(invoice.account, now),
      takesCards: true,
      attempt: randomAttempt(),
    });
    if ('errors' in sent)
      return { status: 400, view: buildPaymentPageView(invoice, await readDependencies(), sent) };
    const outcome = await payFromPage(loaded, sent.form, { provider, sourceIp, now });
    if (outcome.kind === 'too many') {
      const retryAfterSeconds = hourEndSeconds(hourOf(now)) - toSeconds(now);
      return { status: 429, view: { kind: 'too_many_attempts' }, retryAfterSeconds };
    }
    if (outcome.kind === 'refused')
      return answerRefusal(buildPaymentPageView(invoice, await readDependencies(readCurrentPageSettings)));
    if (outcome.kind === 'changed') return { redirectTo: '?changed' };
    return {
      redirectTo: outcome.kind === 'payment' && outcome.status === 'failed' ? `?payment=${outcome.id}` : '?',
    };
  },
);

/** Answers a payment that the account does not take now. If it does so again meanwhile, the page is opened again. */
function answerRefusal(view: PaymentPageView): PageAnswer<PaymentPageView> {
  if (view.kind === 'closed') return { status: 403, view };
  if (view.kind === 'maintenance') return { status: 429, view, retryAfterSeconds: maintenanceRetrySeconds };
  return { redirectTo: '?' };
}
