/**
 * The error code of each field that a request can have. The table is exhaustive by type: a field of a route's body or
 * query that is not in it does not compile.
 */
import type { ErrorCode } from '../../base/errors.ts';
import type { routes } from '../routes.ts';

/** By the field's dotted path, without positions in arrays. */
export const fieldErrorCodes = {
  customerId: 'invalid_customer',
  amount: 'invalid_amount',
  currency: 'invalid_currency',
  description: 'invalid_description',
  dueDate: 'invalid_due_date',
  status: 'invalid_status',
  invoiceId: 'invalid_invoice',
  paymentId: 'invalid_payment',
  method: 'invalid_method',
  reference: 'invalid_reference',
  paymentReference: 'invalid_reference',
  reason: 'invalid_reason',
  metadata: 'invalid_metadata',
  card: 'invalid_card',
  'card.number': 'invalid_card_number',
  'card.expMonth': 'invalid_card_expiry',
  'card.expYear': 'invalid_card_expiry',
  'card.cvc': 'invalid_card_cvc',
  url: 'invalid_url',
  events: 'invalid_events',
  overlapHours: 'invalid_overlap_hours',
  since: 'invalid_since',
  type: 'invalid_type',
  before: 'invalid_before',
  after: 'invalid_after',
  actor: 'invalid_actor',
  action: 'invalid_action',
  resource: 'invalid_resource',
  name: 'invalid_name',
  email: 'invalid_email',
  phone: 'invalid_phone',
  address: 'invalid_address',
  'address.line1': 'invalid_address',
  'address.line2': 'invalid_address',
  'address.city': 'invalid_address',
  'address.state': 'invalid_address',
  'address.postalCode': 'invalid_address',
  'address.country': 'invalid_address',
  taxIds: 'invalid_tax_ids',
  'taxIds.type': 'invalid_tax_ids',
  'taxIds.value': 'invalid_tax_ids',
  note: 'invalid_note',
  permissions: 'invalid_permissions',
  expiresAt: 'invalid_expires_at',
  allowedAddresses: 'invalid_allowed_addresses',
  createdFrom: 'invalid_created_from',
  createdTo: 'invalid_created_to',
  apiVersion: 'invalid_api_version',
  advanceSeconds: 'invalid_clock',
  to: 'invalid_clock',
  force: 'invalid_force',
  limit: 'invalid_limit',
  offset: 'invalid_offset',
} as const satisfies Readonly<Record<string, ErrorCode>>;

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

/** Compiles only if `fieldErrorCodes` has each of the `Fields`; the compiler names those that it lacks. */
export type RequireErrorCodes<Fields extends keyof typeof fieldErrorCodes> = Fields;
type FieldWithErrorCode = RequireErrorCodes<RequestField>;

/**
 * The error code for a field that is absent, null, or has a wrong type or value.
 * @param field a dotted path, which can contain positions in arrays, such as `events.0`
 */
export function errorCodeOfField(field: string): ErrorCode {
  const path = field.replace(/\.\d+(?=\.|$)/g, '');
  return isRequestField(path) ? fieldErrorCodes[path] : 'invalid_json';
}

function isRequestField(path: string): path is FieldWithErrorCode {
  return Object.hasOwn(fieldErrorCodes, path);
}
