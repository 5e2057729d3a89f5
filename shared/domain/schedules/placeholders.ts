/**
 * Replaces the placeholders in the texts of a schedule by the period of an invoice. Pure.
 *
 * A placeholder is replaced as plain text, once. Every other text in a pair of braces is refused, because it would reach a customer. A
 * lone brace is a text.
 */
import { ApiError } from '../../base/errors.ts';
import type { Locale } from '../../base/locales.ts';
import type { DraftContent } from '../drafts/draft.ts';
import type { InvoicePeriod } from './recurrence.ts';

/** A pair of braces on one line, from the first opening one. So `{{month}}` is no placeholder. */
const inBraces = /\{([^}\r\n]*)\}/g;

const dayOf = (day: string, tag: string) =>
  new Intl.DateTimeFormat(tag, { timeZone: 'UTC', dateStyle: 'long' }).format(Date.parse(day));
const monthOf = (day: string, tag: string) =>
  new Intl.DateTimeFormat(tag, { timeZone: 'UTC', year: 'numeric', month: 'long' }).format(Date.parse(day));

/** What each placeholder stands for. */
const values: Readonly<Record<string, (period: InvoicePeriod, tag: string) => string>> = {
  'period.start': ({ start }, tag) => dayOf(start, tag),
  'period.end': ({ end }, tag) => dayOf(end, tag),
  month: ({ start }, tag) => monthOf(start, tag),
};

/** The placeholders, as people type them. */
export const placeholders: readonly string[] = Object.keys(values).map((name) => `{${name}}`);

type Texts = Pick<DraftContent, 'description' | 'lines'>;

/** @throws ApiError `invalid_invoice` if a text has a pair of braces that is no placeholder */
export function requirePlaceholders({ description, lines }: Texts): void {
  const texts: readonly (readonly [string, string | null])[] = [
    ['description', description],
    ...(lines ?? []).map((line, index) => [`lines.${index}.description`, line.description] as const),
  ];
  for (const [name, text] of texts) {
    const unknown = [...(text ?? '').matchAll(inBraces)].find(
      ([, found = '']) => !Object.hasOwn(values, found),
    );
    if (!unknown) continue;
    const field = `invoice.${name}`;
    const message = `${field} has the placeholder ${unknown[0]}, which does not exist. Use ${placeholders.join(', ')}, or other brackets.`;
    throw new ApiError('invalid_invoice', { field, message });
  }
}

/** Returns a content whose description and lines have the period in place of the placeholders, in the language of the invoice. */
export function fillPlaceholders(content: DraftContent, period: InvoicePeriod): DraftContent {
  const tag = tagOf(content.locale);
  const fill = (text: string) =>
    text.replace(inBraces, (whole, name: string) =>
      Object.hasOwn(values, name) ? (values[name]?.(period, tag) ?? whole) : whole,
    );
  const { description, lines } = content;
  return {
    ...content,
    description: description === null ? null : fill(description),
    lines: lines?.map((line) => ({ ...line, description: fill(line.description) })) ?? null,
  };
}

const tagOf = (locale: Locale | null) => (locale === null || locale === 'en' ? 'en-GB' : locale);
