/** Values of the invoice's fields, good and bad, as JSON texts: what `1.0` or `"\ud800"` is, a parser has forgotten. */
import { invoiceBody } from '../../support/api.ts';

/** A name for the test, the value as JSON, and what comes back if it is not the same. */
export type Row = readonly [name: string, json: string, shown?: unknown];

export const text = (value: string) => JSON.stringify(value);
export const texts = (...values: string[]): Row[] =>
  values.map((value) => [
    text(value).length > 60 ? `${text(value).slice(0, 60)}…` : text(value),
    text(value),
  ]);

/** No field takes any of these. */
export const ofNoUse: Row[] = ['null', 'true', 'false', '[]', '{}', '""', '[1]', '["USD"]', '{"a":1}'].map(
  (json) => [json, json],
);

export const goodAmounts: Row[] = [
  ['1', '1'],
  ['999999999999', '999999999999'],
  ['1e3', '1e3'],
  ['1E+3', '1E+3'],
  ['1.0', '1.0'],
  ['2500.000', '2500.000'],
  ['12.5e1', '12.5e1'],
];

export const badAmounts: Row[] = [
  ...ofNoUse,
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
  ...texts('100', '1', 'NaN', '1,000', ' '),
];

export const badCurrencies: Row[] = [
  ...ofNoUse,
  ['7', '7'],
  ...texts('EUR', 'US', 'USDX', ' USD', 'USD ', 'U S', '$', 'constructor', '__proto__', 'US\u0000'),
];

const emoji = '\u{1F600}';
/** One symbol to the eye, seven code points. */
const family = '\u{1F468}\u200d\u{1F469}\u200d\u{1F467}\u200d\u{1F466}';

export const goodDescriptions: Row[] = [
  ...texts(
    'x',
    ' x ',
    '\tx\n',
    '<script>alert("1")</script>',
    'O\'Brien & \\ / " \u2028',
    'བརྡ་',
    'नमस्ते',
    family,
  ),
  ...texts('a\u0301', '\u00e1', '\u0001\u001b[31m\u007f', '\ufeffx', '\u200b', '\ufffd', '\ue000', '#{x} %s'),
  ['5000 characters', text('x'.repeat(5000))],
  ['5000 emoji', text(emoji.repeat(5000))],
  ['4999 characters and an emoji', text('x'.repeat(4999) + emoji)],
  ['5000 code points that look like fewer', text(`${family.repeat(714)}xx`)],
  ['a pair of surrogates, escaped', '"\\ud83d\\ude00"'],
  ['escapes', '"\\u0041\\/\\n"'],
];

export const badDescriptions: Row[] = [
  ...ofNoUse,
  ['7', '7'],
  ...texts(' ', '\t\r\n', '\u00a0', '\u2003\u3000\u205f', '\u2028\u2029', '\u0085', '\u0000', 'a\u0000b'),
  ['5001 characters', text('x'.repeat(5001))],
  ['5001 emoji', text(emoji.repeat(5001))],
  ['5001 spaces', text(' '.repeat(5001))],
  ['a high surrogate alone', '"x\\ud800"'],
  ['a low surrogate alone', '"\\udc00x"'],
  ['surrogates in the wrong order', '"\\udc00\\ud800"'],
  ['two high surrogates', '"\\ud83d\\ud83d\\ude00"'],
];

const local64 = 'l'.repeat(64);
/** 189 characters: with a local part of 64 and the `@` that makes 254. */
const domain189 = `${'d'.repeat(60)}.${'d'.repeat(60)}.${'d'.repeat(60)}.de.xyz`.slice(0, 189);

export const goodCustomerIds: Row[] = [
  ...texts(
    'a',
    '7',
    'A',
    'cust_1',
    'CUST-1',
    'c.1:2_3-4',
    '0-',
    'a..b',
    '550e8400-e29b-41d4-a716-446655440000',
  ),
  ...texts('constructor', 'null', 'inv_1', 'sk:x'),
  ['an own id of 128 characters', text('c'.repeat(128))],
  ...texts(
    'a@example.com',
    'Tashi.Dorji+inv@Example.CO.uk',
    "o'brien_x-1@sub.example.org",
    '1@2.example.com',
    '{x}@x-y.example.com',
  ),
  ['an e-mail address of 254 characters', text(`${local64}@${domain189}`)],
];

export const badCustomerIds: Row[] = [
  ...ofNoUse,
  ['7', '7'],
  ...texts(
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
  ['an own id of 129 characters', text('c'.repeat(129))],
  ...texts(
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
  ...texts(
    '.a@example.com',
    'a.@example.com',
    'a..b@example.com',
    'a@.com',
    'a@example..com',
    'a@-example.com',
    'a@example-.com',
  ),
  ...texts(
    'a@example.com,b@example.com',
    'Tashi <a@example.com>',
    'a@example.com\n',
    'a@exa_mple.com',
    'a@example.com\u0000',
    'mailto:a b@c.de',
  ),
  ['an e-mail address of 255 characters', text(`${local64}@x${domain189}`)],
  ['a local part of 65 characters', text(`${local64}l@example.com`)],
];

/** A body of a creation as text, with one field given as JSON. */
export function creationText(field: string, json: string): string {
  const fields = Object.entries(invoiceBody()).filter(([name]) => name !== field);
  return `{${fields.map(([name, value]) => `"${name}":${JSON.stringify(value)}`).join(',')},"${field}":${json}}`;
}
