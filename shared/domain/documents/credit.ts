/**
 * Divides a credit among the taxes of its invoice. Pure, and with integers only.
 *
 * - Each credit takes from what earlier credits have left of each amount, in proportion to it. So no tax is credited more than it
 *   was, and the credits of a fully refunded invoice add up to it.
 * - The rounding of the invoice is credited with the last part.
 */
import { apportion, parseDecimal } from '../../base/decimal.ts';
import type { ShownLine, TaxRow } from '../charges/line.ts';
import type { StoredCharges } from '../charges/stored-charges.ts';
import { noTax } from '../charges/tax-codes.ts';

/** What earlier credit notes have credited of an invoice, in the smallest currency unit. */
export interface Credited {
  readonly amount: number;
  /** Of the amount before tax of each tax, and then of each part of a tax, in the order of `partsOf`. */
  readonly parts: readonly number[];
}

/** The lines of an invoice with the same tax, and what they come to. */
interface TaxGroup {
  readonly tax: ShownLine['tax'];
  readonly taxPercent: string | null;
  readonly taxable: number;
}

/** Returns the charges of a credit note, and what is credited with it. @param amount in the smallest currency unit, from 1 to what is left */
export function creditOf(
  invoice: StoredCharges & { readonly amount: number },
  before: Credited | undefined,
  { amount, description }: { readonly amount: number; readonly description: string },
): { readonly charges: StoredCharges; readonly credited: Credited } {
  const groups = groupsOf(invoice.lines);
  const parts = [...groups.map(({ taxable }) => taxable), ...invoice.taxes.map((row) => row.amount)];
  const left = parts.map((part, index) => BigInt(part - (before?.parts[index] ?? 0)));
  const allLeft = left.reduce((one, other) => one + other, 0n);
  const credited = (before?.amount ?? 0) + amount;
  const isLast = credited >= invoice.amount;
  const divided = isLast || BigInt(amount) > allLeft ? allLeft : BigInt(amount);
  const shares = apportion(divided, left).map(Number);
  const rounding = amount - Number(divided);
  const taxShares = shares.slice(groups.length);
  const taxes = invoice.taxes.map((row, index) => ({
    ...row,
    amount: taxShares[index] ?? 0,
    taxable: taxableOf(row, groups, shares),
  }));
  const lines = groups.flatMap((group, index) => {
    const taxable = shares[index] ?? 0;
    return taxable > 0 ? [creditLine(group, taxable, taxOf(group, taxes), description)] : [];
  });
  const taxable = sum(shares.slice(0, groups.length));
  return {
    charges: {
      prices: 'exclusive',
      discount: null,
      roundTo: null,
      lines,
      taxes: taxes.filter((row) => row.amount > 0 || row.taxable > 0),
      totals: { subtotal: taxable, discount: 0, taxable, tax: sum(taxShares), rounding },
    },
    credited: {
      amount: credited,
      parts: parts.map((_, index) => (before?.parts[index] ?? 0) + (shares[index] ?? 0)),
    },
  };
}

/** Groups lines by tax, in the order of their first lines. */
function groupsOf(lines: readonly ShownLine[]): TaxGroup[] {
  const byTax = Map.groupBy(lines, ({ tax, taxPercent }) => `${tax} ${rateIn(taxPercent)}`);
  return [...byTax.values()].map((group) => ({
    tax: group[0]?.tax ?? noTax,
    taxPercent: group[0]?.taxPercent ?? null,
    taxable: sum(group.map(({ taxableAmount }) => taxableAmount)),
  }));
}

const isTaxOf = ({ code, percent }: TaxRow, { tax, taxPercent }: TaxGroup): boolean =>
  code === tax && (taxPercent === null || rateIn(percent) === rateIn(taxPercent));

const rateIn = (percent: string | null): bigint | undefined => parseDecimal(percent ?? '0');

/** Returns the share of the amount before tax of a tax row. */
const taxableOf = (row: TaxRow, groups: readonly TaxGroup[], shares: readonly number[]): number =>
  sum(groups.map((group, index) => (isTaxOf(row, group) ? (shares[index] ?? 0) : 0)));

const taxOf = (group: TaxGroup, taxes: readonly TaxRow[]): number =>
  sum(taxes.filter((row) => isTaxOf(row, group)).map((row) => row.amount));

const creditLine = (
  { tax, taxPercent }: TaxGroup,
  taxable: number,
  taxAmount: number,
  description: string,
): ShownLine => ({
  id: null,
  description,
  quantity: '1',
  unit: null,
  unitAmount: taxable,
  discount: null,
  tax,
  taxPercent,
  productCode: null,
  amount: taxable,
  taxableAmount: taxable,
  taxAmount,
});

const sum = (values: readonly number[]): number => values.reduce((one, other) => one + other, 0);
