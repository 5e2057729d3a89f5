/**
 * Shows the payment page as payers of a live invoice see it who pay by bank transfer. Pages of test mode take test cards, so they do not
 * show the payment instructions.
 */
import { html } from 'hono/html';
import { type Locale, localeNames, locales } from '../../../base/locales.ts';
import { type Currency, currencies } from '../../../base/money.ts';
import type { Instant } from '../../../base/time.ts';
import { readCurrentPageSettings } from '../../../domain/accounts/account-store.ts';
import type { PageSettings } from '../../../domain/accounts/page-settings.ts';
import { languageOf } from '../../pages/page-language.ts';
import { renderPaymentPage } from '../../pages/payment-page.ts';
import { transferViewOf } from '../../pages/payment-page-state.ts';
import type { InvoiceView } from '../../pages/payment-page-view.ts';
import type { DashboardPage, DashboardRequest } from '../definitions.ts';
import { renderButtonLink } from '../records/record-elements.ts';
import { accountTexts } from './account-texts.ts';

const path = '/payment-page/:currency';
const dayMs = 24 * 60 * 60 * 1000;

const texts = {
  explanation:
    'What payers of a live invoice see who pay by bank transfer, with your settings and a sample invoice. Beside each value, their page has a button that copies it. Payment pages of test mode take test cards, so they do not show this.',
  currencies: 'Currency',
  languages: 'Language',
  page: (currency: Currency) => `Payment page in ${currency}`,
  banner: 'Preview with a sample invoice. Do not pay.',
  description: 'Sample invoice',
} as const;

const previewPage: DashboardPage = {
  path,
  ability: 'account:read',
  handle: async ({ context, params, query }) => {
    const currency = currencyIn(params);
    if (!currency) return undefined;
    const locale = localeIn(query);
    const addressOf = (of: Currency, to: Locale, frame = '') =>
      context.url(`/payment-page/${of}${frame}?lang=${to}`);
    return {
      title: accountTexts.preview,
      section: 'settings',
      aside: renderButtonLink(context.url('/settings/account'), accountTexts.back),
      content: html`<p class="soft">${texts.explanation}</p>
${renderChoices(
  texts.currencies,
  currencies.map((each) => [each, addressOf(each, locale), each === currency]),
)}
${renderChoices(
  texts.languages,
  locales.map((each) => [localeNames[each], addressOf(currency, each), each === locale]),
)}
<div class="mail"><section class="card"><h2>${texts.page(currency)}</h2><iframe title="${texts.page(currency)}" src="${addressOf(currency, locale, '/frame')}" sandbox=""></iframe></section></div>`,
    };
  },
};

const previewFrame: DashboardPage = {
  path: `${path}/frame`,
  ability: 'account:read',
  handle: async ({ context, params, query }) => {
    const currency = currencyIn(params);
    if (!currency) return undefined;
    const settings = await readCurrentPageSettings(context.account);
    return { frame: renderPreviewOf(currency, settings, localeIn(query), context) };
  },
};

export const paymentPagePreviews: readonly DashboardPage[] = [previewPage, previewFrame];

const currencyIn = ({ currency }: DashboardRequest['params']): Currency | undefined =>
  currencies.find((each) => each === currency);

const localeIn = (query: URLSearchParams): Locale =>
  locales.find((each) => each === query.get('lang')) ?? 'en';

function renderChoices(
  label: string,
  choices: readonly (readonly [name: string, address: string, isChosen: boolean])[],
) {
  const links = choices.map(
    ([name, address, isChosen]) =>
      html`<li><a href="${address}"${isChosen && html` aria-current="page"`}>${name}</a></li>`,
  );
  return html`<nav class="kinds" aria-label="${label}"><h2>${label}</h2><ul>${links}</ul></nav>`;
}

function renderPreviewOf(
  currency: Currency,
  settings: PageSettings,
  locale: Locale,
  { now, timeZone }: { readonly now: Instant; readonly timeZone: string | undefined },
): string {
  const invoice: InvoiceView = {
    id: 'inv_00000000000000000000000000',
    // Its check characters are wrong, so it names no invoice.
    reference: 'TEST-0000',
    payee: settings.payee,
    contact: settings.contact,
    timeZone,
    amountMinor: 250_000,
    currency,
    description: texts.description,
    dueAt: now + 14 * dayMs,
    isDefaultDueDate: true,
    overdue: false,
    testMode: false,
  };
  const view = transferViewOf(invoice, settings) ?? { kind: 'no_provider', invoice };
  return renderPaymentPage(view, languageOf(locale), texts.banner);
}
