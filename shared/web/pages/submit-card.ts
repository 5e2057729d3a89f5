/** Answers the form with which a payer pays by card. */
import type { PageAnswer, PageRequest } from '../../api/http/page.ts';
import { randomAttempt } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import { readCurrentPageSettings, readPageSettings } from '../../domain/accounts/account-store.ts';
import { isTakingPayments } from '../../domain/accounts/page-settings.ts';
import { isWithinPageLimit } from '../../domain/auth/rate-limit.ts';
import { readDocumentsOfInvoice } from '../../domain/documents/payer-documents-store.ts';
import type { Invoice } from '../../domain/invoices/invoice.ts';
import { isPayable } from '../../domain/invoices/transitions.ts';
import { payFromPage, uselessFormWeight } from '../../domain/payments/page-payment.ts';
import { typedAmountOf } from '../../domain/payments/payable-amount.ts';
import type { PaymentProvider } from '../../domain/payments/provider/provider.ts';
import { beginVisit, readVisit } from '../../domain/payments/visit.ts';
import type { LoadedRecord } from '../../store/records.ts';
import { answerRefusal, answerTooMany } from './payment-page-handler.ts';
import { buildPaymentPageView, type PaymentPageDependencies } from './payment-page-state.ts';
import type { PaymentPageView } from './payment-page-view.ts';
import { parsePaymentForm } from './sent-form.ts';

/** Pays an invoice with the card that the form has, if the form and its part are valid. */
export async function submitCard(
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
