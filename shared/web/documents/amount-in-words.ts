/** Writes amounts in words, as invoices in India and Bhutan do: with lakh and crore, in English. */
import type { Currency } from '../../base/money.ts';

const units = [
  'Zero',
  'One',
  'Two',
  'Three',
  'Four',
  'Five',
  'Six',
  'Seven',
  'Eight',
  'Nine',
  'Ten',
  'Eleven',
  'Twelve',
  'Thirteen',
  'Fourteen',
  'Fifteen',
  'Sixteen',
  'Seventeen',
  'Eighteen',
  'Nineteen',
];
const tens = ['', '', 'Twenty', 'Thirty', 'Forty', 'Fifty', 'Sixty', 'Seventy', 'Eighty', 'Ninety'];

/** What is counted, the largest first. A crore is counted in crores, too: 1,000 crore is `One Thousand Crore`. */
const scales = [
  [10_000_000, 'Crore'],
  [100_000, 'Lakh'],
  [1_000, 'Thousand'],
  [100, 'Hundred'],
] as const;

/** The names of a currency and of its hundredth part. In other currencies, invoices have no amount in words. */
const names: Partial<Record<Currency, readonly [whole: string, hundredth: string]>> = {
  INR: ['Rupees', 'Paise'],
  BTN: ['Ngultrum', 'Chhetrum'],
};

/**
 * Returns an amount in words: `Rupees One Lakh Five Thousand and Fifty Paise Only`.
 * @param amountMinor in the smallest currency unit, not negative
 * @returns undefined for a currency whose amounts are not written in words
 */
export function amountInWords(amountMinor: number, currency: Currency): string | undefined {
  const name = names[currency];
  if (!name) return undefined;
  const [whole, hundredth] = name;
  const cents = amountMinor % 100;
  const words = `${whole} ${numberInWords((amountMinor - cents) / 100)}`;
  return cents === 0 ? `${words} Only` : `${words} and ${numberInWords(cents)} ${hundredth} Only`;
}

/** Returns an integer in words. @param value not negative */
function numberInWords(value: number): string {
  for (const [scale, name] of scales) {
    if (value < scale) continue;
    const rest = value % scale;
    const counted = `${numberInWords((value - rest) / scale)} ${name}`;
    return rest === 0 ? counted : `${counted} ${numberInWords(rest)}`;
  }
  if (value < units.length) return units[value] ?? '';
  const digit = value % 10;
  const ten = tens[(value - digit) / 10] ?? '';
  return digit === 0 ? ten : `${ten}-${units[digit]}`;
}
