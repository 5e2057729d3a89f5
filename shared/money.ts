/**
 * Which currencies and amounts the service deals in.
 */
import * as v from 'valibot';

/** Bhutanese ngultrum, US dollar, Indian rupee: all with two decimal places. */
export const currencies = ['BTN', 'USD', 'INR'] as const;

export type Currency = (typeof currencies)[number];

const maxAmount = 999_999_999_999;
const amountMessage = `amount must be an integer from 1 to ${maxAmount}, in the smallest currency unit.`;

/** An amount in the smallest unit of its currency. As JSON knows no integers, `1e3` and `1.0` are some. */
export const amountSchema = v.pipe(
  v.number(amountMessage),
  v.integer(amountMessage),
  v.minValue(1, amountMessage),
  v.maxValue(maxAmount, amountMessage),
);

/** A currency, spelled in capital letters. */
export const currencySchema = v.picklist(currencies, ({ input }) => currencyMessage(input));

function currencyMessage(input: unknown): string {
  const meant = typeof input === 'string' && currencies.find((currency) => currency === input.toUpperCase());
  if (meant) return `currency must be spelled in capital letters: ${meant}.`;
  return `currency must be one of ${currencies.join(', ')}.`;
}
