/**
 * Creates the deliveries of events to webhook endpoints.
 *
 * - One transaction stores each pending delivery together with the timer of its first attempt. If the item is relayed again
 *   after a crash, the endpoint may no longer be subscribed to the event. So a delivery without a timer would stay pending
 *   forever.
 * - Each put is conditional: a delivery that exists is never overwritten, because it may have an attempt.
 */
import type { EventPositions } from '../events/store.ts';
import { committedAtOf, type OutboxItem } from '../store/commit/outbox-item.ts';
import { storageFormat } from '../store/storage-format.ts';
import { confirmTimers, type NewTimer, newTimers, sendNewTimers } from '../store/timers/timer-batches.ts';
import { prepareTimer, setTimer } from '../store/timers/timers.ts';
import { writeTransaction } from '../store/transactions.ts';
import { deliveryWaitMs } from '../test-fault.ts';
import { throwAfterAllSettled } from '../throw-after-all-settled.ts';
import type { Instant } from '../time.ts';
import { type Delivery, newDelivery } from '../webhooks/delivery.ts';
import { newDeliveryAction, toDelivery } from '../webhooks/delivery-store.ts';
import { deliveryTimer } from '../webhooks/delivery-timer.ts';
import { toFirstMessage } from '../webhooks/first-message.ts';
import { isSubscribedTo, type Webhook } from '../webhooks/webhook.ts';

/** Returns the deliveries of an item's events: one for each event and each endpoint that subscribes to it. */
export function deliveriesOf(
  item: OutboxItem,
  webhooks: readonly Webhook[],
  positions: EventPositions,
): Delivery[] {
  return item.events.flatMap((event, index) =>
    webhooks
      .filter((webhook) => isSubscribedTo(webhook, event.type))
      .map((webhook) =>
        newDelivery(item, webhook, event, positions.get(event.id) ?? 0, {
          fault: item.webhookFault,
          waitMs: deliveryWaitMs(item.webhookFault, item.events.length - 1 - index),
          committedAt: committedAtOf(item),
        }),
      ),
  );
}

/** A transaction has at most 100 actions: the delivery, and its timer. */
const deliveriesPerTransaction = 50;

/**
 * Divides deliveries, whose events are stored, into batches, each of which one transaction stores.
 * @returns a function that returns the batch of a delivery. The first call of the batch stores it, and all calls wait for that.
 */
export function batchDeliveries(
  deliveries: readonly Delivery[],
  now: Instant,
): (delivery: Delivery) => () => Promise<void> {
  const batches = new Map<Delivery, () => Promise<void>>();
  for (let start = 0; start < deliveries.length; start += deliveriesPerTransaction) {
    const batch = deliveries.slice(start, start + deliveriesPerTransaction);
    let stored: Promise<void> | undefined;
    const store = () => {
      stored ??= storeDeliveries(batch, now);
      return stored;
    };
    for (const delivery of batch) batches.set(delivery, store);
  }
  return (delivery) => batches.get(delivery) ?? (() => storeDeliveries([delivery], now));
}

/**
 * Stores up to 50 deliveries, those that exist excepted, and sends the messages of their first attempts. A delivery that
 * exists and is pending gets its timer again: its item is relayed again, for example by a stream that was delayed.
 *
 * - In format 2, the messages are sent while the deliveries are stored. `first-message.ts` says why that is safe.
 * - In format 1, they are sent afterwards, because release 0.1.0 deletes the timer of a delivery that it does not find.
 */
async function storeDeliveries(deliveries: readonly Delivery[], now: Instant): Promise<void> {
  const pending = deliveries.filter(({ status }) => status === 'pending');
  const timers = await newTimers(pending.map(deliveryTimer), now);
  const timerOf = new Map(pending.map((delivery, index) => [delivery, timers[index] as NewTimer]));
  if (storageFormat() === 1) {
    const { stored, existing } = await putDeliveries(deliveries, timerOf);
    const repeating = existing.map((delivery) => setTimer(deliveryTimer(delivery), now));
    return throwAfterAllSettled([sendNewTimers(stored), confirmTimers(stored), ...repeating]);
  }
  const firstMessages = new Map(pending.map((delivery, index) => [timers[index], toFirstMessage(delivery)]));
  const sending = sendNewTimers(timers, (timer) => firstMessages.get(timer));
  const putting = putDeliveries(deliveries, timerOf).then(({ stored, existing }) => {
    // Without messages of their own, because those that are being sent serve them, too.
    const repeating = existing.map((delivery) => prepareTimer(deliveryTimer(delivery), now));
    return throwAfterAllSettled([confirmTimers(stored), ...repeating]);
  });
  await throwAfterAllSettled([sending, putting]);
}

/**
 * Stores those deliveries that do not exist, with their timers.
 * @returns the timers that were stored, and the deliveries that exist and are pending
 */
async function putDeliveries(
  deliveries: readonly Delivery[],
  timerOf: ReadonlyMap<Delivery, NewTimer>,
): Promise<{ readonly stored: readonly NewTimer[]; readonly existing: readonly Delivery[] }> {
  const existing: Delivery[] = [];
  let open = [...deliveries];
  while (open.length > 0) {
    const stored = open.flatMap((delivery) => timerOf.get(delivery) ?? []);
    const result = await writeTransaction([
      ...open.map(newDeliveryAction),
      ...stored.map(({ action }) => action),
    ]);
    if (result.written) return { stored, existing };
    for (const [index, delivery] of open.entries()) {
      const present = toDelivery(delivery, result.failed[index]?.item);
      if (present?.status === 'pending') existing.push(present);
    }
    open = open.filter((_, index) => !result.failed[index]?.failed);
  }
  return { stored: [], existing };
}
