/** Renders the links to the page in other languages, and what a translated page says about itself. */
import { html } from 'hono/html';
import { localeNames, locales } from '../../base/locales.ts';
import { englishCopy } from '../documents/languages.ts';
import { waitingQueryOf } from './checkout-return.ts';
import type { Markup } from './markup.ts';
import { keepLanguage, type PageLanguage } from './page-language.ts';
import type { PaymentPageView } from './payment-page-view.ts';

/** Renders the languages of a page. A language that no native reader has checked says that the English texts count. */
export function renderLanguages(view: PaymentPageView, { locale, texts, document }: PageLanguage): Markup {
  const to = view.kind === 'reminders' ? view.query : (waitingQueryOf(view) ?? '?');
  const items = locales.map((each) =>
    each === locale
      ? html`<li lang="${each}" aria-current="true">${localeNames[each]}</li>`
      : html`<li lang="${each}"><a href="${keepLanguage(to, each)}" hreflang="${each}">${localeNames[each]}</a></li>`,
  );
  return html`<nav aria-label="${texts.language}"><ul>${items}</ul></nav>${!document.isChecked && html`<p>${document.copy} <span lang="en">${englishCopy}</span></p>`}`;
}
