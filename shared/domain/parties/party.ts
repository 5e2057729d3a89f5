/**
 * Defines what identifies a seller, a buyer or a customer: postal addresses and tax IDs.
 */
import * as v from 'valibot';
import { identifierText, typedText } from '../../base/text.ts';

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

/** A number under which a tax authority knows somebody. */
export interface TaxId {
  /** The country or `eu`, and the kind of the number, such as `in_gst`. */
  readonly type: string;
  readonly value: string;
}

/** The codes of two letters that ISO 3166-1 has assigned. */
export const countryCodes: readonly string[] =
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'.split(
    ' ',
  );

/** Whether a text is the code of a country, in uppercase. */
const isCountry = (text: string): boolean => countryCodes.includes(text);

const countryMessage =
  'address.country must be the code of a country with two uppercase letters (ISO 3166-1), such as BT.';
const addressMessage =
  'address must be an object with at least one of line1, line2, city, state, postalCode and country.';
const maxTaxIds = 10;

const taxIdsMessage = `taxIds must be an array of at most ${maxTaxIds} objects with type and value, without duplicates.`;
const taxIdTypeMessage =
  'The type of a tax ID must be a country or eu, and a kind, such as in_gst, eu_vat or bt_tpn: lowercase letters and digits, with _ between.';

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

/** Tax IDs in a request: at most 10, without duplicates. */
export const newTaxIdsSchema = v.pipe(
  v.array(newTaxIdSchema, taxIdsMessage),
  v.maxLength(maxTaxIds, taxIdsMessage),
  v.check(
    (list) => new Set(list.map(({ type, value }) => `${type} ${value}`)).size === list.length,
    taxIdsMessage,
  ),
);

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

/** Returns an address of a request, with null for what it lacks. */
export const toAddress = ({
  line1 = null,
  line2 = null,
  city = null,
  state = null,
  postalCode = null,
  country = null,
}: v.InferOutput<typeof newAddressSchema>): Address => ({ line1, line2, city, state, postalCode, country });

/** The table does not keep the order of the parts. */
export function showAddress({ line1, line2, city, state, postalCode, country }: Address): Address {
  return { line1, line2, city, state, postalCode, country };
}
