/**
 * Describes a new delivery in the message of its first attempt, and in the timer of that attempt. So the dispatcher can make the
 * attempt before the delivery is stored. The relay stores the timer, then it sends the message and stores the delivery:
 *
 * - No outcome is overwritten. The relay stores a delivery only if none exists. The dispatcher stores an outcome only over the
 *   version that it read. If it read none, it stores the outcome if none exists or the new delivery does, which is equal to
 *   the one that the message describes.
 * - No event is lost. The outbox item is deleted only after the timer and the delivery are stored.
 * - A pending delivery always has a timer. The relay stores the timer first. The dispatcher deletes a timer that describes a
 *   delivery only together with storing the outcome. So a delivery that the relay stores late finds its timer, or an outcome that
 *   refuses it.
 * - Each attempt is recorded, also if the dispatcher crashes, the queue loses the message and the endpoint unsubscribes: the timer
 *   alone leads to the attempt.
 * - The description contains ids, times and the type of the event, and neither customer data nor secrets.
 *
 * `test/unit/webhooks/first-attempt-model.test.ts` checks a model of this.
 */
import * as v from 'valibot';
import type { WebhookFault } from '../../base/test-fault.ts';
import type { Timer } from '../../store/timers/timer-item.ts';
import type { Delivery, DeliveryReference } from './delivery.ts';
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
