/** Lists valid and invalid values of a webhook endpoint's fields, as JSON texts. */
import { alwaysInvalid, jsonText, jsonTexts, type Row } from '../invoices/fields.ts';

const isNotNull = ([name]: Row) => name !== 'null';

export const goodUrls: Row[] = jsonTexts(
  'http://127.0.0.1:9/',
  'http://localhost:9',
  'http://[::1]:9/hooks',
  'https://127.0.0.1/hooks?shop=1&x=%20',
  'HTTPS://127.0.0.1:8443/Hooks',
  `http://127.0.0.1:9/${'x'.repeat(2028)}`,
);

/** Invalid in both modes. */
export const badUrls: Row[] = [
  ...alwaysInvalid,
  ['7', '7'],
  ...jsonTexts(
    ' ',
    'x',
    '/hooks',
    '//127.0.0.1/hooks',
    'example.com',
    'ftp://127.0.0.1/',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https://',
    'https:///hooks',
    'https:127.0.0.1',
    'https://127.0.0.1:0/',
    'https://127.0.0.1:65536/',
    'https://user@127.0.0.1/',
    'https://user:secret@127.0.0.1/',
    'https://127.0.0.1/#part',
    'https://127.0.0.1/ x',
    ' https://127.0.0.1/',
    'https://127.0.0.1/\u0000',
    'https://127.0.0.1\\@example.com/',
    'https://10.0.0.1/',
    'https://192.168.1.1/',
    'https://172.16.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://[fd00:ec2::254]/',
    'https://[fe80::1]/',
    'https://0.0.0.0/',
    'https://224.0.0.1/',
    'https://metadata.google.internal/',
    'https://0xa9fea9fe/',
  ),
  ['2049 characters', jsonText(`https://127.0.0.1/${'x'.repeat(2031)}`)],
];

export const goodEvents: Row[] = [
  '["*"]',
  '["*","refund.failed"]',
  '["all"]',
  '["invoice.paid"]',
  '["refund.failed","invoice.created"]',
  '["payment.held","payment.disputed","invoice.overdue","invoice.cancelled","invoice.updated","refund.failed","refund.processed","payment.failed","payment.completed","invoice.paid","invoice.created"]',
].map((json) => [json, json]);

export const badEvents: Row[] = [
  ...alwaysInvalid,
  ['7', '7'],
  ...jsonTexts('*', 'invoice.paid', 'invoice.paid,invoice.created'),
  ...[
    '[null]',
    '["invoice.paid",null]',
    '[["invoice.paid"]]',
    '[""]',
    '["invoice.*"]',
    '["invoice"]',
    '["Invoice.paid"]',
    '[" invoice.paid"]',
    '["webhook.test"]',
    '["constructor"]',
    '["invoice.paid","invoice.paid"]',
    '["*","*"]',
    '["all","all"]',
    '["all","invoice.paid"]',
    '["*","all"]',
    '{"0":"invoice.paid"}',
  ].map((json): Row => [json, json]),
];

export const goodWebhookDescriptions: Row[] = [
  ...jsonTexts('x', ' Shop in Thimphu ', '<b>O\'Brien & "Sons"</b>', 'བརྡ་'),
  ['255 emoji', jsonText('\u{1F600}'.repeat(255))],
];

/** Without `null`, which means no description. */
export const badWebhookDescriptions: Row[] = [
  ...alwaysInvalid.filter(isNotNull),
  ['7', '7'],
  ...jsonTexts(' ', '\t\n', '\u00a0', 'a\u0000b'),
  ['256 characters', jsonText('x'.repeat(256))],
  ['256 emoji', jsonText('\u{1F600}'.repeat(256))],
  ['an unpaired surrogate', '"x\\ud800"'],
];

export const badStatuses: Row[] = [
  ...alwaysInvalid,
  ['7', '7'],
  ...jsonTexts('Enabled', 'enabled ', 'on', 'deleted', 'gone', 'constructor'),
];

export const badOverlaps: Row[] = [
  ...alwaysInvalid.filter(isNotNull),
  ...['-1', '169', '1.5', '1e3', '"24"', '0.1'].map((json): Row => [json, json]),
];

export const badSinces: Row[] = [
  ...alwaysInvalid,
  ...['0', '1700000000000'].map((json): Row => [json, json]),
  ...jsonTexts(
    '2026-01-31',
    '2026-02-30T00:00:00Z',
    'yesterday',
    ' 2026-01-31T00:00:00Z',
    '1969-12-31T23:59:59Z',
  ),
];
