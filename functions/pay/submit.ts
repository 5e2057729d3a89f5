/** POST /pay/:id, the payment page's form: takes a payment once, and leads back to the page, which shows the result. */
import { readPageSettings } from '../../shared/accounts/store.ts';
import { randomAttempt } from '../../shared/ids.ts';
import { readAnyInvoice } from '../../shared/invoices/store.ts';
import { paymentPage } from '../../shared/pages/payment-page-handler.ts';
import { paymentPageOf } from '../../shared/pages/payment-page-state.ts';
import { readPaymentForm } from '../../shared/pages/sent-form.ts';
import { payFromPage } from '../../shared/payments/page-payment.ts';
import { providerOf } from '../../shared/payments/providers.ts';
import * as routes from '../../shared/routes.ts';
import { hourEndSeconds, hourOf } from '../../shared/store/heads.ts';
import { toSeconds } from '../../shared/time.ts';

export const handler = paymentPage(routes.submitPaymentPage, async ({ exchange, form: fields }) => {
  const { params, sourceIp, now } = exchange;
  const reading = await readAnyInvoice(params.id ?? '');
  if (!reading?.record) return { status: 404, view: { kind: 'not_found' } };
  const { record: invoice } = reading;
  const provider = providerOf(invoice.mode);
  if (!provider) return { redirectTo: '?' };

  const sent = readPaymentForm(fields, invoice.mode, now);
  if (!sent) return { status: 403, view: { kind: 'refused' } };
  const surroundings = async () => ({
    settings: await readPageSettings(invoice.account, now),
    takesCards: true,
    attempt: randomAttempt(),
  });
  if ('errors' in sent) return { status: 400, view: paymentPageOf(invoice, await surroundings(), sent) };
  const outcome = await payFromPage(reading, sent.form, { provider, sourceIp, now });
  if (outcome.kind === 'too many') {
    const retryAfterSeconds = hourEndSeconds(hourOf(now)) - toSeconds(now);
    return { status: 429, view: { kind: 'too_many_attempts' }, retryAfterSeconds };
  }
  if (outcome.kind === 'closed') {
    const { settings, ...others } = await surroundings();
    const view = paymentPageOf(invoice, { ...others, settings: { ...settings, closed: true } });
    return view.kind === 'closed' ? { status: 403, view } : { redirectTo: '?' };
  }
  if (outcome.kind === 'changed') return { redirectTo: '?changed' };
  return {
    redirectTo: outcome.kind === 'payment' && outcome.status === 'failed' ? `?payment=${outcome.id}` : '?',
  };
});
