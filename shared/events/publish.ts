/**
 * Publishing: everything that must follow from a change, from its outbox item. Each step may be repeated without
 * a second effect, and the item is deleted last, so a crash anywhere only means that it is done again.
 */
import { allOrThrow } from '../settle.ts';
import { addElements } from '../store/index-pages.ts';
import { claimLeftOutboxItems, deleteOutboxItem, type OutboxItem } from '../store/outbox.ts';
import { setTimer } from '../store/timers.ts';
import type { Instant } from '../time.ts';
import { storeEvents } from './store.ts';

/** Carries out what the item lists, then deletes it. */
export async function publish(item: OutboxItem, now: Instant): Promise<void> {
  await addElements(item, item.elements);
  await storeEvents(item, item.events, now);
  for (const timer of item.timers) await setTimer(timer, now);
  await deleteOutboxItem(item);
}

/** Publishes what the stream's consumer has left for a minute; one item that fails keeps no other from being published. */
export async function publishLeft(now: Instant): Promise<void> {
  const left = await claimLeftOutboxItems(now);
  await allOrThrow(left.map((item) => publish(item, now)));
}
