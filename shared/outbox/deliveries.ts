/** Creates the deliveries of events to webhook endpoints. */
import type { EventPositions } from '../events/store.ts';
import type { OutboxItem } from '../store/commit/outbox-item.ts';
import { type PreparedTimer, prepareTimers, setTimer } from '../store/timers/timers.ts';
import type { Instant } from '../time.ts';
import { type Delivery, newDelivery } from '../webhooks/delivery.ts';
import { putDelivery } from '../webhooks/delivery-store.ts';
import { deliveryTimer } from '../webhooks/delivery-timer.ts';
import { isSubscribedTo, type Webhook } from '../webhooks/webhook.ts';

/** Returns the deliveries of an item's events: one for each event and each endpoint that subscribes to it. */
export function deliveriesOf(
  item: OutboxItem,
  webhooks: readonly Webhook[],
  positions: EventPositions,
): Delivery[] {
  return item.events.flatMap((event) =>
    webhooks
      .filter((webhook) => isSubscribedTo(webhook, event.type))
      .map((webhook) => newDelivery(item, webhook, event, positions.get(event.id) ?? 0)),
  );
}

/**
 * Stores the timers of pending deliveries. They are stored before the deliveries: if the item is relayed again after a
 * crash, the endpoint may no longer be subscribed to the event, and a delivery without a timer would stay pending
 * forever.
 * @returns the timers by delivery id
 */
export async function prepareDeliveries(
  deliveries: readonly Delivery[],
  now: Instant,
): Promise<Map<string, PreparedTimer>> {
  const pending = deliveries.filter(({ status }) => status === 'pending');
  const timers = await prepareTimers(pending.map(deliveryTimer), now);
  return new Map(timers.map((timer, index) => [pending[index]?.id ?? '', timer]));
}

/** Stores a delivery and sends its timer, which `prepareDeliveries` has stored if the delivery is pending. */
export async function createDelivery(
  delivery: Delivery,
  timer: PreparedTimer | undefined,
  now: Instant,
): Promise<void> {
  const put = await putDelivery(delivery);
  if (put.written) return timer?.send();
  // The item is being relayed again, for example by a stream that was delayed.
  if (put.stored?.status === 'pending') await setTimer(deliveryTimer(put.stored), now);
  if (put.stored?.nextAttemptAt !== delivery.nextAttemptAt) await timer?.cancel();
}
