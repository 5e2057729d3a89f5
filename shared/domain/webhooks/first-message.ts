/**
 * Describes a new delivery in the message of its first attempt, and in the timer of that attempt. So the dispatcher can make the
 * attempt before the delivery is stored. There are two ways:
 *
 * - If one delivery follows from an outbox item, the relay only sends the message, after everything else that follows from the
 *   item. The item is the watchdog of the attempt, in place of a timer. The dispatcher stores the delivery with the outcome, or a
 *   timer if the message is early, and then deletes the item. If the item is still there after a minute, the sweep relays it in
 *   the other way. So a delivery appears in lists after its first attempt, or after a minute or two.
 * - Otherwise, the relay stores the timer before the delivery, and sends the message at the same time.
 *
 * Both are safe:
 *
 * - No outcome is overwritten. The relay stores a delivery only if none exists. The dispatcher stores an outcome only over the
 *   version that it read. If it read none, it stores the outcome if none exists or the new delivery does, which is equal to
 *   the one that the message describes.
 * - No event is lost. The outbox item is deleted only after the timer and the delivery are stored, or the outcome.
 * - A pending delivery always has a timer. The relay stores the timer first. The dispatcher deletes a timer that describes a
 *   delivery only after the delivery has ended, or together with storing the next timer. So a delivery that the relay stores
 *   late finds its timer, or an outcome that refuses it.
 * - Each attempt is recorded, also if the dispatcher crashes, the queue loses the message and the endpoint unsubscribes. In the first
 *   way, the relay that stores the event names the endpoint in it. Only this endpoint gets a first message without a timer, and each
 *   later relay of the item creates its delivery, with a timer. In the second way, the timer alone leads to the attempt.
 * - If the first attempt is made before the timer is stored, the timer fires once more, and the dispatcher finds the outcome.
 * - The description contains ids, times and the type of the event, and neither customer data nor secrets.
 *
 * `test/unit/webhooks/first-attempt-model.test.ts` checks a model of this.
 */
import * as v from 'valibot';
import type { WebhookFault } from '../../base/test-fault.ts';
import type { Timer } from '../../store/timers/timer-item.ts';
import type { Delivery } from './delivery.ts';
import type { DeliveryReference } from './delivery-store.ts';
import { deliveryTimer } from './delivery-timer.ts';

const firstMessageSchema = v.object({
  eventId: v.string(),
  eventType: v.string(),
  createdAt: v.number(),
  expiresAt: v.number(),
  fault: v.optional(v.string()),
  clockOffset: v.optional(v.number()),
});

/** Returns the timer of the first attempt of a new delivery, with the parts of the delivery that its reference does not name. */
export function firstTimer(delivery: Delivery): Timer {
  const { eventId, eventType, createdAt, expiresAt, fault, clockOffset } = delivery;
  const first = { eventId, eventType, createdAt, expiresAt, fault, clockOffset };
  return { ...deliveryTimer(delivery), first: first satisfies v.InferOutput<typeof firstMessageSchema> };
}

/** Returns the new delivery that a message describes. Returns undefined for messages that describe none. */
export function fromFirstMessage(
  { first, due }: { readonly first?: unknown; readonly due: number },
  reference: DeliveryReference,
): Delivery | undefined {
  const { success, output } = v.safeParse(firstMessageSchema, first);
  if (!success) return undefined;
  return {
    ...reference,
    ...output,
    fault: output.fault as WebhookFault | undefined,
    version: 1,
    status: 'pending',
    attempts: [],
    tries: 0,
    nextAttemptAt: due,
  };
}
