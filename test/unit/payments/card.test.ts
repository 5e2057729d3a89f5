/** Which card data is well-formed, what is said about the rest, and what of a card may be kept. */
import { afterEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import { validate } from '../../../shared/http/validate.ts';
import {
  cardNumberSchema,
  cardSchema,
  cardSummarySchema,
  isExpired,
  summaryOf,
} from '../../../shared/payments/card.ts';
import { setClock } from '../../../shared/time.ts';

afterEach(() => setClock());

const number = '4242424242424242';
const card = { number, expMonth: 12, expYear: 2_031, cvc: '123' };
const body = v.strictObject({ card: cardSchema });
const judge = (input: unknown) => {
  setClock(() => Date.UTC(2_030, 5, 15));
  return validate(body, { card: input });
};
const takenNumber = (text: string) => v.safeParse(cardNumberSchema, text).success;
const digits = (length: { minLength: number; maxLength: number }) =>
  fc.array(fc.integer({ min: 0, max: 9 }), length).map((list) => list.join(''));
const wellFormed = digits({ minLength: 11, maxLength: 18 }).map((start) => start + checkDigits(start)[0]);

/** Which last digits the schema takes after `start`. */
function checkDigits(start: string): string[] {
  return [...'0123456789'].filter((digit) => takenNumber(start + digit));
}

describe('card number', () => {
  test('property: after any 11 to 18 digits exactly one check digit is right', () => {
    fc.assert(
      fc.property(digits({ minLength: 11, maxLength: 18 }), (start) => {
        expect(checkDigits(start)).toHaveLength(1);
      }),
    );
  });

  test('property: a single wrong digit is found out', () => {
    fc.assert(
      fc.property(wellFormed, fc.nat(), fc.integer({ min: 1, max: 9 }), (right, place, shift) => {
        const at = place % right.length;
        const digit = (Number(right[at]) + shift) % 10;
        expect(takenNumber(right.slice(0, at) + digit + right.slice(at + 1))).toBe(false);
      }),
    );
  });

  test('property: so are two neighbours in the wrong order, but for 0 and 9', () => {
    fc.assert(
      fc.property(wellFormed, fc.nat(), (right, place) => {
        const at = place % (right.length - 1);
        const [one = '', other = ''] = [right[at], right[at + 1]];
        fc.pre(one !== other && one + other !== '09' && one + other !== '90');
        expect(takenNumber(right.slice(0, at) + other + one + right.slice(at + 2))).toBe(false);
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
  ])('%s is taken', (known) => {
    expect(v.parse(cardNumberSchema, known)).toBe(known);
  });

  test.each(['4242 4242 4242 4242', '4242-4242-4242-4242', '42 42-424242424242', ' 4242424242424242 '])(
    '%j is taken without its spaces and hyphens',
    (text) => {
      expect(v.parse(cardNumberSchema, text)).toBe(number);
    },
  );

  test('is of 12 to 19 digits, however many spaces there are', () => {
    const zeros = (count: number) => '0'.repeat(count);
    for (const count of [12, 13, 18, 19]) expect(takenNumber(zeros(count))).toBe(true);
    for (const count of [0, 1, 11, 20, 40, 41]) expect(takenNumber(zeros(count))).toBe(false);
    expect(takenNumber('0 0 0 0 0 0 0 0 0 0 0')).toBe(false);
    expect(takenNumber('            ')).toBe(false);
    expect(takenNumber('0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0')).toBe(true);
  });

  test.each([
    '4242424242424241',
    '4242.4242.4242.4242',
    '4242\t424242424242',
    '4242\u00a04242 4242 4242',
    '٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢',
    '4242424242424242\n',
    '0x4242424242424242',
  ])('%j is refused', (text) => {
    expect(takenNumber(text)).toBe(false);
  });
});

describe('expiry', () => {
  test('a card is good until its month has ended in the last place on earth, at UTC-12', () => {
    const end = Date.parse('2028-03-01T00:00:00.000-12:00');
    const expiry = { expMonth: 2, expYear: 2_028 };
    expect(isExpired(expiry, end - 1)).toBe(false);
    expect(isExpired(expiry, end)).toBe(true);
  });

  test('December ends in the next year', () => {
    const end = Date.parse('2031-01-01T00:00:00.000-12:00');
    expect(isExpired({ expMonth: 12, expYear: 2_030 }, end - 1)).toBe(false);
    expect(isExpired({ expMonth: 12, expYear: 2_030 }, end)).toBe(true);
  });

  test('property: it is the same as the end of the month that the calendar knows', () => {
    const months = fc.record({
      expMonth: fc.integer({ min: 1, max: 12 }),
      expYear: fc.integer({ min: 1_000, max: 9_998 }),
    });
    fc.assert(
      fc.property(months, fc.integer({ min: -2, max: 2 }), (expiry, offsetMs) => {
        const last = new Date(Date.UTC(expiry.expYear, expiry.expMonth, 0)).toISOString().slice(0, 10);
        const end = Date.parse(`${last}T23:59:59.999-12:00`) + 1;
        expect(isExpired(expiry, end + offsetMs)).toBe(offsetMs >= 0);
      }),
    );
  });

  test('is judged by the clock of the service', () => {
    const taken = () => v.safeParse(cardSchema, { ...card, expMonth: 2, expYear: 2_028 }).success;
    setClock(() => Date.parse('2028-03-01T11:59:59.999Z'));
    expect(taken()).toBe(true);
    setClock(() => Date.parse('2028-03-01T12:00:00.000Z'));
    expect(taken()).toBe(false);
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
  ])('%j is taken', (input, output) => {
    expect(judge(input)).toEqual({ ok: true, output: { card: output } });
  });

  const sentences = {
    card: 'card must be an object with number, expMonth, expYear and cvc.',
    number:
      'card.number must be a text of 12 to 19 digits with a correct check digit; spaces and hyphens between them are fine.',
    expMonth: 'card.expMonth must be an integer from 1 to 12.',
    expYear: 'card.expYear must be an integer of four digits.',
    cvc: 'card.cvc must be a text of 3 or 4 digits.',
    expired: 'card.expYear and card.expMonth must not lie in the past.',
  };
  const without = (name: keyof typeof card) => {
    const { [name]: _, ...rest } = card;
    return rest;
  };
  const numbers = [null, Number(number), '', '4242424242424241', '42424242424', [number], {}].map(
    (wrong) => [{ ...card, number: wrong }, 'invalid_card_number', 'card.number', sentences.number] as const,
  );
  const months = [null, 0, 13, -1, 1.5, '12', true].map(
    (wrong) =>
      [{ ...card, expMonth: wrong }, 'invalid_card_expiry', 'card.expMonth', sentences.expMonth] as const,
  );
  const years = [null, 31, 999, 10_000, 2_031.5, '2031', true].map(
    (wrong) =>
      [{ ...card, expYear: wrong }, 'invalid_card_expiry', 'card.expYear', sentences.expYear] as const,
  );
  const past = [
    [5, 2_030],
    [12, 2_029],
    [1, 1_000],
  ].map(
    ([expMonth, expYear]) =>
      [{ ...card, expMonth, expYear }, 'invalid_card_expiry', 'card.expYear', sentences.expired] as const,
  );
  const codes = [null, 123, '', '12', '12345', '12a', ' 123', '١٢٣'].map(
    (wrong) => [{ ...card, cvc: wrong }, 'invalid_card_cvc', 'card.cvc', sentences.cvc] as const,
  );

  test.each([
    ...[...numbers, ...months, ...years, ...past, ...codes],
    [without('number'), 'invalid_card_number', 'card.number', sentences.number],
    [without('expMonth'), 'invalid_card_expiry', 'card.expMonth', sentences.expMonth],
    [without('expYear'), 'invalid_card_expiry', 'card.expYear', sentences.expYear],
    [without('cvc'), 'invalid_card_cvc', 'card.cvc', sentences.cvc],
    [null, 'invalid_card', 'card', sentences.card],
    [number, 'invalid_card', 'card', sentences.card],
    [[card], 'invalid_card_number', 'card.number', sentences.number],
    [undefined, 'invalid_card', 'card', sentences.card],
  ] as const)('%j: %s', (input, code, field, message) => {
    expect(judge(input)).toEqual({ ok: false, code, field, message });
  });

  test('a name that no card has is named, after all that cards have', () => {
    expect(judge({ ...card, name: 'x' })).toMatchObject({ code: 'unknown_parameter', field: 'card.name' });
    expect(judge({ ...card, name: 'x', cvc: '' })).toMatchObject({ code: 'invalid_card_cvc' });
  });

  test('the first thing wrong is reported, in the order of the fields', () => {
    const wrong = { number: '1', expMonth: 0, expYear: 0, cvc: '' };
    expect(judge(wrong)).toMatchObject({ field: 'card.number' });
    expect(judge({ ...wrong, number })).toMatchObject({ field: 'card.expMonth' });
    expect(judge({ ...wrong, number, expMonth: 1 })).toMatchObject({ field: 'card.expYear' });
    expect(judge({ ...card, cvc: '' })).toMatchObject({ field: 'card.cvc' });
  });

  test('property: what is said of a card never contains its number or its code', () => {
    const anything = fc.oneof(fc.integer(), fc.constant(undefined), fc.constant(null), fc.string());
    const input = fc.record({
      number: fc.oneof(digits({ minLength: 5, maxLength: 25 }), wellFormed),
      expMonth: fc.oneof(fc.integer({ min: 1, max: 12 }), anything),
      expYear: fc.oneof(fc.integer({ min: 2_029, max: 2_035 }), anything),
      cvc: fc.oneof(digits({ minLength: 3, maxLength: 6 }), anything),
    });
    fc.assert(
      fc.property(input, (given) => {
        const verdict = judge(given);
        if (verdict.ok) return;
        expect(`${verdict.field} ${verdict.message}`).not.toContain(given.number);
        expect(Object.values(sentences)).toContain(verdict.message);
      }),
    );
  });
});

describe('what may be kept', () => {
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
    expect(summaryOf({ number: shown })).toEqual({ brand, last4: shown.slice(-4) });
  });

  test('property: brand and last four digits, and nothing else', () => {
    fc.assert(
      fc.property(wellFormed, (given) => {
        const summary = summaryOf({ ...card, number: given });
        expect(v.parse(cardSummarySchema, summary)).toEqual(summary);
        expect(summary.last4).toBe(given.slice(-4));
      }),
    );
  });
});
