/**
 * Creates the deliveries of events to webhook endpoints, each with the timer of its first attempt.
 *
 * - No pending delivery exists without a timer. If the item is relayed again after a crash, the endpoint may no longer be
 *   subscribed to the event. So a delivery without a timer would stay pending forever.
 * - The timers are stored first (`announce-changes.ts`). They describe the deliveries, see `first-message.ts`.
 * - Each put is conditional: a delivery that exists is never overwritten, because it may have an attempt.
 */

import { deliveryWaitMs } from '../../base/test-fault.ts';
import type { Instant } from '../../base/time.ts';
import { type Delivery, newDelivery } from '../../domain/webhooks/delivery.ts';
import { putNewDelivery } from '../../domain/webhooks/delivery-store.ts';
import { deliveryTimer } from '../../domain/webhooks/delivery-timer.ts';
import { receives, type Webhook } from '../../domain/webhooks/webhook.ts';
import { committedAtOf, type EventDraft, type OutboxItem } from '../../store/commit/outbox-item.ts';
import { prepareTimer } from '../../store/timers/timers.ts';

/** Returns the deliveries of an event of an item: one for each endpoint that receives it. */
export function deliveriesOf(
  item: OutboxItem,
  event: EventDraft,
  webhooks: readonly Webhook[],
  position: number,
): Delivery[] {
  const following = item.events.length - 1 - item.events.indexOf(event);
  return webhooks
    .filter((webhook) => receives(webhook, event))
    .map((webhook) =>
      newDelivery(item, webhook, event, position, {
        fault: item.webhookFault,
        waitMs: deliveryWaitMs(item.webhookFault, following),
        committedAt: committedAtOf(item),
      }),
    );
}

export const isPendingDelivery = ({ status }: Delivery): boolean => status === 'pending';

/**
 * Stores a delivery after its timer, if it does not exist. A delivery that exists and is pending gets its present timer again: its
 * item is relayed again, for example by a stream that was delayed.
 */
export async function storeDelivery(delivery: Delivery, now: Instant): Promise<void> {
  const result = await putNewDelivery(delivery);
  const existing = result.written ? undefined : result.stored;
  if (!existing || !isPendingDelivery(existing) || existing.nextAttemptAt === delivery.nextAttemptAt) return;
  // Without a message of its own, because those that are being sent serve it, too.
  await prepareTimer(deliveryTimer(existing), now);
}
