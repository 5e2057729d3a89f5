/** Describes how the seller profile of an account is stored. */
import type { Item } from '../../store/records.ts';
import {
  arrayOf,
  defineItem,
  type Field,
  nullable,
  objectOf,
  oneOf,
  positive,
  text,
} from '../../store/stored-fields.ts';
import type { Address, TaxId } from '../parties/party.ts';
import type { Seller, Series } from './seller.ts';

const nullableText = nullable(text);

/** How a postal address is stored. */
const storedAddress: Field<Address> = objectOf<Address>({
  line1: nullableText,
  line2: nullableText,
  city: nullableText,
  state: nullableText,
  postalCode: nullableText,
  country: nullableText,
});
const series = objectOf<Series>({ prefix: text, digits: positive, restart: oneOf('never', 'yearly') });

/** Returns the seller profile that an item stores. @throws MalformedItemError */
export const toSeller: (item: Item) => Seller = defineItem<Seller>(({ pk }) => `the seller of ${pk}`, {
  legalName: text,
  address: storedAddress,
  taxIds: arrayOf(objectOf<TaxId>({ type: text, value: text })),
  timeZone: text,
  fiscalYearStart: positive,
  series: objectOf<Seller['series']>({ invoice: series, creditNote: series }),
  terms: nullableText,
  footer: nullableText,
  signatory: nullableText,
  color: nullableText,
});
