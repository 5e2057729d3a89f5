/**
 * Relays outbox items: carries out everything that follows from a change, as its outbox item lists it.
 *
 * - Each step is idempotent and the item is deleted last, so that a crash only causes a repetition.
 */
import { type EventPositions, storeEvents } from '../events/store.ts';
import {
  claimOutboxItem,
  deleteOutboxItem,
  type OutboxItem,
  readStaleOutboxItems,
} from '../store/commit/outbox-item.ts';
import { addIndexEntries } from '../store/index/index-pages.ts';
import { outboxShards } from '../store/keys.ts';
import { prepareTimer, setTimer } from '../store/timers/timers.ts';
import { throwAfterAllSettled } from '../throw-after-all-settled.ts';
import { type Instant, now } from '../time.ts';
import { type Delivery, newDelivery } from '../webhooks/delivery.ts';
import { putDelivery } from '../webhooks/delivery-store.ts';
import { deliveryTimer } from '../webhooks/delivery-timer.ts';
import { readWebhooks } from '../webhooks/store.ts';
import { isSubscribedTo } from '../webhooks/webhook.ts';

/** Carries out everything that the item lists, and then deletes the item. */
export async function relay(item: OutboxItem, now: Instant): Promise<void> {
  await addIndexEntries(item, item.indexEntries);
  await createDeliveries(item, await storeEvents(item, item.events, now), now);
  for (const timer of item.timers) await setTimer(timer, now);
  await deleteOutboxItem(item);
}

/** How long a sweep starts to relay more items. It ends before the next sweep, which timers wait for, too. */
const sweepMs = 45_000;

/**
 * Relays the items that the stream's consumer has not relayed within a minute. An item that fails does not keep the
 * others from being relayed.
 * @throws the first failure, after all items were tried
 */
export async function relayStale(): Promise<void> {
  const end = performance.now() + sweepMs;
  await throwAfterAllSettled(Array.from({ length: outboxShards }, (_, shard) => relayShard(shard, end)));
}

async function relayShard(shard: number, end: number): Promise<void> {
  const failures: unknown[] = [];
  for await (const items of readStaleOutboxItems(shard, now())) {
    const relayed = throwAfterAllSettled(items.map(relayIfClaimed));
    await relayed.catch((failure) => failures.push(failure));
    if (performance.now() > end) break;
  }
  await throwAfterAllSettled(failures.map((failure) => Promise.reject(failure)));
}

async function relayIfClaimed(item: OutboxItem): Promise<void> {
  if (await claimOutboxItem(item, now())) await relay(item, now());
}

/** Creates a delivery of each event for each subscribed endpoint, and sets a timer for each pending delivery. */
async function createDeliveries(item: OutboxItem, positions: EventPositions, now: Instant): Promise<void> {
  if (item.events.length === 0) return;
  const webhooks = await readWebhooks(item);
  const deliveries = item.events.flatMap((event) =>
    webhooks
      .filter((webhook) => isSubscribedTo(webhook, event.type))
      .map((webhook) => newDelivery(item, webhook, event, positions.get(event.id) ?? 0)),
  );
  await throwAfterAllSettled(deliveries.map((delivery) => createDelivery(delivery, now)));
}

/**
 * Stores a delivery and its timer. The timer is stored first: if the item is relayed again after a crash, the endpoint
 * may no longer be subscribed to the event, and a delivery without a timer would stay pending forever.
 */
async function createDelivery(delivery: Delivery, now: Instant): Promise<void> {
  const timer = delivery.status === 'pending' ? await prepareTimer(deliveryTimer(delivery), now) : undefined;
  const put = await putDelivery(delivery);
  if (put.written) return timer?.send();
  // The item is being relayed again, for example by a stream that was delayed.
  if (put.stored?.status === 'pending') await setTimer(deliveryTimer(put.stored), now);
  if (put.stored?.nextAttemptAt !== delivery.nextAttemptAt) await timer?.cancel();
}
