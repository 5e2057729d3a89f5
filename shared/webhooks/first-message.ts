/**
 * Describes a new delivery in the first message of its timer. So the dispatcher can make the first attempt before the delivery
 * is stored: the relay stores it and sends the message at the same time.
 *
 * - No outcome is overwritten. The transaction of the relay fails if the delivery exists. The dispatcher stores an outcome only
 *   over the version that it read. If it read none, it stores the outcome if none exists or the new delivery does, which is
 *   equal to the one that the message describes.
 * - No event is lost. The relay deletes the outbox item only after its transaction. The transaction stores the timer together with
 *   the delivery. If another attempt follows, the dispatcher stores the outcome and the next timer in one transaction, too. So
 *   a pending delivery always has a timer.
 * - If the relay crashes after it sent the message, the item is relayed again, and finds the delivery that the dispatcher stored.
 * - The message contains ids, times and the type of the event, and neither customer data nor secrets.
 *
 * `test/unit/webhooks/first-attempt-model.test.ts` checks a model of this.
 */
import * as v from 'valibot';
import type { WebhookFault } from '../test-fault.ts';
import type { Delivery } from './delivery.ts';
import type { DeliveryReference } from './delivery-store.ts';

const firstMessageSchema = v.object({
  eventId: v.string(),
  eventType: v.string(),
  createdAt: v.number(),
  expiresAt: v.number(),
  fault: v.optional(v.string()),
  clockOffset: v.optional(v.number()),
});

/** Returns what the first message says of a new delivery: the parts that its timer does not name. */
export function toFirstMessage(delivery: Delivery): v.InferOutput<typeof firstMessageSchema> {
  const { eventId, eventType, createdAt, expiresAt, fault, clockOffset } = delivery;
  return { eventId, eventType, createdAt, expiresAt, fault, clockOffset };
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
