/** Reads, lists, creates, changes and deletes customers in the table. */
import { ApiError } from '../../base/errors.ts';
import { type Owner, recordId } from '../../base/ids.ts';
import { limitConcurrency } from '../../base/limit-concurrency.ts';
import { paginationOf } from '../../base/pagination.ts';
import { type Instant, toTimestamp } from '../../base/time.ts';
import { type TableHash, tableHasher } from '../../platform/secrets/deployment-secret.ts';
import type { IdKeys, Principal } from '../../store/account-state.ts';
import { type Change, Command, type Decision, requireNew } from '../../store/commit/command.ts';
import { leaveOutMalformed } from '../../store/left-out-items.ts';
import type { IndexView } from '../../store/lists/pages/index-view.ts';
import { type ListQuery, listRecords } from '../../store/lists/pages/lists.ts';
import { readIndex, readListIndex } from '../../store/lists/pages/read-index.ts';
import { type LoadedRecord, mergeFound, readRecord, readRecords } from '../../store/records.ts';
import { changedEntries } from '../../store/search/search-entries.ts';
import { MalformedItemError } from '../../store/stored-fields.ts';
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

/** Reads the index of the list of all customers, or of those that have or had an e-mail address. */
export async function readCustomerIndex(owner: Owner, email: string | undefined): Promise<IndexView> {
  if (email === undefined) return readListIndex(owner, 'customer', []);
  return readIndex(owner, 'customer', [await emailListKey(email)]);
}

type Page = Pick<ListQuery, 'offset' | 'limit' | 'isReadOnly'> & { readonly email: string | undefined };

/**
 * Reads one page of the list, newest first, with the exact total.
 * @param view the index of the list, from `readCustomerIndex`
 */
export async function listCustomerPage(principal: Principal, view: IndexView, query: Page) {
  const { email, ...page } = query;
  if (email === undefined) {
    const listed = await listRecords(customerType, principal, view, { status: 'active', ...page });
    return pageOf(listed.rows, listed, query);
  }
  const all = await readByEmail(principal.owner, principal.idKeys, view, email);
  const found = all.slice(page.offset, page.offset + page.limit);
  return pageOf(leaveOutMalformed(found), { total: all.length, count: found.length }, query);
}

const pageOf = (
  rows: readonly Customer[],
  counts: { readonly total: number; readonly count: number },
  { offset, limit }: Page,
) => ({
  data: rows.map(showCustomer),
  pagination: paginationOf({ offset, limit, ...counts }),
});

const batchSize = 100;
const callsAtOnce = 8;

/**
 * Reads the customers that have an e-mail address, newest first. Reads all of the list, because it also contains customers
 * that had the address. A malformed one is in the list, because nothing says that it does not have the address.
 */
async function readByEmail(
  owner: Owner,
  idKeys: IdKeys,
  view: IndexView,
  email: string,
): Promise<(Customer | MalformedItemError)[]> {
  const { seqs } = view.select(undefined, 0, Number.POSITIVE_INFINITY);
  const ids = seqs.map((seq) => customerIdOf(owner, idKeys, seq));
  const limited = limitConcurrency(callsAtOnce);
  const batches = Array.from({ length: Math.ceil(ids.length / batchSize) }, (_, index) =>
    limited(() => readRecords(customerType, owner, ids.slice(index * batchSize, (index + 1) * batchSize))),
  );
  const { records, malformed } = mergeFound(await Promise.all(batches));
  return ids
    .flatMap((id) => records.get(id) ?? malformed.get(id) ?? [])
    .filter(
      (each) =>
        each instanceof MalformedItemError ||
        (each.status === 'active' && each.email?.toLowerCase() === email.toLowerCase()),
    );
}

const customerIdOf = (owner: Owner, idKeys: IdKeys, seq: number) =>
  recordId(idKeys.of(seq), { ...owner, resource: 'customer' }, seq);

const emailKeyOf = async ({ email }: Pick<UpdateCustomer, 'email'>) =>
  typeof email === 'string' ? emailListKey(email) : undefined;
