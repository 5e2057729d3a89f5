/**
 * Decides which parts the GST of India has on a supply, and where the supply is made. Pure.
 *
 * Sources:
 * - IGST Act 2017, sections 7 and 8: a supply within a state has central and state tax, and any other has integrated tax. Exports and
 *   supplies to special economic zones are always between states, and zero-rated (section 16).
 * - IGST Act 2017, sections 10 and 12: the place of supply of a registered buyer is that of the registration. For other buyers it is
 *   where the goods are delivered (circular 209/3/2024-GST), that of their address, or of the seller if no address is known.
 * - UTGST Act 2017, section 2(8), with the amendments of 2019 and 2020: the union territories without a legislature have union
 *   territory tax. Delhi, Puducherry, and Jammu and Kashmir have a legislature, so CGST Act 2017, section 2(103), counts them as states.
 * - CGST Rule 46: an invoice of an export or to a special economic zone carries one of two endorsements.
 */
import { formatDecimal, parseDecimal } from '../../base/decimal.ts';
import { findIndianState } from '../parties/indian-states.ts';
import type { TaxComponent } from './tax-component.ts';

/** With `_lut`, no tax is charged, under a bond or a letter of undertaking. */
export const supplyKinds = ['domestic', 'export', 'export_lut', 'sez', 'sez_lut'] as const;
export type SupplyKind = (typeof supplyKinds)[number];

/** What decides the GST of India on an invoice. */
export interface IndianSupply {
  /** The GST code of the seller's state. */
  readonly sellerState: string;
  /** The GST code of the state, or `outsideIndia`. */
  readonly placeOfSupply: string;
  readonly kind: SupplyKind;
  /** Whether the buyer pays the tax to the state. Then none is charged. */
  readonly isReverseCharge: boolean;
}

/** The code that the returns of the GST system have for places outside India. */
export const outsideIndia = '96';

const unionTerritories: ReadonlySet<string> = new Set([
  'Andaman and Nicobar Islands',
  'Chandigarh',
  'Dadra and Nagar Haveli and Daman and Diu',
  'Ladakh',
  'Lakshadweep',
]);

/** Returns the parts of a tax of India. @param percent the rate of the integrated tax, a decimal number with at most 5 places */
export function indianComponents(percent: string, supply: IndianSupply): readonly TaxComponent[] {
  const { kind, placeOfSupply, sellerState, isReverseCharge } = supply;
  const buyerPays = isReverseCharge && { isPaidByBuyer: true as const };
  if (kind === 'export_lut' || kind === 'sez_lut') return [{ name: 'IGST', percent: '0' }];
  if (kind !== 'domestic' || placeOfSupply !== sellerState) return [{ name: 'IGST', percent, ...buyerPays }];
  const half = formatDecimal((parseDecimal(percent) ?? 0n) / 2n);
  const state = findIndianState(sellerState)?.name ?? '';
  const name = unionTerritories.has(state) ? 'UTGST' : 'SGST';
  return [
    { name: 'CGST', percent: half, ...buyerPays },
    { name, percent: half, ...buyerPays },
  ];
}

/** Returns the place of supply as documents show it: `Karnataka (29)`. */
export function placeText(code: string): string {
  return code === outsideIndia ? `Outside India (${code})` : `${findIndianState(code)?.name ?? ''} (${code})`;
}

/** Returns the code of a place: the name or a code of a state, or what `placeText` returns. Undefined: there is no such state. */
export function placeCode(text: string): string | undefined {
  const code = /\((\d\d)\)$/.exec(text.trim())?.[1] ?? text.trim();
  return code === outsideIndia ? code : findIndianState(code)?.gstCode;
}

/** Returns the endorsement that CGST Rule 46 wants on the invoice. The words are those of the rule. Null: none. */
export function endorsementOf(kind: SupplyKind): string | null {
  if (kind === 'domestic') return null;
  const purpose = 'SUPPLY MEANT FOR EXPORT/SUPPLY TO SEZ UNIT OR SEZ DEVELOPER FOR AUTHORISED OPERATIONS';
  return kind === 'export' || kind === 'sez'
    ? `${purpose} ON PAYMENT OF INTEGRATED TAX`
    : `${purpose} UNDER BOND OR LETTER OF UNDERTAKING WITHOUT PAYMENT OF INTEGRATED TAX`;
}
