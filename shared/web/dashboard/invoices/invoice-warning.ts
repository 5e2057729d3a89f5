/** Warns that payers cannot pay an invoice, or that a provider has refused to take a payment for it. */
import { html } from 'hono/html';
import type { Invoice } from '../../../domain/invoices/invoice.ts';
import { isPayable } from '../../../domain/invoices/transitions.ts';
import { providerFacts } from '../../../domain/payments/connections/provider-facts.ts';
import { paymentProblemOf } from '../../../domain/payments/payment-ways.ts';
import {
  hostedProviderNames,
  type RefusalReason,
} from '../../../domain/payments/provider/hosted-provider.ts';
import type { Markup } from '../../pages/markup.ts';
import type { DashboardContext } from '../context.ts';
import { type PaymentWays, renderNoWay } from '../payment-warning.ts';
import { renderTime } from '../times.ts';

/** Renders why payers cannot pay an invoice as the merchant expects. Undefined if they can. */
export function renderInvoiceWarning(
  context: Pick<DashboardContext, 'url' | 'timeZone'>,
  ways: PaymentWays | undefined,
  invoice: Invoice,
): Markup | undefined {
  if (!isPayable(invoice)) return undefined;
  const problem = ways && paymentProblemOf(ways.settings, ways.connections, invoice);
  if (problem === 'no_payment_method') return renderNoWay(context, noWay);
  if (problem === 'amount_not_accepted') return html`<p class="alert">${outsideLimits}</p>`;
  const { checkoutRefusal: refusal, updatedAt } = invoice;
  if (!refusal || refusal.at < updatedAt) return undefined;
  const provider = hostedProviderNames.find((name) => name === refusal.provider);
  const title = provider ? providerFacts[provider].title : 'The payment provider';
  const advice = refusals[refusal.reason as RefusalReason] ?? refusals.request;
  return html`<p class="alert">${title} refused to take a payment for this invoice. ${advice} ${renderTime(context, refusal.at)}</p>`;
}

const noWay = 'Payers cannot pay this invoice: its payment page offers no way to pay.';
const outsideLimits =
  'Payers cannot pay this invoice online: its amount is below or above the limits of your payment provider, or above the largest payment that you have stated for it. Change the amount, or record the payment when you have received it.';
const refusals: Readonly<Record<RefusalReason, string>> = {
  amount:
    'The amount is below or above what your account there takes in one payment. Change the amount, or ask the provider to raise the limit. State the limit in the settings of the provider, so that Remit warns you earlier.',
  currency: 'Your account there does not take the currency. Activate the currency there.',
  credentials: 'It does not accept your key. Replace the key in the settings.',
  request: 'Ask the provider whether your account can take payments.',
};
