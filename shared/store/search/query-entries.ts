/** Reads the items that lead from a term to records, see `search-entries.ts`. */
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../base/env.ts';
import type { Owner } from '../../base/ids.ts';
import { dynamodb } from '../client.ts';
import { type Key, padInstant, tableKeys } from '../keys.ts';
import type { RecordFilter } from '../lists/filters/record-matcher.ts';
import type { EntryLookup } from './search-entries.ts';

/** How many of the newest items of a lookup are examined. */
const maxExamined = 1000;

/** The keys of items have no later time. */
const lastInstant = 999_999_999_999_999;

/** What the first call of a lookup has found. */
export interface FoundEntries {
  readonly lookup: EntryLookup;
  /** Newest first. */
  readonly ids: readonly string[];
  readonly examined: number;
  /** The last item examined. Undefined: no item follows. */
  readonly next: Key | undefined;
}

/** Returns the ids of the newest records with a term, at most `limit`. One call. @param lookup without further words */
export async function queryNewest(owner: Owner, lookup: EntryLookup, limit: number): Promise<string[]> {
  const { ids } = await queryOnce(owner, lookup, limit);
  return ids;
}

/** Looks up records, newest first. One call, which examines 1,000 items if they must have marks, and `limit` otherwise. */
export async function queryFirst(owner: Owner, lookup: EntryLookup, limit: number): Promise<FoundEntries> {
  const { ids, count, next } = await queryOnce(owner, lookup, lookup.w.length > 0 ? maxExamined : limit);
  return { lookup, ids, examined: count, next };
}

/**
 * Returns the ids of the newest records that are wanted, at most `limit`. Reads on, in one call, if the first one found fewer.
 * @returns `isMore`: further records can have the term
 */
export async function readOn(
  owner: Owner,
  { lookup, ids, examined, next }: FoundEntries,
  limit: number,
  isWanted: (id: string) => boolean,
): Promise<{ readonly ids: readonly string[]; readonly isMore: boolean }> {
  const first = ids.filter(isWanted);
  const isEnough = next === undefined || first.length >= limit || examined >= maxExamined;
  const rest = isEnough ? { ids: [], next } : await queryOnce(owner, lookup, maxExamined - examined, next);
  const wanted = [...first, ...rest.ids.filter(isWanted)];
  return { ids: wanted.slice(0, limit), isMore: wanted.length > limit || rest.next !== undefined };
}

/** The range of the creation times of records. */
type CreatedRange = Pick<RecordFilter, 'createdFrom' | 'createdTo'>;

/**
 * Returns the ids of all records with a term, newest first, of the newest `maxExamined` that can have it. Reads 1 MB in each call.
 * `isCut`: older records can have it, too.
 * @param range only records that were created in it are examined
 */
export async function queryAllEntries(
  owner: Owner,
  lookup: EntryLookup,
  maxExamined: number,
  range: CreatedRange = {},
): Promise<{ readonly ids: readonly string[]; readonly isCut: boolean }> {
  const all: string[] = [];
  let examined = 0;
  let start: Key | undefined;
  do {
    const { ids, count, next } = await queryOnce(owner, lookup, maxExamined - examined, start, range);
    all.push(...ids);
    examined += count;
    start = next;
  } while (start && examined < maxExamined);
  return { ids: all, isCut: start !== undefined };
}

async function queryOnce(
  owner: Owner,
  { hash, w }: EntryLookup,
  limit: number,
  start?: Key,
  { createdFrom = 0, createdTo = lastInstant }: CreatedRange = {},
) {
  const filter = w.map((_, index) => `contains(w, :w${index})`).join(' AND ');
  const found = await dynamodb.send(
    new QueryCommand({
      TableName: env.tableName(),
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
      ExpressionAttributeValues: {
        ':pk': tableKeys.searchEntry(owner, hash, 0, '').pk,
        // An id follows the time, so an item of the end of the range is not in it.
        ':from': padInstant(createdFrom),
        ':to': padInstant(createdTo),
        ...Object.fromEntries(w.map((each, index) => [`:w${index}`, each])),
      },
      ...(filter && { FilterExpression: filter }),
      ...(start && { ExclusiveStartKey: { ...start } }),
      ProjectionExpression: 'sk',
      ScanIndexForward: false,
      Limit: limit,
    }),
  );
  const { Items: items = [], ScannedCount: count = 0, LastEvaluatedKey: next } = found;
  return { ids: items.map(({ sk }) => String(sk).split('#')[1] ?? ''), count, next: next as Key | undefined };
}
