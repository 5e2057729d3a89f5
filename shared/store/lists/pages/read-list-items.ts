/**
 * Reads the items of the index of one list, strongly consistent: pages, the statuses of volumes, and totals of volumes.
 *
 * - One query reads them all, if they have less than 1 MB. If something remains, the first query shows how much fits into 1 MB,
 *   and the rest is read in ranges of that size, in parallel.
 * - If an earlier read of this instance has seen many volumes, only the newest ones are read, together with all totals and
 *   pages. The memory is only a hint: each way to read is exact, because totals stand for the other volumes.
 */
import { env } from '../../../base/env.ts';
import {
  isTotalsKey,
  isVolumeKey,
  type Key,
  pageNumberOf,
  pagesPerVolume,
  tableKeys,
  volumeNumberOf,
} from '../../keys.ts';
import { type ListName, totalsKey } from '../volumes/volume-totals.ts';
import { type QueryExtent, queryWireItems, type WireItem } from '../wire-items.ts';
import { allPages, type PageRange } from './time-anchors.ts';

/** The items that were found of a list. */
export interface ListItems {
  readonly pages: WireItem[];
  readonly volumes: WireItem[];
  /** They stand for the volumes that were not read. None if all were read. */
  readonly totals: WireItem[];
}

/** So many volumes hold about a million records, and have some 150 KB. A list of more needs a further call for older ones. */
export const newestVolumes = 64;
/** The pages of a parallel query. They have less than 1 MB in most cases. */
const pagesPerQuery = 1_000;
/** After the volumes, few pages are left. */
const pagesPerQueryBesideVolumes = 4_096;

/** A query of one volume takes as many units as one of two volumes in most cases. */
const nearVolumes = 2;

/** The lists with more volumes than `newestVolumes`, each with the number of its items with totals. */
const largeLists = new Map<string, number>();
const maxRemembered = 10_000;

/**
 * Reads the items of a list.
 * @param range reads only pages and volumes that can contain these pages. Then no totals are read.
 * @param extent `newest`: of a list with many volumes, only the newest ones may be read
 */
export async function readListItems(
  list: ListName,
  range: PageRange,
  extent: 'all' | 'newest',
): Promise<ListItems> {
  const found: ListItems = { pages: [], volumes: [], totals: [] };
  const name = `${env.tableName()} ${keysOf(list).page(0).pk}`;
  const totals = extent === 'newest' ? largeLists.get(name) : undefined;
  if (range.first > 0 || range.last < allPages.last) await readRanges(list, range, found);
  else if (totals === undefined) await readAll(list, found);
  else await readNewest(list, totals, found);
  remember(name, found.totals);
  return totals === undefined ? { ...found, totals: [] } : found;
}

/**
 * Reads the items of volumes of a list. Those that do not exist are left out. Volumes that are near to each other share a query,
 * which then reads a few others, too.
 */
export async function readVolumeItems(list: ListName, volumes: readonly number[]): Promise<WireItem[]> {
  const { volume } = keysOf(list);
  const ranges: { first: number; last: number }[] = [];
  for (const number of volumes.toSorted((one, other) => one - other)) {
    const range = ranges.at(-1);
    if (range && number - range.last <= nearVolumes) range.last = number;
    else ranges.push({ first: number, last: number });
  }
  const found = await Promise.all(
    ranges.map(({ first, last }) => queryWireItems(volume(first), volume(last), 'all')),
  );
  return found.flatMap(({ items }) => items);
}

function remember(name: string, totals: readonly WireItem[]): void {
  const volumes = totals.reduce((sum, { pk: _, sk: __, ...each }) => sum + Object.keys(each).length, 0);
  if (volumes <= newestVolumes) return;
  if (largeLists.size >= maxRemembered) largeLists.clear();
  largeLists.set(name, totals.length);
}

const keysOf = ({ owner, resource, filterKey }: ListName) => ({
  page: (number: number) => tableKeys.indexPage(owner, resource, filterKey, number),
  volume: (number: number) => tableKeys.volume(owner, resource, filterKey, number),
});
const volumeOf = (page: number) => Math.floor(page / pagesPerVolume);

/** Volumes and pages of a range are not next to each other. */
async function readRanges(list: ListName, { first, last }: PageRange, found: ListItems): Promise<void> {
  const { page, volume } = keysOf(list);
  await Promise.all([
    readRange(page(first), page(last), found, 'all'),
    readRange(volume(volumeOf(first)), volume(volumeOf(last)), found, 'all'),
  ]);
}

async function readNewest(list: ListName, totals: number, found: ListItems): Promise<void> {
  const { volume } = keysOf(list);
  await Promise.all([
    readRange(volume(0), lastKeyOf(list), found, totals + newestVolumes),
    readPages(list, found),
  ]);
}

async function readPages(list: ListName, found: ListItems): Promise<void> {
  const { page } = keysOf(list);
  if (await readRange(page(0), page(allPages.last), found, 'one call'))
    await Promise.all(readOlderPages(list, found));
}

async function readAll(list: ListName, found: ListItems): Promise<void> {
  const { page, volume } = keysOf(list);
  if (!(await readRange(page(0), lastKeyOf(list), found, 'one call'))) return;
  if (found.pages.length > 0) {
    await Promise.all(readOlderPages(list, found));
    return;
  }
  const [oldest, newest] = boundsOf(found.volumes, volumeNumberOf);
  const unfolded = (newest + 1) * pagesPerVolume;
  await Promise.all([
    ...readBelow(volume, oldest, Math.max(1, newest - oldest), found),
    readRange(page(unfolded), page(allPages.last), found, 'all'),
    ...readBelow(page, unfolded, pagesPerQueryBesideVolumes, found),
  ]);
}

/** The key after all items of the list's index that are read here. */
const lastKeyOf = (list: ListName): Key => totalsKey(list, volumeOf(allPages.last));

/** Reads the pages before those that one call has found. */
function readOlderPages(list: ListName, found: ListItems): Promise<unknown>[] {
  const [oldest, newest] = boundsOf(found.pages, pageNumberOf);
  return readBelow(keysOf(list).page, oldest, Math.max(pagesPerQuery, newest - oldest), found);
}

/** Reads all items before number `end`, in parallel ranges of `span` numbers. */
function readBelow(
  keyOf: (number: number) => Key,
  end: number,
  span: number,
  found: ListItems,
): Promise<unknown>[] {
  const reads: Promise<unknown>[] = [];
  for (let last = end - 1; last >= 0; last -= span)
    reads.push(readRange(keyOf(Math.max(0, last - span + 1)), keyOf(last), found, 'all'));
  return reads;
}

function boundsOf(items: readonly WireItem[], numberOf: (sk: unknown) => number): [number, number] {
  const numbers = items.map(({ sk }) => numberOf(sk?.S));
  return [Math.min(...numbers), Math.max(...numbers)];
}

/** Reads the items between two keys. Returns whether there are more. */
async function readRange(from: Key, to: Key, found: ListItems, extent: QueryExtent): Promise<boolean> {
  const { items, hasMore } = await queryWireItems(from, to, extent);
  for (const item of items) kindOf(item, found).push(item);
  return hasMore;
}

function kindOf({ sk }: WireItem, { pages, volumes, totals }: ListItems): WireItem[] {
  if (isTotalsKey(sk?.S)) return totals;
  return isVolumeKey(sk?.S) ? volumes : pages;
}
