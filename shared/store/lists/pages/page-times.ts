/**
 * Stores the creation times of the first and the last number of each index page, in items of their own. So a list of a range
 * of days knows the pages of these days before it reads them.
 *
 * - They are written with the index entry of these two numbers: two of 256 creates cost one write unit more.
 * - A time can be missing, because a number is unused, or because the relay added its entry. Then a list also reads the page
 *   before or after. Its rows and its total are the same.
 */
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../../base/env.ts';
import type { Owner, Resource } from '../../../base/ids.ts';
import type { Instant } from '../../../base/time.ts';
import { type Key, pageNumberOf, pageSize, tableKeys } from '../../keys.ts';
import { timeSet } from '../filters/record-facts.ts';
import { sendWireQuery } from '../wire-items.ts';

/** The list whose pages are these items. No record has this filter key. */
const timesFilterKey = '#times';
/** The times of so many index pages have 512 bytes, so adding one costs one write unit. */
const pagesPerItem = 32;

/** A member has a byte for the page, one for the number, and six for the time. */
const memberBytes = 8;

/** Whether a record is the first or the last one that its index page can have. */
export const isPageBound = (seq: number): boolean => seq % pageSize === 0 || seq % pageSize === pageSize - 1;

/** Returns the item that holds the creation time of record `seq`, with the member to add to its set. */
export function pageTimeOf(owner: Owner, resource: Resource, seq: number, createdAt: Instant) {
  const page = Math.floor(seq / pageSize);
  const member = Buffer.alloc(memberBytes);
  member.writeUInt8(page % pagesPerItem);
  member.writeUInt8(seq % pageSize, 1);
  member.writeUIntBE(createdAt, 2, 6);
  return { key: keyOf(owner, resource, Math.floor(page / pagesPerItem)), set: timeSet, member };
}

/** Reads the stored creation times of an account's records. One call for some 500,000 records, eventually consistent. */
export async function readPageTimes(
  owner: Owner,
  resource: Resource,
): Promise<(readonly [seq: number, createdAt: Instant])[]> {
  const times: (readonly [number, Instant])[] = [];
  let start: Key | undefined;
  do {
    const query = new QueryCommand({
      TableName: env.tableName(),
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': keyOf(owner, resource, 0).pk },
      ...(start && { ExclusiveStartKey: { ...start } }),
    });
    const { items, lastKey } = await sendWireQuery(query);
    start = lastKey;
    for (const item of items) {
      const first = pageNumberOf(item.sk?.S) * pagesPerItem;
      for (const text of item[timeSet]?.BS ?? []) {
        const member = Buffer.from(text, 'base64');
        if (member.length !== memberBytes) continue;
        const seq = (first + member.readUInt8()) * pageSize + member.readUInt8(1);
        times.push([seq, member.readUIntBE(2, 6)]);
      }
    }
  } while (start);
  return times;
}

const keyOf = (owner: Owner, resource: Resource, item: number): Key =>
  tableKeys.indexPage(owner, resource, timesFilterKey, item);
