/** Defines the currencies and amounts that the service accepts, and formats amounts for people. */
import * as v from 'valibot';
import type { Sum } from './exact-sum.ts';

/** Bhutanese ngultrum, US dollar, Indian rupee: all with two decimal places. */
export const currencies = ['BTN', 'USD', 'INR'] as const;

export type Currency = (typeof currencies)[number];

/** The largest amount that the service accepts, in the smallest currency unit. */
export const maxAmount = 999_999_999_999;
const amountMessage = `amount must be an integer from 1 to ${maxAmount}, in the smallest currency unit.`;

/** An amount in the smallest unit of its currency. JSON does not separate integers, so `1e3` and `1.0` are accepted. */
export const amountSchema = v.pipe(
  v.number(amountMessage),
  v.integer(amountMessage),
  v.minValue(1, amountMessage),
  v.maxValue(maxAmount, amountMessage),
);

/** A currency code in capital letters. */
export const currencySchema = v.picklist(currencies, ({ input }) => currencyMessage(input));

/** Returns the message for a currency that does not exist. */
export function currencyMessage(input: unknown): string {
  const meant = typeof input === 'string' && currencies.find((currency) => currency === input.toUpperCase());
  if (meant) return `currency must be in uppercase: ${meant}.`;
  return `currency must be one of ${currencies.join(', ')}.`;
}

const decimals = { minimumFractionDigits: 2, maximumFractionDigits: 2 } as const;

/** The service defines the currency signs, because `Intl` has no sign for the ngultrum. */
const notations: Record<Currency, { readonly sign: string; readonly locale: 'en-IN' | 'en-US' }> = {
  BTN: { sign: 'Nu. ', locale: 'en-IN' },
  INR: { sign: '₹', locale: 'en-IN' },
  USD: { sign: '$', locale: 'en-US' },
};

/** Made when needed: the first `Intl` object of a process loads the data of all languages. */
const groupings = new Map<string, Intl.NumberFormat>();

function groupingOf(locale: string): Intl.NumberFormat {
  const known = groupings.get(locale);
  if (known) return known;
  const grouping = new Intl.NumberFormat(locale, decimals);
  groupings.set(locale, grouping);
  return grouping;
}

/**
 * Formats an amount, given in the smallest currency unit, as people write it: `Nu. 1,23,456.50`, `₹1,23,456.50`,
 * `$123,456.50`.
 */
export function formatAmount(amountMinor: Sum, currency: Currency): string {
  const { sign, locale } = notations[currency];
  return sign + groupingOf(locale).format(toMajorUnits(amountMinor));
}

/**
 * Returns an amount, given in the smallest currency unit, as a number in units of the currency: `2500.00`. Inserts the
 * decimal point into the digits, because a division would round. `Intl` formats a text of digits exactly.
 */
export function toMajorUnits(amountMinor: Sum): `${number}` {
  const digits = String(amountMinor).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}` as `${number}`;
}

/** Digits with two decimal places at most. Commas may group them as in `12,345` or `1,23,456`. */
const majorUnits = /^(\d+|\d{1,3}(?:,\d{2,3})*,\d{3})(?:\.(\d{1,2}))?$/;

/**
 * Parses an amount as people write it, in units of the currency: `2500`, `2,500.5` or `1,23,456.50`.
 * @returns the amount in the smallest currency unit, or undefined if the text is not such a number. The caller checks
 *   the limits with `amountSchema`.
 */
export function parseMajorUnits(text: string): number | undefined {
  const [, whole, cents = ''] = majorUnits.exec(text) ?? [];
  if (whole === undefined) return undefined;
  return Number(whole.replaceAll(',', '') + cents.padEnd(2, '0'));
}
