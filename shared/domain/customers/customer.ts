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
import { factFilters, isRange, rangeMessage } from '../../store/lists/filters/list-filters.ts';
import type { NumberedRecord } from '../../store/records.ts';
import { searchedWordsOf } from '../../store/search/name-words.ts';
import {
  type Address,
  addressSchema,
  newAddressSchema,
  newTaxIdsSchema,
  showAddress,
  type TaxId,
  taxIdSchema,
} from '../parties/party.ts';

/** The customer as the service stores it. A deleted customer has only its ids, its version and its times. */
export interface Customer extends NumberedRecord<'customer'> {
  readonly name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly address: Address | null;
  readonly taxIds: readonly TaxId[];
  /** The id of the customer in the client's own system. Several customers can have the same. */
  readonly reference: string | null;
  /** No reminders go out for invoices with its ID. Undefined: they go out. */
  readonly remindersPaused?: true | undefined;
  /** The stored form of metadata. */
  readonly metadata: ReturnType<typeof mergeMetadata>;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly deletedAt: Instant | undefined;
}

const emailMessage = `email must be an email address of at most ${maxEmailLength} characters, such as dorji@example.bt.`;
const emailFilterMessage = 'email must be sent only once and must not be empty.';
const referenceFilterMessage = 'reference must be sent only once and must not be empty.';
const maxNameFilter = 200;
const nameFilterMessage = `name must have a word of two letters or more, at most ${maxNameFilter} characters, and be sent only once.`;
const phoneMessage =
  'phone must be a phone number with 3 to 15 digits, at most 32 characters long. Besides digits, it can have spaces and + - . ( ) /.';
const email = v.pipe(v.string(emailMessage), v.check(isEmail, emailMessage));

const phone = v.pipe(
  v.string(phoneMessage),
  v.check((value) => value.length <= 32 && /^[\d+(][\d +().\-/]*$/.test(value), phoneMessage),
  v.check((value) => /^\d{3,15}$/.test(value.replace(/\D/g, '')), phoneMessage),
);

const remindersPausedMessage = 'remindersPaused must be true or false.';

const fields = {
  name: v.nullish(typedText('name', 200)),
  email: v.nullish(email),
  phone: v.nullish(phone),
  address: v.nullish(newAddressSchema),
  taxIds: v.nullish(newTaxIdsSchema),
  reference: v.nullish(identifierText('reference', 128)),
  remindersPaused: v.nullish(v.boolean(remindersPausedMessage)),
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
 * The filters combine with AND. An impossible `email` is not an error: it matches no customer. A space of it is read as `+`, because a
 * query turns an unescaped `+` into a space.
 */
export const listCustomersQuery = /* @__PURE__ */ createListQuery();

function createListQuery() {
  const { createdFrom, createdTo } = factFilters;
  return v.pipe(
    v.strictObject({
      ...paginationQuery,
      email: v.optional(
        v.pipe(
          v.string(emailFilterMessage),
          v.nonEmpty(emailFilterMessage),
          v.transform((value) => value.replaceAll(' ', '+')),
        ),
      ),
      reference: v.optional(v.pipe(v.string(referenceFilterMessage), v.nonEmpty(referenceFilterMessage))),
      name: v.optional(
        v.pipe(
          v.string(nameFilterMessage),
          v.check(
            (text) => [...text].length <= maxNameFilter && searchedWordsOf(text).length > 0,
            nameFilterMessage,
          ),
        ),
      ),
      createdFrom,
      createdTo,
    }),
    v.forward(
      v.check((query) => isRange(query), rangeMessage),
      ['createdTo'],
    ),
  );
}

export type ListCustomers = v.InferOutput<typeof listCustomersQuery>;
export type CreateCustomer = v.InferOutput<typeof createCustomerBody>;
export type UpdateCustomer = v.InferOutput<typeof updateCustomerBody>;

const customerId = v.pipe(v.string(), v.regex(idPatternOf('customer')));
const shownText = v.nullable(v.string());

/** The customer in responses. It always has all of these fields. */
export const customerSchema = v.strictObject({
  id: customerId,
  name: shownText,
  email: shownText,
  phone: shownText,
  address: v.nullable(addressSchema),
  taxIds: v.array(taxIdSchema),
  reference: shownText,
  remindersPaused: v.boolean(),
  metadata: shownMetadataSchema,
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});

export const customerDeletionSchema = v.strictObject({ id: customerId, deletedAt: timestampSchema });

export type ShownCustomer = v.InferOutput<typeof customerSchema>;
export type CustomerDeletion = v.InferOutput<typeof customerDeletionSchema>;

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
    remindersPaused: customer.remindersPaused === true,
    metadata: showMetadata(customer.metadata),
    createdAt: toTimestamp(customer.createdAt),
    updatedAt: toTimestamp(customer.updatedAt),
  };
}
