/** Adds entries to index pages. */
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../env.ts';
import type { Owner } from '../../ids.ts';
import { limitConcurrency } from '../../limit-concurrency.ts';
import { dynamodb } from '../client.ts';
import { type Key, pageSize, tableKeys } from '../keys.ts';
import { type IndexEntry, setOf } from './index-pages.ts';

/** The number of pages that one call of `addIndexEntries` writes at the same time. */
const pagesAtOnce = 64;

/** Adds one entry to all of its pages. See `addIndexEntries`. */
export function addIndexEntry(owner: Owner, entry: IndexEntry): Promise<void> {
  return addIndexEntries(owner, [entry]);
}

/**
 * Adds each entry to all of its pages: one call for each page, in parallel. Adding an entry again changes nothing.
 * @throws Error if a resource does not have the status of its entry, and the entry does not name its attribute
 */
export async function addIndexEntries(owner: Owner, entries: readonly IndexEntry[]): Promise<void> {
  const limited = limitConcurrency(pagesAtOnce);
  await Promise.all(additionsOf(owner, entries).map((addition) => limited(() => addToPage(addition))));
}

/** The numbers to add to each set of one page. */
interface PageAddition {
  readonly key: Key;
  readonly sets: Map<string, Set<number>>;
}

function additionsOf(owner: Owner, entries: readonly IndexEntry[]): PageAddition[] {
  const additions = new Map<string, PageAddition>();
  for (const entry of entries) {
    const set = setOf(entry);
    if (!set) throw new Error(`There is no index state ${entry.status} of ${entry.resource}.`);
    for (const filterKey of ['', ...entry.filterKeys]) {
      const key = tableKeys.indexPage(owner, entry.resource, filterKey, Math.floor(entry.seq / pageSize));
      const name = `${key.pk} ${key.sk}`;
      const addition = additions.get(name) ?? { key, sets: new Map<string, Set<number>>() };
      additions.set(name, addition);
      addition.sets.set(set, (addition.sets.get(set) ?? new Set()).add(entry.seq % pageSize));
    }
  }
  return [...additions.values()];
}

async function addToPage({ key, sets }: PageAddition): Promise<void> {
  const additions = [...sets].map(([set, numbers], index) => ({
    clause: `#set${index} :numbers${index}`,
    name: [`#set${index}`, set],
    value: [`:numbers${index}`, new Set([...numbers].map((number) => Uint8Array.of(number)))],
  }));
  await dynamodb.send(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: key,
      UpdateExpression: `ADD ${additions.map(({ clause }) => clause).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(additions.map(({ name }) => name)),
      ExpressionAttributeValues: Object.fromEntries(additions.map(({ value }) => value)),
    }),
  );
}
