/** Reads what the pages of events show. Writes nothing. */

import type { Owner } from '../../../base/ids.ts';
import type { Instant } from '../../../base/time.ts';
import { type ListEvents, showEvent } from '../../../domain/events/event.ts';
import { listEventPage } from '../../../domain/events/listing.ts';
import { readEvent, type StoredEvent } from '../../../domain/events/log-store.ts';
import {
  type CustomerNames,
  type OfCustomer,
  readCustomerNames,
} from '../../../domain/invoices/customer-names.ts';
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
  /** The customer that the body names. Undefined: it names none. */
  readonly customer: OfCustomer | undefined;
  readonly names: CustomerNames;
  readonly deliveries: readonly { readonly delivery: Delivery; readonly webhook: Webhook }[];
}

/**
 * Reads an event with the name of its customer, and its deliveries to the endpoints that exist. Three calls in sequence.
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
  const customer = customerOf(showEvent(event).data);
  const [deliveries, names] = await Promise.all([
    readDeliveriesOfEvent(owner, ids, id, at),
    readCustomerNames(owner, customer ? [customer] : []),
  ]);
  return {
    event,
    customer,
    names,
    deliveries: deliveries.flatMap((delivery) => {
      const webhook = webhooks.find((each) => each.id === delivery.webhookId);
      return webhook ? [{ delivery, webhook }] : [];
    }),
  };
}

/** The body of an event says what its release knew, so its fields are not certain. */
function customerOf(data: object): OfCustomer | undefined {
  const { customerId, buyer } = data as { readonly customerId?: unknown; readonly buyer?: unknown };
  if (typeof customerId !== 'string') return undefined;
  const { name } = (buyer ?? {}) as { readonly name?: unknown };
  return { customerId, buyer: typeof name === 'string' ? { name } : null };
}
