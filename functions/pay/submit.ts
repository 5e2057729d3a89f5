/** POST /pay/:id: pays from the page's form and redirects to the page, or leads the payer to the page of a provider. */

import type { PageAnswer, PageRequest } from '../../shared/api/http/page.ts';
import * as routes from '../../shared/api/routes.ts';
import { randomAttempt } from '../../shared/base/ids.ts';
import type { Instant } from '../../shared/base/time.ts';
import { readCurrentPageSettings, readPageSettings } from '../../shared/domain/accounts/account-store.ts';
import { isTakingPayments } from '../../shared/domain/accounts/page-settings.ts';
import { isWithinPageLimit } from '../../shared/domain/auth/rate-limit.ts';
import { readDocumentsOfInvoice } from '../../shared/domain/documents/payer-documents-store.ts';
import type { Invoice } from '../../shared/domain/invoices/invoice.ts';
import { readInvoiceOfAnyAccount } from '../../shared/domain/invoices/invoice-store.ts';
import { isPayable } from '../../shared/domain/invoices/transitions.ts';
import { payFromPage, uselessFormWeight } from '../../shared/domain/payments/page-payment.ts';
import { typedAmountOf } from '../../shared/domain/payments/payable-amount.ts';
import type { PaymentProvider } from '../../shared/domain/payments/provider/provider.ts';
import { providerOf } from '../../shared/domain/payments/provider/registry.ts';
import { beginVisit, readVisit } from '../../shared/domain/payments/visit.ts';
import type { LoadedRecord } from '../../shared/store/records.ts';
import {
  answerRefusal,
  answerTooMany,
  createPaymentPageHandler,
} from '../../shared/web/pages/payment-page-handler.ts';
import {
  buildPaymentPageView,
  type PaymentPageDependencies,
} from '../../shared/web/pages/payment-page-state.ts';
import type { PaymentPageView } from '../../shared/web/pages/payment-page-view.ts';
import { readSentCheckout } from '../../shared/web/pages/sent-checkout.ts';
import { parsePaymentForm } from '../../shared/web/pages/sent-form.ts';
import { submitCheckout } from '../../shared/web/pages/submit-checkout.ts';
import { submitClaim } from '../../shared/web/pages/submit-claim.ts';

export const handler = createPaymentPageHandler(
  routes.submitPaymentPage,
  async (request, prepared) => {
    if (prepared) return submitCheckout(prepared, request);
    const loaded = await readInvoiceOfAnyAccount(request.params.id ?? '');
    if (!loaded?.record) return { status: 404, view: { kind: 'not_found' } };
    const { record: invoice } = loaded;
    request.logInvoice(invoice);
    if (request.form.has('claim')) return submitClaim(request, { ...loaded, record: invoice });
    const provider = providerOf(invoice.mode);
    return provider ? payInvoice(request, { ...loaded, record: invoice }, provider) : { redirectTo: '?' };
  },
  { load: readSentCheckout },
);

/** Pays an invoice with the card that the form has, if the form and its part are valid. */
async function payInvoice(
  { form: fields, sourceIp, now }: PageRequest,
  loaded: LoadedRecord<Invoice> & { readonly record: Invoice },
  provider: PaymentProvider,
): Promise<PageAnswer<PaymentPageView>> {
  const { record: invoice } = loaded;
  const sent = parsePaymentForm(fields, invoice.mode, now);
  if (!sent || 'errors' in sent) {
    if (!(await isWithinPageLimit(sourceIp, uselessFormWeight, now)))
      return answerTooMany('too_many_requests', now);
    if (!sent) return { status: 403, view: { kind: 'refused' } };
  }
  const visitText = fields.get('visit') ?? '';
  const visit = await readVisit(invoice.id, visitText, now);
  const dependencies = (readSettings: typeof readPageSettings) =>
    readDependencies(invoice, visit && visitText, now, readSettings);
  if ('errors' in sent)
    return { status: 400, view: buildPaymentPageView(invoice, await dependencies(readPageSettings), sent) };
  const typedPart = isPayable(invoice) ? (fields.get('part') ?? '') : '';
  const part = typedPart === '' ? undefined : typedAmountOf(invoice, typedPart);
  if (typedPart !== '' && part === undefined) return { redirectTo: '?part' };
  const isOpen = async () => isTakingPayments(await readCurrentPageSettings(invoice.account));
  const outcome = await payFromPage(
    loaded,
    { ...sent.form, part },
    { provider, sourceIp, visit, isOpen, now },
  );
  if (outcome.kind === 'too many') return answerTooMany('too_many_attempts', now);
  if (outcome.kind === 'refused')
    return answerRefusal(buildPaymentPageView(invoice, await dependencies(readCurrentPageSettings)));
  if (outcome.kind === 'changed') return { redirectTo: '?changed' };
  if (outcome.kind !== 'payment' || outcome.status !== 'failed') return { redirectTo: '?' };
  return { redirectTo: `?payment=${outcome.id}${visit ? `&visit=${visitText}` : ''}` };
}

/** Reads what the page shows beside the invoice. @param visit undefined: another visit begins */
async function readDependencies(
  invoice: Invoice,
  visit: string | undefined,
  now: Instant,
  readSettings: typeof readPageSettings,
): Promise<PaymentPageDependencies> {
  const [settings, documents] = await Promise.all([
    readSettings(invoice.account, now),
    readDocumentsOfInvoice(invoice),
  ]);
  const begun = visit ?? (await beginVisit(invoice.id, now));
  return { settings, documents, takesCards: true, now, attempt: randomAttempt(), visit: begun };
}
