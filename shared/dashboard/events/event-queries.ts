/** Reads what the pages of events show. Writes nothing. */
import type { ListEvents } from '../../events/event.ts';
import { listEventPage } from '../../events/listing.ts';
import { readEvent, type StoredEvent } from '../../events/log-store.ts';
import type { Owner } from '../../ids.ts';
import type { Instant } from '../../time.ts';
import type { Delivery } from '../../webhooks/delivery.ts';
import { readDeliveriesOfEvent } from '../../webhooks/delivery-store.ts';
import { readWebhooks } from '../../webhooks/store.ts';
import type { Webhook } from '../../webhooks/webhook.ts';

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
