/**
 * Announces the changes of a group of outbox items: stores their events, creates the deliveries, and sets the timers.
 *
 * - The timers of the changes do not wait for the events. So refunds and due dates go on while the event log is busy or fails.
 * - The events come before their deliveries, which name the positions of the events.
 * - An item with one delivery stores neither the delivery nor a timer. The item itself is the watchdog of the first
 *   attempt: the relay sends the message last and keeps the item, and the dispatcher deletes it.
 * - For the other items, the first messages are sent while the timers of the first attempts are stored, and the
 *   deliveries are stored after these timers. `first-message.ts` says why both are safe.
 */

import type { Owner } from '../../base/ids.ts';
import type { Limited } from '../../base/limit-concurrency.ts';
import type { Instant } from '../../base/time.ts';
import type { WatchedEndpoints } from '../../domain/events/append-store.ts';
import { type AppendOptions, storeEvents } from '../../domain/events/event-store.ts';
import type { Delivery } from '../../domain/webhooks/delivery.ts';
import { firstTimer } from '../../domain/webhooks/first-message.ts';
import type { Webhook } from '../../domain/webhooks/webhook.ts';
import type { OutboxItem } from '../../store/commit/outbox-item.ts';
import { planTimers, prepareTimers, sendDueTimers, storeTimers } from '../../store/timers/timer-batches.ts';
import type { Timer } from '../../store/timers/timer-item.ts';
import { type PreparedTimer, type ScheduledTimer, schedule } from '../../store/timers/timers.ts';
import {
  deliveriesOf,
  deliveriesPerCall,
  isPendingDelivery,
  storeDeliveries,
  subscriptionsOf,
} from './deliveries.ts';
import type { RelayGroup } from './relay-group.ts';
import { shareCalls } from './share-calls.ts';

/** How many messages one call sends. */
const messagesPerCall = 10;

/** A group of items of one owner, which is being relayed. */
export interface GroupWork {
  readonly owner: Owner;
  readonly group: RelayGroup;
  readonly now: Instant;
  /** Limits how many tasks run at the same time. */
  readonly limited: Limited;
  /** How the events are appended to the log. */
  readonly appending: AppendOptions;
  /** Returns the endpoints of the owner, read after the changes of the group. */
  readonly readEndpoints: () => Promise<readonly Webhook[]>;
}

/** The first messages that are sent after everything else, by the item that stays until the dispatcher has deleted it. */
export type LastMessages = ReadonlyMap<OutboxItem, ScheduledTimer>;

/**
 * Sets the timers of a group's changes, stores the events and creates their deliveries.
 * @returns the messages that the caller sends with `sendLastMessages` when nothing else follows from their items
 */
export async function announceChanges(work: GroupWork): Promise<LastMessages> {
  const [lastMessages] = await Promise.all([announceEvents(work), setTimers(work)]);
  return lastMessages;
}

/** Sends the messages of those items that have not failed. */
export async function sendLastMessages(
  { group, limited }: Pick<GroupWork, 'group' | 'limited'>,
  lastMessages: LastMessages,
): Promise<void> {
  const messages = group.open.flatMap((item) => lastMessages.get(item) ?? []);
  const send = shareCalls(messages, messagesPerCall, sendDueTimers);
  await group.each((item) => {
    const message = lastMessages.get(item);
    return message ? [send(message)] : [];
  }, limited);
}

/** Sets the timers of the changes. */
async function setTimers({ group, now, limited }: GroupWork): Promise<void> {
  const prepared = new Map<Timer, PreparedTimer>();
  await group.together(async (open) => {
    const timers = open.flatMap((item) => item.timers);
    const stored = await prepareTimers(timers, now);
    timers.forEach((timer, index) => {
      prepared.set(timer, stored[index] as PreparedTimer);
    });
  });
  await group.each((item) => item.timers.flatMap((timer) => prepared.get(timer)?.send ?? []), limited);
}

/** Stores the events of a group, and creates their deliveries with the timers of the first attempts or their last messages. */
async function announceEvents(work: GroupWork): Promise<LastMessages> {
  const { group, limited, now } = work;
  const { deliveries, watched } = await storeEventsOf(work);
  const lastMessages = new Map<OutboxItem, ScheduledTimer>();
  for (const [item, ofItem] of deliveries) {
    const message = lastMessageOf(item, ofItem, watched, now);
    if (!message) continue;
    lastMessages.set(item, message);
    deliveries.delete(item);
  }
  const deliveriesFor = (item: OutboxItem) => deliveries.get(item) ?? [];
  const timerOf = new Map<Delivery, ScheduledTimer>();
  await group.together(async (open) => {
    const pending = open.flatMap(deliveriesFor).filter(isPendingDelivery);
    const planned = planTimers(pending.map(firstTimer), now);
    pending.forEach((delivery, index) => {
      timerOf.set(delivery, planned[index] as ScheduledTimer);
    });
  });
  const timersFor = (item: OutboxItem) => deliveriesFor(item).flatMap((each) => timerOf.get(each) ?? []);
  const send = shareCalls([...timerOf.values()], messagesPerCall, sendDueTimers);
  await Promise.all([
    group.together((open) => storeTimers(open.flatMap(timersFor)).then(() => {})),
    group.each((item) => [...new Set(timersFor(item).map(send))], limited),
  ]);
  // Only those of items whose timers are stored.
  const open = group.open.flatMap(deliveriesFor);
  const store = shareCalls(open, deliveriesPerCall(open.length), (batch) => storeDeliveries(batch, now));
  await group.each((item) => [...new Set(deliveriesFor(item).map(store))], limited);
  return lastMessages;
}

/** Whether an item can be a watchdog, if one delivery follows from it. */
const mayBeWatchdog = (item: OutboxItem): boolean =>
  item.webhookFault === undefined && item.claims === undefined;

/** Returns the endpoints to which the messages go whose items can be their watchdogs. */
function watchedEndpointsOf(items: readonly OutboxItem[], webhooks: readonly Webhook[]): WatchedEndpoints {
  const single = items.filter(mayBeWatchdog).flatMap(({ events }) => {
    const [only, ...others] = subscriptionsOf(events, webhooks);
    return only?.webhook.status === 'enabled' && others.length === 0 ? [only] : [];
  });
  return new Map(single.map(({ event, webhook }) => [event.id, webhook.id]));
}

/**
 * Returns the first message of an item that is its watchdog. Returns undefined for other items: those with several deliveries or a
 * delayed attempt, and those that a sweep has claimed. Their message was lost or waits in the queue, and the leases of a timer grow.
 * @param watched the endpoint that the stored event names. If another relay has stored the event, it may be another one.
 */
function lastMessageOf(
  item: OutboxItem,
  [delivery, ...others]: readonly Delivery[],
  watched: WatchedEndpoints,
  now: Instant,
): ScheduledTimer | undefined {
  if (!mayBeWatchdog(item) || !delivery || others.length > 0) return undefined;
  if (!isPendingDelivery(delivery) || watched.get(delivery.eventId) !== delivery.webhookId) return undefined;
  const { scheduled, ...rest } = schedule(firstTimer(delivery), now);
  // If the clock of the request was ahead, only a timer can wait for its time.
  if (rest.lease.leasedUntil === undefined) return undefined;
  return { scheduled: { ...scheduled, outboxItem: { pk: item.pk, sk: item.sk } }, ...rest };
}

/** Stores the events of a group. Returns the deliveries of each item, and the endpoints that the events name. */
async function storeEventsOf({ owner, group, now, appending, readEndpoints }: GroupWork) {
  const deliveries = new Map<OutboxItem, readonly Delivery[]>();
  let watched: WatchedEndpoints = new Map();
  await group.together(async (open) => {
    const announcing = open.filter(({ events }) => events.length > 0);
    if (announcing.length === 0) return;
    const changes = announcing.map(({ events }) => events);
    const webhooks = await readEndpoints();
    const naming = watchedEndpointsOf(announcing, webhooks);
    const stored = await storeEvents(owner, changes, now, { ...appending, watched: naming });
    watched = new Map([...watched, ...stored.watched]);
    for (const item of announcing)
      deliveries.set(item, deliveriesOf(item, webhooks, stored.positions, stored.watched));
  });
  return { deliveries, watched };
}
