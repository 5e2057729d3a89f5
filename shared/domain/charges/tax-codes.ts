/**
 * Lists the tax codes that the lines of an invoice can have, with their rates and the dates from which they hold. Rates are data: a
 * new rate is another entry, and issued invoices keep theirs.
 *
 * Sources:
 * - Bhutan: Goods and Services Tax Act of Bhutan 2020 and its amendment of 2025: 5 % from 2026-01-01, exports zero-rated.
 *   https://www.mof.gov.bt, https://businessbhutan.bt
 * - India: the rates of notification 9/2025-Central Tax (Rate) of 2025-09-17, in force from 2025-09-22, doubled to those of the
 *   integrated tax. Its schedule of 14 % (tobacco) is left out, because later notifications replace it. Before that day, the rates 5 %
 *   and 18 % are those of notification 1/2017. A tax has parts by the place of supply: see `indian-supply.ts`.
 *   https://taxinformation.cbic.gov.in
 * - United States: sales taxes are those of states, counties and cities, so an invoice says the rate.
 */
import { type IndianSupply, indianComponents } from './indian-supply.ts';
import type { TaxComponent } from './tax-component.ts';

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
  /** The rates are those of the integrated tax of India. */
  readonly isIndian?: true;
}

const since = (from: string, name: string, percent: string): TaxCode => ({
  rates: [{ from, components: [{ name, percent }] }],
});

const indianSince = (from: string, percent: string) => ({
  ...since(from, 'IGST', percent),
  isIndian: true as const,
});
const gstBegan = '2017-07-01';
const newRates = '2025-09-22';

const taxCodes = {
  none: { rates: [{ from: '0000-01-01', components: [] }] },
  bt_gst_5: since('2026-01-01', 'GST', '5'),
  bt_zero: since('2026-01-01', 'GST zero-rated', '0'),
  bt_exempt: since('2026-01-01', 'GST exempt', '0'),
  in_gst_0: indianSince(gstBegan, '0'),
  in_gst_0_25: indianSince(newRates, '0.25'),
  in_gst_1_5: indianSince(newRates, '1.5'),
  in_gst_3: indianSince(newRates, '3'),
  in_gst_5: indianSince(gstBegan, '5'),
  in_gst_18: indianSince(gstBegan, '18'),
  in_gst_40: indianSince(newRates, '40'),
  us_sales: { name: 'Sales tax' },
} as const satisfies Readonly<Record<string, TaxCode>>;

export type TaxCodeName = keyof typeof taxCodes;

export const taxCodeNames = Object.keys(taxCodes) as readonly TaxCodeName[];

/** The tax of a line that names none. */
export const noTax: TaxCodeName = 'none';

/** Whether the line itself says the rate of a tax code. */
export const hasOwnRate = (code: TaxCodeName): boolean => !('rates' in taxCodes[code]);

/** Whether a tax is the GST of India, whose parts depend on the place of supply. */
export const isIndianTax = (code: TaxCodeName): boolean => 'isIndian' in taxCodes[code];

/**
 * Returns the parts of a tax on a day.
 * @param percent the rate that the line says. Used only for a code whose rate a line says.
 * @param day `YYYY-MM-DD`
 * @param supply what decides the parts of a tax of India
 * @returns undefined if the tax does not exist on that day
 */
export function componentsOf(
  code: TaxCodeName,
  percent: string | undefined,
  day: string,
  supply?: IndianSupply,
): readonly TaxComponent[] | undefined {
  const { rates, name = code }: TaxCode = taxCodes[code];
  const components = rates?.findLast(({ from }) => from <= day)?.components;
  if (supply && isIndianTax(code))
    return components?.flatMap((component) => indianComponents(component.percent, supply));
  if (rates) return components;
  return [{ name, percent: percent ?? '0' }];
}

/** The first day on which a tax exists: `YYYY-MM-DD`. */
export function firstDayOf(code: TaxCodeName): string | undefined {
  const { rates }: TaxCode = taxCodes[code];
  return rates?.[0]?.from;
}
