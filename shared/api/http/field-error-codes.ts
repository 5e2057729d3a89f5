/**
 * The error code of each field that a request can have. A field of a route's body or query without a code does not
 * compile.
 */
import * as v from 'valibot';
import { type ErrorCode, errorCodes } from '../../base/errors.ts';
import type { routes } from '../routes.ts';

/** The codes of the fields whose code does not have their name, as `invalid_due_date` has that of `dueDate`. */
export const otherFieldCodes = {
  customerId: 'invalid_customer',
  invoiceId: 'invalid_invoice',
  paymentId: 'invalid_payment',
  refundId: 'invalid_refund',
  claimId: 'invalid_claim',
  paymentReference: 'invalid_reference',
  'card.number': 'invalid_card_number',
  'card.expMonth': 'invalid_card_expiry',
  'card.expYear': 'invalid_card_expiry',
  'card.cvc': 'invalid_card_cvc',
  advanceSeconds: 'invalid_clock',
  to: 'invalid_clock',
} as const satisfies Readonly<Record<string, ErrorCode>>;

type CamelCase<Words extends string> = Words extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Words;
type FieldNamedBy<Code> = Code extends `invalid_${infer Words}` ? CamelCase<Words> : never;
type FieldWithOwnCode = FieldNamedBy<ErrorCode> | keyof typeof otherFieldCodes;
/** A field of an object has the code of the object, unless it has one of its own. */
type FieldWithErrorCode = FieldWithOwnCode | `${FieldWithOwnCode}.${string}`;

/** The dotted paths of the fields that a schema describes. A field that can have any value cannot be wrong. */
export type FieldOf<Schema, Prefix extends string = ''> = Schema extends { readonly wrapped: infer Wrapped }
  ? FieldOf<Wrapped, Prefix>
  : Schema extends { readonly entries: infer Entries }
    ? {
        [Name in keyof Entries & string]:
          | (Unwrapped<Entries[Name]> extends { readonly type: 'unknown' } ? never : `${Prefix}${Name}`)
          | FieldOf<Entries[Name], `${Prefix}${Name}.`>;
      }[keyof Entries & string]
    : never;

type Unwrapped<Schema> = Schema extends { readonly wrapped: infer Wrapped } ? Unwrapped<Wrapped> : Schema;

type Routes = (typeof routes)[keyof typeof routes];
type SchemaOf<Route, Part extends PropertyKey> =
  Route extends Readonly<Record<Part, infer Schema>> ? Schema : never;

/** Every field of every route. */
export type RequestField = FieldOf<SchemaOf<Routes, 'body'>> | FieldOf<SchemaOf<Routes, 'query'>>;

/** Compiles only if each of the `Fields` has an error code; the compiler names those that have none. */
export type RequireErrorCodes<Fields extends FieldWithErrorCode> = Fields;
type CheckedField = RequireErrorCodes<RequestField>;

/** The codes that a schema has for its own fields, if another schema has a field of the same name with another code. */
export interface OwnErrorCodes {
  readonly errorCodes: Readonly<Record<string, ErrorCode>>;
}

/**
 * The error code for a field that is absent, null, or has a wrong type or value.
 * @param field a dotted path, which can contain positions in arrays, such as `events.0`
 * @param schema the schema of the whole input, which can have codes of its own
 */
export function errorCodeOfField(field: string, schema?: v.GenericSchema): ErrorCode {
  const { errorCodes: own } = (schema ? v.getMetadata(schema) : {}) as Partial<OwnErrorCodes>;
  if (own && Object.hasOwn(own, field)) return own[field] as ErrorCode;
  const names = field.split('.').filter((name) => !/^\d+$/.test(name));
  for (let length = names.length; length > 0; length--) {
    const path = names.slice(0, length).join('.');
    if (Object.hasOwn(otherFieldCodes, path))
      return otherFieldCodes[path as CheckedField & keyof typeof otherFieldCodes];
    const named = `invalid_${path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
    if (Object.hasOwn(errorCodes, named)) return named as ErrorCode;
  }
  return 'invalid_json';
}
