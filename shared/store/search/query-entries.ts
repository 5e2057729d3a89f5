/** Reads the items that lead from a term to records, see `search-entries.ts`. */
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../base/env.ts';
import type { Owner } from '../../base/ids.ts';
import { dynamodb } from '../client.ts';
import { type Key, tableKeys } from '../keys.ts';
import type { EntryLookup } from './search-entries.ts';

/** How many items of one call are examined, where a name has further words. */
const examinedPerCall = 1000;

/** Returns the ids of the newest records with a term, at most `limit`. One call, which examines 1,000 names. */
export async function queryNewest(owner: Owner, lookup: EntryLookup, limit: number): Promise<string[]> {
  const { ids } = await queryOnce(owner, lookup, lookup.w.length > 0 ? examinedPerCall : limit);
  return ids.slice(0, limit);
}

/** Returns the ids of all records with a term, newest first, of the newest `maxExamined` that can have it. Reads 1 MB in each call. */
export async function queryAllEntries(
  owner: Owner,
  lookup: EntryLookup,
  maxExamined: number,
): Promise<string[]> {
  const all: string[] = [];
  let examined = 0;
  let start: Key | undefined;
  do {
    const { ids, count, next } = await queryOnce(owner, lookup, maxExamined - examined, start);
    all.push(...ids);
    examined += count;
    start = next;
  } while (start && examined < maxExamined);
  return all;
}

async function queryOnce(owner: Owner, { hash, w }: EntryLookup, limit: number, start?: Key) {
  const filter = w.map((_, index) => `contains(w, :w${index})`).join(' AND ');
  const found = await dynamodb.send(
    new QueryCommand({
      TableName: env.tableName(),
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: {
        ':pk': tableKeys.searchEntry(owner, hash, 0, '').pk,
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
