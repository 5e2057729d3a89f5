/**
 * Reads the numbers of single index pages: what the pages and their volumes hold. `fold-volume.ts` says why both together are
 * exact.
 */
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../../base/env.ts';
import type { Owner, Resource } from '../../../base/ids.ts';
import { dynamodb } from '../../client.ts';
import {
  isVolumeKey,
  pageNumberOf,
  pageSize,
  pagesPerVolume,
  tableKeys,
  volumeNumberOf,
  volumeSize,
} from '../../keys.ts';
import { leaveOutMalformed } from '../../left-out-items.ts';
import { queryAll } from '../../query-pages.ts';
import { type Consistency, type Item, readItems } from '../../records.ts';
import { parseOrError } from '../../stored-fields.ts';
import { binariesIn } from '../../update-sets.ts';
import type { SetPart } from '../volumes/volume.ts';
import { precedencesOfPart, setPartOf } from '../volumes/volume-items.ts';
import { precedencesOf } from './index-pages.ts';
import { allPages } from './time-anchors.ts';

/**
 * Reads the same page of up to 100 lists, by default strongly consistent.
 * @param filterKeys one for each list, `''` for the list of all records
 * @returns the precedence of each number of the page, by filter key. Lists that do not have the page are left out.
 */
export async function readIndexPages(
  owner: Owner,
  resource: Resource,
  page: number,
  filterKeys: readonly string[],
  consistency: Consistency = 'strong',
): Promise<Map<string, Uint8Array>> {
  const pages = filterKeys.map((filterKey) => tableKeys.indexPage(owner, resource, filterKey, page));
  const volume = Math.floor(page / pagesPerVolume);
  const volumes = filterKeys.map((filterKey) => tableKeys.volume(owner, resource, filterKey, volume));
  const [items, folded] = await Promise.all([readItems(pages, consistency), readItems(volumes, consistency)]);
  const byKey = new Map(pages.map(({ pk }, index) => [pk, filterKeys[index] ?? '']));
  const found = new Map<string, Uint8Array>();
  for (const [item, part] of readableVolumes(resource, folded)) {
    const held = pageOfVolume(resource, part, page);
    if (held.some((precedence) => precedence > 0)) found.set(byKey.get(String(item.pk)) ?? '', held);
  }
  for (const item of items) {
    const filterKey = byKey.get(String(item.pk)) ?? '';
    found.set(filterKey, higherOf(precedencesIn(resource, item), found.get(filterKey)));
  }
  return found;
}

/** Returns the precedences of the numbers of one page in a volume. */
function pageOfVolume(resource: Resource, part: SetPart, page: number): Uint8Array {
  const first = (page % pagesPerVolume) * pageSize;
  return precedencesOfPart(resource, part).subarray(first, first + pageSize);
}

/** Returns the volumes in items, without malformed ones. The records that only these show are then missing in the list. */
function readableVolumes(resource: Resource, items: readonly Item[]): (readonly [Item, SetPart])[] {
  return leaveOutMalformed(
    items.map((item) => parseOrError(item, () => [item, setPartOf(resource, 'states', item)] as const)),
  );
}

/** Returns the higher precedence of each number. */
const higherOf = (one: Uint8Array, other: Uint8Array | undefined): Uint8Array =>
  other ? one.map((precedence, low) => Math.max(precedence, other[low] ?? 0)) : one;

/**
 * Reads the pages `from` to `to` of the list of all records, strongly consistent.
 * @returns the precedence of each number, by page. Pages that do not exist are left out.
 */
export async function readListedPages(
  owner: Owner,
  resource: Resource,
  from: number,
  to: number,
): Promise<Map<number, Uint8Array>> {
  const [{ pk, sk: first }, { sk: last }] = [
    tableKeys.indexPage(owner, resource, '', from),
    tableKeys.indexPage(owner, resource, '', to),
  ];
  const pages = new Map<number, Uint8Array>();
  const query = (first: string, last: string) =>
    queryAll({
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: { ':pk': pk, ':first': first, ':last': last },
    });
  const volumeKey = (page: number) =>
    tableKeys.volume(owner, resource, '', Math.floor(page / pagesPerVolume)).sk;
  const [items, volumes] = await Promise.all([query(first, last), query(volumeKey(from), volumeKey(to))]);
  for (const [item, part] of readableVolumes(resource, volumes)) {
    const start = volumeNumberOf(item.sk) * pagesPerVolume;
    const held = precedencesOfPart(resource, part);
    for (let page = Math.max(from, start); page <= Math.min(to, start + pagesPerVolume - 1); page++) {
      const low = (page - start) * pageSize;
      const precedences = held.slice(low, low + pageSize);
      if (precedences.some((precedence) => precedence > 0)) pages.set(page, precedences);
    }
  }
  for (const item of items) {
    const page = pageNumberOf(item.sk);
    pages.set(page, higherOf(precedencesIn(resource, item), pages.get(page)));
  }
  return pages;
}

function precedencesIn(resource: Resource, item: Item): Uint8Array {
  return precedencesOf(resource, (set) => binariesIn(item[set]).map(([low = 0]) => low));
}

/** Reads the number of the highest page in the list of all records. Returns undefined if that list is empty. */
export async function readLastPageNumber(owner: Owner, resource: Resource): Promise<number | undefined> {
  // Volumes follow the pages, so a list without volumes takes one call.
  const last = await readLast(owner, resource, 'volumes');
  if (!last || !isVolumeKey(last.sk)) return last && pageNumberOf(last.sk);
  // The last page of a malformed volume is not known, and reading more pages does no harm.
  const [volume] = readableVolumes(resource, [last]);
  const held = volume ? volume[1].codes.findLastIndex((code) => code > 0) : volumeSize - 1;
  const ofVolume = volumeNumberOf(last.sk) * pagesPerVolume + Math.floor(Math.max(0, held) / pageSize);
  const page = await readLast(owner, resource, 'pages');
  return page ? Math.max(pageNumberOf(page.sk), ofVolume) : ofVolume;
}

/** Reads the last page, or with `volumes` the last volume if one exists. */
async function readLast(
  owner: Owner,
  resource: Resource,
  of: 'pages' | 'volumes',
): Promise<Item | undefined> {
  const { pk, sk: from } = tableKeys.indexPage(owner, resource, '', 0);
  const lastKey = of === 'volumes' ? tableKeys.volume : tableKeys.indexPage;
  const { sk: to } = lastKey(owner, resource, '', allPages.last);
  const { Items: [item] = [] } = await dynamodb.send(
    new QueryCommand({
      TableName: env.tableName(),
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
      ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to },
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: 1,
    }),
  );
  return item;
}
