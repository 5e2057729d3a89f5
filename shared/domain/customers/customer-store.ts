/** Reads, creates, changes and deletes customers in the table. */
import { ApiError } from '../../base/errors.ts';
import { type Owner, recordId } from '../../base/ids.ts';
import { type Instant, toTimestamp } from '../../base/time.ts';
import { type TableHash, tableHasher } from '../../platform/secrets/deployment-secret.ts';
import type { IdKeys, Principal } from '../../store/account-state.ts';
import { type Change, Command, type Decision, requireNew } from '../../store/commit/command.ts';
import { type LoadedRecord, readRecord } from '../../store/records.ts';
import { changedEntries } from '../../store/search/search-entries.ts';
import {
  type CreateCustomer,
  type Customer,
  type CustomerDeletion,
  type ShownCustomer,
  showCustomer,
  type UpdateCustomer,
} from './customer.ts';
import { customerType, emailListKey } from './record.ts';
import { searchedCustomer } from './searched.ts';
import { createCustomer, deleteCustomer, updateCustomer } from './transitions.ts';

/** Reads one customer. */
export function readCustomer(owner: Owner, id: string): Promise<LoadedRecord<Customer>> {
  return readRecord(customerType, owner, id);
}

/**
 * Returns the customer of a loaded record.
 * @throws ApiError `customer_not_found` if it does not exist, or is deleted
 */
export function requireCustomer({ record }: Pick<LoadedRecord<Customer>, 'record'>): Customer {
  if (record?.status !== 'active') throw new ApiError('customer_not_found');
  return record;
}

/** Creates the command that creates a customer, with the sequence number that authorization allocated. */
export async function createCustomerCommand(
  { owner, idKeys, seq }: Principal,
  body: CreateCustomer,
  now: Instant,
): Promise<Command<[Customer], ShownCustomer>> {
  const id = customerIdOf(owner, idKeys, seq);
  const change = createCustomer({ ...owner, id, seq }, body, await emailKeyOf(body), now);
  const hash = await tableHasher();
  return new Command([{ type: customerType, owner, id, record: undefined }], (existing) => {
    requireNew(existing);
    return {
      changes: [change],
      answer: showCustomer(change.record),
      ...searchChanges(hash, undefined, change),
    };
  });
}

/**
 * Creates the command that updates a customer. The command throws the errors of `updateCustomer`.
 * @param require checks a further condition on the customer, and throws if the customer does not meet it
 */
export async function updateCustomerCommand(
  loaded: LoadedRecord<Customer>,
  body: UpdateCustomer,
  now: Instant,
  require?: (customer: Customer) => void,
): Promise<Command<[Customer], ShownCustomer>> {
  const emailKey = await emailKeyOf(body);
  const hash = await tableHasher();
  return new Command([loaded], (record) => {
    const customer = requireCustomer({ record });
    require?.(customer);
    const change = updateCustomer(customer, body, emailKey, now);
    const answer = showCustomer(change?.record ?? customer);
    return { changes: [change], answer, ...(change && searchChanges(hash, customer, change)) };
  });
}

/** Creates the command that deletes a customer, with its personal data. */
export async function deleteCustomerCommand(
  loaded: LoadedRecord<Customer>,
  now: Instant,
): Promise<Command<[Customer], CustomerDeletion>> {
  const hash = await tableHasher();
  return new Command([loaded], (record) => {
    const customer = requireCustomer({ record });
    const change = deleteCustomer(customer, now);
    const { id, updatedAt } = change.record;
    const answer = { id, deletedAt: toTimestamp(updatedAt) };
    return { changes: [change], answer, ...searchChanges(hash, customer, change) };
  });
}

/** Returns the search terms that the transaction of a change puts and deletes. */
export function searchChanges(
  hash: TableHash,
  before: Customer | undefined,
  { record }: Pick<Change<Customer>, 'record'>,
): Pick<Decision<[Customer], unknown>, 'puts' | 'deletes'> {
  const { puts, deletes } = changedEntries(hash, searchedCustomer(before), searchedCustomer(record));
  const { account, mode } = record;
  return { puts: puts.map((entry) => ({ ...entry, account, mode })), deletes };
}

const customerIdOf = (owner: Owner, idKeys: IdKeys, seq: number) =>
  recordId(idKeys.of(seq), { ...owner, resource: 'customer' }, seq);

const emailKeyOf = async ({ email }: Pick<UpdateCustomer, 'email'>) =>
  typeof email === 'string' ? emailListKey(email) : undefined;
