/** Reads the buyer of an invoice, and its supply in India, from options such as `--buyer-name`. */
import type { InvoiceCreateParams } from '../client/src/remit.ts';
import { supplyKinds } from '../shared/domain/charges/indian-supply.ts';
import { type OptionSpec, type ParsedOptions, parseChoice, usageError } from './command.ts';
import { readList } from './resources.ts';

type Gst = NonNullable<InvoiceCreateParams['gst']>;
type Buyer = NonNullable<InvoiceCreateParams['buyer']>;

type Address = NonNullable<Buyer['address']>;

/** The parts of an address, with the name of the option, its value and its description. */
const addressParts = {
  line1: ['line1', 'TEXT', 'First line of the address'],
  line2: ['line2', 'TEXT', 'Second line of the address'],
  city: ['city', 'TEXT', 'City, town or village'],
  state: ['state', 'TEXT', 'State, district or province'],
  postalCode: ['postal-code', 'CODE', 'Postal code'],
  country: ['country', 'CODE', 'Country, as two uppercase letters, for example BT,'],
} as const satisfies Readonly<Record<keyof Address, readonly [name: string, value: string, about: string]>>;

/** Returns the options of an address. @param whose such as `of the buyer` */
const addressOptions = (prefix: string, whose: string): Readonly<Record<string, OptionSpec>> =>
  Object.fromEntries(
    Object.values(addressParts).map(([name, value, about]) => [
      `${prefix}-${name}`,
      { value, about: `${about} ${whose}.` },
    ]),
  );

/** Returns the address that the options give. Undefined: none of them is given. */
function readAddress(options: ParsedOptions, prefix: string): Address | undefined {
  const parts = Object.entries(addressParts).flatMap(([part, [name]]) => {
    const value = options.optional(`${prefix}-${name}`);
    return value === undefined ? [] : [[part, value] as const];
  });
  return parts.length > 0 ? Object.fromEntries(parts) : undefined;
}

const gstOptions = {
  'place-of-supply': { value: 'STATE', about: 'State of the supply in India, for example Karnataka or 29.' },
  supply: {
    value: 'KIND',
    about: `Kind of the supply in India: ${supplyKinds.join(', ')}. Default: domestic.`,
  },
  'reverse-charge': { about: 'The buyer pays the tax of India to the state.' },
} as const satisfies Readonly<Record<string, OptionSpec>>;

/** The options of commands that set the buyer of an invoice. */
export const buyerOptions: Readonly<Record<string, OptionSpec>> = {
  'buyer-name': {
    value: 'NAME',
    about: 'Name of the buyer, which documents show. Required with the other options of the buyer.',
  },
  'buyer-email': { value: 'EMAIL', about: 'E-mail address of the buyer, who is then the customer.' },
  ...addressOptions('buyer', 'of the buyer'),
  ...addressOptions('delivery', 'to which the goods go, if it is not that of the buyer'),
  'buyer-tax-ids': {
    value: 'A,B',
    about:
      'Tax IDs of the buyer, separated by commas, each with its type, for example in_gst:29AAGCB7383J1Z4.',
  },
  ...gstOptions,
};

/**
 * Returns the buyer as a part of the request body. The API validates its values.
 * @returns an empty object if no option is given
 * @throws CommandError (usage) if the name is missing, or a tax ID has no type
 */
export function readBuyer(options: ParsedOptions): { buyer?: Buyer; gst?: Gst } {
  const isBuyer = (name: string) => name.startsWith('buyer-') || name.startsWith('delivery-');
  const given = Object.keys(buyerOptions).filter(
    (name) => isBuyer(name) && options.optional(name) !== undefined,
  );
  const gst = readGst(options);
  if (given.length === 0) return gst;
  const name = options.optional('buyer-name');
  if (name === undefined) throw usageError(`--${given[0]} requires --buyer-name.`);
  const email = options.optional('buyer-email');
  const address = readAddress(options, 'buyer');
  const deliveryAddress = readAddress(options, 'delivery');
  const taxIds = readList(options, 'buyer-tax-ids') ?? [];
  return {
    ...gst,
    buyer: {
      name,
      ...(email !== undefined && { email }),
      ...(address && { address }),
      ...(deliveryAddress && { deliveryAddress }),
      ...(taxIds.length > 0 && { taxIds: taxIds.map(toTaxId) }),
    },
  };
}

function readGst(options: ParsedOptions): { gst?: Gst } {
  const placeOfSupply = options.optional('place-of-supply');
  const supply = options.optional('supply');
  const isReverse = options.flag('reverse-charge');
  if (placeOfSupply === undefined && supply === undefined && !isReverse) return {};
  return {
    gst: {
      ...(placeOfSupply !== undefined && { placeOfSupply }),
      ...(supply !== undefined && { supply: parseChoice('supply', supply, supplyKinds) }),
      ...(isReverse && { reverseCharge: true }),
    },
  };
}

function toTaxId(text: string): { type: string; value: string } {
  const [type = '', ...value] = text.split(':');
  if (value.length === 0)
    throw usageError('--buyer-tax-ids must name the type of each, for example in_gst:29AAGCB7383J1Z4.');
  return { type, value: value.join(':') };
}
