/** Reads the records that terms lead to, newest first. Terms lead also to records that had the value before, so each record is compared. */
import type { Owner } from '../../base/ids.ts';
import { limitConcurrency } from '../../base/limit-concurrency.ts';
import { tableHasher } from '../../platform/secrets/deployment-secret.ts';
import type { IndexView, Selection } from '../lists/pages/index-view.ts';
import { mergeFound, type NumberedRecord, type NumberedType, readRecords } from '../records.ts';
import { MalformedItemError } from '../stored-fields.ts';
import { queryAllEntries } from './query-entries.ts';
import { type Term, termLookup } from './search-entries.ts';

/** Where the rows of a list come from: the index of a list, or the ids of records that can match. */
export type RecordSource = IndexView | readonly string[];

/** Whether the rows come from an index. */
export const isView = (source: RecordSource): source is IndexView => !Array.isArray(source);

/** Of the newest records with an amount or a reference, so many are looked at. Each is read and compared. */
export const maxFoundByAmount = 1_000;
const batchSize = 100;
const callsAtOnce = 8;
const termsAtOnce = 32;

/**
 * Returns the ids of the records that all of the terms lead to, newest first. One call in sequence.
 * @param terms one or more
 * @param maxExamined how many of the newest records of each term are looked at
 */
export async function findByTerms(
  owner: Owner,
  terms: readonly Term[],
  maxExamined: number,
): Promise<readonly string[]> {
  const hash = await tableHasher();
  const [first = [], ...others] = await Promise.all(
    terms.map((term) => queryAllEntries(owner, termLookup(hash, term), maxExamined)),
  );
  const sets = others.map((ids) => new Set(ids));
  return first.filter((id) => sets.every((set) => set.has(id)));
}

/**
 * Returns the ids of the records that any of the terms leads to: in the order of the terms, and the newest of each first. One call in
 * sequence for 32 terms.
 * @param max how many are returned
 */
export async function findByAnyTerm(
  owner: Owner,
  terms: readonly Term[],
  max: number,
): Promise<readonly string[]> {
  const hash = await tableHasher();
  const limited = limitConcurrency(termsAtOnce);
  const found = await Promise.all(
    terms.map((term) => limited(() => queryAllEntries(owner, termLookup(hash, term), max))),
  );
  return [...new Set(found.flat())].slice(0, max);
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
