/**
 * Reads the index of lists, strongly consistent: pages and volumes, in any order. `fold-volume.ts` says why both together
 * are exact.
 */
import type { Owner, Resource } from '../../ids.ts';
import { currencies } from '../../money.ts';
import { now } from '../../time.ts';
import {
  isVolumeKey,
  type Key,
  pageNumberOf,
  pageSize,
  pagesPerVolume,
  tableKeys,
  volumeNumberOf,
} from '../keys.ts';
import { type FoldableList, type VolumeSizes, volumesToFold } from './fold-requests.ts';
import { maxReadMs } from './fold-volume.ts';
import { precedencesOf } from './index-pages.ts';
import { Block, IndexView } from './index-view.ts';
import { readVolumeFacts, type VolumeFacts } from './read-volume-facts.ts';
import { currencySets, timeSet, timesOf } from './record-facts.ts';
import { isEmptyFilter, type RecordFilter, RecordMatcher } from './record-matcher.ts';
import {
  allPages,
  knownTimes,
  type PageRange,
  pagesOfRange,
  rememberTimes,
  type TimeAnchor,
} from './time-anchors.ts';
import { packedStatesOf } from './volume-items.ts';
import { queryWireItems, type WireItem, wireBytes } from './wire-items.ts';

/**
 * Reads the index of a list. Of a range of creation times, it reads only the pages and volumes that can contain the range. The
 * first such list of an account in this instance needs a call before, for the stored times.
 * @param filterKeys the filters of the list. Without any, the list contains all records. With several, it contains the
 *   records that match every one of them.
 * @param filter the filters that have no list of their own. The view still contains records that do not match them.
 */
export async function readIndex(
  owner: Owner,
  resource: Resource,
  filterKeys: readonly string[],
  filter: RecordFilter = {},
): Promise<IndexView> {
  const matcher = isEmptyFilter(filter) ? undefined : new RecordMatcher(filter);
  const known = matcher ? await knownTimes(owner, resource, filter) : [];
  for (const [seq, createdAt] of known) matcher?.learnTime(seq, createdAt);
  const range = pagesOfRange(filter, known);
  const read: ListRead = { owner, resource, filter, range, matcher, times: [] };
  const begunAt = now();
  const [first, ...others] = await Promise.all(
    (filterKeys.length > 0 ? filterKeys : ['']).map((filterKey) => readList(read, filterKey)),
  );
  // A process that was suspended meanwhile.
  if (now() - begunAt > maxReadMs) return readIndex(owner, resource, filterKeys, filter);
  rememberTimes(owner, resource, read.times);
  const blocks = new Map([...(first?.blocks ?? [])].sort(([a], [b]) => b - a));
  for (const [volume, block] of blocks) {
    for (const other of others) block.intersect(other.blocks.get(volume) ?? new Block());
  }
  const lists = first ? [first, ...others] : others;
  return new IndexView(resource, filterKeys, blocks, matcher, lists.flatMap(foldableOf));
}

/** What a list reads, and the creation times that it finds. */
interface ListRead {
  readonly owner: Owner;
  readonly resource: Resource;
  readonly filter: RecordFilter;
  readonly range: PageRange;
  /** Learns the facts in the pages. */
  readonly matcher: RecordMatcher | undefined;
  readonly times: TimeAnchor[];
}

/** What was read of one list. */
interface ListedBlocks {
  readonly filterKey: string;
  readonly blocks: Map<number, Block>;
  readonly sizes: Map<number, VolumeSizes>;
}

const foldableOf = ({ filterKey, sizes }: ListedBlocks): FoldableList[] => {
  const volumes = volumesToFold(sizes, now());
  return volumes.length > 0 ? [{ filterKey, volumes }] : [];
};

/** The pages of a parallel query. They have less than 1 MB in most cases. */
const pagesPerQuery = 1_000;
/** After the volumes, few pages are left. */
const pagesPerQueryBesideVolumes = 4_096;

/**
 * Reads the pages and volumes of one list. One query reads at most 1 MB, and reads the volumes first. If something remains, the
 * first query shows how much fits into 1 MB, and the rest is read in ranges of that size, in parallel.
 */
async function readList(read: ListRead, filterKey: string): Promise<ListedBlocks> {
  const { owner, resource, range } = read;
  const list: ListedBlocks = { filterKey, blocks: new Map(), sizes: new Map() };
  const { first, last } = range;
  if (first > last) return list;
  const page = (number: number) => tableKeys.indexPage(owner, resource, filterKey, number);
  const volume = (number: number) => tableKeys.volume(owner, resource, filterKey, number);
  const volumes = { first: Math.floor(first / pagesPerVolume), last: Math.floor(last / pagesPerVolume) };
  const found: Found = { pages: [], volumes: [] };
  const facts = readVolumeFacts({ ...read, filterKey, volumes });
  const queries: Promise<unknown>[] = [];
  const query = (from: Key, to: Key) => queries.push(readRange(from, to, found, 'all'));
  /** Reads the range from the top down to `bottom`, in ranges of `span`. */
  const queryAll = (of: (number: number) => Key, bottom: number, top: number, span: number) => {
    for (let end = top; end >= bottom; end -= span) query(of(Math.max(bottom, end - span + 1)), of(end));
  };
  if (first > 0 || last < allPages.last) {
    // Volumes and pages of a range are not next to each other.
    query(page(first), page(last));
    query(volume(volumes.first), volume(volumes.last));
  } else if (await readRange(page(first), volume(volumes.last), found, 'one call')) {
    const [oldestPage, newestPage] = boundsOf(found.pages, pageNumberOf);
    const [oldest, newest] = boundsOf(found.volumes, volumeNumberOf);
    if (found.pages.length > 0) {
      const span = Math.max(pagesPerQuery, newestPage - oldestPage);
      queryAll(page, first, oldestPage - 1, span);
    } else {
      queryAll(volume, volumes.first, oldest - 1, Math.max(1, newest - oldest));
      query(page((newest + 1) * pagesPerVolume), page(last));
      queryAll(page, first, (newest + 1) * pagesPerVolume - 1, pagesPerQueryBesideVolumes);
    }
  }
  await Promise.all(queries);
  addVolumes(read, list, found.volumes, await facts);
  addPages(read, list, found.pages);
  return list;
}

/** The items that queries have found. */
interface Found {
  readonly pages: WireItem[];
  readonly volumes: WireItem[];
}

function boundsOf(items: readonly WireItem[], numberOf: (sk: unknown) => number): [number, number] {
  const numbers = items.map(({ sk }) => numberOf(sk?.S));
  return [Math.min(...numbers), Math.max(...numbers)];
}

/** Reads the items between two keys. Returns whether there are more. */
async function readRange(from: Key, to: Key, found: Found, extent: 'one call' | 'all'): Promise<boolean> {
  const { items, hasMore } = await queryWireItems(from, to, extent);
  for (const item of items) (isVolumeKey(item.sk?.S) ? found.volumes : found.pages).push(item);
  return hasMore;
}

function addVolumes(
  { resource, matcher, times }: ListRead,
  { blocks, sizes }: ListedBlocks,
  items: readonly WireItem[],
  facts: VolumeFacts,
): void {
  for (const item of items) {
    const volume = volumeNumberOf(item.sk?.S);
    const states = packedStatesOf(resource, item);
    blocks.set(volume, new Block(states));
    sizes.set(volume, { pageBytes: 0, volumeBytes: wireBytes(item), heldSince: states.heldSince ?? 0 });
    matcher?.learnVolume(volume, facts.of(volume));
  }
  for (const time of facts.times) {
    matcher?.learnTime(...time);
    times.push(time);
  }
}

function addPages(read: ListRead, { blocks, sizes }: ListedBlocks, items: readonly WireItem[]): void {
  for (const item of items) {
    const page = pageNumberOf(item.sk?.S);
    const volume = Math.floor(page / pagesPerVolume);
    const block = blocks.get(volume) ?? new Block();
    blocks.set(volume, block);
    const precedences = precedencesOf(read.resource, (set) => lowsOf(item, set));
    block.raise((page % pagesPerVolume) * pageSize, precedences);
    const size = sizes.get(volume) ?? { pageBytes: 0, volumeBytes: 0, heldSince: 0 };
    sizes.set(volume, { ...size, pageBytes: size.pageBytes + wireBytes(item) });
    learnFacts(read, page, item);
  }
}

function learnFacts({ matcher, times }: ListRead, page: number, item: WireItem): void {
  if (!matcher) return;
  for (const time of timesOf(page, item[timeSet]?.BS ?? [])) {
    matcher.learnTime(...time);
    times.push(time);
  }
  for (const currency of currencies) {
    for (const low of lowsOf(item, currencySets[currency]))
      matcher.learnCurrency(page * pageSize + low, currency);
  }
}

/** The number that each base64 text of one byte encodes. */
const lowOf = new Map(
  Array.from({ length: pageSize }, (_, low) => [Buffer.from([low]).toString('base64'), low]),
);

const lowsOf = (item: WireItem, set: string) => (item[set]?.BS ?? []).map((text) => lowOf.get(text) ?? 0);
