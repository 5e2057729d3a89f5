/** Lists invalid values of the fields of a payment, and valid references, as JSON texts. */
import { alwaysInvalid, invalidAmounts, jsonText, jsonTexts, type Row } from '../invoices/fields.ts';
import { cardNumbers, cardOf } from './new-payment.ts';

/** Values that every optional field rejects. `null` counts as absent. */
const alwaysInvalidIfOptional = alwaysInvalid.filter(([name]) => name !== 'null');

export const invalidInvoiceIds: Row[] = [...alwaysInvalid, ['7', '7']];

export const invalidMethods: Row[] = [
  ...alwaysInvalid,
  ['7', '7'],
  ...jsonTexts('provider', 'cash', 'Offline', 'offline ', 'CARD', 'constructor', '__proto__'),
];

export const validReferences: Row[] = [
  ['null', 'null'],
  ...jsonTexts(
    'x',
    ' Bank transfer 4711 ',
    '<b>O\'Brien & "Sons"</b>',
    'བརྡ་',
    'dcda6a1e-abcf-4606-8251-93380169c3f8',
  ),
  ['255 emoji', jsonText('\u{1F600}'.repeat(255))],
];

export const invalidReferences: Row[] = [
  ...alwaysInvalidIfOptional,
  ['7', '7'],
  ...jsonTexts(' ', '\t\n', '\u00a0', 'a\u0000b', '4242424242424242'),
  ['256 characters', jsonText('x'.repeat(256))],
  ['an unpaired surrogate', '"x\\ud800"'],
];

export const unequalAmounts: Row[] = [
  ...invalidAmounts.filter(([name]) => name !== 'null'),
  ...['2499', '2501', '1', '250000'].map((json): Row => [json, json]),
];

/** The fault, the card as JSON, the error code and the field. */
type CardRow = readonly [name: string, json: string, code: string, field: string];

const good = cardNumbers.good;
const withField = (field: string, json: string) =>
  JSON.stringify({ ...cardOf(), [field]: '@' }).replace('"@"', json);
const without = (field: string) => JSON.stringify({ ...cardOf(), [field]: undefined });
const rowsOf = (field: string, code: string, values: readonly string[]): CardRow[] => [
  [`no ${field}`, without(field), code, `card.${field}`],
  ...values.map((json): CardRow => [`${field} ${json}`, withField(field, json), code, `card.${field}`]),
];

const thisYear = new Date().getUTCFullYear();

export const invalidCards: CardRow[] = [
  ...['true', '""', '7', `"${good}"`].map((json): CardRow => [json, json, 'invalid_card', 'card']),
  ['{}', '{}', 'invalid_card_number', 'card.number'],
  ...rowsOf('number', 'invalid_card_number', [
    'null',
    good,
    '[]',
    '{}',
    '""',
    '" "',
    '"4242"',
    `"${good.slice(0, -1)}1"`,
    `"${good}0"`,
    `"${good.slice(0, -1)}x"`,
    `"4242.4242.4242.4242"`,
    `"٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢"`,
    `"${'4242'.repeat(5)}"`,
    `"${good}\\n"`,
    `["${good}"]`,
  ]),
  ...rowsOf('expMonth', 'invalid_card_expiry', ['null', '0', '13', '-1', '1.5', '"12"', 'true']),
  ...rowsOf('expYear', 'invalid_card_expiry', ['null', '30', '999', '10000', '2040.5', '"2040"']),
  ...[thisYear - 1, 2020, 1000].map(
    (year): CardRow => [
      `expYear ${year}`,
      withField('expYear', String(year)),
      'invalid_card_expiry',
      'card.expYear',
    ],
  ),
  ...rowsOf('cvc', 'invalid_card_cvc', ['null', '123', '""', '"12"', '"12345"', '"12a"', '" 123"', '"١٢٣"']),
  ['an unknown field', withField('name', '"T. Dorji"'), 'unknown_parameter', 'card.name'],
  [
    'a number that is not a test card',
    withField('number', '"4111111111111111"'),
    'test_card_required',
    'card.number',
  ],
  ['the same with spaces', withField('number', '"4111 1111 1111 1111"'), 'test_card_required', 'card.number'],
];
