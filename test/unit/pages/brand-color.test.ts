/** Tests the color of a seller on the payment page: the contrast of its text in both color schemes, and the policy of the page. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { brandRules } from '../../../shared/web/pages/brand-color.ts';
import { paymentPageCsp, renderPaymentPage } from '../../../shared/web/pages/payment-page.ts';
import { paymentPageStylesheet } from '../../../shared/web/pages/payment-page-style.ts';
import { receipt } from '../documents/sample-documents.ts';
import { sampleInvoice, sampleTexts, sampleViewsOf } from './sample-views.ts';

type Colors = Readonly<Record<string, string>>;

/** Returns the variables of each color scheme: light, dark. */
function schemesOf(rules: string): Colors[] {
  return [...rules.matchAll(/:root\{([^}]*)\}/g)].map(([, variables = '']) =>
    Object.fromEntries(variables.split(';').map((each) => each.replace('--', '').split(':'))),
  );
}

/** The contrast ratio of WCAG 2.2, written down again so that the test does not trust the code. */
function contrast(one: string, other: string): number {
  const luminance = (hex: string) => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
      const value = Number.parseInt(hex.slice(start, start + 2), 16) / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

describe('the color of a seller', () => {
  const levels = [0, 51, 102, 153, 204, 255].map((value) => value.toString(16).padStart(2, '0'));
  const all = levels.flatMap((red) =>
    levels.flatMap((green) => levels.map((blue) => `#${red}${green}${blue}`)),
  );

  test('never makes text unreadable, in light and in dark', () => {
    const backgrounds = [
      ['#ffffff', '#fafaf8'],
      ['#171c1a', '#1b211f'],
    ];
    const unreadable = all.flatMap((color) =>
      schemesOf(brandRules(color)).flatMap(({ accent = '', press = '', tint = '', ...others }, index) => {
        const pairs = [
          ...[...(backgrounds[index] ?? []), tint].map((background) => [accent, background]),
          [others['on-accent'], accent],
          [others['on-accent'], press],
        ];
        return pairs
          .filter(([text = '', background = '']) => !(contrast(text, background) >= 4.5))
          .map((pair) => [color, ...pair]);
      }),
    );
    expect([all.length, unreadable]).toEqual([216, []]);
  });

  test('stays as it is where it can be read, and is darker or lighter where it cannot', () => {
    const [light, dark] = schemesOf(brandRules('#1f5f8b'));
    expect(light?.accent).toBe('#1f5f8b');
    expect(dark?.accent).not.toBe('#1f5f8b');
    expect(schemesOf(brandRules('#FFEE00'))[1]?.accent).toBe('#ffee00');
    expect(schemesOf(brandRules('#ffee00'))[0]?.accent).toMatch(/^#[6-8]\w[5-7]\w00$/);
  });

  test.each([null, undefined, '', 'red', '#fff', '#1f5f8b;}*{display:none'])(
    '%j changes nothing',
    (color) => {
      expect(brandRules(color)).toBe('');
    },
  );

  test('is on the page of an invoice with a document, whose policy allows that stylesheet', () => {
    const document = { ...receipt, seller: { ...receipt.seller, color: '#1f5f8b' } };
    const views = sampleViewsOf({ ...sampleInvoice, document }, sampleTexts);
    const styleIn = (page: string) => /<style>(.*?)<\/style>/s.exec(page)?.[1] ?? '';
    for (const view of Object.values(views)) {
      const style = styleIn(renderPaymentPage(view));
      const hash = createHash('sha256').update(style).digest('base64');
      expect(paymentPageCsp(view)).toContain(`style-src 'sha256-${hash}';`);
      if ('invoice' in view && view.invoice)
        expect(style).toBe(paymentPageStylesheet + brandRules('#1f5f8b'));
    }
  });
});
