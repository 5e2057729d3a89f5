/** Reads what the pages of events show. Writes nothing. */

import type { Owner } from '../../../base/ids.ts';
import type { Instant } from '../../../base/time.ts';
import type { ListEvents } from '../../../domain/events/event.ts';
import { listEventPage } from '../../../domain/events/listing.ts';
import { readEvent, type StoredEvent } from '../../../domain/events/log-store.ts';
import type { Delivery } from '../../../domain/webhooks/delivery.ts';
import { readDeliveriesOfEvent } from '../../../domain/webhooks/delivery-store.ts';
import type { Webhook } from '../../../domain/webhooks/webhook.ts';
import { readWebhooks } from '../../../domain/webhooks/webhook-store.ts';

/** A filter can match very few events. With this number, a page takes two queries. */
const maxExamined = 500;

/** Reads a page of the event log, newest first. Three calls in sequence. */
export function readEvents(owner: Owner, query: ListEvents, now: Instant) {
  return listEventPage(owner, query, now, maxExamined);
}

export interface EventDetail {
  readonly event: StoredEvent;
  readonly deliveries: readonly { readonly delivery: Delivery; readonly webhook: Webhook }[];
}

/**
 * Reads an event with its deliveries to the endpoints that exist. Three calls in sequence.
 * @returns undefined if the owner has no such event
 */
export async function readEventDetail(
  owner: Owner,
  id: string,
  now: Instant,
): Promise<EventDetail | undefined> {
  const [event, webhooks] = await Promise.all([readEvent(owner, id, now), readWebhooks(owner)]);
  if (!event) return undefined;
  const at = Date.parse(JSON.parse(event.body).timestamp);
  const ids = webhooks.map((webhook) => webhook.id);
  const deliveries = await readDeliveriesOfEvent(owner, ids, id, at);
  return {
    event,
    deliveries: deliveries.flatMap((delivery) => {
      const webhook = webhooks.find((each) => each.id === delivery.webhookId);
      return webhook ? [{ delivery, webhook }] : [];
    }),
  };
}
