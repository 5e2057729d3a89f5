/** The log of deliveries to an endpoint, newest first. */
import { isRecordId, type Owner } from '../ids.ts';
import { type Delivery, type ListDeliveries, showDelivery } from './delivery.ts';
import { queryDeliveries } from './delivery-store.ts';

const perQuery = 100;
/** A filter that finds next to nothing must not read a whole log in one request. */
const maxQueries = 10;

/**
 * A page of the log. With a filter it may hold fewer than `limit` although there are more; `next` is where to go on.
 */
export async function listDeliveries(
  owner: Owner,
  webhookId: string,
  { status, limit, before }: ListDeliveries,
) {
  const found: Delivery[] = [];
  let next = before;
  // What has not the form of an id has no log, and may be too long to be looked up.
  let more = isRecordId('webhook', webhookId);
  for (let query = 0; more && found.length < limit && query < maxQueries; query++) {
    // One more than wanted tells whether there are more.
    const size = status === undefined ? limit + 1 : perQuery;
    const page = await queryDeliveries(owner, webhookId, { before: next, limit: size });
    more = page.more;
    for (const delivery of page.deliveries) {
      if (found.length === limit) {
        more = true;
        break;
      }
      next = delivery.id;
      if (status === undefined || delivery.status === status) found.push(delivery);
    }
  }
  return { data: found.map(showDelivery), cursor: { hasMore: more, next: more ? (next ?? null) : null } };
}
