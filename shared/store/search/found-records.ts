/** Reads the records that terms lead to, newest first. Terms lead also to records that had the value before, so each record is compared. */
import { ApiError } from '../../base/errors.ts';
import type { Owner } from '../../base/ids.ts';
import { limitConcurrency } from '../../base/limit-concurrency.ts';
import { tableHasher } from '../../platform/secrets/deployment-secret.ts';
import type { RecordFilter } from '../lists/filters/record-matcher.ts';
import type { IndexView, Selection } from '../lists/pages/index-view.ts';
import { mergeFound, type NumberedRecord, type NumberedType, readRecords } from '../records.ts';
import { MalformedItemError } from '../stored-fields.ts';
import { queryAllEntries } from './query-entries.ts';
import { type Term, termLookup } from './search-entries.ts';

/** Where the rows of a list come from: the index of a list, or the ids of records that can match. */
export type RecordSource = IndexView | readonly string[];

/** Whether the rows come from an index. */
export const isView = (source: RecordSource): source is IndexView => !Array.isArray(source);

/** So many records of all kinds that a value leads to are counted. Their items are at most 1 MB, so one call reads them. */
const maxCounted = 5_000;
/** So many records are read, if the total depends on what they say. */
const maxCompared = 1_000;
const batchSize = 100;
const callsAtOnce = 8;
const termsAtOnce = 32;

/** A filter that leads to records: by one value, or by any of several. */
export interface ValueFilter {
  readonly name: 'amount' | 'reference' | 'receivedOn';
  /** Records of the first term come first. */
  readonly terms: readonly Term[];
}

/**
 * Returns the ids of all records that each of the filters leads to, in the order of the last one, and of one term newest first. One call in
 * sequence for 32 terms. A filter that leads to too many records is left out if another one does not, because the records are compared.
 * @param filters one or more
 * @param range only records that were created in it
 * @throws ApiError `invalid_` and the field, if each filter leads to too many records
 */
export async function findByValues(
  owner: Owner,
  filters: readonly ValueFilter[],
  range: RecordFilter,
): Promise<readonly string[]> {
  const all = await Promise.all(filters.map((filter) => findByAnyTerm(owner, filter.terms, range)));
  const sets = all.filter((ids) => ids !== undefined).map((ids) => new Set(ids));
  const [last, ...others] = sets.toReversed();
  if (!last) throw tooMany(filters);
  return [...last].filter((id) => others.every((ids) => ids.has(id)));
}

/** Returns the ids of the records that any of the terms leads to. Undefined: they are too many. */
async function findByAnyTerm(
  owner: Owner,
  terms: readonly Term[],
  range: RecordFilter,
): Promise<readonly string[] | undefined> {
  const hash = await tableHasher();
  const limited = limitConcurrency(termsAtOnce);
  let count = 0;
  const find = async (term: Term) => {
    if (count > maxCounted) return [];
    const { ids, isCut } = await queryAllEntries(owner, termLookup(hash, term), maxCounted + 1, range);
    count += isCut ? maxCounted + 1 : ids.length;
    return ids;
  };
  const found = await Promise.all(terms.map((term) => limited(() => find(term))));
  return count > maxCounted ? undefined : found.flat();
}

/**
 * Makes sure that the records that must be read to count them are not too many.
 * @param ids of one kind of records
 * @throws ApiError as `findByValues`
 */
export function requireComparable(ids: readonly string[], filters: readonly ValueFilter[]): void {
  if (ids.length > maxCompared && filters.length > 0) throw tooMany(filters);
}

const errorsOfFilters = {
  amount: 'invalid_amount',
  reference: 'invalid_reference',
  receivedOn: 'invalid_received_on',
} as const;

function tooMany([filter]: readonly ValueFilter[]): ApiError {
  const field = filter?.name ?? 'amount';
  const message = `Too many records have this ${field} to count those that match. Select fewer with createdFrom and createdTo.`;
  return new ApiError(errorsOfFilters[field], { field, message });
}

/** Returns the part of all matches that a page shows. @param all the newest first */
export function pageOfMatches<T>(
  all: readonly T[],
  { offset, limit, order }: Omit<Selection, 'status'>,
): T[] {
  return (order === 'oldest' ? all.toReversed() : all).slice(offset, offset + limit);
}

/**
 * Reads the records that match, in the order of the ids. One call in sequence for 800 records. A malformed record is among them, because
 * nothing says that it does not match.
 */
export async function readMatches<T extends NumberedRecord>(
  type: NumberedType<T>,
  owner: Owner,
  ids: readonly string[],
  isMatch: (record: T) => boolean,
): Promise<readonly (T | MalformedItemError)[]> {
  const distinct = [...new Set(ids)].filter((id) => type.isId(id));
  const limited = limitConcurrency(callsAtOnce);
  const batches = Array.from({ length: Math.ceil(distinct.length / batchSize) }, (_, index) => {
    const batch = distinct.slice(index * batchSize, (index + 1) * batchSize);
    return limited(() => readRecords(type, owner, batch));
  });
  const { records, malformed } = mergeFound(await Promise.all(batches));
  return distinct
    .flatMap((id): (T | MalformedItemError)[] => {
      const found = records.get(id) ?? malformed.get(id);
      return found ? [found] : [];
    })
    .filter((each) => each instanceof MalformedItemError || isMatch(each));
}
