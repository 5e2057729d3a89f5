/** Tests how payment instructions are read: lines with a value to copy, text, and what becomes a link. Takes less than a second. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { blocksOf } from '../../../shared/web/pages/instruction-lines.ts';
import { renderLinkedText } from '../../../shared/web/pages/linked-text.ts';
import { languageOf } from '../../../shared/web/pages/page-language.ts';
import { renderPaymentInstructions } from '../../../shared/web/pages/payment-instructions.ts';
import { sampleInvoice } from './sample-views.ts';

const row = (label: string, value: string) => ({ kind: 'rows', rows: [{ label, value }] });
const text = (lines: string) => ({ kind: 'text', text: lines });

test.each([
  ['Account: 100 200 300', row('Account', '100 200 300')],
  ['  Account :\t100', row('Account', '100')],
  ['खाता: 100', row('खाता', '100')],
  ['Hours: 10:30', row('Hours', '10:30')],
  ['Account:100', text('Account:100')],
  ['Account: ', text('Account:')],
  [': 100', text(': 100')],
  ['Note: pay today: cash', text('Note: pay today: cash')],
  ['https://druk.example', text('https://druk.example')],
  [`${'a'.repeat(40)}: 1`, row('a'.repeat(40), '1')],
  [`${'a'.repeat(41)}: 1`, text(`${'a'.repeat(41)}: 1`)],
])('%j is a row only with a short label, one colon and a value', (line, block) => {
  expect(blocksOf(line)).toEqual([block]);
});

test('neighboring lines of the same form are together, and blank lines beside rows are left out', () => {
  expect(blocksOf('\nPay here.\n\nToday.\n\nBank: BoB\n\nAccount: 1\nThanks\n')).toEqual([
    text('Pay here.\n\nToday.'),
    {
      kind: 'rows',
      rows: [
        { label: 'Bank', value: 'BoB' },
        { label: 'Account', value: '1' },
      ],
    },
    text('Thanks'),
  ]);
});

test('more than 20 rows stay text', () => {
  const blocks = blocksOf('a: b\n'.repeat(30));
  expect(blocks.map((block) => (block.kind === 'rows' ? block.rows.length : block.text.length))).toEqual([
    20, 49,
  ]);
});

const linked = (words: string) => String(renderLinkedText(words));
test.each([
  ['shop@druk.bt', '<a href="mailto:shop@druk.bt">shop@druk.bt</a>'],
  ['Mail shop+a@druk.bt.', 'Mail <a href="mailto:shop%2Ba@druk.bt">shop+a@druk.bt</a>.'],
  ['a%0Ab@druk.bt', '<a href="mailto:a%250Ab@druk.bt">a%0Ab@druk.bt</a>'],
  ['+975 17 12 34 56', '<a href="tel:+97517123456">+975 17 12 34 56</a>'],
  ['(+91 (22) 1234-5678)', '(<a href="tel:+912212345678">+91 (22) 1234-5678</a>)'],
])('%j becomes a link', (words, markup) => {
  expect(linked(words)).toBe(markup);
});

test.each([
  'javascript:alert(1)',
  'https://druk.bt/pay',
  'https://a@druk.bt/',
  'data:text/html,x',
  'shop@okbank',
  'shop@bank.com.भारत',
  'éshop@druk.bt',
  'a..b@druk.bt',
  'a@-druk.bt',
  'a@1.2.3.4',
  '17123456',
  '100200300400',
  '+1234',
  '+1234567890123456',
  '+975 171 2345 678 901 2222',
  'x+97517123456',
])('%j stays text', (words) => {
  expect(linked(words)).toBe(words);
});

test.each(['<script>alert(1)</script>', '"><img src=x>', "'onclick='x", '\u202eshop@druk.bt<b>'])(
  '%j is escaped',
  (words) => {
    expect(
      linked(`${words} a@druk.bt ${words}`).replace(/<a href="mailto:[a-z]+@druk.bt">|<\/a>/g, ''),
    ).not.toMatch(/[<>"']/);
  },
);

const page = (instructions: string) =>
  String(
    renderPaymentInstructions(
      { kind: 'instructions', invoice: sampleInvoice, instructions, qr: undefined },
      languageOf('en'),
    ),
  );

test('the amount is copied as a plain number, and the reference without a hyphen', () => {
  const copied = [...page('Account: 1').matchAll(/data-copy="([^"]*)"/g)].map(([, value]) => value);
  expect(copied).toEqual(['2500.00', 'R7K2M9QX']);
});

test.each(['a@b.co ', 'a: b\n', '+1234567 ', 'a: "@b.co\n', '"', '🐉: 🐉\n', 'a: a@b.co\n'])(
  'instructions of 2000 characters made of %j are bounded',
  (part) => {
    const instructions = part.repeat(Math.ceil(2000 / part.length)).slice(0, 2000);
    expect(Buffer.byteLength(page(instructions))).toBeLessThan(18_000);
  },
);

test('property: every text is read in time, and none of its characters is markup', () => {
  const parts = fc.constantFrom(
    'a',
    ':',
    ': ',
    '\n',
    '@',
    '.',
    '+',
    '1',
    '-',
    ' ',
    '<',
    '"',
    '%',
    'ༀ',
    '\u202e',
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 2000, size: 'max' }), (all) => {
      const tags = page(all.join('')).match(/<[^>]*>/g) ?? [];
      for (const tag of tags)
        expect(tag).toMatch(/^<\/?(section|h2|p|dl|div|dt|dd|bdi|span|strong|button|a)[ >]/);
    }),
    { numRuns: 50 },
  );
});
