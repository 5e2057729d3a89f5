/**
 * Lists valid and invalid values of the fields of an invoice. The values are JSON texts, because a parser would not
 * preserve values such as `1.0` and `"\ud800"`.
 */
import { invoiceBody } from '../../support/api.ts';

/** A name for the test, the value as JSON, and the returned value if it differs. */
export type Row = readonly [name: string, json: string, shown?: unknown];

export const jsonText = (value: string) => JSON.stringify(value);
export const jsonTexts = (...values: string[]): Row[] =>
  values.map((value) => [
    jsonText(value).length > 60 ? `${jsonText(value).slice(0, 60)}…` : jsonText(value),
    jsonText(value),
  ]);

/** Every field rejects these values. */
export const alwaysInvalid: Row[] = [
  'null',
  'true',
  'false',
  '[]',
  '{}',
  '""',
  '[1]',
  '["USD"]',
  '{"a":1}',
].map((json) => [json, json]);

export const validAmounts: Row[] = [
  ['1', '1'],
  ['999999999999', '999999999999'],
  ['1e3', '1e3'],
  ['1E+3', '1E+3'],
  ['1.0', '1.0'],
  ['2500.000', '2500.000'],
  ['12.5e1', '12.5e1'],
];

export const invalidAmounts: Row[] = [
  ...alwaysInvalid,
  ...[
    '0',
    '-0',
    '-1',
    '1.5',
    '0.1',
    '1e-1',
    '1e12',
    '1000000000000',
    '9007199254740993',
    '1e400',
    '-1e400',
  ].map((json): Row => [json, json]),
  ...jsonTexts('100', '1', 'NaN', '1,000', ' '),
];

export const invalidCurrencies: Row[] = [
  ...alwaysInvalid,
  ['7', '7'],
  ...jsonTexts('EUR', 'US', 'USDX', ' USD', 'USD ', 'U S', '$', 'constructor', '__proto__', 'US\u0000'),
];

const emoji = '\u{1F600}';
/** One visible symbol that consists of seven code points. */
const family = '\u{1F468}\u200d\u{1F469}\u200d\u{1F467}\u200d\u{1F466}';

export const validInvoiceDescriptions: Row[] = [
  ...jsonTexts(
    'x',
    ' x ',
    '\tx\n',
    '<script>alert("1")</script>',
    'O\'Brien & \\ / " \u2028',
    'བརྡ་',
    'नमस्ते',
    family,
  ),
  ...jsonTexts(
    'a\u0301',
    '\u00e1',
    '\u0001\u001b[31m\u007f',
    '\ufeffx',
    '\u200b',
    '\ufffd',
    '\ue000',
    '#{x} %s',
    'Transfer to DE89 3704 0044 0532 0130 00, order 4242424242424241',
    'Order dcda6a1e-abcf-4606-8251-93380169c3f8',
  ),
  ['5000 characters', jsonText('x'.repeat(5000))],
  ['5000 emoji', jsonText(emoji.repeat(5000))],
  ['4999 characters and an emoji', jsonText('x'.repeat(4999) + emoji)],
  ['5000 code points that form fewer visible symbols', jsonText(`${family.repeat(714)}xx`)],
  ['an escaped surrogate pair', '"\\ud83d\\ude00"'],
  ['escapes', '"\\u0041\\/\\n"'],
];

export const invalidInvoiceDescriptions: Row[] = [
  ...alwaysInvalid,
  ['7', '7'],
  ...jsonTexts(' ', '\t\r\n', '\u00a0', '\u2003\u3000\u205f', '\u2028\u2029', '\u0085', '\u0000', 'a\u0000b'),
  ['5001 characters', jsonText('x'.repeat(5001))],
  ['5001 emoji', jsonText(emoji.repeat(5001))],
  ['5001 spaces', jsonText(' '.repeat(5001))],
  ['an unpaired high surrogate', '"x\\ud800"'],
  ['an unpaired low surrogate', '"\\udc00x"'],
  ['surrogates in the wrong order', '"\\udc00\\ud800"'],
  ['two high surrogates', '"\\ud83d\\ud83d\\ude00"'],
  ...jsonTexts('Card 4242 4242 4242 4242, 12/30', '4242424242424242'),
];

const local64 = 'l'.repeat(64);
/** 189 characters. With a local part of 64 characters and the `@`, the address has 254. */
const domain189 = `${'d'.repeat(60)}.${'d'.repeat(60)}.${'d'.repeat(60)}.de.xyz`.slice(0, 189);

export const validCustomerIds: Row[] = [
  ...jsonTexts(
    'a',
    '7',
    'A',
    'cust_1',
    'CUST-1',
    'c.1:2_3-4',
    '0-',
    'a..b',
    '550e8400-e29b-41d4-a716-446655440000',
    'dcda6a1e-abcf-4606-8251-93380169c3f8',
    '4242424242424242',
  ),
  ...jsonTexts('constructor', 'null', 'inv_1', 'sk:x'),
  ['an id of 128 characters', jsonText('c'.repeat(128))],
  ...jsonTexts(
    'a@example.com',
    'Tashi.Dorji+inv@Example.CO.uk',
    "o'brien_x-1@sub.example.org",
    '1@2.example.com',
    '{x}@x-y.example.com',
  ),
  ['an email address of 254 characters', jsonText(`${local64}@${domain189}`)],
];

export const invalidCustomerIds: Row[] = [
  ...alwaysInvalid,
  ['7', '7'],
  ...jsonTexts(
    ' ',
    ' cust',
    'cust ',
    'a b',
    '_a',
    '.a',
    ':a',
    '-a',
    'a/b',
    'a+b',
    'a,b',
    'a%20b',
    'é',
    'a\u0000',
    'a\n',
    'клиент',
    'a\u200b',
    '😀',
  ),
  ['an id of 129 characters', jsonText('c'.repeat(129))],
  ...jsonTexts(
    '@',
    'a@',
    '@example.com',
    'a@@example.com',
    'a@b@example.com',
    'a b@example.com',
    'a@exa mple.com',
    ' a@example.com',
    'a@example.com ',
  ),
  ...jsonTexts(
    '.a@example.com',
    'a.@example.com',
    'a..b@example.com',
    'a@.com',
    'a@example..com',
    'a@-example.com',
    'a@example-.com',
  ),
  ...jsonTexts(
    'a@example.com,b@example.com',
    'Tashi <a@example.com>',
    'a@example.com\n',
    'a@exa_mple.com',
    'a@example.com\u0000',
    'mailto:a b@c.de',
  ),
  ['an email address of 255 characters', jsonText(`${local64}@x${domain189}`)],
  ['a local part of 65 characters', jsonText(`${local64}l@example.com`)],
];

/** Returns the body of a creation as text, with one field given as JSON. */
export function creationBodyText(field: string, json: string): string {
  const fields = Object.entries(invoiceBody()).filter(([name]) => name !== field);
  return `{${fields.map(([name, value]) => `"${name}":${JSON.stringify(value)}`).join(',')},"${field}":${json}}`;
}
