/** Tests the text and the markup of the payment page in each state, also with hostile texts from users. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { failures } from '../../../shared/domain/payments/provider/failures.ts';
import { testCards } from '../../../shared/domain/payments/provider/test-cards.ts';
import { paymentPageCsp, renderPaymentPage } from '../../../shared/web/pages/payment-page.ts';
import { englishPageTexts as pageTexts } from '../../../shared/web/pages/payment-page-texts.ts';
import type { FieldName, PaymentForm, PaymentPageView } from '../../../shared/web/pages/payment-page-view.ts';
import { bhutan } from '../documents/sample-documents.ts';
import {
  sampleErrors,
  sampleForm,
  sampleInvoice,
  sampleInvoiceViews,
  sampleReceipt,
  sampleTexts,
  sampleViews,
  sampleViewsOf,
} from './sample-views.ts';

const pages = Object.entries(sampleViews).map(([name, view]) => [name, renderPaymentPage(view)] as const);
const pageOf = (name: string) => renderPaymentPage(sampleViews[name] as PaymentPageView);
const formPage = (fields: Partial<PaymentForm>) =>
  renderPaymentPage({ kind: 'form', invoice: sampleInvoice, form: { ...sampleForm, ...fields } });

const tagsOf = (page: string) => page.match(/<[^>]*>/g) ?? [];
const unescapeHtml = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
/** Returns the visible text of a page. */
const textOf = (page: string) =>
  unescapeHtml(page.replace(/<head>.*<\/head>/s, '').replace(/<[^>]*>/g, '')).replaceAll('\u00a0', ' ');
const titleOf = (page: string) => unescapeHtml(/<title>(.*?)<\/title>/s.exec(page)?.[1] ?? '');
const inputOf = (page: string, name: string) =>
  tagsOf(page).find((tag) => tag.startsWith('<input') && tag.includes(` name="${name}"`)) ?? '';

describe('each state shows its title and its message', () => {
  test.each([
    [
      'form',
      'Pay Nu. 2,500.00 – Druk Timber & Sons',
      ['Pay Druk Timber & Sons', 'Dining table\nSix chairs', '21 December 2026'],
    ],
    ['overdue', 'Pay Nu. 2,500.00 – Druk Timber & Sons', ['Overdue']],
    [
      'invalid',
      'Error: Pay Nu. 2,500.00 – Druk Timber & Sons',
      Object.values(sampleErrors).map((error) => pageTexts.form.errors[error]),
    ],
    ['declined', 'Payment failed – Druk Timber & Sons', [failures.expired_card]],
    [
      'changed',
      'Invoice changed – Druk Timber & Sons',
      [pageTexts.changed.title, pageTexts.changed.explanation],
    ],
    [
      'in_progress',
      'Payment in progress – Druk Timber & Sons',
      ['You do not need to do anything.', 'Check again'],
    ],
    [
      'paid',
      'Receipt: Paid – Druk Timber & Sons',
      [
        'Paid to Druk Timber & Sons',
        '21 November 2026, 14:33 UTC',
        'ReceiptPaid to',
        'Norzin Lam 7\nThimphu',
        'Contactshop@druk.example',
        'Payerdorji@example.bt',
        'Payment referenceR7K2-M9QX',
        'Visa •••• 4242',
        sampleInvoice.id,
        sampleReceipt.paymentId,
        'Six chairs',
      ],
    ],
    [
      'claim',
      'I have paid – Druk Timber & Sons',
      ['compares it with the bank account', 'Back to the invoice'],
    ],
    [
      'claim, wrong',
      'Error: I have paid – Druk Timber & Sons',
      ['Enter the name of your bank', 'at most Nu. 2,500.00.'],
    ],
    [
      'claim, open',
      'Pay Nu. 2,500.00 – Druk Timber & Sons',
      ['Your payment is under review.', 'JRN 120455', 'Do not pay again.'],
    ],
    [
      'claim, rejected',
      'Pay Nu. 2,500.00 – Druk Timber & Sons',
      ['Druk Timber & Sons did not find your transfer of Nu. 2,500.00.', 'Bank of Bhutan\n2001 2345'],
    ],
    ['paid offline', 'Receipt: Paid – Druk Timber & Sons', ['Recorded by Druk Timber & Sons']],
    [
      'cancelled',
      'Invoice cancelled – Druk Timber & Sons',
      ['nothing was charged on this page', 'please contact Druk Timber & Sons', sampleInvoice.id],
    ],
    ['cancelled, refused', 'Invoice cancelled – Druk Timber & Sons', ['The payment was refused']],
    [
      'cancelled, unsettled',
      'Invoice cancelled – Druk Timber & Sons',
      ['A payment was in progress when Druk Timber & Sons cancelled this invoice.', 'Check again'],
    ],
    [
      'cancelled, refunding',
      'Invoice cancelled – Druk Timber & Sons',
      ['has cancelled this invoice, so all of the Nu. 2,500.00 that arrived is being refunded'],
    ],
    [
      'cancelled, refund refused',
      'Invoice cancelled – Druk Timber & Sons',
      [
        'The refund of Nu. 2,500.00 did not succeed.',
        'contact Druk Timber & Sons',
        'Contactshop@druk.example',
      ],
    ],
    [
      'second payment not refunded',
      'Receipt: Paid – Druk Timber & Sons',
      ['Nu. 2,500.00. The refund did not succeed. Please contact Druk Timber & Sons to get it back.'],
    ],
    [
      'cancelled, returned',
      'Invoice cancelled – Druk Timber & Sons',
      ['The payment of Nu. 2,500.00 was refunded in full.', '25 November 2026, 09:05 UTC'],
    ],
    [
      'partly refunded',
      'Receipt: Paid and partly refunded – Druk Timber & Sons',
      ['Paid to Druk Timber & Sons, and partly refunded', 'Nu. 10.50', 'Net amount', 'Nu. 2,489.50'],
    ],
    [
      'refunded',
      'Receipt: Refunded – Druk Timber & Sons',
      ['Refunded by Druk Timber & Sons', 'Last refund', '25 November 2026, 09:05 UTC', 'Net amountNu. 0.00'],
    ],
    [
      'partly returned offline',
      'Receipt: Paid and partly returned – Druk Timber & Sons',
      ['Paid to Druk Timber & Sons, and partly returned', 'ReturnedNu. 10.50', 'Returned on'],
    ],
    [
      'returned offline',
      'Receipt: Returned – Druk Timber & Sons',
      ['Returned by Druk Timber & Sons', 'ReturnedNu. 2,500.00', 'Net amountNu. 0.00'],
    ],
    [
      'bank_processing',
      'Your bank is processing the payment – Druk Timber & Sons',
      ['bank debits take up to seven working days', 'Please do not pay again'],
    ],
    [
      'amount_differs',
      'Your payment has arrived – Druk Timber & Sons',
      ['You have paid Nu. 2,600.00, which is not the amount of this invoice.', 'Druk Timber & Sons decides'],
    ],
    [
      'disputed',
      'Receipt: Payment disputed – Druk Timber & Sons',
      ['has not decided yet about Nu. 2,500.00'],
    ],
    ['dispute won', 'Receipt: Paid – Druk Timber & Sons', ['Druk Timber & Sons keeps Nu. 1.00']],
    [
      'dispute lost',
      'Receipt: Payment taken back – Druk Timber & Sons',
      ['Nu. 2,500.00 goes back to the payer', 'Net amountNu. 0.00'],
    ],
    ['paid twice', 'Receipt: Paid – Druk Timber & Sons', ['Nu. 2,500.00, which is being refunded in full']],
    ['second payment refunded', 'Receipt: Paid – Druk Timber & Sons', ['Nu. 2,500.00, refunded in full']],
    [
      'instructions',
      'Pay Nu. 2,500.00 – Druk Timber & Sons',
      [sampleTexts.instructions, sampleTexts.qr, 'R7K2-M9QX', sampleInvoice.id],
    ],
    ['filled code', 'Pay Nu. 2,500.00 – Druk Timber & Sons', ['Check the amount before you pay.']],
    ['UPI link', 'Pay Nu. 2,500.00 – Druk Timber & Sons', ['Open a UPI app']],
    [
      'no_provider',
      'Online payment not available – Druk Timber & Sons',
      ['Please ask Druk Timber & Sons how to pay it.', 'Contactshop@druk.example'],
    ],
    [
      'closed',
      'Online payment no longer available – Druk Timber & Sons',
      ['can no longer be paid here', 'nothing was charged', 'Please ask Druk Timber & Sons'],
    ],
    [
      'maintenance',
      'Please come back later – Druk Timber & Sons',
      ['Payments are paused for maintenance', 'nothing was charged', 'in a few minutes'],
    ],
  ])('%s', (name, title, sentences) => {
    const page = pageOf(name);
    expect(titleOf(page)).toBe(title);
    for (const sentence of [...sentences, 'Nu. 2,500.00']) expect(textOf(page)).toContain(sentence);
  });

  test.each([
    ['not_found', 'Invoice not found', 'There is no invoice at this address.'],
    ['too_many_attempts', 'Too many attempts', 'nothing was charged'],
    ['too_many_requests', 'Too many requests', 'payment that you have already made is not affected'],
    ['refused', 'Payment not accepted', 'nothing was charged'],
    ['error', 'Error: Something went wrong', 'req-77'],
  ])('%s, without an invoice', (name, title, sentence) => {
    expect(titleOf(pageOf(name))).toBe(title);
    expect(textOf(pageOf(name))).toContain(sentence);
  });
});

test('only a payment that was not given back has a green check mark', () => {
  const icons = (name: string) => /class="icon (\w+)"/.exec(pageOf(name))?.[1];
  const states = ['paid', 'partly refunded', 'refunded', 'disputed', 'dispute won', 'dispute lost'];
  expect(states.map(icons)).toEqual(['check', 'back', 'back', 'alert', 'check', 'back']);
});

test('a page without a form says when the invoice is due, as long as the payer owes it', () => {
  const states = ['provider_down', 'not_taken', 'no_provider', 'maintenance', 'closed', 'cancelled', 'paid'];
  const withDueDate = states.filter((name) => textOf(pageOf(name)).includes('Due21 December 2026'));
  expect(withDueDate).toEqual(['provider_down', 'not_taken', 'no_provider', 'maintenance']);
});

test('no line breaks inside an amount in a sentence', () => {
  for (const name of ['disputed', 'paid twice', 'cancelled, refunding'])
    expect(unescapeHtml(pageOf(name))).toContain('Nu.\u00a02,500.00');
});

test('a default due date is shown without a time of day', () => {
  const dueAt = Date.UTC(2026, 11, 21, 7, 8);
  const pageWith = (isDefaultDueDate: boolean) =>
    textOf(
      renderPaymentPage({
        kind: 'form',
        invoice: { ...sampleInvoice, dueAt, isDefaultDueDate },
        form: sampleForm,
      }),
    );
  expect(pageWith(true)).toContain('21 December 2026');
  expect(pageWith(true)).not.toContain('07:08');
  expect(pageWith(false)).toContain('21 December 2026, 07:08 UTC');
});

test('a page of an invoice with documents links to each of them', () => {
  const creditNotes = [{ id: 'doc_7c2b4n60h2m4zv8k6q1t9w3x5y', number: 'CN-0001', issuedOn: '2026-12-03' }];
  const invoice = { ...sampleInvoice, number: 'INV-0042', creditNotes };
  for (const view of Object.values(sampleViewsOf(invoice, sampleTexts))) {
    const page = renderPaymentPage(view);
    expect(textOf(page)).toContain('Invoice numberINV-0042Download PDF');
    expect(textOf(page)).toContain('Credit noteCN-0001Download PDF');
    expect([...page.matchAll(/href="([^"]*\/pdf[^"]*)"/g)].map(([, link]) => link)).toEqual([
      `${invoice.id}/pdf`,
      `${invoice.id}/pdf?document=${creditNotes[0]?.id}`,
    ]);
  }
});

test('a page of an invoice with a document says who sells and who buys, the taxes, and the total in words', () => {
  const document = bhutan;
  const { currency, amount, seller, buyer } = document;
  const invoice = {
    ...sampleInvoice,
    number: 'INV-0042',
    document,
    charges: document,
    currency,
    amountMinor: amount,
  };
  const states = sampleViewsOf(invoice, sampleTexts);
  for (const name of ['form', 'instructions', 'paid', 'cancelled', 'maintenance']) {
    const text = textOf(renderPaymentPage(states[name] as PaymentPageView));
    const taxIds = seller.taxIds.map(({ value }) => value);
    for (const part of [seller.name, ...taxIds, buyer.name ?? '', 'Issued1 March 2026', 'Taxable value'])
      expect(text).toContain(part);
    expect(text).toMatch(/In wordsNgultrum .* Only/);
    for (const row of document.taxes) expect(text).toContain(`${row.name}${row.percent} %`);
  }
  // A receipt names each party once.
  expect(textOf(renderPaymentPage(states.paid as PaymentPageView))).not.toContain('Norzin Lam 7');
});

describe('the form', () => {
  test('is sent to the page without the query, with the attempt, the visit, the version and the amount', () => {
    const page = pageOf('form');
    expect(page).toContain('<form method="post" action="?" novalidate>');
    expect(inputOf(page, 'attempt')).toContain(`value="${sampleForm.attempt}"`);
    expect(inputOf(page, 'visit')).toContain(`value="${sampleForm.visit}"`);
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

  test('shows the expiry date again as it was typed, but never the card number or the security code', () => {
    const typed = { expiry: '"><b>1', number: '4242424242424242', cvc: '987' };
    const page = formPage({ errors: sampleErrors, ...typed });
    expect(inputOf(page, 'expiry')).toContain(' value="&quot;&gt;&lt;b&gt;1"');
    expect(inputOf(page, 'number')).not.toContain('value=');
    expect(inputOf(page, 'cvc')).not.toContain('value=');
    expect(page).not.toContain(typed.number);
    expect(page).not.toContain(typed.cvc);
  });

  const names: readonly FieldName[] = ['number', 'expiry', 'cvc'];

  test.each([[['number', 'expiry', 'cvc']], [['cvc', 'expiry']], [['cvc']]] as FieldName[][][])(
    'links to the invalid fields %j and focuses the first',
    (invalid) => {
      const page = formPage({
        errors: Object.fromEntries(invalid.map((name) => [name, sampleErrors[name]])),
      });
      const inOrder = names.filter((name) => invalid.includes(name));
      expect(tagsOf(page).filter((tag) => tag.startsWith('<a href="#'))).toEqual(
        inOrder.map((name) => `<a href="#${name}">`),
      );
      expect(names.filter((name) => inputOf(page, name).includes('aria-invalid="true"'))).toEqual(inOrder);
      expect(names.filter((name) => inputOf(page, name).includes(' autofocus'))).toEqual(inOrder.slice(0, 1));
      for (const name of inOrder) {
        expect(inputOf(page, name)).toContain(`aria-describedby="${name}-error ${name}-hint"`);
        expect(page).toContain(`id="${name}-error">${pageTexts.form.errors[sampleErrors[name]]}</p>`);
      }
      expect(page.match(/role="alert"/g)).toHaveLength(1);
    },
  );
});

describe('test mode', () => {
  const liveViews = Object.entries(sampleViewsOf({ ...sampleInvoice, testMode: false }, sampleTexts));

  test.each(Object.entries(sampleInvoiceViews))('is labelled in the state %s', (_name, view) => {
    expect(textOf(renderPaymentPage(view))).toContain('Test mode: no real money is charged.');
  });

  test.each(liveViews)('is not mentioned for a live invoice in the state %s', (_name, view) => {
    expect(renderPaymentPage(view)).not.toMatch(/test mode|test card/i);
  });

  test('lists every test card with its result', () => {
    const rows = pageOf('form').match(/<tr><td.*?<\/tr>/g) ?? [];
    const numbers = rows.map((row) => textOf(row).replace(/\D/g, ''));
    expect(numbers).toEqual(testCards.map(({ number }) => number));
    expect(rows.map(textOf).every((text) => /[A-Z][a-z]+/.test(text))).toBe(true);
  });
});

describe.each(pages)('the page in the state %s', (name, page) => {
  test('has only the stylesheet and the script that its policy allows, and loads nothing', () => {
    const style = /<style>(.*?)<\/style>/s.exec(page)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(paymentPageCsp(undefined)).toContain(`style-src 'sha256-${hash}';`);
    expect(page.match(/<style/g)).toHaveLength(1);
    expect(style).not.toMatch(/url\(|@import/);
    const view = sampleViews[name] as PaymentPageView;
    const scripts = [...page.matchAll(/<script>(.*?)<\/script>/gs)].map(([, text = '']) => text);
    expect(scripts).toHaveLength(view.kind === 'instructions' ? 1 : 0);
    const allowed = scripts.map((text) => createHash('sha256').update(text).digest('base64'));
    expect(paymentPageCsp(view).match(/script-src.*/g) ?? []).toEqual(
      allowed.map((each) => `script-src 'sha256-${each}'`),
    );
    for (const tag of tagsOf(page)) {
      expect(tag).not.toMatch(/^<(script .|img|iframe|object|embed|base)\b|\s(on\w+|style|src)=/i);
      if (tag.startsWith('<link')) expect(tag).toMatch(/^<link rel="icon" href="data:/);
    }
  });

  test('refers only to elements that exist', () => {
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    const references = [...page.matchAll(/ (?:for|aria-describedby|aria-labelledby|href)="(#?[^"]*)"/g)]
      .map(([, text = '']) => text)
      .filter(
        (text) =>
          !text.includes('?') &&
          !text.endsWith('/pdf') &&
          !text.startsWith('data:') &&
          !text.startsWith('upi:') &&
          !text.startsWith('mailto:'),
      )
      .flatMap((text) => text.replace('#', '').split(' '));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(references));
  });

  test('has a language, landmarks and one main heading before all others', () => {
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
    for (const tag of ['<main>', '</main>', '<footer>', '<h1>']) expect(page.split(tag)).toHaveLength(2);
    expect(page.indexOf('<h1>')).toBeLessThan(page.indexOf('<h2') === -1 ? Infinity : page.indexOf('<h2'));
  });

  test('is smaller than 14 KB', () => {
    expect(Buffer.byteLength(page)).toBeLessThan(14 * 1024);
  });
});

test('the policy allows only the stylesheet, the icon and the form', () => {
  expect(paymentPageCsp(undefined).replace(/'sha256-[^']*'/, 'hash')).toBe(
    "default-src 'none'; style-src hash; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  );
});

test('the policy of the pay button allows redirects to every address, and all others only the form itself', () => {
  const views = Object.values(sampleViewsOf(sampleInvoice, sampleTexts));
  for (const view of views) {
    const policy = paymentPageCsp(view);
    if (view.kind === 'checkout') expect(policy).not.toContain('form-action');
    else expect(policy).toContain("form-action 'self';");
  }
});

test.each(Object.entries(sampleViewsOf({ ...sampleInvoice, payee: undefined }, sampleTexts)))(
  'a payee without a display name is “the seller” in the state %s',
  (name, view) => {
    const page = renderPaymentPage(view);
    expect(page).not.toContain('undefined');
    expect(page).not.toContain('{payee}');
    expect(page).not.toContain('class="monogram"');
    expect(titleOf(page)).not.toContain('–');
    expect(textOf(page)).not.toContain('Payee');
    const sentences: Readonly<Record<string, string>> = {
      form: 'Pay this invoice',
      paid: 'This invoice is paid',
      'paid offline': 'Recorded by the seller',
      instructions: 'so that the seller can identify your payment',
      no_provider: 'Please ask the seller how to pay it.',
    };
    expect(textOf(page)).toContain(sentences[name] ?? sampleInvoice.id);
  },
);

test('property: a text from a user never changes the markup, in every state', () => {
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
      sampleViewsOf({ ...sampleInvoice, description: text, payee }, { instructions: text, qr: 'same' }),
    ).map((view) => renderPaymentPage(view));
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

test.each(['a', '"', 'ༀ', '𓀀'])(
  'every state is smaller than 34 KB with texts of maximum length made of %s',
  (letter) => {
    const shown = {
      ...sampleInvoice,
      payee: letter.repeat(100),
      description: letter.repeat(5000),
      overdue: true,
    };
    const longest = { instructions: letter.repeat(2000), qr: 'q'.repeat(400) };
    for (const view of Object.values(sampleViewsOf(shown, longest))) {
      expect(Buffer.byteLength(renderPaymentPage(view))).toBeLessThan(34_000);
    }
  },
);

test('the form and the receipt show a description of 5000 Dzongkha letters in full', () => {
  const description = 'འབྲུག་ཡུལ།'.repeat(500);
  expect([...description]).toHaveLength(5000);
  for (const name of ['form', 'paid']) {
    const view = sampleViewsOf({ ...sampleInvoice, description }, sampleTexts)[name] as PaymentPageView;
    expect(textOf(renderPaymentPage(view))).toContain(description);
  }
});

test('a long description can be scrolled by keyboard', () => {
  const description = 'line\n'.repeat(20);
  const page = renderPaymentPage({
    kind: 'form',
    invoice: { ...sampleInvoice, description },
    form: sampleForm,
  });
  expect(page).toMatch(/<p class="text long"[^>]* tabindex="0">/);
  expect(pageOf('form')).not.toContain('tabindex');
});
