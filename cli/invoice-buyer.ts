/** Reads the buyer of an invoice, and its supply in India, from options such as `--buyer-name`. */
import type { InvoiceCreateParams } from '../client/src/remit.ts';
import { supplyKinds } from '../shared/domain/charges/indian-supply.ts';
import { type OptionSpec, type ParsedOptions, parseChoice, usageError } from './command.ts';
import { readList } from './resources.ts';

type Gst = NonNullable<InvoiceCreateParams['gst']>;
type Buyer = NonNullable<InvoiceCreateParams['buyer']>;

const addressOptions = {
  'buyer-line1': { value: 'TEXT', about: 'First line of the address of the buyer.' },
  'buyer-line2': { value: 'TEXT', about: 'Second line of the address of the buyer.' },
  'buyer-city': { value: 'TEXT', about: 'City, town or village of the buyer.' },
  'buyer-state': { value: 'TEXT', about: 'State, district or province of the buyer.' },
  'buyer-postal-code': { value: 'CODE', about: 'Postal code of the buyer.' },
  'buyer-country': {
    value: 'CODE',
    about: 'Country of the buyer, as two uppercase letters, for example BT.',
  },
} as const satisfies Readonly<Record<string, OptionSpec>>;

const addressParts = {
  'buyer-line1': 'line1',
  'buyer-line2': 'line2',
  'buyer-city': 'city',
  'buyer-state': 'state',
  'buyer-postal-code': 'postalCode',
  'buyer-country': 'country',
} as const satisfies Readonly<Record<keyof typeof addressOptions, keyof NonNullable<Buyer['address']>>>;

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
  ...addressOptions,
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
  const isBuyer = (name: string) => name.startsWith('buyer-');
  const given = Object.keys(buyerOptions).filter(
    (name) => isBuyer(name) && options.optional(name) !== undefined,
  );
  const gst = readGst(options);
  if (given.length === 0) return gst;
  const name = options.optional('buyer-name');
  if (name === undefined) throw usageError(`--${given[0]} requires --buyer-name.`);
  const email = options.optional('buyer-email');
  const parts = Object.entries(addressParts).flatMap(([option, part]) => {
    const value = options.optional(option);
    return value === undefined ? [] : [[part, value] as const];
  });
  const taxIds = readList(options, 'buyer-tax-ids') ?? [];
  return {
    ...gst,
    buyer: {
      name,
      ...(email !== undefined && { email }),
      ...(parts.length > 0 && { address: Object.fromEntries(parts) }),
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
