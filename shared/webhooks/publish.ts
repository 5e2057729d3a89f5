/**
 * Publishing: everything that must follow from a change, from its outbox item. Each step may be repeated without
 * a second effect, and the item is deleted last, so a crash anywhere only means that it is done again.
 */
import { type Positions, storeEvents } from '../events/store.ts';
import { allOrThrow } from '../settle.ts';
import { addElements } from '../store/index-pages.ts';
import { outboxShards } from '../store/keys.ts';
import { claimOutboxItem, deleteOutboxItem, leftOutboxItems, type OutboxItem } from '../store/outbox.ts';
import { prepareTimer, setTimer } from '../store/timers.ts';
import { type Instant, now } from '../time.ts';
import { type Delivery, newDelivery } from './delivery.ts';
import { putDelivery } from './delivery-store.ts';
import { deliveryTimer } from './delivery-timer.ts';
import { readWebhooks } from './store.ts';
import { wants } from './webhook.ts';

/** Carries out what the item lists, then deletes it. */
export async function publish(item: OutboxItem, now: Instant): Promise<void> {
  await addElements(item, item.elements);
  await makeDeliveries(item, await storeEvents(item, item.events, now), now);
  for (const timer of item.timers) await setTimer(timer, now);
  await deleteOutboxItem(item);
}

/** For so long a sweep goes on to further items: a minute after it the next one comes, which timers wait for, too. */
const sweepMs = 45_000;

/** Publishes what the stream's consumer has left for a minute; items that fail keep no others from being published. */
export async function publishLeft(): Promise<void> {
  const end = performance.now() + sweepMs;
  await allOrThrow(Array.from({ length: outboxShards }, (_, shard) => publishShard(shard, end)));
}

async function publishShard(shard: number, end: number): Promise<void> {
  const failures: unknown[] = [];
  for await (const items of leftOutboxItems(shard, now())) {
    const published = allOrThrow(items.map(publishIfClaimed));
    await published.catch((failure) => failures.push(failure));
    if (performance.now() > end) break;
  }
  await allOrThrow(failures.map((failure) => Promise.reject(failure)));
}

async function publishIfClaimed(item: OutboxItem): Promise<void> {
  if (await claimOutboxItem(item, now())) await publish(item, now());
}

/** One delivery of each event to each endpoint that wants it; each is sent on its way as long as it is pending. */
async function makeDeliveries(item: OutboxItem, positions: Positions, now: Instant): Promise<void> {
  if (item.events.length === 0) return;
  const webhooks = await readWebhooks(item);
  const deliveries = item.events.flatMap((event) =>
    webhooks
      .filter((webhook) => wants(webhook, event.type))
      .map((webhook) => newDelivery(item, webhook, event, positions.get(event.id) ?? 0)),
  );
  await allOrThrow(deliveries.map((delivery) => makeDelivery(delivery, now)));
}

/** The timer stands first: when the item is published again, the endpoint may be none that wants the event any more. */
async function makeDelivery(delivery: Delivery, now: Instant): Promise<void> {
  const timer = delivery.status === 'pending' ? await prepareTimer(deliveryTimer(delivery), now) : undefined;
  const put = await putDelivery(delivery);
  if (put.written) return timer?.send();
  // Published again, as the stream does that was silent for a while.
  if (put.present?.status === 'pending') await setTimer(deliveryTimer(put.present), now);
  if (put.present?.nextAttemptAt !== delivery.nextAttemptAt) await timer?.cancel();
}
