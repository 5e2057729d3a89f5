/** Tests which card data is valid, the messages for invalid card data, and which part of a card may be stored. */
import { afterEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import { validate } from '../../../../shared/api/http/validate.ts';
import {
  cardNumberSchema,
  cardSchema,
  cardSummarySchema,
  isCardExpired,
  summarizeCard,
} from '../../../../shared/domain/payments/provider/card.ts';
import { setClock } from '../../../support/clock.ts';

afterEach(() => setClock());

const number = '4242424242424242';
const card = { number, expMonth: 12, expYear: 2_031, cvc: '123' };
const body = v.strictObject({ card: cardSchema });
const validateCard = (input: unknown) => {
  setClock(() => Date.UTC(2_030, 5, 15));
  return validate(body, { card: input });
};
const isAcceptedNumber = (text: string) => v.safeParse(cardNumberSchema, text).success;
const digits = (length: { minLength: number; maxLength: number }) =>
  fc.array(fc.integer({ min: 0, max: 9 }), length).map((list) => list.join(''));
const wellFormed = digits({ minLength: 11, maxLength: 18 }).map((start) => start + checkDigits(start)[0]);

/** The last digits that the schema accepts after `start`. */
function checkDigits(start: string): string[] {
  return [...'0123456789'].filter((digit) => isAcceptedNumber(start + digit));
}

describe('card number', () => {
  test('property: after any 11 to 18 digits, exactly one check digit is correct', () => {
    fc.assert(
      fc.property(digits({ minLength: 11, maxLength: 18 }), (start) => {
        expect(checkDigits(start)).toHaveLength(1);
      }),
    );
  });

  test('property: a number with one wrong digit is rejected', () => {
    fc.assert(
      fc.property(wellFormed, fc.nat(), fc.integer({ min: 1, max: 9 }), (valid, position, shift) => {
        const at = position % valid.length;
        const digit = (Number(valid[at]) + shift) % 10;
        expect(isAcceptedNumber(valid.slice(0, at) + digit + valid.slice(at + 1))).toBe(false);
      }),
    );
  });

  test('property: a number with two adjacent digits exchanged is rejected, except 0 and 9', () => {
    fc.assert(
      fc.property(wellFormed, fc.nat(), (valid, position) => {
        const at = position % (valid.length - 1);
        const [one = '', other = ''] = [valid[at], valid[at + 1]];
        fc.pre(one !== other && one + other !== '09' && one + other !== '90');
        expect(isAcceptedNumber(valid.slice(0, at) + other + one + valid.slice(at + 2))).toBe(false);
      }),
    );
  });

  /** Published examples of ISO/IEC 7812-1 numbers. */
  test.each([
    '4111111111111111',
    '378282246310005',
    '6011111111111117',
    '30569309025904',
    '3530111333300000',
  ])('%s is accepted', (known) => {
    expect(v.parse(cardNumberSchema, known)).toBe(known);
  });

  test.each(['4242 4242 4242 4242', '4242-4242-4242-4242', '42 42-424242424242', ' 4242424242424242 '])(
    '%j is accepted without its spaces and hyphens',
    (text) => {
      expect(v.parse(cardNumberSchema, text)).toBe(number);
    },
  );

  test('has 12 to 19 digits, with any number of spaces', () => {
    const zeros = (count: number) => '0'.repeat(count);
    for (const count of [12, 13, 18, 19]) expect(isAcceptedNumber(zeros(count))).toBe(true);
    for (const count of [0, 1, 11, 20, 40, 41]) expect(isAcceptedNumber(zeros(count))).toBe(false);
    expect(isAcceptedNumber('0 0 0 0 0 0 0 0 0 0 0')).toBe(false);
    expect(isAcceptedNumber('            ')).toBe(false);
    expect(isAcceptedNumber('0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0')).toBe(true);
  });

  test.each([
    '4242424242424241',
    '4242.4242.4242.4242',
    '4242\t424242424242',
    '4242\u00a04242 4242 4242',
    '٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢',
    '4242424242424242\n',
    '0x4242424242424242',
  ])('%j is rejected', (text) => {
    expect(isAcceptedNumber(text)).toBe(false);
  });
});

describe('expiry', () => {
  test('a card is valid until its month has ended in the last time zone, UTC-12', () => {
    const end = Date.parse('2028-03-01T00:00:00.000-12:00');
    const expiry = { expMonth: 2, expYear: 2_028 };
    expect(isCardExpired(expiry, end - 1)).toBe(false);
    expect(isCardExpired(expiry, end)).toBe(true);
  });

  test('December ends in the next year', () => {
    const end = Date.parse('2031-01-01T00:00:00.000-12:00');
    expect(isCardExpired({ expMonth: 12, expYear: 2_030 }, end - 1)).toBe(false);
    expect(isCardExpired({ expMonth: 12, expYear: 2_030 }, end)).toBe(true);
  });

  test('property: a card expires at the end of the month in the calendar', () => {
    const months = fc.record({
      expMonth: fc.integer({ min: 1, max: 12 }),
      expYear: fc.integer({ min: 1_000, max: 9_998 }),
    });
    fc.assert(
      fc.property(months, fc.integer({ min: -2, max: 2 }), (expiry, offsetMs) => {
        const last = new Date(Date.UTC(expiry.expYear, expiry.expMonth, 0)).toISOString().slice(0, 10);
        const end = Date.parse(`${last}T23:59:59.999-12:00`) + 1;
        expect(isCardExpired(expiry, end + offsetMs)).toBe(offsetMs >= 0);
      }),
    );
  });

  test('depends on the clock of the service', () => {
    const isAccepted = () => v.safeParse(cardSchema, { ...card, expMonth: 2, expYear: 2_028 }).success;
    setClock(() => Date.parse('2028-03-01T11:59:59.999Z'));
    expect(isAccepted()).toBe(true);
    setClock(() => Date.parse('2028-03-01T12:00:00.000Z'));
    expect(isAccepted()).toBe(false);
  });
});

describe('a card in a body', () => {
  test.each([
    [card, card],
    [{ ...card, number: '4242 4242-4242 4242' }, card],
    [
      { ...card, cvc: '0000' },
      { ...card, cvc: '0000' },
    ],
    [
      { ...card, expMonth: 6, expYear: 2_030 },
      { ...card, expMonth: 6, expYear: 2_030 },
    ],
    [
      { ...card, expYear: 9_999 },
      { ...card, expYear: 9_999 },
    ],
  ])('%j is accepted', (input, output) => {
    expect(validateCard(input)).toEqual({ ok: true, output: { card: output } });
  });

  const messages = {
    card: 'card must be an object with number, expMonth, expYear and cvc.',
    number:
      'card.number must be a string of 12 to 19 digits with a correct check digit. Spaces and hyphens between digits are allowed.',
    expMonth: 'card.expMonth must be an integer from 1 to 12.',
    expYear: 'card.expYear must be an integer with four digits.',
    cvc: 'card.cvc must be a string of 3 or 4 digits.',
    expired: 'card.expYear and card.expMonth must not be in the past.',
  };
  const required = (name: keyof typeof card) =>
    expect.stringMatching(`^card\\.${name} is required\\. Add it, such as "${name}": "?\\d+"?\\.$`);
  const without = (name: keyof typeof card) => {
    const { [name]: _, ...rest } = card;
    return rest;
  };
  const numbers = [null, Number(number), '', '4242424242424241', '42424242424', [number], {}].map(
    (wrong) => [{ ...card, number: wrong }, 'invalid_card_number', 'card.number', messages.number] as const,
  );
  const months = [null, 0, 13, -1, 1.5, '12', true].map(
    (wrong) =>
      [{ ...card, expMonth: wrong }, 'invalid_card_expiry', 'card.expMonth', messages.expMonth] as const,
  );
  const years = [null, 31, 999, 10_000, 2_031.5, '2031', true].map(
    (wrong) =>
      [{ ...card, expYear: wrong }, 'invalid_card_expiry', 'card.expYear', messages.expYear] as const,
  );
  const past = [
    [5, 2_030],
    [12, 2_029],
    [1, 1_000],
  ].map(
    ([expMonth, expYear]) =>
      [{ ...card, expMonth, expYear }, 'invalid_card_expiry', 'card.expYear', messages.expired] as const,
  );
  const codes = [null, 123, '', '12', '12345', '12a', ' 123', '١٢٣'].map(
    (wrong) => [{ ...card, cvc: wrong }, 'invalid_card_cvc', 'card.cvc', messages.cvc] as const,
  );

  test.each([
    ...numbers,
    ...months,
    ...years,
    ...past,
    ...codes,
    [without('number'), 'invalid_card_number', 'card.number', required('number')],
    [without('expMonth'), 'invalid_card_expiry', 'card.expMonth', required('expMonth')],
    [without('expYear'), 'invalid_card_expiry', 'card.expYear', required('expYear')],
    [without('cvc'), 'invalid_card_cvc', 'card.cvc', required('cvc')],
    [null, 'invalid_card', 'card', messages.card],
    [number, 'invalid_card', 'card', messages.card],
    [[card], 'invalid_card_number', 'card.number', required('number')],
    [undefined, 'invalid_card', 'card', messages.card],
  ] as const)('%j: %s', (input, code, field, message) => {
    expect(validateCard(input)).toMatchObject({ ok: false, code, field, message });
  });

  test('an unknown field of a card is reported, but only after the known fields', () => {
    expect(validateCard({ ...card, name: 'x' })).toMatchObject({
      code: 'unknown_parameter',
      field: 'card.name',
    });
    expect(validateCard({ ...card, name: 'x', cvc: '' })).toMatchObject({ code: 'invalid_card_cvc' });
  });

  test('the first invalid field is reported, in the order of the fields', () => {
    const wrong = { number: '1', expMonth: 0, expYear: 0, cvc: '' };
    expect(validateCard(wrong)).toMatchObject({ field: 'card.number' });
    expect(validateCard({ ...wrong, number })).toMatchObject({ field: 'card.expMonth' });
    expect(validateCard({ ...wrong, number, expMonth: 1 })).toMatchObject({ field: 'card.expYear' });
    expect(validateCard({ ...card, cvc: '' })).toMatchObject({ field: 'card.cvc' });
  });

  test('property: no error contains the number or the code of the card', () => {
    const anything = fc.oneof(fc.integer(), fc.constant(undefined), fc.constant(null), fc.string());
    const input = fc.record({
      number: fc.oneof(digits({ minLength: 5, maxLength: 25 }), wellFormed),
      expMonth: fc.oneof(fc.integer({ min: 1, max: 12 }), anything),
      expYear: fc.oneof(fc.integer({ min: 2_029, max: 2_035 }), anything),
      cvc: fc.oneof(digits({ minLength: 3, maxLength: 6 }), anything),
    });
    fc.assert(
      fc.property(input, (given) => {
        const result = validateCard(given);
        if (result.ok) return;
        expect(`${result.field} ${result.message}`).not.toContain(given.number);
        expect(Object.values(messages)).toContain(result.message);
      }),
    );
  });
});

describe('the card summary', () => {
  test.each([
    ['4000000000000002', 'visa'],
    ['5100000000000000', 'mastercard'],
    ['5599999999999999', 'mastercard'],
    ['2221000000000000', 'mastercard'],
    ['2229999999999999', 'mastercard'],
    ['2230000000000000', 'mastercard'],
    ['2300000000000000', 'mastercard'],
    ['2699999999999999', 'mastercard'],
    ['2700000000000000', 'mastercard'],
    ['2720999999999999', 'mastercard'],
    ['340000000000000', 'amex'],
    ['370000000000000', 'amex'],
    ['5080000000000000', 'rupay'],
    ['6070000000000000', 'rupay'],
    ['6521000000000000', 'rupay'],
    ['8100000000000000', 'rupay'],
    ['8200000000000000', 'rupay'],
    ['2220999999999999', 'unknown'],
    ['2721000000000000', 'unknown'],
    ['5000000000000000', 'unknown'],
    ['5600000000000000', 'unknown'],
    ['360000000000000', 'unknown'],
    ['6200000000000000', 'unknown'],
    ['000000000000', 'unknown'],
  ])('%s is shown as %s', (shown, brand) => {
    expect(summarizeCard({ number: shown })).toEqual({ brand, last4: shown.slice(-4) });
  });

  test('property: contains the brand and the last four digits, and nothing else', () => {
    fc.assert(
      fc.property(wellFormed, (given) => {
        const summary = summarizeCard({ ...card, number: given });
        expect(v.parse(cardSummarySchema, summary)).toEqual(summary);
        expect(summary.last4).toBe(given.slice(-4));
      }),
    );
  });
});
