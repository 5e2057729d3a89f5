/** Says how addresses and tax IDs are stored. */
import { arrayOf, type Field, nullable, objectOf, text } from '../../store/stored-fields.ts';
import type { Buyer } from './buyer.ts';
import type { Address, TaxId } from './party.ts';

const nullableText = nullable(text);

export const storedAddress: Field<Address> = objectOf<Address>({
  line1: nullableText,
  line2: nullableText,
  city: nullableText,
  state: nullableText,
  postalCode: nullableText,
  country: nullableText,
});

export const storedTaxIds: Field<readonly TaxId[]> = arrayOf(objectOf<TaxId>({ type: text, value: text }));

export const storedBuyer: Field<Buyer> = objectOf<Buyer>({
  name: text,
  email: nullableText,
  address: nullable(storedAddress),
  deliveryAddress: nullable(storedAddress),
  taxIds: storedTaxIds,
});
