/** Says which rows the lines of an invoice have below them, and what a line says of its discount: the same on pages and documents. */
import type { Sum } from '../base/exact-sum.ts';
import { type Currency, formatAmount } from '../base/money.ts';
import type { ShownLine, TaxRow } from '../domain/charges/line.ts';
import type { StoredCharges } from '../domain/charges/stored-charges.ts';

/** The words of the rows, in a language. */
export interface ChargeRowTexts {
  readonly lineDiscount: string;
  readonly subtotal: string;
  readonly discount: string;
  readonly including: string;
  readonly rounding: string;
  readonly total: string;
}

/** A name, and its amount in the smallest currency unit. */
export type ChargeRow = readonly [name: string, minor: number];

/** Returns the rows below the lines up to the amount. @param amountMinor the amount of the invoice, in the smallest currency unit */
export function chargeRows(
  { prices, taxes, totals }: StoredCharges,
  amountMinor: number,
  texts: ChargeRowTexts,
): readonly ChargeRow[] {
  const { subtotal, discount, rounding } = totals;
  const isSum = discount === 0 && taxes.length === 0 && rounding === 0;
  const including = prices === 'inclusive' ? `${texts.including} ` : '';
  const row = (isShown: boolean, name: string, minor: number): readonly ChargeRow[] =>
    isShown ? [[name, minor]] : [];
  return [
    ...row(!isSum, texts.subtotal, subtotal),
    ...row(discount > 0, texts.discount, -discount),
    ...taxes.map(
      ({ name, percent, amount }): ChargeRow =>
        Number(percent) === 0 ? [name, amount] : [`${including}${name} ${percent} %`, amount],
    ),
    ...row(rounding !== 0, texts.rounding, rounding),
    [texts.total, amountMinor],
  ];
}

/** Returns what a line says of its discount: `less 10 %`. Undefined without a discount. */
export function discountNote(
  { discount }: Pick<ShownLine, 'discount'>,
  currency: Currency,
  texts: ChargeRowTexts,
): string | undefined {
  if (!discount) return undefined;
  const { percent, amount } = discount;
  return `${texts.lineDiscount} ${percent === null ? formatAmount(amount ?? 0, currency) : `${percent} %`}`;
}

/** Formats an amount in the smallest currency unit that can be negative. */
export const formatSigned = (minor: Sum, currency: Currency): string =>
  minor < 0 ? `−${formatAmount(-minor, currency)}` : formatAmount(minor, currency);

/** The heads of the table of taxes, in a language. */
interface TaxTableTexts {
  readonly tax: string;
  readonly rate: string;
  readonly taxable: string;
  readonly taxAmount: string;
}

/** Returns the table of taxes, the same on pages and documents. Its first column is text, and the others are numbers. */
export function taxTable(
  taxes: readonly TaxRow[],
  texts: TaxTableTexts,
  format: (minor: number) => string,
): { readonly heads: readonly string[]; readonly rows: readonly (readonly string[])[] } {
  return {
    heads: [texts.tax, texts.rate, texts.taxable, texts.taxAmount],
    rows: taxes.map(({ name, percent, taxable, amount }) => [
      name,
      `${percent} %`,
      format(taxable),
      format(amount),
    ]),
  };
}
