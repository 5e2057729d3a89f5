/** Warns that payers find no way to pay live invoices, or that a provider does not take them. */
import { html } from 'hono/html';
import type { PageSettings } from '../accounts/page-settings.ts';
import { readCurrentPageSettings } from '../accounts/store.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { isPayable } from '../invoices/transitions.ts';
import { type Currency, currencies } from '../money.ts';
import type { Markup } from '../pages/markup.ts';
import type { ConnectionDetails } from '../payments/connections/connection.ts';
import { providerFacts } from '../payments/connections/provider-facts.ts';
import { readConnections } from '../payments/connections/store.ts';
import { offersWayToPay, paymentProblemOf } from '../payments/payment-ways.ts';
import {
  type HostedProviderName,
  hostedProviderNames,
  type RefusalReason,
} from '../payments/provider/hosted-provider.ts';
import type { DashboardContext } from './context.ts';
import { renderTime } from './elements.ts';

/** The ways to pay that an account offers. */
interface PaymentWays {
  readonly settings: PageSettings;
  readonly connections: readonly ConnectionDetails[];
}

/** Reads the ways to pay, as of now. Two calls beside each other, and none in test mode, where pages always have a way. */
export async function readPaymentWays({
  account,
  mode,
}: Pick<DashboardContext, 'account' | 'mode'>): Promise<PaymentWays | undefined> {
  if (mode === 'test') return undefined;
  const [settings, connections] = await Promise.all([
    readCurrentPageSettings(account),
    readConnections({ account, mode }),
  ]);
  return { settings, connections };
}

/** Renders in which currencies payers find no way to pay. Undefined if there is none. */
export function renderCurrencyWarning(
  { url }: Pick<DashboardContext, 'url'>,
  ways: PaymentWays | undefined,
): Markup | undefined {
  if (!ways) return undefined;
  const unpayable = currencies.filter(
    (currency) => !offersWayToPay(ways.settings, ways.connections, currency),
  );
  return unpayable.length > 0 ? renderNoWay({ url }, warningTexts.currencies(unpayable)) : undefined;
}

/** Renders why payers cannot pay an invoice as the merchant expects. Undefined if they can. */
export function renderInvoiceWarning(
  { url }: Pick<DashboardContext, 'url'>,
  ways: PaymentWays | undefined,
  invoice: Invoice,
): Markup | undefined {
  if (!isPayable(invoice)) return undefined;
  const problem = ways && paymentProblemOf(ways.settings, ways.connections, invoice);
  if (problem === 'no_payment_method') return renderNoWay({ url }, warningTexts.invoice);
  if (problem === 'amount_not_accepted') return html`<p class="alert">${warningTexts.amount}</p>`;
  const { checkoutRefusal: refusal, updatedAt } = invoice;
  if (!refusal || refusal.at < updatedAt) return undefined;
  const provider = hostedProviderNames.find((name) => name === refusal.provider);
  const reason = refusal.reason as RefusalReason;
  const advice = warningTexts.refusals[reason] ?? warningTexts.refusals.request;
  return html`<p class="alert">${warningTexts.refused(provider)} ${advice} ${renderTime(refusal.at)}</p>`;
}

function renderNoWay({ url }: Pick<DashboardContext, 'url'>, sentence: string): Markup {
  return html`<p class="alert">${sentence} <a href="${url('/settings/providers')}">${warningTexts.provider}</a>, ${warningTexts.or} <a href="${url('/settings/account')}">${warningTexts.instructions}</a>.</p>`;
}

const warningTexts = {
  invoice: 'Payers cannot pay this invoice: its payment page offers no way to pay.',
  amount:
    'Payers cannot pay this invoice online: its amount is below or above the limits of your payment provider. Change the amount, or record the payment when you have received it.',
  refused: (provider: HostedProviderName | undefined) =>
    `${provider ? providerFacts[provider].title : 'The payment provider'} refused to take a payment for this invoice.`,
  refusals: {
    amount:
      'The amount is below or above what your account there takes in one payment. Change the amount, or ask the provider to raise the limit.',
    currency: 'Your account there does not take the currency. Activate the currency there.',
    credentials: 'It does not accept your key. Replace the key in the settings.',
    request: 'Ask the provider whether your account can take payments.',
  } satisfies Record<RefusalReason, string>,
  currencies: (list: readonly Currency[]) =>
    `Payers cannot pay live invoices in ${new Intl.ListFormat('en', { type: 'disjunction' }).format(list)}: the payment pages offer no way to pay.`,
  provider: 'Connect a payment provider',
  or: 'or',
  instructions: 'set payment instructions',
} as const;
