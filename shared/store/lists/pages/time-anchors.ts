/**
 * Knows the creation times of some records, at most three of each index page. With them, a list of a range of days reads only
 * the pages that can contain these days.
 *
 * The times are in the memory of this instance. A creation time never changes, so what is remembered cannot be outdated. An
 * instance reads the stored times of an account (`page-times.ts`) before its first list of a range. It reads them again for a
 * range that begins or ends later than that.
 */
import { env } from '../../../base/env.ts';
import type { Owner, Resource } from '../../../base/ids.ts';
import { type Instant, now } from '../../../base/time.ts';
import { pageSize } from '../../keys.ts';
import type { RecordFilter } from '../filters/record-matcher.ts';
import { isPageBound, readPageTimes } from './page-times.ts';

/** How many times are remembered. Each takes about 100 bytes. */
const maxAnchors = 50_000;

/** A record with its creation time. */
export type TimeAnchor = readonly [seq: number, createdAt: Instant];

/** The numbers of the first and the last index page to read. */
export interface PageRange {
  readonly first: number;
  readonly last: number;
}

/** Enough for more records than an account can have: page numbers have ten digits. */
export const allPages: PageRange = { first: 0, last: 9_999_999_999 };

/** By account, mode and resource: the anchors by number, with one number for all that are not the first or last of a page. */
const remembered = new Map<string, Map<number, TimeAnchor>>();
/** By account, mode and resource: when this instance last read the stored times. */
const readAt = new Map<string, Instant>();
/** A list of the last minutes does not read stored times again, because few pages can be so new. */
const recentMs = 10 * 60_000;
let count = 0;

const nameOf = ({ account, mode }: Owner, resource: Resource) =>
  `${env.tableName()} ${account} ${mode} ${resource}`;

/** Remembers creation times of an account's records. */
export function rememberTimes(owner: Owner, resource: Resource, times: readonly TimeAnchor[]): void {
  if (times.length === 0) return;
  if (count + times.length > maxAnchors) {
    remembered.clear();
    readAt.clear();
    count = 0;
  }
  const name = nameOf(owner, resource);
  const pages = remembered.get(name) ?? new Map<number, TimeAnchor>();
  remembered.set(name, pages);
  for (const anchor of times) {
    const [seq] = anchor;
    const name = isPageBound(seq) ? seq : seq - (seq % pageSize) + 1;
    if (pages.has(name)) continue;
    pages.set(name, anchor);
    count += 1;
  }
}

/**
 * Returns what is known of an account's records, in any order. One call if this instance does not know enough about the
 * range of the filter.
 */
export async function knownTimes(
  owner: Owner,
  resource: Resource,
  { createdFrom, createdTo }: RecordFilter,
): Promise<TimeAnchor[]> {
  const start = now();
  const last = readAt.get(nameOf(owner, resource)) ?? Number.NEGATIVE_INFINITY;
  const isUnknown = (bound: Instant | undefined) =>
    bound !== undefined && bound > last && (last < 0 || bound < start - recentMs);
  if (isUnknown(createdFrom) || isUnknown(createdTo)) {
    rememberTimes(owner, resource, await readPageTimes(owner, resource));
    readAt.set(nameOf(owner, resource), start);
  }
  return [...(remembered.get(nameOf(owner, resource))?.values() ?? [])];
}

/**
 * Returns the pages that can contain records of the filter's range, according to some creation times.
 * @param disorderMs by how much a record can be older than one with a lower number
 */
export function pagesOfRange(
  { createdFrom, createdTo }: RecordFilter,
  times: readonly TimeAnchor[],
  disorderMs: number,
): PageRange {
  let { first, last } = allPages;
  for (const [seq, createdAt] of times) {
    // All numbers before the first one of a page are in other pages, and so are all behind the last one.
    if (createdFrom !== undefined && createdAt < createdFrom - disorderMs)
      first = Math.max(first, Math.floor((seq + 1) / pageSize));
    if (createdTo !== undefined && createdAt >= createdTo + disorderMs)
      last = Math.min(last, Math.floor((seq - 1) / pageSize));
  }
  return { first, last };
}
