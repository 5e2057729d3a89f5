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

const decimals = { minimumFractionDigits: 2, maximumFractionDigits: 2 } as const;
const indianGrouping = new Intl.NumberFormat('en-IN', decimals);
const thousandsGrouping = new Intl.NumberFormat('en-US', decimals);

/** `Intl` knows no sign for the ngultrum, so the signs are ours. */
const notations: Record<Currency, { readonly sign: string; readonly grouping: Intl.NumberFormat }> = {
  BTN: { sign: 'Nu. ', grouping: indianGrouping },
  INR: { sign: '₹', grouping: indianGrouping },
  USD: { sign: '$', grouping: thousandsGrouping },
};

/** An amount in the smallest unit of its currency as people write it: `Nu. 1,23,456.50`, `₹1,23,456.50`, `$123,456.50`. */
export function formatAmount(amountMinor: number, currency: Currency): string {
  const { sign, grouping } = notations[currency];
  return sign + grouping.format(inMajorUnits(amountMinor));
}

/** Moves the point in the digits: a division would round, and `Intl` takes digits as they are. */
function inMajorUnits(amountMinor: number): `${number}` {
  const digits = String(amountMinor).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}` as `${number}`;
}
