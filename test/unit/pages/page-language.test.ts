/** Tests how the payment page chooses its language, and that each language has the same texts with the same parts to fill in. */
import { describe, expect, test } from '@jest/globals';
import { locales } from '../../../shared/base/locales.ts';
import { chooseLanguage, english, keepLanguage } from '../../../shared/web/pages/page-language.ts';
import { renderPaymentPage } from '../../../shared/web/pages/payment-page.ts';
import { bhutan } from '../documents/sample-documents.ts';
import { sampleInvoice, sampleTexts, sampleViews, sampleViewsOf } from './sample-views.ts';

const inLanguage = (lang: string) => chooseLanguage({ query: { lang }, accepted: undefined });

test.each([
  ['the choice of the payer', { lang: 'dz' }, 'en', 'hi', 'dz'],
  ['the language of the invoice', {}, 'hi-IN,en;q=0.5', 'dz', 'dz'],
  ['the browser', {}, 'fr-FR, en;q=0.2, hi-IN;q=0.7', undefined, 'hi'],
  ['English for other languages', {}, 'fr-FR, de;q=0.7', undefined, 'en'],
  ['English for a browser that refuses Hindi', {}, 'hi;q=0', undefined, 'en'],
  ['English for a choice that does not exist', { lang: 'xx' }, undefined, undefined, 'en'],
  ['English for a choice that is sent twice', { lang: ['dz', 'hi'] }, undefined, undefined, 'en'],
] as const)('the page is in the language of %s', (_name, query, accepted, ofInvoice, locale) => {
  const sent = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value].flat()]));
  const single = Object.fromEntries(
    Object.entries(sent).map(([name, values]) => [name, values.length === 1 ? String(values[0]) : values]),
  );
  expect(chooseLanguage({ query: single, accepted }, ofInvoice).locale).toBe(locale);
});

test('relative addresses keep the choice, and others are as they were', () => {
  expect(keepLanguage('?', 'hi')).toBe('?lang=hi');
  expect(keepLanguage('?changed', 'hi')).toBe('?changed&lang=hi');
  expect(keepLanguage('?', undefined)).toBe('?');
  expect(keepLanguage('https://pay.example/1', 'hi')).toBe('https://pay.example/1');
});

describe.each(locales)('the texts in %s', (locale) => {
  const { texts } = inLanguage(locale);

  test('fill in what the English ones do', () => {
    /** Returns the parts of a text that are filled in. The arguments of a function are filled in, too. */
    const partsOf = (text: unknown): string[] => {
      const words = typeof text === 'function' ? text('{first}', '{second}') : String(text);
      return [...new Set<string>(words.match(/\{\w+\}/g) ?? [])].sort();
    };
    const compare = (own: object, other: object, path: string): void => {
      expect(Object.keys(own).sort()).toEqual(Object.keys(other).sort());
      for (const [name, text] of Object.entries(other)) {
        const mine = (own as Record<string, unknown>)[name];
        if (typeof text === 'object' && text !== null) compare(mine as object, text, `${path}.${name}`);
        else
          expect({ name: `${path}.${name}`, parts: partsOf(mine) }).toEqual({
            name: `${path}.${name}`,
            parts: partsOf(text),
          });
      }
    };
    compare(texts, english.texts, locale);
  });

  test('are on each page, with a language for screen readers and a way to the other languages', () => {
    const document = { ...bhutan, buyer: { ...bhutan.buyer, name: 'Karma' } };
    const invoice = { ...sampleInvoice, number: document.number, document, charges: document };
    for (const view of Object.values({ ...sampleViews, ...sampleViewsOf(invoice, sampleTexts) })) {
      const page = renderPaymentPage(view, inLanguage(locale));
      expect(page).toContain(`<html lang="${locale}">`);
      expect(page).not.toMatch(/undefined|\{(payee|amount)\}/);
      for (const other of locales)
        expect(page.includes(`lang=${other}" hreflang="${other}"`)).toBe(other !== locale);
      expect(page.includes('The document in English counts.')).toBe(locale !== 'en');
      expect(page.includes('action="?')).toBe(page.includes('<form'));
      if (page.includes('<form')) expect(page).toContain(`action="?lang=${locale}"`);
      expect(Buffer.byteLength(page)).toBeLessThan(24 * 1024);
    }
  });

  test('lead to the copy for reading of the document', () => {
    const view = sampleViewsOf({ ...sampleInvoice, number: 'INV-0042' }, sampleTexts).form;
    const page = view && renderPaymentPage(view, inLanguage(locale));
    expect(page).toContain(`href="${sampleInvoice.id}/pdf${locale === 'en' ? '' : `?locale=${locale}`}"`);
  });
});
