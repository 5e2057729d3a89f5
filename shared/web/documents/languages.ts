/** Lists the languages of documents and of the payment page. */
import type { Locale } from '../../base/locales.ts';
import { type DocumentTexts, englishTexts } from './document-texts.ts';
import { dzongkhaTexts } from './document-texts-dz.ts';
import { hindiTexts } from './document-texts-hi.ts';

/** A language: its texts, and the tag by which `Intl` knows how people there write days. */
export interface Language {
  readonly tag: string;
  readonly document: DocumentTexts;
}

export const languages: Readonly<Record<Locale, Language>> = {
  en: { tag: 'en-GB', document: englishTexts },
  dz: { tag: 'dz-BT', document: dzongkhaTexts },
  hi: { tag: 'hi-IN', document: hindiTexts },
};

/** What a document in another language says in English, too. */
export const englishCopy = 'This is a copy for reading. The document in English counts.';
