/**
 * Defines the buyer that an invoice itself carries, without a customer of the customers API.
 *
 * The customer ID of such an invoice is the email address of the buyer, or an ID of the client's own. So lists and erasures find the
 * invoice by it, and no second address leads to it.
 */
import * as v from 'valibot';
import { isEmail, maxEmailLength } from '../../base/email.ts';
import { ApiError } from '../../base/errors.ts';
import { isRecordId } from '../../base/ids.ts';
import { refuseHiddenCharacters, typedText } from '../../base/text.ts';
import { checkGstin, isGstinType } from './gstin.ts';
import { findIndianState, stateOfGstin } from './indian-states.ts';
import {
  type Address,
  addressSchema,
  newAddressSchema,
  newTaxIdsSchema,
  showAddress,
  type TaxId,
  taxIdSchema,
  toAddress,
} from './party.ts';

/** Who buys. */
export interface Buyer {
  readonly name: string;
  readonly email: string | null;
  readonly address: Address | null;
  /** Where the goods go. Null: to the address. */
  readonly deliveryAddress: Address | null;
  readonly taxIds: readonly TaxId[];
}

const buyerMessage = 'buyer must be an object with name, email, address, deliveryAddress and taxIds.';
const emailMessage = `buyer.email must be an email address of at most ${maxEmailLength} characters, such as dorji@example.bt.`;

/** A buyer in a request. */
export const newBuyerSchema = v.strictObject(
  {
    name: v.pipe(typedText('buyer.name', 200), refuseHiddenCharacters('buyer.name', 'line')),
    email: v.nullish(v.pipe(v.string(emailMessage), v.check(isEmail, emailMessage))),
    address: v.nullish(newAddressSchema),
    deliveryAddress: v.nullish(newAddressSchema),
    taxIds: v.nullish(newTaxIdsSchema),
  },
  buyerMessage,
);

/** A buyer in responses. It always has all fields. */
export const buyerSchema = v.strictObject({
  name: v.string(),
  email: v.nullable(v.string()),
  address: v.nullable(addressSchema),
  deliveryAddress: v.nullable(addressSchema),
  taxIds: v.array(taxIdSchema),
});

type NewBuyer = v.InferOutput<typeof newBuyerSchema>;

/**
 * Returns the customer ID of a new invoice: the one that is sent, or the email address of its buyer.
 * @throws ApiError `invalid_customer` if there is neither
 */
export function customerIdWith(customerId: string | undefined, buyer: NewBuyer | null | undefined): string {
  const id = customerId ?? buyer?.email;
  if (id != null) return id;
  const message = 'customerId is required if the buyer has no email. Add customerId or buyer.email.';
  throw new ApiError('invalid_customer', { field: 'customerId', message });
}

/**
 * Returns the buyer of an invoice with null for what it lacks, with a GSTIN in the form in which documents show it.
 * @param customerId that of the invoice
 * @throws ApiError `invalid_buyer` if the invoice names a customer of the customers API, if the email address is not that of the
 *   invoice, or if a GSTIN is not valid or of another state than the address
 */
export function toBuyer(buyer: NewBuyer, customerId: string): Buyer {
  const { name, email = null, address } = buyer;
  if (isRecordId('customer', customerId))
    refuse('buyer', 'An invoice has either a customer of yours (cust_…) or a buyer. Leave one of them out.');
  if (email !== null && email.toLowerCase() !== customerId.toLowerCase())
    refuse(
      'buyer.email',
      `buyer.email must be the customerId of the invoice, which is ${customerId}. Leave one of them out, or send the same address.`,
    );
  const taxIds = (buyer.taxIds ?? []).map((taxId, index) => checkedTaxId(taxId, index, address?.country));
  const shown = {
    name,
    email,
    address: address ? toAddress(address) : null,
    deliveryAddress: buyer.deliveryAddress ? toAddress(buyer.deliveryAddress) : null,
    taxIds,
  };
  requireStateOfGstin(shown);
  return shown;
}

/** Returns a stored buyer. The table does not keep the order of the fields. */
export function showBuyer({
  name,
  email,
  address,
  deliveryAddress,
  taxIds,
}: Buyer): v.InferOutput<typeof buyerSchema> {
  return {
    name,
    email,
    address: address && showAddress(address),
    deliveryAddress: deliveryAddress && showAddress(deliveryAddress),
    taxIds: taxIds.map(({ type, value }) => ({ type, value })),
  };
}

function checkedTaxId({ type, value }: TaxId, index: number, country: string | null | undefined): TaxId {
  if (!isGstinType(type)) return { type, value };
  const field = `buyer.taxIds.${index}.value`;
  const checked = checkGstin(value);
  if (checked.problem !== undefined) return refuse(field, checked.problem);
  if (country != null && country !== 'IN')
    refuse(field, 'A GSTIN needs an address in India. Correct buyer.address.country, or remove the GSTIN.');
  return { type, value: checked.value };
}

function requireStateOfGstin({ address, taxIds }: Buyer): void {
  const index = taxIds.findIndex(({ type }) => isGstinType(type));
  const ofGstin = stateOfGstin(taxIds[index]?.value ?? '');
  const state = findIndianState(address?.state ?? '');
  if (!ofGstin || !state || state === ofGstin) return;
  refuse(
    `buyer.taxIds.${index}.value`,
    `The GSTIN begins with ${ofGstin.gstCode}, the code of ${ofGstin.name}, but the address is in ${state.name} (${state.gstCode}). Correct one of them.`,
  );
}

function refuse(field: string, message: string): never {
  throw new ApiError('invalid_buyer', { field, message });
}
