/**
 * Lists customers with the exact total.
 *
 * - Without a filter that leads to customers, the index of all customers gives the rows.
 * - A reference, an email address or a part of a name leads to customers by keyed hashes. These also lead to customers that had the value
 *   before, so each record is compared with all filters.
 * - A malformed record is in the list, because nothing says that it does not match. Its row is left out.
 */
import { type Owner, recordId } from '../../base/ids.ts';
import { paginationOf } from '../../base/pagination.ts';
import { tableHasher } from '../../platform/secrets/deployment-secret.ts';
import type { IdKeys, Principal } from '../../store/account-state.ts';
import { leaveOutMalformed } from '../../store/left-out-items.ts';
import { matchesFilter, type RecordFilter } from '../../store/lists/filters/record-matcher.ts';
import type { IndexView } from '../../store/lists/pages/index-view.ts';
import { type ListQuery, listRecords } from '../../store/lists/pages/lists.ts';
import { readIndex, readListIndex } from '../../store/lists/pages/read-index.ts';
import { askToFold } from '../../store/lists/volumes/fold-requests.ts';
import { isView, pageOfMatches, type RecordSource, readMatches } from '../../store/search/found-records.ts';
import { matchesName, searchedWordsOf } from '../../store/search/name-words.ts';
import { queryAllEntries } from '../../store/search/query-entries.ts';
import { comparableTerm, nameLookup, termLookup } from '../../store/search/search-entries.ts';
import { type Customer, type ListCustomers, showCustomer } from './customer.ts';
import { customerType, emailListKey } from './record.ts';

/** Of the newest customers whose name has a word with the same first letters, so many are compared with a name. */
const maxExamined = 10_000;

type Filters = Omit<ListCustomers, 'limit' | 'offset'>;

/** Reads the index of the list of all customers, or of those that have or had an email address. */
export async function readCustomerIndex(
  owner: Owner,
  email?: string,
  filter: RecordFilter = {},
): Promise<IndexView> {
  if (email === undefined) return readListIndex(owner, 'customer', [], filter);
  return readIndex(owner, 'customer', [await emailListKey(email)]);
}

/** Looks up what the filters lead to. One call in sequence, but for names that 3,000 customers share. */
export async function findCustomers(owner: Owner, filters: Filters): Promise<RecordSource> {
  const { reference, email, name, createdFrom, createdTo } = filters;
  if (reference !== undefined) {
    const term = { kind: 'customer reference' as const, value: comparableTerm(reference) };
    return (await queryAllEntries(owner, termLookup(await tableHasher(), term), maxExamined)).ids;
  }
  if (email === undefined && name !== undefined) {
    const lookup = nameLookup(await tableHasher(), 'customer name', searchedWordsOf(name));
    return (await queryAllEntries(owner, lookup, maxExamined)).ids;
  }
  return readCustomerIndex(owner, email, email === undefined ? { createdFrom, createdTo } : {});
}

/** Reads one page of a list. @param source from `findCustomers`, with the same filters */
export async function listCustomerPage(
  principal: Pick<Principal, 'owner' | 'idKeys' | 'clock'>,
  source: RecordSource,
  query: ListCustomers & Pick<ListQuery, 'isReadOnly' | 'order'>,
) {
  const { offset, limit, order, isReadOnly = false, ...filters } = query;
  const { owner, idKeys } = principal;
  if (isView(source) && filters.email === undefined) {
    const page = { status: 'active', offset, limit, order, isReadOnly };
    return pageOf(await listRecords(customerType, principal, source, page), query);
  }
  const ids = isView(source) ? idsIn(owner, idKeys, source) : source;
  const all = await readMatches(customerType, owner, ids, (customer) => isMatch(customer, filters));
  const found = pageOfMatches(all, query);
  return pageOf({ rows: leaveOutMalformed(found), total: all.length, count: found.length }, query);
}

/** Reads one page of a list for a request of the API, which may ask for a fold of the index. */
export function listCustomersOfRequest(principal: Principal, source: RecordSource, query: ListCustomers) {
  const page = listCustomerPage(principal, source, query);
  return isView(source) ? askToFold(principal.owner, source, page) : page;
}

interface Found {
  readonly rows: readonly Customer[];
  readonly total: number;
  readonly count: number;
}

const pageOf = ({ rows, total, count }: Found, { offset, limit }: ListCustomers) => ({
  data: rows.map(showCustomer),
  pagination: paginationOf({ offset, limit, total, count }),
});

/** The ids of all records of a list, newest first. */
const idsIn = (owner: Owner, idKeys: IdKeys, view: IndexView): string[] =>
  view
    .select(undefined, 0, Number.POSITIVE_INFINITY)
    .seqs.map((seq) => recordId(idKeys.of(seq), { ...owner, resource: 'customer' }, seq));

/** Whether a customer matches all filters. Those that are absent select all. */
function isMatch(customer: Customer, { reference, email, name, createdFrom, createdTo }: Filters): boolean {
  return (
    customer.status === 'active' &&
    (reference === undefined || customer.reference === reference) &&
    (email === undefined || customer.email?.toLowerCase() === email.toLowerCase()) &&
    (name === undefined || matchesName(searchedWordsOf(name), customer.name ?? '')) &&
    matchesFilter({ createdFrom, createdTo }, customer)
  );
}
