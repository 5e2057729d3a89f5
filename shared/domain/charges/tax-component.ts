/** Defines the parts of a tax, such as CGST and SGST. */
import { parseDecimal } from '../../base/decimal.ts';

/** A part of a tax that documents show on its own. */
export interface TaxComponent {
  readonly name: string;
  /** In percent, as a decimal number. */
  readonly percent: string;
  /** The buyer pays it to the state, so none is charged. */
  readonly isPaidByBuyer?: true;
}

/** Returns the rate that is charged, in millionths of a percent. */
export const rateOf = ({ percent, isPaidByBuyer }: TaxComponent): bigint =>
  isPaidByBuyer ? 0n : (parseDecimal(percent) ?? 0n);
