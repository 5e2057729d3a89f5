/**
 * Stores index pages, which show which records exist and which status each has. One page covers 256 consecutive
 * sequence numbers of one list. A list contains all records of a resource, or those of a filter, for example of one
 * customer. A page has one grow-only set of numbers for each status.
 *
 * - A page changes only by adding a number to a set. Adding is commutative and idempotent, so retries, replays, races
 *   and repairs cannot corrupt a page. Only an erasure removes numbers (`remove-index-entries.ts`).
 * - A page is never part of a transaction, so changes of different records never conflict in it.
 * - A record exists if any set contains its number. Its status is the one of highest precedence among those sets. This
 *   is correct because statuses only move forward, in the order of `indexStates`.
 */
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../env.ts';
import type { Owner, Resource } from '../../ids.ts';
import type { StatusOf, statuses } from '../../statuses.ts';
import { dynamodb } from '../client.ts';
import { type Key, pageNumberOf, pageSize, tableKeys } from '../keys.ts';
import type { NumberedRecord } from '../records.ts';
import { captureWireItems, type WireItem } from './wire-items.ts';

/** For each resource, the attribute that holds the set of each status. A status without one does not compile. */
export type IndexStates<Statuses extends Readonly<Record<Resource, readonly string[]>> = typeof statuses> = {
  readonly [R in Resource]: Readonly<Record<Statuses[R][number], string>>;
};

/** The statuses of each resource, lowest precedence first, and the attribute that holds the set of each. */
export const indexStates = {
  invoice: { pending: 'c', overdue: 'o', paid: 'p', cancelled: 'x' },
  payment: { pending: 'c', failed: 'f', completed: 'p' },
  // A processed refund fails if the bank returns the money to the provider.
  refund: { pending: 'c', processed: 'p', failed: 'f' },
} as const satisfies IndexStates;

/** States that the record with number `seq` has reached `status`. Goes to the list of all and to each filtered list. */
export type IndexEntry = {
  readonly [R in Resource]: {
    readonly resource: R;
    readonly seq: number;
    readonly filterKeys: readonly string[];
    readonly status: StatusOf<R>;
    /** The attribute of the status, if the entry was stored by another version. This one may not know the status. */
    readonly set?: string | undefined;
  };
}[Resource];

/** An entry as outbox items and idempotency records store it. Attribute names stay as earlier releases wrote them. */
export type StoredIndexEntry = Omit<IndexEntry, 'filterKeys'> & { readonly dimensions: readonly string[] };

/** Converts an entry to the form in which it is stored. */
export const toStoredEntry = ({ filterKeys, ...entry }: IndexEntry): StoredIndexEntry => ({
  ...entry,
  dimensions: filterKeys,
  set: setOf(entry),
});

/** Converts a stored entry back. */
export const fromStoredEntry = ({ dimensions, ...entry }: StoredIndexEntry): IndexEntry =>
  ({ ...entry, filterKeys: dimensions }) as IndexEntry;

/** The index entry of a record's present status. */
export function indexEntryOf<R extends Resource>(
  resource: R,
  { seq, filterKeys, status }: Pick<NumberedRecord<R>, 'seq' | 'filterKeys' | 'status'>,
): IndexEntry {
  return { resource, seq, filterKeys, status } as IndexEntry;
}

/** The precedence of a status that only a newer version knows: such a record has left all statuses known here. */
const unknownPrecedence = 255;

/** Whether this version knows a status. Records of a newer version can have others. */
export function isKnownStatus(resource: Resource, status: string): boolean {
  return Object.hasOwn(indexStates[resource], status);
}

/** Returns the precedence of a status, from 1. 0 means that the record does not exist. */
export function precedenceOf(resource: Resource, status: string): number {
  if (!isKnownStatus(resource, status)) return unknownPrecedence;
  return Object.keys(indexStates[resource]).indexOf(status) + 1;
}

/** Returns the status that has this precedence, or undefined for 0. */
export function statusAtPrecedence(resource: Resource, precedence: number): string | undefined {
  return Object.keys(indexStates[resource])[precedence - 1];
}

/** The attribute that holds the set of the entry's status. Undefined if neither this version nor the entry knows it. */
export function setOf({
  resource,
  status,
  set,
}: Pick<IndexEntry, 'resource' | 'status' | 'set'>): string | undefined {
  return (indexStates[resource] as Readonly<Record<string, string>>)[status] ?? set;
}

/**
 * The status of every record of a list, as read from its index pages. For each page, newest first, it holds the
 * precedence of each number. A value set by `overlay` counts as if the page had contained it.
 */
export class IndexView {
  readonly resource: Resource;
  /** The filters of the list. */
  readonly filterKeys: readonly string[];
  readonly #pages: Map<number, Uint8Array>;

  constructor(resource: Resource, filterKeys: readonly string[], pages: Map<number, Uint8Array>) {
    this.resource = resource;
    this.filterKeys = filterKeys;
    this.#pages = pages;
  }

  /** The precedence of the record with number `seq`. 0 if the view does not contain it. */
  precedenceAt(seq: number): number {
    return this.#pages.get(Math.floor(seq / pageSize))?.[seq % pageSize] ?? 0;
  }

  /** Replaces the precedence of a record whose page the view contains. Use 0 for a record that does not exist. */
  overlay(seq: number, precedence: number): void {
    const page = this.#pages.get(Math.floor(seq / pageSize));
    if (page) page[seq % pageSize] = precedence;
  }

  /**
   * Selects the rows of one page of the list.
   * @param status selects records of this status. Undefined selects all records.
   * @param offset the number of matching records to skip, newest first
   * @returns the exact number of matches, and the sequence numbers of at most `limit` of them, newest first
   */
  select(status: string | undefined, offset: number, limit: number): { total: number; seqs: number[] } {
    const wanted = status === undefined ? undefined : precedenceOf(this.resource, status);
    const seqs: number[] = [];
    let total = 0;
    for (const [page, precedences] of this.#pages) {
      const matches = countOf(precedences, wanted);
      if (seqs.length < limit && total + matches > offset) {
        let position = total;
        for (let low = pageSize - 1; low >= 0 && seqs.length < limit; low--) {
          if (!isMatch(precedences[low] ?? 0, wanted)) continue;
          if (position >= offset) seqs.push(page * pageSize + low);
          position += 1;
        }
      }
      total += matches;
    }
    return { total, seqs };
  }
}

const isMatch = (precedence: number, wanted: number | undefined) =>
  wanted === undefined ? precedence > 0 : precedence === wanted;

function countOf(precedences: Uint8Array, wanted: number | undefined): number {
  let count = 0;
  for (const precedence of precedences) if (isMatch(precedence, wanted)) count += 1;
  return count;
}

/**
 * Reads the pages of a list, strongly consistent.
 * @param filterKeys the filters of the list. Without any, the list contains all records. With several, it contains the
 *   records that match every one of them.
 */
export async function readIndex(
  owner: Owner,
  resource: Resource,
  filterKeys: readonly string[],
): Promise<IndexView> {
  const [first, ...others] = await Promise.all(
    (filterKeys.length > 0 ? filterKeys : ['']).map((filterKey) =>
      readFilterPages(owner, resource, filterKey),
    ),
  );
  const pages = new Map([...(first ?? [])].sort(([a], [b]) => b - a));
  for (const [page, precedences] of pages) {
    for (const other of others) intersect(precedences, other.get(page));
  }
  return new IndexView(resource, filterKeys, pages);
}

/** Keeps the records that both pages contain, each with the higher of its two precedences. Changes `precedences`. */
function intersect(precedences: Uint8Array, other: Uint8Array | undefined): void {
  for (let low = 0; low < pageSize; low++) {
    const precedence = other?.[low] ?? 0;
    const own = precedences[low] ?? 0;
    precedences[low] = precedence === 0 || own === 0 ? 0 : Math.max(precedence, own);
  }
}

/**
 * Reads all pages of one list. One query reads at most 1 MB. If pages remain, the first query shows how many fit into
 * 1 MB, and the rest is read in ranges of that size, in parallel.
 */
async function readFilterPages(
  owner: Owner,
  resource: Resource,
  filterKey: string,
): Promise<Map<number, Uint8Array>> {
  const pages = new Map<number, Uint8Array>();
  const key = (page: number) => tableKeys.indexPage(owner, resource, filterKey, page);
  const newest = await readRange(resource, key(0), key(9_999_999_999), pages, 'once');
  const oldestRead = Math.min(...pages.keys());
  if (!newest.more) return pages;
  const span = Math.max(1, Math.max(...pages.keys()) - oldestRead);
  const ranges: Promise<unknown>[] = [];
  for (let top = oldestRead - 1; top >= 0; top -= span) {
    ranges.push(readRange(resource, key(Math.max(0, top - span + 1)), key(top), pages, 'to the end'));
  }
  await Promise.all(ranges);
  return pages;
}

async function readRange(
  resource: Resource,
  from: Key,
  to: Key,
  pages: Map<number, Uint8Array>,
  extent: 'once' | 'to the end',
): Promise<{ more: boolean }> {
  let start: Record<string, unknown> | undefined;
  do {
    const query = new QueryCommand({
      TableName: env.tableName(),
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
      ExpressionAttributeValues: { ':pk': from.pk, ':from': from.sk, ':to': to.sk },
      ScanIndexForward: false,
      ConsistentRead: true,
      ...(start && { ExclusiveStartKey: start }),
    });
    const items = captureWireItems(query);
    const answer = await dynamodb.send(query);
    for (const item of items()) {
      pages.set(
        pageNumberOf(item.sk?.S),
        precedencesOf(resource, (set) => lowsOf(item, set)),
      );
    }
    start = answer.LastEvaluatedKey;
  } while (start && extent === 'to the end');
  return { more: start !== undefined };
}

/** The number that each base64 text of one byte encodes. */
const lowOf = new Map(
  Array.from({ length: pageSize }, (_, low) => [Buffer.from([low]).toString('base64'), low]),
);

const lowsOf = (item: WireItem, set: string) => (item[set]?.BS ?? []).map((text) => lowOf.get(text) ?? 0);

/**
 * Returns the precedence of each number of a page.
 * @param lowsIn returns the low bytes that a set contains
 */
export function precedencesOf(resource: Resource, lowsIn: (set: string) => readonly number[]): Uint8Array {
  const precedences = new Uint8Array(pageSize);
  // Lowest precedence first, so that the highest one is written last.
  Object.values(indexStates[resource]).forEach((set, index) => {
    for (const low of lowsIn(set)) precedences[low] = index + 1;
  });
  return precedences;
}
