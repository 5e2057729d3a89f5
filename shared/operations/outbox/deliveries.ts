/**
 * Creates the deliveries of events to webhook endpoints, each with the timer of its first attempt.
 *
 * - No pending delivery exists without a timer. If the item is relayed again after a crash, the endpoint may no longer be
 *   subscribed to the event. So a delivery without a timer would stay pending forever.
 * - An item with one delivery can be the watchdog of its first attempt (`announce-changes.ts`). The rest is about other items.
 * - The timers are stored first (`announce-changes.ts`). They describe the deliveries, see `first-message.ts`. So a
 *   delivery takes two write units, without a transaction.
 * - Each put is conditional: a delivery that exists is never overwritten, because it may have an attempt.
 */

import { deliveryWaitMs } from '../../base/test-fault.ts';
import { throwAfterAllSettled } from '../../base/throw-after-all-settled.ts';
import type { Instant } from '../../base/time.ts';
import type { WatchedEndpoints } from '../../domain/events/append-store.ts';
import type { EventPositions } from '../../domain/events/event-store.ts';
import { type Delivery, newDelivery } from '../../domain/webhooks/delivery.ts';
import { newDeliveryAction, putNewDelivery, toDelivery } from '../../domain/webhooks/delivery-store.ts';
import { deliveryTimer } from '../../domain/webhooks/delivery-timer.ts';
import { isSubscribedTo, type Webhook } from '../../domain/webhooks/webhook.ts';
import { committedAtOf, type EventDraft, type OutboxItem } from '../../store/commit/outbox-item.ts';
import { prepareTimer } from '../../store/timers/timers.ts';
import { writeTransaction } from '../../store/transactions.ts';

/** Returns each event with each endpoint that subscribes to it. */
export const subscriptionsOf = (events: readonly EventDraft[], webhooks: readonly Webhook[]) =>
  events.flatMap((event) =>
    webhooks.filter((webhook) => isSubscribedTo(webhook, event.type)).map((webhook) => ({ event, webhook })),
  );

/**
 * Returns the deliveries of an item's events: one for each event and each endpoint that subscribes to it.
 * @param watched endpoints that events name. They may have got the first message, so they have a delivery in any case.
 */
export function deliveriesOf(
  item: OutboxItem,
  webhooks: readonly Webhook[],
  positions: EventPositions,
  watched: WatchedEndpoints,
): Delivery[] {
  return item.events.flatMap((event, index) => {
    const subscribed = subscriptionsOf([event], webhooks).map(({ webhook }) => webhook);
    const named = watched.get(event.id);
    const isMissing = named !== undefined && subscribed.every(({ id }) => id !== named);
    return [...subscribed, ...(isMissing ? [{ id: named, status: 'enabled' }] : [])].map((webhook) =>
      newDelivery(item, webhook, event, positions.get(event.id) ?? 0, {
        fault: item.webhookFault,
        waitMs: deliveryWaitMs(item.webhookFault, item.events.length - 1 - index),
        committedAt: committedAtOf(item),
      }),
    );
  });
}

export const isPendingDelivery = ({ status }: Delivery): boolean => status === 'pending';

/** So many deliveries are put one by one, which takes one write unit each. More share a transaction, which takes two. */
const mostPutAlone = 15;
/** A transaction has at most 100 actions. */
const actionsPerTransaction = 100;

/** Returns how many of `count` deliveries `storeDeliveries` stores together. */
export const deliveriesPerCall = (count: number): number =>
  count > mostPutAlone ? actionsPerTransaction : 1;

/**
 * Stores those deliveries that do not exist, after their timers. A delivery that exists and is pending gets its present timer
 * again: its item is relayed again, for example by a stream that was delayed.
 * @param deliveries up to 100
 */
export async function storeDeliveries(deliveries: readonly Delivery[], now: Instant): Promise<void> {
  const existing = await putMissing(deliveries);
  const dueAt = new Map(deliveries.map(({ id, nextAttemptAt }) => [id, nextAttemptAt]));
  const waiting = existing.filter(({ id, nextAttemptAt }) => nextAttemptAt !== dueAt.get(id));
  // Without messages of their own, because those that are being sent serve them, too.
  await throwAfterAllSettled(waiting.map((delivery) => prepareTimer(deliveryTimer(delivery), now)));
}

/** Puts those deliveries that do not exist. Returns those that exist and are pending. */
async function putMissing(deliveries: readonly Delivery[]): Promise<readonly Delivery[]> {
  const [only] = deliveries;
  if (!only || deliveries.length > 1) return putTogether(deliveries);
  const result = await putNewDelivery(only);
  return result.written || !result.stored || !isPendingDelivery(result.stored) ? [] : [result.stored];
}

/** The same in one transaction. */
async function putTogether(deliveries: readonly Delivery[]): Promise<readonly Delivery[]> {
  const existing: Delivery[] = [];
  let open = [...deliveries];
  while (open.length > 0) {
    const result = await writeTransaction(open.map(newDeliveryAction));
    if (result.written) break;
    for (const [index, delivery] of open.entries()) {
      const present = toDelivery(delivery, result.failed[index]?.item);
      if (present && isPendingDelivery(present)) existing.push(present);
    }
    open = open.filter((_, index) => !result.failed[index]?.failed);
  }
  return existing;
}
