/**
 * Lists the tax codes that the lines of an invoice can have, with their rates and the dates from which they hold. Rates are data: a
 * new rate is another entry, and issued invoices keep theirs.
 *
 * Sources:
 * - Bhutan: Goods and Services Tax Act of Bhutan 2020 and its amendment of 2025: 5 % from 2026-01-01, exports zero-rated.
 *   https://www.mof.gov.bt, https://businessbhutan.bt
 * - United States: sales taxes are those of states, counties and cities, so an invoice says the rate.
 */
import { parseDecimal } from '../../base/decimal.ts';

/** A part of a tax that documents show on its own. */
export interface TaxComponent {
  readonly name: string;
  /** In percent, as a decimal number. */
  readonly percent: string;
}

interface TaxRate {
  /** The first day on which the rate holds: `YYYY-MM-DD`. */
  readonly from: string;
  readonly components: readonly TaxComponent[];
}

interface TaxCode {
  /** The rates, the oldest first. Without rates, the line says the rate. */
  readonly rates?: readonly TaxRate[];
  /** What documents call a tax whose rate the line says. */
  readonly name?: string;
}

const since = (from: string, name: string, percent: string): TaxCode => ({
  rates: [{ from, components: [{ name, percent }] }],
});

const taxCodes = {
  none: { rates: [{ from: '0000-01-01', components: [] }] },
  bt_gst_5: since('2026-01-01', 'GST', '5'),
  bt_zero: since('2026-01-01', 'GST zero-rated', '0'),
  bt_exempt: since('2026-01-01', 'GST exempt', '0'),
  us_sales: { name: 'Sales tax' },
} as const satisfies Readonly<Record<string, TaxCode>>;

export type TaxCodeName = keyof typeof taxCodes;

export const taxCodeNames = Object.keys(taxCodes) as readonly TaxCodeName[];

/** The tax of a line that names none. */
export const noTax: TaxCodeName = 'none';

/** Whether the line itself says the rate of a tax code. */
export const hasOwnRate = (code: TaxCodeName): boolean => !('rates' in taxCodes[code]);

/**
 * Returns the parts of a tax on a day.
 * @param percent the rate that the line says. Used only for a code whose rate a line says.
 * @param day `YYYY-MM-DD`
 * @returns undefined if the tax does not exist on that day
 */
export function componentsOf(
  code: TaxCodeName,
  percent: string | undefined,
  day: string,
): readonly TaxComponent[] | undefined {
  const { rates, name = code }: TaxCode = taxCodes[code];
  if (rates) return rates.findLast(({ from }) => from <= day)?.components;
  return [{ name, percent: percent ?? '0' }];
}

/** Returns a rate in millionths of a percent. */
export const rateOf = ({ percent }: TaxComponent): bigint => parseDecimal(percent) ?? 0n;

/** The first day on which a tax exists: `YYYY-MM-DD`. */
export function firstDayOf(code: TaxCodeName): string | undefined {
  const { rates }: TaxCode = taxCodes[code];
  return rates?.[0]?.from;
}
