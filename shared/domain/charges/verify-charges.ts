/**
 * Checks that the stored charges of a document add up. Pure.
 *
 * - An invoice is computed again from its lines by the function that computed it. The rates are those of its own tax rows, so rates that
 *   have changed since do not matter.
 * - A credit note or a receipt is a share of an invoice, so only its sums are checked.
 */
import { parseDecimal } from '../../base/decimal.ts';
import { ApiError } from '../../base/errors.ts';
import { computeWith } from './compute.ts';
import type { Charges, LineInput, TaxRow } from './line.ts';
import { isIndianTax } from './tax-codes.ts';

/**
 * Whether what an invoice comes to is what its lines come to.
 * @param isReverseCharge the buyer pays the taxes of India to the state, so none is charged
 */
export function isComputed(charges: Charges, isReverseCharge: boolean): boolean {
  try {
    const again = computeWith(charges, (line) =>
      partsIn(charges.taxes, line).map((part) =>
        isReverseCharge && isIndianTax(part.code) ? { ...part, isPaidByBuyer: true } : part,
      ),
    );
    return JSON.stringify(amountsOf(again)) === JSON.stringify(amountsOf(charges));
  } catch (error) {
    // The sum is larger than an invoice can have, or a discount larger than its line.
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Whether the lines and the taxes of a share add up to its totals, and the totals to its amount. */
export function isSum({ lines, taxes, totals, amount }: Charges): boolean {
  const { taxable, tax, rounding } = totals;
  return (
    sum(lines.map(({ taxableAmount }) => taxableAmount)) === taxable &&
    sum(taxes.map((row) => row.amount)) === tax &&
    taxable + tax + rounding === amount
  );
}

/** Returns the rows of the tax of a line. The rate of a row is that of the line, if the line says one. */
const partsIn = (taxes: readonly TaxRow[], { tax, taxPercent }: LineInput): readonly TaxRow[] =>
  taxes.filter(
    ({ code, percent }) =>
      code === tax && (taxPercent === null || parseDecimal(percent) === parseDecimal(taxPercent)),
  );

/** Returns all computed amounts, in a fixed order. */
const amountsOf = ({ lines, taxes, totals, amount }: Charges): readonly unknown[] => [
  lines.map((line) => [line.amount, line.taxableAmount, line.taxAmount]),
  taxes.map((row) => [row.taxable, row.amount]),
  [totals.subtotal, totals.discount, totals.taxable, totals.tax, totals.rounding],
  amount,
];

const sum = (values: readonly number[]): number => values.reduce((one, other) => one + other, 0);
