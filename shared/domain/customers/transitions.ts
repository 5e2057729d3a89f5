/**
 * Decides which changes of a customer are allowed, and which lists show them. Pure. No event follows from any change.
 *
 * A customer is `active` until it is deleted. Then its record stays without personal data, because lists and sequence
 * numbers depend on it.
 */
import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../../base/errors.ts';
import type { Owner } from '../../base/ids.ts';
import { mergeMetadata } from '../../base/metadata.ts';
import type { Instant } from '../../base/time.ts';
import { type Change, internalChange } from '../../store/commit/command.ts';
import type { Address } from '../parties/party.ts';
import { requireUnchanged } from '../versions/read-only-fields.ts';
import {
  type CreateCustomer,
  type Customer,
  showCustomer,
  type UpdateCustomer,
  updateCustomerBody,
} from './customer.ts';

/** The owner, sequence number and id of a new customer. */
export interface NewCustomerIdentity extends Owner {
  readonly id: string;
  readonly seq: number;
}

/**
 * Creates a customer.
 * @param emailKey the key of the list of its e-mail address; undefined if it has none
 * @throws ApiError `invalid_name` if it has neither a name nor an e-mail address, `invalid_metadata`
 */
export function createCustomer(
  identity: NewCustomerIdentity,
  body: CreateCustomer,
  emailKey: string | undefined,
  now: Instant,
): Change<Customer> {
  const customer: Customer = {
    ...identity,
    version: 1,
    objectVersion: 1,
    filterKeys: [],
    status: 'active',
    name: body.name ?? null,
    email: body.email ?? null,
    phone: body.phone ?? null,
    address: addressOf(body.address),
    taxIds: body.taxIds ?? [],
    reference: body.reference ?? null,
    ...(body.remindersPaused && { remindersPaused: true as const }),
    metadata: mergeMetadata(undefined, body.metadata),
    createdAt: now,
    updatedAt: now,
    deletedAt: undefined,
  };
  requireNameOrEmail(customer);
  return { ...internalChange(customer), indexEntry: entryOf(customer, emailKey) };
}

/**
 * Sets the fields that the body names. Null removes a field. Returns undefined if they have these values already.
 * @param emailKey the key of the list of the new e-mail address; undefined if the body has none
 * @throws ApiError as `createCustomer`, and `immutable_field` if a read-only field differs from its current value
 */
export function updateCustomer(
  customer: Customer,
  body: UpdateCustomer,
  emailKey: string | undefined,
  now: Instant,
): Change<Customer> | undefined {
  requireUnchanged('customers', updateCustomerBody, showCustomer(customer), body);
  const next: Customer = {
    ...customer,
    name: chosen(customer.name, body.name),
    email: chosen(customer.email, body.email),
    phone: chosen(customer.phone, body.phone),
    address: body.address === undefined ? customer.address : addressOf(body.address),
    taxIds: body.taxIds === undefined ? customer.taxIds : (body.taxIds ?? []),
    reference: chosen(customer.reference, body.reference),
    remindersPaused:
      body.remindersPaused === undefined ? customer.remindersPaused : body.remindersPaused || undefined,
    metadata: mergeMetadata(customer.metadata, body.metadata),
  };
  requireNameOrEmail(next);
  const { metadata, remindersPaused } = customer;
  if (isDeepStrictEqual(next, { ...customer, metadata, remindersPaused })) return undefined;
  const change = internalChange({
    ...next,
    version: customer.version + 1,
    objectVersion: customer.objectVersion + 1,
    updatedAt: Math.max(now, customer.updatedAt + 1),
  });
  if (next.email === customer.email || emailKey === undefined) return change;
  // A list may show the customer before the record has the address, so the entry need not wait for the record.
  return { ...change, indexEntry: entryOf(next, emailKey), indexedEarly: true };
}

/**
 * Deletes a customer: erases everything but its ids and times, also attributes that only a newer version knows. No copy
 * of the stored record is made, because a copy would keep them.
 */
export function deleteCustomer(customer: Customer, now: Instant): Change<Customer> {
  const { account, mode, id, seq, version, objectVersion, createdAt, updatedAt } = customer;
  const deletedAt = Math.max(now, updatedAt + 1);
  const tombstone: Customer = {
    account,
    mode,
    id,
    seq,
    version: version + 1,
    objectVersion: objectVersion + 1,
    filterKeys: [],
    status: 'deleted',
    name: null,
    email: null,
    phone: null,
    address: null,
    taxIds: [],
    reference: null,
    metadata: undefined,
    createdAt,
    updatedAt: deletedAt,
    deletedAt,
  };
  return { ...internalChange(tombstone), indexEntry: entryOf(tombstone, undefined) };
}

const chosen = (before: string | null, sent: string | null | undefined) =>
  sent === undefined ? before : sent;

function addressOf(sent: CreateCustomer['address']): Address | null {
  if (!sent) return null;
  const { line1 = null, line2 = null, city = null, state = null, postalCode = null, country = null } = sent;
  return { line1, line2, city, state, postalCode, country };
}

function requireNameOrEmail({ name, email }: Customer): void {
  if (name !== null || email !== null) return;
  const message = 'A customer needs a name or an email address. Send name or email.';
  throw new ApiError('invalid_name', { field: 'name', message });
}

const entryOf = ({ seq, status }: Customer, emailKey: string | undefined) => ({
  resource: 'customer' as const,
  seq,
  filterKeys: emailKey === undefined ? [] : [emailKey],
  status,
});
