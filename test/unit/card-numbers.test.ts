/** Tests which texts contain a card number, and which only look similar. */
import { describe, expect, test } from '@jest/globals';
import { containsCardNumber, hasCheckDigit, maskLongNumbers } from '../../shared/card-numbers.ts';
import { serializeError } from '../../shared/log.ts';
import { assertStrictJson } from '../../shared/strict-json.ts';

describe('containsCardNumber', () => {
  test.each([
    ['Visa', '4242424242424242'],
    ['Visa of 13 digits', '4222222222222'],
    ['Mastercard', '5555555555554444'],
    ['Mastercard of the newer range', '2223003122003222'],
    ['American Express', '378282246310005'],
    ['Diners Club', '30569309025904'],
    ['JCB', '3530111333300000'],
    ['Discover', '6011111111111117'],
    ['RuPay', '6074819900004939'],
    ['UnionPay', '6200000000000005'],
    ['Maestro', '6759649826438453'],
    ['in a sentence', 'Please charge 4242424242424242, thanks.'],
    ['with spaces', 'card 4242 4242 4242 4242 exp 12/30'],
    ['with hyphens', '4242-4242-4242-4242'],
    ['with dots', '4242.4242.4242.4242'],
    ['with no-break spaces', '4242\u00a04242\u00a04242\u00a04242'],
    ['American Express in its groups', '3782 822463 10005'],
    ['after another number', 'Order 123 4242 4242 4242 4242'],
    ['before another number', '4242 4242 4242 4242 12 30'],
    ['next to letters', 'card:4242424242424242x'],
    ['in an e-mail address', '4242424242424242@example.com'],
    ['beside an IBAN', 'DE89 3704 0044 0532 0130 00 or 4242 4242 4242 4242'],
  ])('%s: true', (_, text) => {
    expect(containsCardNumber(text)).toBe(true);
  });

  test.each([
    ['wrong check digit', '4242424242424241'],
    ['too short', '424242424242'],
    ['a part of a longer number', '42424242424242420'],
    ['more digits than any card', '42424242424242424242424242424242'],
    ['no prefix of an issuer', '1234567812345670'],
    ['two spaces between the groups', '4242  4242  4242  4242'],
    ['an IBAN', 'DE89 3704 0044 0532 0130 00'],
    ['an IBAN without spaces', 'GB29NWBK60161331926819'],
    ['a phone number', '+975 2 322 424'],
    ['dates and times', '2026-11-22 17:38:11.123456'],
    ['amounts', '2 500 000 + 1 250 000 = 3 750 000'],
    ['no digits', 'Website design'],
  ])('%s: false', (_, text) => {
    expect(containsCardNumber(text)).toBe(false);
  });

  test('an IBAN with wrong check digits is examined like other digits', () => {
    const card = '4242 4242 4242 4242';
    expect(containsCardNumber(`DE00 ${card}`)).toBe(true);
  });

  test('the longest description of digits is examined in a bounded number of steps', () => {
    expect(containsCardNumber('1 '.repeat(2_500))).toBe(false);
    expect(containsCardNumber('7'.repeat(5_000))).toBe(false);
    expect(containsCardNumber('AA11 '.repeat(1_000))).toBe(false);
  });
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
