/** Answers the form with which a payer claims to have paid an invoice. Its limits are those of attempts to pay by card. */
import * as v from 'valibot';
import type { PageAnswer, PageRequest } from '../../api/http/page.ts';
import { ApiError } from '../../base/errors.ts';
import { parseMajorUnits } from '../../base/money.ts';
import { readCurrentPageSettings } from '../../domain/accounts/account-store.ts';
import { isTakingPayments } from '../../domain/accounts/page-settings.ts';
import { isWithinPageLimit } from '../../domain/auth/rate-limit.ts';
import { readDocumentsOfInvoice } from '../../domain/documents/payer-documents-store.ts';
import { claimFields, openClaimOf } from '../../domain/invoices/claim.ts';
import { storeClaim } from '../../domain/invoices/claim-store.ts';
import type { Invoice } from '../../domain/invoices/invoice.ts';
import { isPayable, wrongFieldsOfClaim } from '../../domain/invoices/transitions.ts';
import { forgiveAttempt, isWithinAttemptLimits } from '../../domain/payments/attempt-limits.ts';
import { uselessFormWeight } from '../../domain/payments/page-payment.ts';
import { beginVisit, readVisit } from '../../domain/payments/visit.ts';
import type { LoadedRecord } from '../../store/records.ts';
import { answerRefusal, answerTooMany } from './payment-page-handler.ts';
import { buildPaymentPageView, withClaimForm } from './payment-page-state.ts';
import type { ClaimForm, PaymentPageView } from './payment-page-view.ts';

type LoadedInvoice = LoadedRecord<Invoice> & { readonly record: Invoice };
type Answer = PageAnswer<PaymentPageView>;

const names = ['bank', 'reference', 'paidOn', 'amount'] as const;

/** Stores the claim, and returns to the page, which shows it or why it is not stored. */
export async function submitClaim(request: PageRequest, loaded: LoadedInvoice): Promise<Answer> {
  const { form, sourceIp, now } = request;
  const { record: invoice } = loaded;
  const settings = await readCurrentPageSettings(invoice.account);
  const visitText = form.get('visit') ?? '';
  const visit = await readVisit(invoice.id, visitText, now);
  const show = (claim: Omit<ClaimForm, 'visit'>) =>
    viewOf(invoice, settings, visit ? visitText : undefined, claim, now);
  if (!isTakingPayments(settings)) return answerRefusal(await show({}));
  const values = Object.fromEntries(names.map((name) => [name, (form.get(name) ?? '').trim()]));
  const amount = parseMajorUnits(values.amount ?? '');
  const sent = v.safeParse(claimFields, { ...values, amount });
  const typed = { amount, paidOn: values.paidOn ?? '' };
  const wrong: unknown[] = [
    ...(sent.issues?.map((issue) => issue.path?.[0]?.key) ?? []),
    ...(isPayable(invoice) ? wrongFieldsOfClaim(invoice, typed, Math.max(now, invoice.updatedAt)) : []),
  ];
  const errors = names.filter((name) => wrong.includes(name));
  if (!sent.success || errors.length > 0) {
    if (!(await isWithinPageLimit(sourceIp, uselessFormWeight, now)))
      return answerTooMany('too_many_requests', now);
    // A text with a card number in it is not shown again.
    const shown = Object.fromEntries(Object.entries(values).filter(([name]) => !wrong.includes(name)));
    return { status: 400, view: await show({ values: shown, errors }) };
  }
  // The page shows what became of the invoice, or the claim that is open.
  if (!isPayable(invoice) || openClaimOf(invoice)) return { redirectTo: '?' };
  if (!(await isWithinAttemptLimits({ invoiceId: invoice.id, sourceIp, visit }, now)))
    return answerTooMany('too_many_attempts', now);
  try {
    await storeClaim(loaded, sent.output, now);
  } catch (error) {
    // Another claim or a payment was faster. The page shows it, or the form again.
    if (error instanceof ApiError) return { redirectTo: '?claim' };
    throw error;
  }
  await forgiveAttempt(sourceIp, now);
  return { redirectTo: '?' };
}

async function viewOf(
  invoice: Invoice,
  settings: Awaited<ReturnType<typeof readCurrentPageSettings>>,
  known: string | undefined,
  claim: Omit<ClaimForm, 'visit'>,
  now: number,
): Promise<PaymentPageView> {
  const documents = await readDocumentsOfInvoice(invoice);
  const visit = known ?? (await beginVisit(invoice.id, now));
  const page = { settings, documents, takesCards: true, now, attempt: '', visit };
  return withClaimForm(buildPaymentPageView(invoice, page), { ...claim, visit });
}
