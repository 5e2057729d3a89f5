/**
 * Creates the deliveries of events to webhook endpoints, each with the timer of its first attempt.
 *
 * - No pending delivery exists without a timer. If the item is relayed again after a crash, the endpoint may no longer be
 *   subscribed to the event. So a delivery without a timer would stay pending forever.
 * - The timers are stored first (`announce-changes.ts`). They describe the deliveries, see `first-message.ts`.
 * - Each put is conditional: a delivery that exists is never overwritten, because it may have an attempt.
 */

import { deliveryWaitMs } from '../../base/test-fault.ts';
import { throwAfterAllSettled } from '../../base/throw-after-all-settled.ts';
import type { Instant } from '../../base/time.ts';
import { type Delivery, newDelivery } from '../../domain/webhooks/delivery.ts';
import { newDeliveryAction, putNewDelivery, toDelivery } from '../../domain/webhooks/delivery-store.ts';
import { deliveryTimer } from '../../domain/webhooks/delivery-timer.ts';
import { isSubscribedTo, type Webhook } from '../../domain/webhooks/webhook.ts';
import { committedAtOf, type EventDraft, type OutboxItem } from '../../store/commit/outbox-item.ts';
import { prepareTimer } from '../../store/timers/timers.ts';
import { writeTransaction } from '../../store/transactions.ts';

/** Returns the deliveries of an event of an item: one for each endpoint that subscribes to it. */
export function deliveriesOf(
  item: OutboxItem,
  event: EventDraft,
  webhooks: readonly Webhook[],
  position: number,
): Delivery[] {
  const following = item.events.length - 1 - item.events.indexOf(event);
  return webhooks
    .filter((webhook) => isSubscribedTo(webhook, event.type))
    .map((webhook) =>
      newDelivery(item, webhook, event, position, {
        fault: item.webhookFault,
        waitMs: deliveryWaitMs(item.webhookFault, following),
        committedAt: committedAtOf(item),
      }),
    );
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
