/** Warns that payers find no way to pay live invoices. */
import { html } from 'hono/html';
import { type Currency, currencies } from '../../base/money.ts';
import { readCurrentPageSettings } from '../../domain/accounts/account-store.ts';
import type { PageSettings } from '../../domain/accounts/page-settings.ts';
import type { ConnectionDetails } from '../../domain/payments/connections/connection.ts';
import { readConnections } from '../../domain/payments/connections/connection-store.ts';
import { offersWayToPay } from '../../domain/payments/payment-ways.ts';
import type { Markup } from '../pages/markup.ts';
import type { DashboardContext } from './context.ts';

/** The ways to pay that an account offers. */
export interface PaymentWays {
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

/** Renders a sentence with links to the settings that offer a way to pay. */
export function renderNoWay({ url }: Pick<DashboardContext, 'url'>, sentence: string): Markup {
  return html`<p class="alert">${sentence} <a href="${url('/settings/providers')}">${warningTexts.provider}</a>, ${warningTexts.or} <a href="${url('/settings/account')}">${warningTexts.instructions}</a>.</p>`;
}

const warningTexts = {
  currencies: (list: readonly Currency[]) =>
    `Payers cannot pay live invoices in ${new Intl.ListFormat('en', { type: 'disjunction' }).format(list)}: the payment pages offer no way to pay.`,
  provider: 'Connect a payment provider',
  or: 'or',
  instructions: 'set payment instructions',
} as const;
