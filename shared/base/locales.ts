/** Defines the languages of documents and of the payment page: English, Dzongkha and Hindi, as BCP 47 tags. */
import * as v from 'valibot';

export const locales = ['en', 'dz', 'hi'] as const;
export type Locale = (typeof locales)[number];

/** What each language calls itself. */
export const localeNames: Readonly<Record<Locale, string>> = { en: 'English', dz: 'རྫོང་ཁ', hi: 'हिन्दी' };

/** A language in a request. */
export const localeSchema = v.picklist(locales, `locale must be one of ${locales.join(', ')}.`);
