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
import * as v from 'valibot';
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

/** A code that every account has. */
export type BuiltInTax = keyof typeof taxCodes;

/** A code that an account has defined: see `own-taxes.ts`. The line has its name and its rate. */
export type OwnTaxCode = `own_${string}`;

export type TaxCodeName = BuiltInTax | OwnTaxCode;

export const taxCodeNames = Object.keys(taxCodes) as readonly BuiltInTax[];

export const ownTaxPattern = /^own_[a-z0-9_]{1,30}$/;

/** Whether a code is one that an account has defined. */
export const isOwnTax = (code: string): code is OwnTaxCode => code.startsWith('own_');

/** The tax of a line that names none. */
export const noTax: BuiltInTax = 'none';

/** A code that no schema accepts has no rates either: a check can run after another one has failed. */
const builtIn = (code: TaxCodeName): TaxCode =>
  isOwnTax(code) || !Object.hasOwn(taxCodes, code) ? {} : taxCodes[code];

/** Whether the line itself says the rate of a tax code. */
export const hasOwnRate = (code: TaxCodeName): boolean =>
  Object.hasOwn(taxCodes, code) && builtIn(code).rates === undefined;

/** Whether a tax is the GST of India, whose parts depend on the place of supply. */
export const isIndianTax = (code: TaxCodeName): boolean => 'isIndian' in builtIn(code);

const taxPattern = new RegExp(`^(${taxCodeNames.join('|')}|own_[a-z0-9_]{1,30})$`);

/** Returns the schema of a tax code. An enumeration would exclude the codes of accounts. */
export function taxCodeSchema(message?: string): v.GenericSchema<TaxCodeName> {
  return v.pipe(
    v.string(message),
    v.regex(taxPattern, message),
  ) as v.GenericSchema<unknown> as v.GenericSchema<TaxCodeName>;
}

/** What a message says of the codes that a field accepts. */
export const acceptedTaxes = `one of ${taxCodeNames.join(', ')}, or a tax of your account such as own_hotel`;

/**
 * Returns the parts of a tax on a day.
 * @param line the rate that the line says, and the name if the code is one of an account. Used only for a code whose rate a line says.
 * @param day `YYYY-MM-DD`
 * @param supply what decides the parts of a tax of India
 * @returns undefined if the tax does not exist on that day
 */
export function componentsOf(
  code: TaxCodeName,
  line: { readonly taxPercent: string | null; readonly taxName?: string | undefined },
  day: string,
  supply?: IndianSupply,
): readonly TaxComponent[] | undefined {
  const { rates, name = line.taxName ?? code } = builtIn(code);
  const components = rates?.findLast(({ from }) => from <= day)?.components;
  if (supply && isIndianTax(code))
    return components?.flatMap((component) => indianComponents(component.percent, supply));
  if (rates) return components;
  if (line.taxPercent === null) return undefined;
  return [{ name, percent: line.taxPercent }];
}

/** The first day on which a tax exists: `YYYY-MM-DD`. */
export function firstDayOf(code: TaxCodeName): string | undefined {
  const { rates } = builtIn(code);
  return rates?.[0]?.from;
}
