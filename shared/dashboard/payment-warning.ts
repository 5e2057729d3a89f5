/** Warns that payers find no way to pay live invoices. */
import { html } from 'hono/html';
import { readCurrentPageSettings } from '../accounts/store.ts';
import { type Currency, currencies } from '../money.ts';
import type { Markup } from '../pages/markup.ts';
import { readConnections } from '../payments/connections/store.ts';
import { offersWayToPay } from '../payments/payment-ways.ts';
import type { DashboardContext } from './context.ts';

/**
 * Reads in which currencies payers find no way to pay, as of now. Two calls beside each other, and none in test mode, where
 * pages always have a way.
 */
export async function readUnpayableCurrencies({
  account,
  mode,
}: Pick<DashboardContext, 'account' | 'mode'>): Promise<Currency[]> {
  if (mode === 'test') return [];
  const [settings, connections] = await Promise.all([
    readCurrentPageSettings(account),
    readConnections({ account, mode }),
  ]);
  return currencies.filter((currency) => !offersWayToPay(settings, connections, currency));
}

/** Renders the warning about an invoice, or about all invoices in these currencies. */
export function renderPaymentWarning(
  { url }: Pick<DashboardContext, 'url'>,
  subject: 'invoice' | readonly Currency[],
): Markup {
  const sentence = subject === 'invoice' ? warningTexts.invoice : warningTexts.currencies(subject);
  return html`<p class="alert">${sentence} <a href="${url('/settings/providers')}">${warningTexts.provider}</a>, ${warningTexts.or} <a href="${url('/settings/account')}">${warningTexts.instructions}</a>.</p>`;
}

const warningTexts = {
  invoice: 'Payers cannot pay this invoice: its payment page offers no way to pay.',
  currencies: (list: readonly Currency[]) =>
    `Payers cannot pay live invoices in ${new Intl.ListFormat('en', { type: 'disjunction' }).format(list)}: the payment pages offer no way to pay.`,
  provider: 'Connect a payment provider',
  or: 'or',
  instructions: 'set payment instructions',
} as const;
