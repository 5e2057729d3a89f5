/** Values of a payment's fields that are not taken, as JSON texts, and those that only look unusual. */
import { badAmounts, ofNoUse, type Row, text, texts } from '../invoices/fields.ts';
import { cardNumbers, cardOf } from './new-payment.ts';

/** What a field that may be left out does not take; `null` leaves it out. */
const ofNoUseIfOptional = ofNoUse.filter(([name]) => name !== 'null');

export const badInvoiceIds: Row[] = [...ofNoUse, ['7', '7']];

export const badMethods: Row[] = [
  ...ofNoUse,
  ['7', '7'],
  ...texts('provider', 'cash', 'Offline', 'offline ', 'CARD', 'constructor', '__proto__'),
];

export const goodReferences: Row[] = [
  ['null', 'null'],
  ...texts('x', ' Bank transfer 4711 ', '<b>O\'Brien & "Sons"</b>', 'བརྡ་', '4242424242424242'),
  ['255 emoji', text('\u{1F600}'.repeat(255))],
];

export const badReferences: Row[] = [
  ...ofNoUseIfOptional,
  ['7', '7'],
  ...texts(' ', '\t\n', '\u00a0', 'a\u0000b'),
  ['256 characters', text('x'.repeat(256))],
  ['a surrogate alone', '"x\\ud800"'],
];

export const badConfirmations: Row[] = [
  ...badAmounts.filter(([name]) => name !== 'null'),
  ...['2499', '2501', '1', '250000'].map((json): Row => [json, json]),
];

/** What is wrong, the card as JSON, the code and the field. */
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

export const badCards: CardRow[] = [
  ...['true', '""', '7', `"${good}"`].map((json): CardRow => [json, json, 'invalid_card', 'card']),
  ['{}', '{}', 'invalid_card_number', 'card.number'],
  ...rowsOf('number', 'invalid_card_number', [
    ...['null', good, '[]', '{}', '""', '" "', '"4242"'],
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
    'a number that is no test card',
    withField('number', '"4111111111111111"'),
    'test_card_required',
    'card.number',
  ],
  ['the same with spaces', withField('number', '"4111 1111 1111 1111"'), 'test_card_required', 'card.number'],
];
