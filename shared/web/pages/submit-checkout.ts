/** Answers the pay button: leads the payer to the page of the provider, or shows why the payer cannot pay now. */

import type { PageAnswer, PageRequest } from '../../api/http/page.ts';
import { randomAttempt } from '../../base/ids.ts';
import type { PageSettings } from '../../domain/accounts/page-settings.ts';
import { isTakingPayments } from '../../domain/accounts/page-settings.ts';
import { readDocumentsOfInvoice } from '../../domain/documents/payer-documents-store.ts';
import type { Invoice } from '../../domain/invoices/invoice.ts';
import { amountDueOf } from '../../domain/invoices/received-money.ts';
import { isPayable } from '../../domain/invoices/transitions.ts';
import { forgiveAttempt } from '../../domain/payments/attempt-limits.ts';
import { type BeginOutcome, beginCheckout } from '../../domain/payments/checkouts/begin-checkout.ts';
import { checkoutProviderOf } from '../../domain/payments/checkouts/checkout-provider.ts';
import { typedAmountOf } from '../../domain/payments/payable-amount.ts';
import { keepChosenLanguage } from './page-language.ts';
import { answerRefusal, answerTooMany } from './payment-page-handler.ts';
import { buildPaymentPageView } from './payment-page-state.ts';
import type { PaymentPageView } from './payment-page-view.ts';
import type { ReadCheckout } from './sent-checkout.ts';

/** How soon a payer should try again if the provider does not answer. */
const retryAfterSeconds = 60;

/** Answers the form of the pay button. */
export async function submitCheckout(
  read: ReadCheckout,
  { sourceIp, query, now, logInvoice }: Pick<PageRequest, 'sourceIp' | 'query' | 'now' | 'logInvoice'>,
): Promise<PageAnswer<PaymentPageView>> {
  const { sent, settings, connections, provider, isWithinLimits } = read;
  const invoice = read.invoice?.record;
  if (!read.invoice || !invoice) return { status: 404, view: { kind: 'not_found' } };
  logInvoice(invoice);
  if (invoice.account !== sent.owner.account || invoice.mode !== sent.owner.mode)
    return { status: 403, view: { kind: 'refused' } };
  if (!settings) throw new Error(`The settings of ${invoice.account} could not be read.`);
  const view = (how: 'none' | undefined = undefined) => viewOf(invoice, settings, how, now);
  if (!isTakingPayments(settings)) return answerRefusal(await view());
  // The provider was disconnected after the payer opened the page, or no longer takes the invoice.
  const part = isPayable(invoice) ? typedAmountOf(invoice, sent.typedPart) : amountDueOf(invoice);
  if (part === undefined) return { redirectTo: '?part' };
  const paid = { ...invoice, amount: part };
  if (!provider || checkoutProviderOf(connections, paid) !== sent.provider) return { redirectTo: '?' };
  const onBegun = () => forgiveAttempt(sourceIp, now);
  const returnQuery = (id: string) => keepChosenLanguage(`?checkout=${id}`, query);
  const context = { provider, isWithinLimits, onBegun, returnQuery, now };
  const outcome = await beginCheckout(read.invoice, { ...sent, part }, context);
  return answerOf(outcome, invoice, view, now);
}

async function answerOf(
  outcome: BeginOutcome,
  invoice: Invoice,
  view: (how: 'none') => Promise<PaymentPageView>,
  now: number,
): Promise<PageAnswer<PaymentPageView>> {
  switch (outcome.kind) {
    case 'redirect':
      return { redirectTo: outcome.url };
    case 'confirming':
      return { redirectTo: `?checkout=${outcome.checkoutId}` };
    case 'changed':
      return { redirectTo: '?changed' };
    case 'not payable':
      return { redirectTo: '?' };
    case 'too many':
      return answerTooMany('too_many_attempts', now);
    case 'refused':
      return { status: 400, view: await view('none') };
    case 'unavailable': {
      const down = buildProviderDownView(invoice, await view('none'));
      return { status: 503, view: down, retryAfterSeconds };
    }
  }
}

function buildProviderDownView(invoice: Invoice, shown: PaymentPageView): PaymentPageView {
  if (!('invoice' in shown)) throw new Error(`The page does not show ${invoice.id}.`);
  return { kind: 'provider_down', invoice: shown.invoice };
}

/** Returns the page as it is without a pay button: how else to pay, or why nobody can pay now. */
async function viewOf(invoice: Invoice, settings: PageSettings, provider: 'none' | undefined, now: number) {
  const form = { attempt: randomAttempt(), visit: '' };
  const documents = await readDocumentsOfInvoice(invoice);
  return buildPaymentPageView(invoice, {
    settings,
    documents,
    provider,
    takesCards: provider === undefined,
    now,
    ...form,
  });
}
