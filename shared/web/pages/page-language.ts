/**
 * Chooses the language of the payment page: what the payer chose on the page, the language of the invoice, or the first language
 * of the browser that there is. The choice is in the query of the page, because the page uses no cookies.
 */
import { parseAccept } from 'hono/utils/accept';
import type { PageReader } from '../../api/http/page.ts';
import { type Locale, locales } from '../../base/locales.ts';
import { type Language, languages } from '../documents/languages.ts';
import { englishPageTexts, type PageTexts } from './payment-page-texts.ts';
import { dzongkhaPageTexts } from './payment-page-texts-dz.ts';
import { hindiPageTexts } from './payment-page-texts-hi.ts';

const pageTexts: Readonly<Record<Locale, PageTexts>> = {
  en: englishPageTexts,
  dz: dzongkhaPageTexts,
  hi: hindiPageTexts,
};

/** The parameter of the page's query with the language that the payer chose. */
export const languageParameter = 'lang';

/** The language of a page. */
export interface PageLanguage extends Language {
  readonly locale: Locale;
  readonly texts: PageTexts;
  /** The language that the payer chose. Links of the page keep it. */
  readonly chosen?: Locale | undefined;
}

/** Returns a language. @param chosen the language that the payer chose */
export const languageOf = (locale: Locale, chosen?: Locale): PageLanguage => ({
  ...languages[locale],
  locale,
  texts: pageTexts[locale],
  chosen,
});

export const english: PageLanguage = languageOf('en');

/** Returns the language for a reader. @param ofInvoice the language that the merchant chose for the invoice */
export function chooseLanguage(reader: PageReader, ofInvoice?: Locale | undefined): PageLanguage {
  const chosen = chosenLocaleOf(reader.query);
  return languageOf(chosen ?? ofInvoice ?? acceptedLocaleOf(reader.accepted) ?? 'en', chosen);
}

/** Returns the language in the query of a request. Undefined: none, or an unknown one. */
function chosenLocaleOf(query: PageReader['query']): Locale | undefined {
  return locales.find((locale) => locale === query[languageParameter]);
}

/** Returns the first language that the browser prefers, and that there is. */
function acceptedLocaleOf(accepted = ''): Locale | undefined {
  return parseAccept(accepted)
    .filter(({ q }) => q > 0)
    .map(({ type }) => locales.find((locale) => locale === type.toLowerCase().split('-')[0]))
    .find((locale) => locale !== undefined);
}

/** Returns a relative address of the page with the chosen language. Other addresses stay as they are. @param to such as `?changed` */
export function keepLanguage(to: string, chosen: Locale | undefined): string {
  if (chosen === undefined || !to.startsWith('?')) return to;
  return `${to}${to === '?' ? '' : '&'}${languageParameter}=${chosen}`;
}

/** Returns the address with the language that the query of a request chose. */
export const keepChosenLanguage = (to: string, query: PageReader['query']): string =>
  keepLanguage(to, chosenLocaleOf(query));
