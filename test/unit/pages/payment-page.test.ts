/** What the payment page says in each state, and that no text of another's making can change what it is. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { paymentPageCsp, renderPaymentPage } from '../../../shared/pages/payment-page.ts';
import { texts } from '../../../shared/pages/payment-page-texts.ts';
import type { FieldName, PaymentForm, PaymentPageView } from '../../../shared/pages/payment-page-view.ts';
import { failures } from '../../../shared/payments/failures.ts';
import { testCards } from '../../../shared/payments/test-cards.ts';
import { errors, form, invoice, invoiceViews, receipt, views, viewsOf, words } from './sample-views.ts';

const pages = Object.entries(views).map(([name, view]) => [name, renderPaymentPage(view)] as const);
const pageOf = (name: string) => renderPaymentPage(views[name] as PaymentPageView);
const formPage = (more: Partial<PaymentForm>) =>
  renderPaymentPage({ kind: 'form', invoice, form: { ...form, ...more } });

const tagsOf = (page: string) => page.match(/<[^>]*>/g) ?? [];
const unescaped = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
/** What there is to read, without the stylesheet. */
const textOf = (page: string) => unescaped(page.replace(/<head>.*<\/head>/s, '').replace(/<[^>]*>/g, ''));
const titleOf = (page: string) => unescaped(/<title>(.*?)<\/title>/s.exec(page)?.[1] ?? '');
const inputOf = (page: string, name: string) =>
  tagsOf(page).find((tag) => tag.startsWith('<input') && tag.includes(` name="${name}"`)) ?? '';

describe('each state says what matters', () => {
  test.each([
    [
      'form',
      'Pay Nu. 2,500.00 – Druk Timber & Sons',
      ['Pay Druk Timber & Sons', 'Dining table\nSix chairs', '21 December 2026'],
    ],
    ['overdue', 'Pay Nu. 2,500.00 – Druk Timber & Sons', ['Overdue']],
    ['wrong', 'Error: Pay Nu. 2,500.00 – Druk Timber & Sons', Object.values(errors)],
    ['declined', 'Payment failed – Druk Timber & Sons', [failures.expired_card]],
    ['changed', 'Invoice changed – Druk Timber & Sons', [texts.changed.title, texts.changed.more]],
    ['in_progress', 'Payment in progress – Druk Timber & Sons', ['need not do anything', 'Check again']],
    [
      'paid',
      'Paid – Druk Timber & Sons',
      [
        'Paid to Druk Timber & Sons',
        '21 November 2026, 14:33 UTC',
        'Visa •••• 4242',
        invoice.id,
        receipt.paymentId,
        'Six chairs',
      ],
    ],
    ['paid offline', 'Paid – Druk Timber & Sons', ['Recorded by Druk Timber & Sons', 'Slip 7']],
    ['cancelled', 'Invoice cancelled – Druk Timber & Sons', ['There is nothing to pay.', invoice.id]],
    ['instructions', 'Pay Nu. 2,500.00 – Druk Timber & Sons', [words.instructions, words.qr, invoice.id]],
    [
      'no_provider',
      'No online payment – Druk Timber & Sons',
      ['Please ask Druk Timber & Sons how to pay it.'],
    ],
    [
      'closed',
      'No longer payable here – Druk Timber & Sons',
      ['can no longer be paid here', 'nothing was charged', 'Please ask Druk Timber & Sons'],
    ],
  ])('%s', (name, title, sentences) => {
    const page = pageOf(name);
    expect(titleOf(page)).toBe(title);
    for (const sentence of [...sentences, 'Nu. 2,500.00']) expect(textOf(page)).toContain(sentence);
  });

  test.each([
    ['not_found', 'Invoice not found', 'There is no invoice at this address.'],
    ['too_many_attempts', 'Too many attempts', 'nothing was charged'],
    ['refused', 'Payment not accepted', 'nothing was charged'],
    ['error', 'Error: Something went wrong', 'req-77'],
  ])('%s, which knows no invoice', (name, title, sentence) => {
    expect(titleOf(pageOf(name))).toBe(title);
    expect(textOf(pageOf(name))).toContain(sentence);
  });
});

describe('the form', () => {
  test('is sent to the page without its query, bound to attempt, version and amount', () => {
    const page = pageOf('form');
    expect(page).toContain('<form method="post" action="?" novalidate>');
    expect(inputOf(page, 'attempt')).toContain(`value="${form.attempt}"`);
    expect(inputOf(page, 'version')).toContain('value="3"');
    expect(inputOf(page, 'amount')).toContain('value="250000"');
    expect(page).toContain('<button>Pay Nu. 2,500.00</button>');
  });

  test.each([
    ['number', 'cc-number'],
    ['expiry', 'cc-exp'],
    ['cvc', 'cc-csc'],
  ])('lets browsers fill in %s', (name, autocomplete) => {
    const input = inputOf(pageOf('form'), name);
    expect(input).toContain('inputmode="numeric"');
    expect(input).toContain(`autocomplete="${autocomplete}"`);
    expect(input).not.toContain('maxlength');
    expect(input).not.toContain('aria-invalid');
  });

  test('shows the expiry again as it was typed, the number and the security code never', () => {
    const typed = { expiry: '"><b>1', number: '4242424242424242', cvc: '987' };
    const page = formPage({ errors, ...typed });
    expect(inputOf(page, 'expiry')).toContain(' value="&quot;&gt;&lt;b&gt;1"');
    expect(inputOf(page, 'number')).not.toContain('value=');
    expect(inputOf(page, 'cvc')).not.toContain('value=');
    expect(page).not.toContain(typed.number);
    expect(page).not.toContain(typed.cvc);
  });

  const names: readonly FieldName[] = ['number', 'expiry', 'cvc'];

  test.each([[['number', 'expiry', 'cvc']], [['cvc', 'expiry']], [['cvc']]] as FieldName[][][])(
    'with %j wrong leads to these fields, and focuses the first',
    (wrong) => {
      const page = formPage({ errors: Object.fromEntries(wrong.map((name) => [name, errors[name]])) });
      const inOrder = names.filter((name) => wrong.includes(name));
      expect(tagsOf(page).filter((tag) => tag.startsWith('<a '))).toEqual(
        inOrder.map((name) => `<a href="#${name}">`),
      );
      expect(names.filter((name) => inputOf(page, name).includes('aria-invalid="true"'))).toEqual(inOrder);
      expect(names.filter((name) => inputOf(page, name).includes(' autofocus'))).toEqual(inOrder.slice(0, 1));
      for (const name of inOrder) {
        expect(inputOf(page, name)).toContain(`aria-describedby="${name}-error ${name}-hint"`);
        expect(page).toContain(`id="${name}-error">${errors[name]}</p>`);
      }
      expect(page.match(/role="alert"/g)).toHaveLength(1);
    },
  );
});

describe('test mode', () => {
  const live = Object.entries(viewsOf({ ...invoice, testMode: false }, words));

  test.each(Object.entries(invoiceViews))('is marked in the state %s', (_name, view) => {
    expect(textOf(renderPaymentPage(view))).toContain('Test mode: no real money moves.');
  });

  test.each(live)('is not mentioned of a live invoice in the state %s', (_name, view) => {
    expect(renderPaymentPage(view)).not.toMatch(/test mode|test card/i);
  });

  test('shows every test card with what it does', () => {
    const rows = pageOf('form').match(/<tr><td.*?<\/tr>/g) ?? [];
    const numbers = rows.map((row) => textOf(row).replace(/\D/g, ''));
    expect(numbers).toEqual(testCards.map(({ number }) => number));
    expect(rows.map(textOf).every((text) => /[A-Z][a-z]+/.test(text))).toBe(true);
  });
});

describe.each(pages)('the page in the state %s', (_name, page) => {
  test('has no script, no style but the one that its policy allows, and fetches nothing', () => {
    const style = /<style>(.*?)<\/style>/s.exec(page)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(paymentPageCsp).toContain(`style-src 'sha256-${hash}';`);
    expect(page.match(/<style/g)).toHaveLength(1);
    expect(style).not.toMatch(/url\(|@import/);
    for (const tag of tagsOf(page)) {
      expect(tag).not.toMatch(/^<(script|img|iframe|object|embed|base)\b|\s(on\w+|style|src)=/i);
      if (tag.startsWith('<link')) expect(tag).toMatch(/^<link rel="icon" href="data:/);
    }
  });

  test('refers to nothing that is not there', () => {
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    const references = [...page.matchAll(/ (?:for|aria-describedby|aria-labelledby|href)="(#?[^"]*)"/g)]
      .map(([, text = '']) => text)
      .filter((text) => text !== '?' && !text.startsWith('data:'))
      .flatMap((text) => text.replace('#', '').split(' '));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(references));
  });

  test('has its language, landmarks and one heading that comes first', () => {
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
    for (const tag of ['<main>', '</main>', '<footer>', '<h1>']) expect(page.split(tag)).toHaveLength(2);
    expect(page.indexOf('<h1>')).toBeLessThan(page.indexOf('<h2') === -1 ? Infinity : page.indexOf('<h2'));
  });

  test('takes less than 14 KB', () => {
    expect(Buffer.byteLength(page)).toBeLessThan(14 * 1024);
  });
});

test('the policy allows the stylesheet, the icon and the form, and nothing else', () => {
  expect(paymentPageCsp.replace(/'sha256-[^']*'/, 'hash')).toBe(
    "default-src 'none'; style-src hash; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  );
});

test('property: a text of anybody changes the text alone, in every state', () => {
  const hostile = fc
    .array(
      fc.constantFrom(
        '<',
        '>',
        '"',
        "'",
        '&',
        '=',
        '/',
        '`',
        '{payee}',
        '<!--',
        ']]>',
        '</title>',
        '<script>',
        '&lt;',
        ' onload=',
        '\u202e',
        '$&',
      ),
    )
    .map((parts) => `x${parts.slice(0, 9).join('')}`);
  const pagesOf = (text: string, payee: string) =>
    Object.values(
      viewsOf({ ...invoice, description: text, payee }, { instructions: text, qr: 'same', reference: text }),
    ).map(renderPaymentPage);
  const harmless = pagesOf('x', 'x').map(tagsOf);
  fc.assert(
    fc.property(hostile, hostile, (text, payee) => {
      for (const [index, page] of pagesOf(text, payee).entries()) {
        expect(tagsOf(page)).toEqual(harmless[index]);
        expect(textOf(page)).toContain(text);
        expect(titleOf(page)).toContain(payee);
      }
    }),
    { examples: [['x</style><script>alert(1)</script>', 'x"><img src=x onerror=alert(1)>']] },
  );
});

test.each(['a', '"', 'ༀ', '𓀀'])('no state takes more than 30 KB, with %s as often as may be', (letter) => {
  const shown = { ...invoice, payee: letter.repeat(100), description: letter.repeat(5000), overdue: true };
  const longest = { instructions: letter.repeat(2000), qr: 'q'.repeat(400), reference: letter.repeat(255) };
  for (const view of Object.values(viewsOf(shown, longest))) {
    expect(Buffer.byteLength(renderPaymentPage(view))).toBeLessThan(30_000);
  }
});

test('a description of 5000 letters of Dzongkha is shown in full on the form and on the receipt', () => {
  const description = 'འབྲུག་ཡུལ།'.repeat(500);
  expect([...description]).toHaveLength(5000);
  for (const name of ['form', 'paid']) {
    const view = viewsOf({ ...invoice, description }, words)[name] as PaymentPageView;
    expect(textOf(renderPaymentPage(view))).toContain(description);
  }
});

test('a long description can be scrolled with the keyboard', () => {
  const description = 'line\n'.repeat(20);
  const page = renderPaymentPage({ kind: 'form', invoice: { ...invoice, description }, form });
  expect(page).toMatch(/<p class="text long"[^>]* tabindex="0">/);
  expect(pageOf('form')).not.toContain('tabindex');
});
