/** Lists the deliveries to an endpoint, newest first. */

import { isRecordId, type Owner } from '../../base/ids.ts';
import { noteLeftOut } from '../../store/left-out-items.ts';
import { type ListDeliveries, type ShownDelivery, showDelivery } from './delivery.ts';
import { queryDeliveries } from './delivery-store.ts';

const perQuery = 100;
/** Limits what one request reads, because a filter may match very few deliveries. */
const defaultMaxQueries = 10;
/** Limits the rows of a page. Lambda returns at most 6 MB, and the headers and the cursor need a little of it. */
const maxRowBytes = 4_000_000;

/**
 * Returns a page of deliveries. It may have fewer than `limit` although more exist: with a filter, or if the answers of
 * receivers are long. `next` is the value of `before` for the next page.
 * @param maxQueries the queries that this request makes at most
 */
export async function listDeliveryPage(
  owner: Owner,
  webhookId: string,
  { status, limit, before }: ListDeliveries,
  maxQueries: number = defaultMaxQueries,
) {
  const data: ShownDelivery[] = [];
  let bytes = 0;
  let isFull = false;
  let next = before;
  // A malformed id has no deliveries, and may be too long for a key.
  let more = isRecordId('webhook', webhookId);
  for (let query = 0; more && !isFull && data.length < limit && query < maxQueries; query++) {
    // One more than the limit shows whether more exist.
    const size = status === undefined ? limit + 1 : perQuery;
    const page = await queryDeliveries(owner, webhookId, { before: next, limit: size });
    more = page.more;
    for (const delivery of page.deliveries) {
      isFull = data.length === limit;
      if (!isFull && (status === undefined || delivery.status === status)) {
        const row = showDelivery(delivery);
        bytes += bytesOf(row);
        isFull = data.length > 0 && bytes > maxRowBytes;
        if (!isFull) data.push(row);
      }
      if (isFull) {
        more = true;
        break;
      }
      next = delivery.id;
    }
    noteLeftOut(page.malformed);
    if (!isFull) next = page.last ?? next;
  }
  return { data, cursor: { hasMore: more, next: more ? (next ?? null) : null } };
}

/**
 * Returns the bytes of a row in the result of a Lambda function. That result is JSON and contains the body, which is
 * JSON too, as a string. So characters such as quotes are escaped twice.
 */
function bytesOf(row: ShownDelivery): number {
  return Buffer.byteLength(JSON.stringify(JSON.stringify(row)));
}
