/**
 * Reads the index of lists, strongly consistent: pages and volumes, in any order. `fold-volume.ts` says why both together
 * are exact.
 */
import type { Owner, Resource } from '../../../base/ids.ts';
import { currencies } from '../../../base/money.ts';
import { now } from '../../../base/time.ts';
import { pageNumberOf, pageSize, pagesPerVolume, volumeNumberOf } from '../../keys.ts';
import { currencySets, timeSet, timesOf } from '../filters/record-facts.ts';
import {
  hasRange,
  isEmptyFilter,
  maxDisorderMs,
  type RecordFilter,
  RecordMatcher,
} from '../filters/record-matcher.ts';
import { type FoldableList, type VolumeSizes, volumesToFold } from '../volumes/fold-requests.ts';
import { maxReadMs } from '../volumes/fold-volume.ts';
import { packedStatesOf } from '../volumes/volume-items.ts';
import { totalsIn } from '../volumes/volume-totals.ts';
import { VolumeView } from '../volumes/volume-view.ts';
import { noteMalformedWire, type WireItem, wireBytes } from '../wire-items.ts';
import { precedencesOf } from './index-pages.ts';
import { IndexView, type ReadVolumes } from './index-view.ts';
import { readListItems, readVolumeItems } from './read-list-items.ts';
import { readVolumeFacts, type VolumeFacts } from './read-volume-facts.ts';
import { knownTimes, type PageRange, pagesOfRange, rememberTimes, type TimeAnchor } from './time-anchors.ts';

/**
 * Reads the index of a list. Of a range of creation times, it reads only the pages and volumes that can contain the range. The
 * first such list of an account in this instance needs a call before, for the stored times.
 * @param filterKeys the filters of the list. Without any, the list contains all records. With several, it contains the
 *   records that match every one of them.
 * @param filter the filters that have no list of their own. The view still contains records that do not match them.
 */
export function readIndex(
  owner: Owner,
  resource: Resource,
  filterKeys: readonly string[],
  filter: RecordFilter = {},
): Promise<IndexView> {
  return readView({ owner, resource, filter, extent: 'all', disorderMs: maxDisorderMs }, filterKeys);
}

/**
 * Reads the index of a list as far as a page of it needs, which `readFor` of the view then completes. Of a list with many
 * volumes and at most one filter key, it reads the newest volumes, and the counts of the others.
 * @returns a view for `listRecords`. Parameters are those of `readIndex`.
 */
export function readListIndex(
  owner: Owner,
  resource: Resource,
  filterKeys: readonly string[],
  filter: RecordFilter = {},
): Promise<IndexView> {
  // Other filters need each number.
  const extent = filterKeys.length <= 1 && isEmptyFilter(filter) ? 'newest' : 'all';
  return readView({ owner, resource, filter, extent, disorderMs: maxDisorderMs }, filterKeys);
}

async function readView(request: IndexRequest, filterKeys: readonly string[]): Promise<IndexView> {
  const { owner, resource, filter, disorderMs } = request;
  const matcher = isEmptyFilter(filter) ? undefined : new RecordMatcher(filter, disorderMs);
  const known = matcher ? await knownTimes(owner, resource, filter) : [];
  for (const [seq, createdAt] of known) matcher?.learnTime(seq, createdAt);
  const range = pagesOfRange(filter, known, disorderMs);
  const read: ListRead = { ...request, range, matcher, times: [] };
  const begunAt = now();
  const [first, ...others] = await Promise.all(
    (filterKeys.length > 0 ? filterKeys : ['']).map((filterKey) => readList(read, filterKey)),
  );
  // A process that was suspended meanwhile.
  if (now() - begunAt > maxReadMs) return readView(request, filterKeys);
  rememberTimes(owner, resource, read.times);
  const views = new Map([...(first?.views ?? [])].sort(([a], [b]) => b - a));
  for (const [volume, view] of views) {
    for (const other of others) view.intersect(other.views.get(volume) ?? new VolumeView());
  }
  const lists = first ? [first, ...others] : others;
  const readVolumes: ReadVolumes = async (volumes) => {
    const items = await readVolumeItems({ owner, resource, filterKey: first?.filterKey ?? '' }, volumes);
    const found = items.map((item) => [volumeNumberOf(item.sk?.S), packedStatesOf(resource, item)] as const);
    return new Map(found.flatMap(([volume, states]) => (states ? [[volume, states]] : [])));
  };
  const readAgain = (aheadMs: number) =>
    readView({ ...request, disorderMs: maxDisorderMs + aheadMs }, filterKeys);
  return new IndexView(resource, filterKeys, views, {
    matcher,
    foldable: lists.flatMap(foldableOf),
    readVolumes,
    readAgain: hasRange(filter) ? readAgain : undefined,
  });
}

interface IndexRequest {
  readonly owner: Owner;
  readonly resource: Resource;
  readonly filter: RecordFilter;
  /** Which volumes are read. */
  readonly extent: 'all' | 'newest';
  /** By how much a record can be older than one with a lower number. */
  readonly disorderMs: number;
}

/** What a list reads, and the creation times that it finds. */
interface ListRead extends IndexRequest {
  readonly range: PageRange;
  /** Learns the facts in the pages. */
  readonly matcher: RecordMatcher | undefined;
  readonly times: TimeAnchor[];
}

/** What was read of one list. */
interface ListedVolumes {
  readonly filterKey: string;
  readonly views: Map<number, VolumeView>;
  readonly sizes: Map<number, VolumeSizes>;
}

const foldableOf = ({ filterKey, sizes }: ListedVolumes): FoldableList[] => {
  const volumes = volumesToFold(sizes, now());
  return volumes.length > 0 ? [{ filterKey, volumes }] : [];
};

/** Reads the pages and volumes of one list. */
async function readList(read: ListRead, filterKey: string): Promise<ListedVolumes> {
  const { owner, resource, range, extent } = read;
  const list: ListedVolumes = { filterKey, views: new Map(), sizes: new Map() };
  if (range.first > range.last) return list;
  const volumes = {
    first: Math.floor(range.first / pagesPerVolume),
    last: Math.floor(range.last / pagesPerVolume),
  };
  const [found, facts] = await Promise.all([
    readListItems({ owner, resource, filterKey }, range, extent),
    readVolumeFacts({ ...read, filterKey, volumes }),
  ]);
  for (const [volume, counts] of totalsIn(resource, found.totals))
    list.views.set(volume, new VolumeView({ counts }));
  addVolumes(read, list, found.volumes, facts);
  addPages(read, list, found.pages);
  return list;
}

function addVolumes(
  { resource, matcher, times }: ListRead,
  { views, sizes }: ListedVolumes,
  items: readonly WireItem[],
  facts: VolumeFacts,
): void {
  for (const item of items) {
    const volume = volumeNumberOf(item.sk?.S);
    const states = packedStatesOf(resource, item);
    if (!states) continue;
    views.set(volume, new VolumeView(states));
    sizes.set(volume, { pageBytes: 0, volumeBytes: wireBytes(item), heldSince: states.heldSince ?? 0 });
    matcher?.learnVolume(volume, facts.of(volume));
  }
  for (const time of facts.times) {
    matcher?.learnTime(...time);
    times.push(time);
  }
}

function addPages(read: ListRead, { views, sizes }: ListedVolumes, items: readonly WireItem[]): void {
  for (const item of items) {
    const page = pageNumberOf(item.sk?.S);
    const volume = Math.floor(page / pagesPerVolume);
    const view = views.get(volume) ?? new VolumeView();
    views.set(volume, view);
    const precedences = precedencesOf(read.resource, (set) => lowsOf(item, set));
    view.raise((page % pagesPerVolume) * pageSize, precedences);
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

/** Returns the low bytes of the numbers in a set of a page. What is malformed is noted, and contains none. */
function lowsOf(item: WireItem, set: string): number[] {
  const stored = item[set];
  if (!stored) return [];
  const lows: number[] = [];
  for (const text of stored.BS ?? []) {
    const low = lowOf.get(text);
    if (low !== undefined) lows.push(low);
  }
  if (lows.length !== stored.BS?.length) noteMalformedWire(item, `its attribute ${set} has another form`);
  return lows;
}
