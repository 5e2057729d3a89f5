/** Decides the place of supply of an invoice with the GST of India, and checks what the law wants of such an invoice. Pure. */
import * as v from 'valibot';
import { ApiError } from '../../base/errors.ts';
import { isRecordId } from '../../base/ids.ts';
import {
  type IndianSupply,
  outsideIndia,
  placeCode,
  placeText,
  type SupplyKind,
  supplyKinds,
} from '../charges/indian-supply.ts';
import type { LineInput, ShownLine } from '../charges/line.ts';
import { isIndianTax } from '../charges/tax-codes.ts';
import type { Buyer } from '../parties/buyer.ts';
import { isGstinType } from '../parties/gstin.ts';
import { findIndianState, stateOfGstin } from '../parties/indian-states.ts';
import type { Address } from '../parties/party.ts';

const gstMessage = 'gst must be an object with placeOfSupply, supply and reverseCharge.';
const placeMessage =
  'gst.placeOfSupply must be a state of India: its name, its GST code or its ISO code, such as Karnataka, 29 or KA.';
const supplyMessage = `gst.supply must be one of ${supplyKinds.join(', ')}.`;
const reverseMessage = 'gst.reverseCharge must be true or false.';

/** What an invoice with the GST of India says in a request. */
export const newGstSchema = v.strictObject(
  {
    placeOfSupply: v.nullish(
      v.pipe(
        v.string(placeMessage),
        v.check((text) => placeCode(text) !== undefined, placeMessage),
      ),
    ),
    supply: v.nullish(v.picklist(supplyKinds, supplyMessage)),
    reverseCharge: v.nullish(v.boolean(reverseMessage)),
  },
  gstMessage,
);

export const gstSchema = v.strictObject({
  placeOfSupply: v.string(),
  supply: v.picklist(supplyKinds),
  reverseCharge: v.boolean(),
});

export type NewGst = v.InferOutput<typeof newGstSchema>;

/** What an invoice stores of the GST of India. */
export interface Gst {
  /** The GST code of the state, or `outsideIndia`. */
  readonly place: string;
  /** Whether the client named the place. Otherwise it follows the buyer. */
  readonly isPlaceGiven: boolean;
  readonly supply: SupplyKind;
  readonly isReverseCharge: boolean;
}

/** Returns what the API shows. */
export const showGst = ({ place, supply, isReverseCharge }: Gst): v.InferOutput<typeof gstSchema> => ({
  placeOfSupply: placeText(place),
  supply,
  reverseCharge: isReverseCharge,
});

/** Who sells and who buys, for the taxes. */
export interface TaxParties {
  /** The GST code of the seller's state. Undefined: the seller is not in India, or has no profile. */
  readonly sellerState: string | undefined;
  readonly customerId: string;
  readonly buyer: Buyer | undefined;
  /** The customer of the customers API that a new invoice names. Undefined: there is none, or it is not known here. */
  readonly customer?: Buyer | undefined;
}

/**
 * Returns what decides the GST of an invoice. Undefined: no line has such a tax.
 * @param asked what the request says. Undefined: nothing
 * @param current what the invoice stores, before a change
 * @throws ApiError `invalid_lines` if the state of the seller is not known; `invalid_gst` if a place is missing or does not fit, or
 *   without a line with such a tax; `invalid_buyer` if the state of the buyer is not one of India
 */
export function gstOf(
  lines: readonly LineInput[],
  asked: NewGst | null | undefined,
  parties: TaxParties,
  current?: Gst,
): { readonly gst: Gst; readonly supply: IndianSupply } | undefined {
  const index = lines.findIndex(({ tax }) => isIndianTax(tax));
  if (index < 0) {
    if (asked)
      refuse('gst', 'gst needs a line with a tax of India, such as in_gst_18. Add one, or leave gst out.');
    return undefined;
  }
  const { sellerState } = parties;
  if (sellerState === undefined) {
    const field = `lines.${index}.tax`;
    const message = `The tax ${lines[index]?.tax} needs a seller in India whose state is known. Set seller.address.state and country in the account, then create a new invoice.`;
    throw new ApiError('invalid_lines', { field, message });
  }
  for (const [position, line] of lines.entries()) requireProductCode(line, position);
  const kept = asked === undefined ? current : undefined;
  const supply = asked?.supply ?? kept?.supply ?? 'domestic';
  const isReverseCharge = asked?.reverseCharge ?? kept?.isReverseCharge ?? false;
  const given = placeGiven(asked, current);
  const place = placeFor(supply, given, { ...parties, sellerState }, current?.place);
  return {
    gst: { place, isPlaceGiven: given !== undefined, supply, isReverseCharge },
    supply: { sellerState, placeOfSupply: place, kind: supply, isReverseCharge },
  };
}

/** A place that is sent back as it was shown stays derived. */
function placeGiven(asked: NewGst | null | undefined, current: Gst | undefined): string | undefined {
  const kept = current?.isPlaceGiven ? current.place : undefined;
  if (asked === undefined) return kept;
  if (asked?.placeOfSupply == null) return undefined;
  const code = placeCode(asked.placeOfSupply);
  return code === current?.place ? kept : code;
}

function placeFor(
  supply: SupplyKind,
  given: string | undefined,
  parties: TaxParties & { readonly sellerState: string },
  before: string | undefined,
): string {
  const isExport = supply === 'export' || supply === 'export_lut';
  if (isExport && given !== undefined && given !== outsideIndia)
    refuse('gst.placeOfSupply', 'The place of supply of an export is outside India. Leave it out.');
  if (isExport) return outsideIndia;
  if (given === outsideIndia)
    refuse('gst.supply', 'For a place of supply outside India, set gst.supply to export or export_lut.');
  return given ?? placeOfBuyer(parties, before);
}

/** @param before the place of the invoice before a change, which knows no customer */
function placeOfBuyer(
  { customerId, buyer: own, customer, sellerState }: TaxParties & { readonly sellerState: string },
  before: string | undefined,
): string {
  const isCustomer = isRecordId('customer', customerId);
  const buyer = isCustomer ? customer : own;
  if (isCustomer && !customer && before !== undefined && before !== outsideIndia) return before;
  if (isCustomer && !customer)
    refuse(
      'gst.placeOfSupply',
      'gst.placeOfSupply is required, because the customer does not exist or is not read for this change. Add it, such as "placeOfSupply": "Karnataka".',
    );
  const registered = stateOfGstin(gstinOf(buyer) ?? '');
  if (registered) return registered.gstCode;
  const part = buyer?.deliveryAddress ? 'deliveryAddress' : 'address';
  const { country = null, state = null } = buyer?.[part] ?? {};
  if (country !== null && country !== 'IN')
    refuse(
      'gst.supply',
      'The buyer is outside India. Set gst.supply to export or export_lut, or gst.placeOfSupply to a state.',
    );
  if (state === null) return sellerState;
  const found = findIndianState(state);
  if (found) return found.gstCode;
  const names =
    'must be a state of India: its name, its GST code or its ISO code, such as Karnataka, 29 or KA.';
  if (!isCustomer)
    throw new ApiError('invalid_buyer', {
      field: `buyer.${part}.state`,
      message: `buyer.${part}.state ${names}`,
    });
  const message = `The state in the address of the customer ${names} Correct the customer, or send gst.placeOfSupply.`;
  throw new ApiError('invalid_customer', { field: 'customerId', message });
}

const gstinOf = (buyer: Buyer | undefined): string | undefined =>
  buyer?.taxIds.find(({ type }) => isGstinType(type))?.value;

/**
 * HSN codes on invoices have 4, 6 or 8 digits (notification 78/2020 of the CBIC), and codes of services, which begin with 99, have 4 or
 * 6.
 */
function requireProductCode({ tax, productCode }: LineInput, position: number): void {
  if (productCode === null || !isIndianTax(tax)) return;
  const lengths = productCode.startsWith('99') ? [4, 6] : [4, 6, 8];
  if (lengths.includes(productCode.length)) return;
  const field = `lines.${position}.productCode`;
  const message = `An HSN code has 4, 6 or 8 digits, and a SAC code, which begins with 99, 4 or 6. ${productCode} has ${productCode.length}.`;
  throw new ApiError('invalid_lines', { field, message });
}

/** Fifty thousand rupees, in paisa. */
const valueWithAddress = 5_000_000;

/**
 * Checks that an invoice of 50,000 rupees or more to a buyer without a GSTIN has the address with the state, and that of the delivery if
 * it is another one: CGST Rule 46(e). Of a customer of the customers API, only a new invoice knows the address.
 * @param lines the computed lines. Taxable is what has another tax than `in_gst_0`
 * @throws ApiError `invalid_buyer` or `invalid_customer`
 */
export function requireAddress(
  lines: readonly ShownLine[],
  { supply }: Gst,
  { customerId, buyer: own, customer }: TaxParties,
): void {
  const taxed = lines.filter(({ tax }) => isIndianTax(tax) && tax !== 'in_gst_0');
  const value = taxed.reduce((sum, { taxableAmount }) => sum + taxableAmount, 0);
  const isCustomer = isRecordId('customer', customerId);
  const buyer = isCustomer ? customer : own;
  if (value < valueWithAddress || (isCustomer && !customer) || gstinOf(buyer) !== undefined) return;
  const { address = null, deliveryAddress = null } = buyer ?? {};
  const isWhole = (checked: Address | null) =>
    checked !== null &&
    checked.line1 !== null &&
    (supply === 'domestic' ? checked.state : checked.country) !== null;
  const parts = 'line1, state and country';
  if (!isWhole(address) && isCustomer) {
    const message = `For 50,000 rupees or more, a customer without a GSTIN must have an address. Add an address with ${parts} to the customer.`;
    throw new ApiError('invalid_customer', { field: 'customerId', message });
  }
  const missing = !isWhole(address)
    ? 'address'
    : deliveryAddress !== null && !isWhole(deliveryAddress)
      ? 'deliveryAddress'
      : undefined;
  if (missing === undefined) return;
  const message = `For 50,000 rupees or more, the invoice must have the address of a buyer without a GSTIN. Add buyer.${missing} with ${parts}.`;
  throw new ApiError('invalid_buyer', { field: `buyer.${missing}`, message });
}

function refuse(field: string, message: string): never {
  throw new ApiError('invalid_gst', { field, message });
}
