/**
 * Defines the customer: its fields, and the schemas of the requests and responses of its endpoints. An invoice names a
 * customer by any id or e-mail address, and never needs a customer that exists here.
 */
import * as v from 'valibot';
import { isEmail, maxEmailLength } from '../../base/email.ts';
import { idPatternOf } from '../../base/ids.ts';
import {
  type mergeMetadata,
  metadataUpdateSchema,
  newMetadataSchema,
  showMetadata,
  shownMetadataSchema,
} from '../../base/metadata.ts';
import { paginationQuery } from '../../base/pagination.ts';
import { identifierText, typedText } from '../../base/text.ts';
import { type Instant, timestampSchema, toTimestamp } from '../../base/time.ts';
import type { NumberedRecord } from '../../store/records.ts';

/** A postal address. Parts that are not set are null. */
export interface Address {
  readonly line1: string | null;
  readonly line2: string | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly postalCode: string | null;
  /** The code of the country in ISO 3166-1, two uppercase letters. */
  readonly country: string | null;
}

/** A number under which a tax authority knows the customer. */
export interface TaxId {
  /** The country or `eu`, and the kind of the number, such as `in_gst`. */
  readonly type: string;
  readonly value: string;
}

/** The customer as the service stores it. A deleted customer has only its ids, its version and its times. */
export interface Customer extends NumberedRecord<'customer'> {
  readonly name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly address: Address | null;
  readonly taxIds: readonly TaxId[];
  /** The id of the customer in the client's own system. Several customers can have the same. */
  readonly reference: string | null;
  /** The stored form of metadata. */
  readonly metadata: ReturnType<typeof mergeMetadata>;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly deletedAt: Instant | undefined;
}

const maxTaxIds = 10;

const emailMessage = `email must be an email address of at most ${maxEmailLength} characters, such as dorji@example.bt.`;
const emailFilterMessage = 'email must be sent only once and must not be empty.';
const phoneMessage =
  'phone must be a phone number with 3 to 15 digits, at most 32 characters long. Besides digits, it can have spaces and + - . ( ) /.';
/** The codes of two letters that ISO 3166-1 has assigned. */
const countryCodes =
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW';

/** Whether a text is the code of a country, in uppercase. */
const isCountry = (text: string): boolean => /^[A-Z]{2}$/.test(text) && countryCodes.includes(text);

const countryMessage =
  'address.country must be the code of a country with two uppercase letters (ISO 3166-1), such as BT.';
const addressMessage =
  'address must be an object with at least one of line1, line2, city, state, postalCode and country.';
const taxIdsMessage = `taxIds must be an array of at most ${maxTaxIds} objects with type and value, without duplicates.`;
const taxIdTypeMessage =
  'The type of a tax ID must be a country or eu, and a kind, such as in_gst, eu_vat or bt_tpn: lowercase letters and digits, with _ between.';

const email = v.pipe(v.string(emailMessage), v.check(isEmail, emailMessage));

const phone = v.pipe(
  v.string(phoneMessage),
  v.check((value) => value.length <= 32 && /^[\d+(][\d +().\-/]*$/.test(value), phoneMessage),
  v.check((value) => /^\d{3,15}$/.test(value.replace(/\D/g, '')), phoneMessage),
);

/** An address in a request. It replaces the former address as a whole. */
export const newAddressSchema = v.pipe(
  v.strictObject(
    {
      line1: v.nullish(typedText('address.line1', 200)),
      line2: v.nullish(typedText('address.line2', 200)),
      city: v.nullish(typedText('address.city', 100)),
      state: v.nullish(typedText('address.state', 100)),
      postalCode: v.nullish(typedText('address.postalCode', 20)),
      country: v.nullish(v.pipe(v.string(countryMessage), v.check(isCountry, countryMessage))),
    },
    addressMessage,
  ),
  v.check((address) => Object.values(address).some((part) => typeof part === 'string'), addressMessage),
);

export const newTaxIdSchema = v.strictObject(
  {
    type: v.pipe(
      v.string(taxIdTypeMessage),
      v.check((type) => {
        const [, place = ''] = /^([a-z]{2})_[a-z0-9]{2,20}$/.exec(type) ?? [];
        return place === 'eu' || isCountry(place.toUpperCase());
      }, taxIdTypeMessage),
    ),
    value: identifierText('The value of a tax ID', 50),
  },
  taxIdsMessage,
);

const taxIds = v.pipe(
  v.array(newTaxIdSchema, taxIdsMessage),
  v.maxLength(maxTaxIds, taxIdsMessage),
  v.check(
    (list) => new Set(list.map(({ type, value }) => `${type} ${value}`)).size === list.length,
    taxIdsMessage,
  ),
);

const fields = {
  name: v.nullish(typedText('name', 200)),
  email: v.nullish(email),
  phone: v.nullish(phone),
  address: v.nullish(newAddressSchema),
  taxIds: v.nullish(taxIds),
  reference: v.nullish(identifierText('reference', 128)),
};

/** A field that is null counts as absent. `createCustomer` requires a name or an e-mail address. */
export const createCustomerBody = /* @__PURE__ */ v.strictObject({
  ...fields,
  metadata: v.nullish(newMetadataSchema),
});

/**
 * Absent fields do not change. Null removes a field. A client can send back a customer that it received: `updateCustomer`
 * compares the read-only fields.
 */
export const updateCustomerBody = /* @__PURE__ */ v.strictObject({
  id: v.optional(v.unknown()),
  ...fields,
  createdAt: v.optional(v.unknown()),
  updatedAt: v.optional(v.unknown()),
  metadata: v.nullish(metadataUpdateSchema),
});

/**
 * An impossible `email` is not an error: it matches no customer. A space is read as `+`, because a query turns an
 * unescaped `+` into a space.
 */
export const listCustomersQuery = /* @__PURE__ */ v.strictObject({
  ...paginationQuery,
  email: v.optional(
    v.pipe(
      v.string(emailFilterMessage),
      v.nonEmpty(emailFilterMessage),
      v.transform((value) => value.replaceAll(' ', '+')),
    ),
  ),
});

export type CreateCustomer = v.InferOutput<typeof createCustomerBody>;
export type UpdateCustomer = v.InferOutput<typeof updateCustomerBody>;

const customerId = v.pipe(v.string(), v.regex(idPatternOf('customer')));
const shownText = v.nullable(v.string());

/** An address in responses. It always has all parts. */
export const addressSchema = v.strictObject({
  line1: shownText,
  line2: shownText,
  city: shownText,
  state: shownText,
  postalCode: shownText,
  country: shownText,
});

/** A tax ID in responses. */
export const taxIdSchema = v.strictObject({ type: v.string(), value: v.string() });

/** The customer in responses. It always has all of these fields. */
export const customerSchema = v.strictObject({
  id: customerId,
  name: shownText,
  email: shownText,
  phone: shownText,
  address: v.nullable(addressSchema),
  taxIds: v.array(taxIdSchema),
  reference: shownText,
  metadata: shownMetadataSchema,
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});

export const customerDeletionSchema = v.strictObject({ id: customerId, deletedAt: timestampSchema });

export type ShownCustomer = v.InferOutput<typeof customerSchema>;
export type CustomerDeletion = v.InferOutput<typeof customerDeletionSchema>;

/** The table does not keep the order of the parts. */
function showAddress({ line1, line2, city, state, postalCode, country }: Address): Address {
  return { line1, line2, city, state, postalCode, country };
}

/** Returns the customer as the API shows it. */
export function showCustomer(customer: Customer): ShownCustomer {
  const { id, name, email: address, phone: number, reference } = customer;
  return {
    id,
    name,
    email: address,
    phone: number,
    address: customer.address && showAddress(customer.address),
    taxIds: customer.taxIds.map(({ type, value }) => ({ type, value })),
    reference,
    metadata: showMetadata(customer.metadata),
    createdAt: toTimestamp(customer.createdAt),
    updatedAt: toTimestamp(customer.updatedAt),
  };
}
