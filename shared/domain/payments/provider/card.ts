/**
 * Validates card data, and defines the part of it that may be stored. The provider decides whether a card can pay.
 *
 * Card data is only passed on to the provider. It is never stored, logged or included in an error, because stored card
 * data could be stolen.
 */
import * as v from 'valibot';
import { hasCheckDigit } from '../../../base/card-numbers.ts';
import { type Instant, now } from '../../../base/time.ts';
import { brandNames, type CardBrand } from './card-brands.ts';

/** A card as the payer enters it. `number` contains only digits. */
export interface Card {
  readonly number: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly cvc: string;
}

/** The part of a card that may be stored and shown. */
export const cardSummarySchema = v.strictObject({
  brand: v.picklist(Object.keys(brandNames) as CardBrand[]),
  last4: v.pipe(v.string(), v.regex(/^\d{4}$/)),
});

export type CardSummary = v.InferOutput<typeof cardSummarySchema>;

const cardMessage = 'card must be an object with number, expMonth, expYear and cvc.';
const numberMessage =
  'card.number must be a string of 12 to 19 digits with a correct check digit. Spaces and hyphens between digits are allowed.';
const monthMessage = 'card.expMonth must be an integer from 1 to 12.';
const yearMessage = 'card.expYear must be an integer with four digits.';
const cvcMessage = 'card.cvc must be a string of 3 or 4 digits.';
const expiredMessage = 'card.expYear and card.expMonth must not be in the past.';

/** A card number. Spaces and hyphens are removed, and the check digit (Luhn, ISO/IEC 7812-1) must be correct. */
export const cardNumberSchema = v.pipe(
  v.string(numberMessage),
  v.regex(/^[\d -]{12,40}$/, numberMessage),
  v.transform((text) => text.replace(/[ -]/g, '')),
  v.regex(/^\d{12,19}$/, numberMessage),
  v.check(hasCheckDigit, numberMessage),
);

export const cardCvcSchema = v.pipe(v.string(cvcMessage), v.regex(/^\d{3,4}$/, cvcMessage));

/** A well-formed card that has not expired. */
export const cardSchema = v.pipe(
  v.strictObject(
    {
      number: cardNumberSchema,
      expMonth: v.pipe(
        v.number(monthMessage),
        v.integer(monthMessage),
        v.minValue(1, monthMessage),
        v.maxValue(12, monthMessage),
      ),
      expYear: v.pipe(
        v.number(yearMessage),
        v.integer(yearMessage),
        v.minValue(1000, yearMessage),
        v.maxValue(9999, yearMessage),
      ),
      cvc: cardCvcSchema,
    },
    cardMessage,
  ),
  v.forward(
    v.check((card) => !isCardExpired(card, now()), expiredMessage),
    ['expYear'],
  ),
);

const hourMs = 3_600_000;

/** Whether a card has expired. It is valid until its month has ended in every time zone. */
export function isCardExpired(
  { expMonth, expYear }: Pick<Card, 'expMonth' | 'expYear'>,
  at: Instant,
): boolean {
  return Date.UTC(expYear, expMonth, 1) + 12 * hourMs <= at;
}

/** Returns the brand and the last four digits of a valid card number. */
export function summarizeCard({ number }: Pick<Card, 'number'>): CardSummary {
  const brand = brands.find(([pattern]) => pattern.test(number))?.[1] ?? 'unknown';
  return { brand, last4: number.slice(-4) };
}

/** The first digits that are assigned to each brand. */
const brands: readonly (readonly [RegExp, CardSummary['brand']])[] = [
  [/^4/, 'visa'],
  [/^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, 'mastercard'],
  [/^3[47]/, 'amex'],
  [/^(60|65|81|82|508)/, 'rupay'],
];
