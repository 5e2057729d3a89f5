/** Tests which texts contain a card number, and which only look similar. */
import { describe, expect, test } from '@jest/globals';
import { containsCardNumber, hasCheckDigit, maskLongNumbers } from '../../shared/base/card-numbers.ts';
import { serializeError } from '../../shared/base/log.ts';
import { assertStrictJson } from '../../shared/base/strict-json.ts';
import {
  harmlessTexts,
  numberInGroups,
  phonePatterns,
  publishedNumbers,
  randomNumbers,
  writtenForms,
} from '../support/card-number-samples.ts';

describe('a card number', () => {
  test.each(Object.entries(publishedNumbers))(
    '%s: every published number is found, in all its forms',
    (_, numbers) => {
      const forms = numbers.flatMap(writtenForms);
      expect(forms.filter((form) => !containsCardNumber(form))).toEqual([]);
    },
  );

  test('UATP: the published number is found in groups only', () => {
    const [bare = '', ...grouped] = writtenForms(numberInGroups);
    expect(containsCardNumber(bare)).toBe(false);
    expect(grouped.filter((form) => !containsCardNumber(form))).toEqual([]);
  });

  test.each([
    ['in a sentence', 'Please charge 4242424242424242, thanks.'],
    ['at the end of a sentence', 'Charge 4242-4242-4242-4242.'],
    ['with its expiry', 'card 4242 4242 4242 4242 exp 12/30'],
    ['after another number', 'Order 123 4242 4242 4242 4242'],
    ['before another number', '4242 4242 4242 4242 12 30'],
    ['before its code', '4242 4242 4242 4242 123'],
    ['after a colon', 'card:4242424242424242'],
    ['in brackets', '(4242424242424242)'],
    ['in text without spaces', '卡号4242424242424242请扣款'],
    ['in a URL', 'https://shop.test/hooks?card=4242424242424242'],
    ['on a line of its own', 'Dear customer,\n4242 4242 4242 4242\nThanks'],
    ['beside an IBAN', 'DE89 3704 0044 0532 0130 00 or 4242 4242 4242 4242'],
    ['after an IBAN with wrong check digits', 'DE00 4242 4242 4242 4242'],
  ])('is found %s', (_, text) => {
    expect(containsCardNumber(text)).toBe(true);
  });
});

describe('no card number', () => {
  test.each([
    ['a UUID with the digits of one', 'dcda6a1e-abcf-4606-8251-93380169c3f8'],
    ['a UUID in a sentence', 'Order dcda6a1e-abcf-4606-8251-93380169c3f8'],
    ['part of a longer word', 'x4242424242424242'],
    ['before letters', '4242424242424242x'],
    ['joined to a word', 'EAN-4242424242424242'],
    ['after an underscore', 'ord_4242424242424242'],
    ['after a plus sign', '+4242424242424242'],
    ['wrong check digit', '4242424242424241'],
    ['too short', '424242424242'],
    ['the reference of a UPI payment', '630412345676'],
    ['a part of a longer number', '42424242424242420'],
    ['more digits than any card', '42424242424242424242424242424242'],
    ['no prefix of an issuer', '1234567812345670'],
    ['other groups', '42 42424242 424242'],
    ['two spaces between the groups', '4242  4242  4242  4242'],
    ['a group on another line', '4242 4242\n4242 4242'],
    ['a decimal', '4242424242424242.50'],
    ['an IBAN', 'DE89 3704 0044 0532 0130 00'],
    ['an IBAN without spaces', 'GB29NWBK60161331926819'],
    ['an IBAN before a word', 'DE89 3704 0044 0532 0130 00 EUR'],
    ['dates and times', '2026-11-22 17:38:11.123456'],
    ['amounts', '2 500 000 + 1 250 000 = 3 750 000'],
    ['no digits', 'Website design'],
  ])('%s', (_, text) => {
    expect(containsCardNumber(text)).toBe(false);
  });

  // test/unit/card-number-tokens.test.ts runs the same for 10,000,000 texts.
  test.each(Object.entries(harmlessTexts))('random texts: %s', (_, make) => {
    const next = randomNumbers(1);
    const found = Array.from({ length: 2_000 }, () => make(next)).filter(containsCardNumber);
    expect(found).toEqual([]);
  });

  test('phone numbers are those of at least 20 countries', () => {
    expect(Object.keys(phonePatterns).length).toBeGreaterThanOrEqual(20);
  });

  test('the longest description is examined in a bounded number of steps', () => {
    const longest = [
      '1 '.repeat(2_500),
      '7'.repeat(5_000),
      'AA11 '.repeat(1_000),
      '4-'.repeat(2_500),
      '4243 '.repeat(1_000),
    ];
    expect(longest.filter(containsCardNumber)).toEqual([]);
  });
});

/** The shares that docs/use/choices.md states, in percent. */
test.each([
  [13, 1.1],
  [14, 0.5],
  [15, 0.3],
  [16, 4],
  [17, 1.5],
  [18, 2.5],
  [19, 2.8],
])('of random numbers with %d digits, %d % look like a card number', (length, share) => {
  const next = randomNumbers(length);
  const count = 30_000;
  let found = 0;
  for (let made = 0; made < count; made++) {
    const number = Array.from({ length }, () => Math.floor(next() * 10)).join('');
    if (containsCardNumber(number)) found += 1;
  }
  expect(Math.abs((100 * found) / count - share)).toBeLessThan(0.4);
});

test('the check digit is that of the Luhn algorithm', () => {
  const body = '7992739871';
  const correct = Array.from({ length: 10 }, (_, digit) => `${body}${digit}`).filter(hasCheckDigit);
  expect(correct).toEqual(['79927398713']);
});

test('maskLongNumbers hides numbers of 12 digits and more, also in groups', () => {
  expect(maskLongNumbers('a 4242 4242 4242 4242 b')).toBe('a … b');
  expect(maskLongNumbers('cvc123456789012x')).toBe('cvc…x');
  expect(maskLongNumbers('12345678901')).toBe('12345678901');
});

describe('what repeats input', () => {
  const card = '4242 4242 4242 4242';

  test('a duplicate key is named without long numbers', () => {
    expect(() => assertStrictJson(`{"x ${card}":1,"x ${card}":2}`)).toThrow('the key "x …" twice');
  });

  test('an error is logged without long numbers: message, stack and cause', () => {
    const error = new Error(`refused ${card}`, { cause: new TypeError(`bad ${card}`) });
    const fields = serializeError(error);
    expect(fields).toMatchObject({ message: 'refused …', cause: 'TypeError: bad …' });
    expect(JSON.stringify(fields)).not.toContain('4242');
  });
});
