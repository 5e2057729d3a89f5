/**
 * Index pages: which records exist, and in which state, as bitmaps of grow-only sets. One page stands for 256
 * consecutive numbers of one list (all records of a resource, or those of one dimension such as a customer).
 *
 * Invariants: a page only ever changes by adding a number to a set, which is commutative and idempotent, so
 * that retries, replays, races and repairs cannot corrupt it; it is never part of a transaction. A record exists
 * if any set holds its number, and its state is the strongest of those sets. That is sound because states only
 * move forward, in the order of `indexStates`.
 */
import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../env.ts';
import type { Owner, Resource } from '../ids.ts';
import { dynamodb } from './client.ts';
import { type Key, keys, pageSize } from './keys.ts';
import { takeItems, type WireItem } from './wire-items.ts';

/** The states of each resource, weakest first, with the attribute that holds the set of each. */
const indexStates = {
  invoice: { pending: 'c', overdue: 'o', paid: 'p', cancelled: 'x' },
  payment: { pending: 'c', failed: 'f', completed: 'p' },
  refund: { pending: 'c', failed: 'f', processed: 'p' },
} as const satisfies Record<Resource, Record<string, string>>;

/** That record number `seq` has reached `status`, in the list of all and in those of its dimensions. */
export interface IndexElement {
  readonly resource: Resource;
  readonly seq: number;
  readonly dimensions: readonly string[];
  readonly status: string;
}

/** How strong a state is, from 1; 0 means that there is no such record. */
export function rankOf(resource: Resource, status: string): number {
  return Object.keys(indexStates[resource]).indexOf(status) + 1;
}

/** The state that is that strong; undefined for 0. */
export function statusOf(resource: Resource, rank: number): string | undefined {
  return Object.keys(indexStates[resource])[rank - 1];
}

/** Adds each element to all of its pages, in parallel. Doing so again changes nothing. */
export async function addElements(owner: Owner, elements: readonly IndexElement[]): Promise<void> {
  await Promise.all(elements.map((element) => addElement(owner, element)));
}

/** Adds the element to all of its pages, in parallel. Doing so again changes nothing. */
export async function addElement(owner: Owner, element: IndexElement): Promise<void> {
  const page = Math.floor(element.seq / pageSize);
  const set = (indexStates[element.resource] as Record<string, string>)[element.status];
  if (!set) throw new Error(`There is no index state ${element.status} of ${element.resource}.`);
  await Promise.all(
    ['', ...element.dimensions].map((dimension) =>
      dynamodb.send(
        new UpdateCommand({
          TableName: env.tableName(),
          Key: keys.indexPage(owner, element.resource, dimension, page),
          UpdateExpression: 'ADD #set :number',
          ExpressionAttributeNames: { '#set': set },
          ExpressionAttributeValues: { ':number': new Set([Uint8Array.of(element.seq % pageSize)]) },
        }),
      ),
    ),
  );
}

/**
 * The state of every record of a list: for each page the rank of each of its numbers, newest page first.
 * What is laid over it later counts as if the pages had held it.
 */
export class IndexView {
  readonly resource: Resource;
  readonly #pages: Map<number, Uint8Array>;

  constructor(resource: Resource, pages: Map<number, Uint8Array>) {
    this.resource = resource;
    this.#pages = pages;
  }

  /** The rank of record number `seq`. */
  rank(seq: number): number {
    return this.#pages.get(Math.floor(seq / pageSize))?.[seq % pageSize] ?? 0;
  }

  /** Replaces the rank of a record that the view knows. */
  lay(seq: number, rank: number): void {
    const page = this.#pages.get(Math.floor(seq / pageSize));
    if (page) page[seq % pageSize] = rank;
  }

  /**
   * The exact number of records of that state (of all states, if none is given), and the numbers of those from
   * `offset` on, newest first, `limit` of them at most.
   */
  select(status: string | undefined, offset: number, limit: number): { total: number; seqs: number[] } {
    const wanted = status === undefined ? undefined : rankOf(this.resource, status);
    const seqs: number[] = [];
    let total = 0;
    for (const [page, ranks] of this.#pages) {
      const matches = countOf(ranks, wanted);
      if (seqs.length < limit && total + matches > offset) {
        let position = total;
        for (let low = pageSize - 1; low >= 0 && seqs.length < limit; low--) {
          if (!isMatch(ranks[low] ?? 0, wanted)) continue;
          if (position >= offset) seqs.push(page * pageSize + low);
          position += 1;
        }
      }
      total += matches;
    }
    return { total, seqs };
  }
}

const isMatch = (rank: number, wanted: number | undefined) =>
  wanted === undefined ? rank > 0 : rank === wanted;

function countOf(ranks: Uint8Array, wanted: number | undefined): number {
  let count = 0;
  for (const rank of ranks) if (isMatch(rank, wanted)) count += 1;
  return count;
}

/**
 * Reads a list's pages, strongly consistent.
 * @param dimensions none for all records; with several, only records that are in each of them
 */
export async function readIndex(
  owner: Owner,
  resource: Resource,
  dimensions: readonly string[],
): Promise<IndexView> {
  const [first, ...others] = await Promise.all(
    (dimensions.length > 0 ? dimensions : ['']).map((dimension) => readDimension(owner, resource, dimension)),
  );
  const pages = new Map([...(first ?? [])].sort(([a], [b]) => b - a));
  for (const [page, ranks] of pages) {
    for (const other of others) intersect(ranks, other.get(page));
  }
  return new IndexView(resource, pages);
}

/** Existence is what both know; the state is the stronger of the two. */
function intersect(ranks: Uint8Array, other: Uint8Array | undefined): void {
  for (let low = 0; low < pageSize; low++) {
    const rank = other?.[low] ?? 0;
    ranks[low] = rank === 0 || ranks[low] === 0 ? 0 : Math.max(rank, ranks[low] ?? 0);
  }
}

/**
 * One query reads at most 1 MB. If that was not all, it tells how many pages fit into a query, and the rest is
 * read in ranges of that size, in parallel.
 */
async function readDimension(
  owner: Owner,
  resource: Resource,
  dimension: string,
): Promise<Map<number, Uint8Array>> {
  const pages = new Map<number, Uint8Array>();
  const key = (page: number) => keys.indexPage(owner, resource, dimension, page);
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
    const items = takeItems(query);
    const answer = await dynamodb.send(query);
    for (const item of items()) {
      pages.set(
        pageOf(item.sk?.S),
        ranksOf(resource, (set) => lowsOf(item, set)),
      );
    }
    start = answer.LastEvaluatedKey;
  } while (start && extent === 'to the end');
  return { more: start !== undefined };
}

/** The number that stands for each base64 text of one byte. */
const lowOf = new Map(
  Array.from({ length: pageSize }, (_, low) => [Buffer.from([low]).toString('base64'), low]),
);

const lowsOf = (item: WireItem, set: string) => (item[set]?.BS ?? []).map((text) => lowOf.get(text) ?? 0);

/** The page that a sort key names. */
export const pageOf = (sk: unknown): number => Number(String(sk).slice('PAGE#'.length));

/** The rank of each number of a page. @param lowsIn the low bytes that a set has */
export function ranksOf(resource: Resource, lowsIn: (set: string) => readonly number[]): Uint8Array {
  const ranks = new Uint8Array(pageSize);
  // Weakest first, so that the strongest state is written last.
  Object.values(indexStates[resource]).forEach((set, index) => {
    for (const low of lowsIn(set)) ranks[low] = index + 1;
  });
  return ranks;
}
