/** Defines the currencies and amounts that the service accepts, and formats amounts for people. */
import * as v from 'valibot';

/** Bhutanese ngultrum, US dollar, Indian rupee: all with two decimal places. */
export const currencies = ['BTN', 'USD', 'INR'] as const;

export type Currency = (typeof currencies)[number];

const maxAmount = 999_999_999_999;
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

function currencyMessage(input: unknown): string {
  const meant = typeof input === 'string' && currencies.find((currency) => currency === input.toUpperCase());
  if (meant) return `currency must be in uppercase: ${meant}.`;
  return `currency must be one of ${currencies.join(', ')}.`;
}

const decimals = { minimumFractionDigits: 2, maximumFractionDigits: 2 } as const;
const indianGrouping = new Intl.NumberFormat('en-IN', decimals);
const thousandsGrouping = new Intl.NumberFormat('en-US', decimals);

/** The service defines the currency signs, because `Intl` has no sign for the ngultrum. */
const notations: Record<Currency, { readonly sign: string; readonly grouping: Intl.NumberFormat }> = {
  BTN: { sign: 'Nu. ', grouping: indianGrouping },
  INR: { sign: '₹', grouping: indianGrouping },
  USD: { sign: '$', grouping: thousandsGrouping },
};

/**
 * Formats an amount, given in the smallest currency unit, as people write it: `Nu. 1,23,456.50`, `₹1,23,456.50`,
 * `$123,456.50`.
 */
export function formatAmount(amountMinor: number, currency: Currency): string {
  const { sign, grouping } = notations[currency];
  return sign + grouping.format(inMajorUnits(amountMinor));
}

/** Inserts the decimal point into the digits. A division would round, and `Intl` formats a text of digits exactly. */
function inMajorUnits(amountMinor: number): `${number}` {
  const digits = String(amountMinor).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}` as `${number}`;
}
