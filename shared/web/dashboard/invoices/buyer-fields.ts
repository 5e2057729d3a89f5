/** Renders and reads the buyer that an invoice itself carries, in the forms of invoices. */
import { html } from 'hono/html';
import * as v from 'valibot';
import { type Buyer, newBuyerSchema } from '../../../domain/parties/buyer.ts';
import { checkGstin } from '../../../domain/parties/gstin.ts';
import { type Address, countryCodes, type TaxId } from '../../../domain/parties/party.ts';
import type { Markup } from '../../pages/markup.ts';
import { renderField, renderSelect } from '../forms.ts';
import {
  type FieldErrors,
  inFormWords,
  linesOf,
  optionalLineOf,
  type SentFields,
} from '../input/form-fields.ts';
import { buyerFields, buyerTexts } from './party-texts.ts';

type FieldName = keyof typeof buyerFields;
export const buyerFieldNames = Object.keys(buyerFields) as readonly FieldName[];

type AddressPart = keyof Address;

/** The fields of the form, by the address and its part that they are. */
const addressFields = {
  address: {
    line1: 'buyerLine1',
    line2: 'buyerLine2',
    city: 'buyerCity',
    state: 'buyerState',
    postalCode: 'buyerPostalCode',
    country: 'buyerCountry',
  },
  deliveryAddress: {
    line1: 'deliveryLine1',
    line2: 'deliveryLine2',
    city: 'deliveryCity',
    state: 'deliveryState',
    postalCode: 'deliveryPostalCode',
    country: 'deliveryCountry',
  },
} as const satisfies Readonly<
  Record<'address' | 'deliveryAddress', Readonly<Record<AddressPart, FieldName>>>
>;
type AddressName = keyof typeof addressFields;

type NewBuyer = v.InferOutput<typeof newBuyerSchema>;

/** The buyer of a form, as in a request. Undefined: the form has no such fields. Null: they are empty. */
export interface SentBuyer {
  readonly value: NewBuyer | null | undefined;
  readonly errors: FieldErrors;
}

/** Reads and validates the buyer, as the API does. @param customerId the customer of the same form: an email address is the buyer's */
export function readBuyerFields(fields: SentFields, customerId: string): SentBuyer {
  if (typeof fields.get('buyerName') !== 'string') return { value: undefined, errors: {} };
  if (buyerFieldNames.every((name) => optionalLineOf(fields, name) === undefined))
    return { value: null, errors: {} };
  const result = v.safeParse(newBuyerSchema, {
    name: optionalLineOf(fields, 'buyerName') ?? '',
    email: customerId.includes('@') ? customerId : null,
    address: addressIn(fields, 'address'),
    deliveryAddress: addressIn(fields, 'deliveryAddress'),
    taxIds: linesOf(fields, 'buyerTaxIds').split('\n').flatMap(parseTaxId),
  });
  if (result.success) return { value: result.output, errors: {} };
  const errors: Record<string, string> = {};
  for (const { path = [], message } of result.issues) {
    const keys = path.map(({ key }) => String(key));
    // The customer of the form says what is wrong with the email address.
    if (keys[0] === 'email') continue;
    const name = buyerFieldOf(keys);
    errors[name] ??= messageOf(name, message);
  }
  return { value: undefined, errors };
}

/** Returns an address of the form, as in a request. Null: all of its fields are empty. */
function addressIn(fields: SentFields, name: AddressName) {
  const parts = Object.entries(addressFields[name]).map(([part, field]) => {
    const text = optionalLineOf(fields, field) ?? null;
    return [part, field === 'deliveryCountry' && text !== null ? text.toUpperCase() : text] as const;
  });
  return parts.some(([, text]) => text !== null) ? Object.fromEntries(parts) : null;
}

const isAddressName = (name: string): name is AddressName => name in addressFields;

/** Returns the field of the form that shows a part of a buyer. @param keys such as `address`, `state` */
export function buyerFieldOf([first = '', second = '']: readonly string[]): FieldName {
  if (first === 'taxIds') return 'buyerTaxIds';
  if (!isAddressName(first)) return 'buyerName';
  const parts = addressFields[first];
  return second in parts ? parts[second as AddressPart] : parts.line1;
}

/** Returns a message of the domain that names a part of an address, such as `buyer.address.state`, in the words of the form. */
export const inBuyerWords = (message: string): string =>
  message.replace(
    /\bbuyer\.(address|deliveryAddress)\.(\w+)/,
    (_, name, part) => buyerFields[buyerFieldOf([name, part])].label,
  );

/** Returns a message of the schema, which names a part such as `address.state`, in the words of the form. */
function messageOf(name: FieldName, message: string): string {
  const part = /\b(buyer\.)?(address\.)?(name|line1|line2|city|state|postalCode|country)\b/;
  return inFormWords(name, message.replace(part, name), buyerFields);
}

/** A line without a type is a GSTIN, if it is a valid one. */
function parseTaxId(line: string): TaxId[] {
  const text = line.trim();
  if (text === '') return [];
  const [type = '', ...value] = text.split(':');
  if (value.length === 0 && checkGstin(text).problem === undefined)
    return [{ type: 'in_gstin', value: text }];
  return [{ type: type.trim(), value: value.join(':').trim() }];
}

/** The values of a buyer that a form shows first. */
export function buyerValues(buyer: Buyer | null | undefined): Record<FieldName, string> {
  const { name = '', taxIds = [] } = buyer ?? {};
  const addresses = Object.entries(addressFields).flatMap(([whole, parts]) =>
    Object.entries(parts).map(([part, field]) => [
      field,
      buyer?.[whole as AddressName]?.[part as AddressPart] ?? '',
    ]),
  );
  return {
    ...(Object.fromEntries(addresses) as Record<FieldName, string>),
    buyerName: name,
    buyerTaxIds: taxIds.map(({ type, value }) => `${type}:${value}`).join('\n'),
  };
}

/** Whether a form has the values that `buyerValues` returns. Text inputs have no line breaks, and browsers change those of others. */
export function isSameBuyer(fields: SentFields, buyer: Buyer | null | undefined): boolean {
  const shown = new Map<string, string>(Object.entries(buyerValues(buyer)));
  const asSent = (values: SentFields, name: FieldName) => {
    const text = linesOf(values, name);
    return name === 'buyerTaxIds' ? text : text.replaceAll('\n', '');
  };
  return buyerFieldNames.every((name) => asSent(fields, name) === asSent(shown, name));
}

let countryNames: readonly (readonly [string, string])[] | undefined;

/** The countries by their English names. */
function countryChoices(): readonly (readonly [string, string])[] {
  if (countryNames) return countryNames;
  const names = new Intl.DisplayNames('en', { type: 'region' });
  const sorted = countryCodes
    .map((code): [string, string] => [code, names.of(code) ?? code])
    .sort(([, a], [, b]) => a.localeCompare(b, 'en'));
  countryNames = [['', buyerTexts.noCountry], ...sorted];
  return countryNames;
}

/** Renders the fields, folded away if they are empty and have no error. */
export function renderBuyerFields(fields: SentFields, errors: FieldErrors): Markup {
  const isUsed = (name: FieldName) => (fields.get(name) ?? '') !== '' || errors[name] !== undefined;
  const render = (name: FieldName) => {
    const { label, ...texts } = buyerFields[name];
    const hint = 'hint' in texts ? texts.hint : undefined;
    const field = { name, label, hint, value: fields.get(name) ?? '', error: errors[name] };
    if (name === 'buyerCountry') return renderSelect({ ...field, choices: countryChoices() });
    return renderField(name === 'buyerTaxIds' ? { ...field, type: 'textarea' } : field);
  };
  const delivery: readonly FieldName[] = Object.values(addressFields.deliveryAddress);
  const own = buyerFieldNames.filter((name) => !delivery.includes(name));
  return html`<details${buyerFieldNames.some(isUsed) ? html` open` : ''}><summary>${buyerTexts.summary}</summary><p class="hint">${buyerTexts.hint}</p><div class="grid">${own.map(render)}</div>
<details${delivery.some(isUsed) ? html` open` : ''}><summary>${buyerTexts.delivery}</summary><div class="grid">${delivery.map(render)}</div></details></details>`;
}
