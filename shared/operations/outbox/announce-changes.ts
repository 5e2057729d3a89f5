/**
 * Announces the changes of a group of outbox items: stores their events, creates the deliveries, and sets the timers.
 *
 * - The timers of the changes do not wait for the events. So refunds and due dates go on while the event log is busy or fails. Only the
 *   timers of notices that read the audit log wait for its entries.
 * - The transaction that appends an event stores the timers of the first attempts to deliver it. The first messages are sent while
 *   the deliveries are stored. `first-message.ts` says why this is safe.
 */

import type { Owner } from '../../base/ids.ts';
import type { Limited } from '../../base/limit-concurrency.ts';
import type { Instant } from '../../base/time.ts';
import type { ProfileItems } from '../../domain/documents/document-sources-store.ts';
import { type JournalPart, journalPartOf } from '../../domain/journal/journal-item.ts';
import { needsEntry } from '../../domain/mails/notice.ts';
import type { Delivery } from '../../domain/webhooks/delivery.ts';
import { firstTimer } from '../../domain/webhooks/first-message.ts';
import type { Webhook } from '../../domain/webhooks/webhook.ts';
import type { EventDraft, OutboxItem } from '../../store/commit/outbox-item.ts';
import { tableKeys } from '../../store/keys.ts';
import { planTimers, prepareTimers, sendDueTimers, storeTimers } from '../../store/timers/timer-batches.ts';
import type { Timer } from '../../store/timers/timer-item.ts';
import {
  confirmAllStored,
  type PreparedTimer,
  type ScheduledTimer,
  timerPut,
} from '../../store/timers/timers.ts';
import { actionsPerTransaction, appendChanges, countActions, type LogEnds } from './append-changes.ts';
import { deliveriesOf, isPendingDelivery, storeDelivery } from './deliveries.ts';
import { mailTimersOf } from './mail-timers.ts';
import { openDocuments } from './open-documents.ts';
import type { RelayGroup } from './relay-group.ts';
import { shareCalls } from './share-calls.ts';
import { storeSearchEntries } from './store-search-entries.ts';
import { readSumsZone } from './sums-zone.ts';

/** How many messages one call sends. */
const messagesPerCall = 10;

/** A group of items of one owner, which is being relayed. */
export interface GroupWork {
  readonly owner: Owner;
  readonly group: RelayGroup;
  readonly now: Instant;
  /** Limits how many tasks run at the same time. */
  readonly limited: Limited;
  /** The ends of the owner's logs, and the profile of the account if documents or mails follow from the changes. */
  readonly ends: LogEnds & ProfileItems;
  /** Returns the endpoints of the owner, read after the changes of the group. */
  readonly readEndpoints: () => Promise<readonly Webhook[]>;
}

/** Sets the timers of a group's changes, appends the changes to the logs and creates the deliveries of their events. */
export async function announceChanges(work: GroupWork): Promise<void> {
  const announced = announceEvents(work);
  await Promise.all([announced, setAllTimers(work, announced)]);
}

/**
 * Sets the timers of the changes, and those of the mails that follow from them.
 * @param announced settles when the events and the entries of the audit log are stored
 */
async function setAllTimers(work: GroupWork, announced: Promise<void>): Promise<void> {
  const { group, now, ends } = work;
  const mails = new Map(
    group.open.map((item) => {
      const timers = mailTimersOf(item, ends.account, now);
      return [item, Map.groupBy(timers, (timer) => (needsEntry(timer) ? 'late' : 'early'))];
    }),
  );
  const mailsOf = (item: OutboxItem, when: 'early' | 'late') => mails.get(item)?.get(when) ?? [];
  await Promise.all([
    setTimers(work, (item) => [...item.timers, ...mailsOf(item, 'early')]),
    announced.then(() => setTimers(work, (item) => mailsOf(item, 'late'))),
  ]);
}

/** Sets timers of the items that have not failed. */
async function setTimers(
  { group, now, limited }: GroupWork,
  timersOf: (item: OutboxItem) => readonly Timer[],
): Promise<void> {
  const prepared = new Map<Timer, PreparedTimer>();
  await group.together(async (open) => {
    const timers = open.flatMap(timersOf);
    const stored = await prepareTimers(timers, now);
    timers.forEach((timer, index) => {
      prepared.set(timer, stored[index] as PreparedTimer);
    });
  });
  await group.each((item) => timersOf(item).flatMap((timer) => prepared.get(timer)?.send ?? []), limited);
}

/** The sort key of the item with the totals. */
const { sk: totalsName } = tableKeys.eventCursor({ account: '', mode: 'test' });

/** What is announced of one outbox item: its events with those of its documents, and what follows from each. */
class Announcement {
  readonly item: OutboxItem;
  readonly events: readonly EventDraft[];
  readonly #followUps = new Map<
    string,
    { readonly deliveries: readonly Delivery[]; readonly timers: readonly ScheduledTimer[] }
  >();

  constructor(item: OutboxItem, events: readonly EventDraft[]) {
    this.item = item;
    this.events = events;
  }

  /**
   * Plans the deliveries of an event at its position in the log. Planned again at another position, they replace the former ones.
   * @returns the timers of their first attempts
   */
  plan(
    event: EventDraft,
    position: number,
    webhooks: readonly Webhook[],
    now: Instant,
  ): readonly ScheduledTimer[] {
    const deliveries = deliveriesOf(this.item, event, webhooks, position);
    const timers = planTimers(deliveries.filter(isPendingDelivery).map(firstTimer), now);
    this.#followUps.set(event.id, { deliveries, timers });
    return timers;
  }

  get deliveries(): readonly Delivery[] {
    return [...this.#followUps.values()].flatMap(({ deliveries }) => deliveries);
  }

  get timers(): readonly ScheduledTimer[] {
    return [...this.#followUps.values()].flatMap(({ timers }) => timers);
  }
}

/**
 * Appends the changes of a group to the logs, together with the timers of the first attempts. Then sends the first messages and
 * stores the deliveries.
 */
async function announceEvents(work: GroupWork): Promise<void> {
  const { group, limited, now } = work;
  const announcementOf = await appendEvents(work);
  const all = group.open.map(announcementOf);
  const send = shareCalls(
    all.flatMap(({ timers }) => timers),
    messagesPerCall,
    sendDueTimers,
  );
  const store = (delivery: Delivery) => () => storeDelivery(delivery, now);
  await Promise.all([
    group.together((items) =>
      confirmAllStored(items.flatMap((item) => announcementOf(item).timers)).then(() => {}),
    ),
    group.together((items) =>
      storeSearchEntries(
        work.owner,
        items.flatMap((item) => announcementOf(item).events),
      ),
    ),
    group.each((item) => {
      const { timers, deliveries } = announcementOf(item);
      return [...new Set(timers.map(send)), ...deliveries.map(store)];
    }, limited),
  ]);
}

/**
 * Appends the changes of a group. The timers of the first attempts are stored, the deliveries are not.
 * @returns a function that returns what is announced of an item that is still open
 */
async function appendEvents({
  owner,
  group,
  now,
  ends,
  readEndpoints,
}: GroupWork): Promise<(item: OutboxItem) => Announcement> {
  const announcements = new Map<OutboxItem, Announcement>();
  await group.together(async (open) => {
    const documents = await openDocuments(owner, open, ends);
    const hasEvents = documents.log !== undefined || open.some(({ events }) => events.length > 0);
    const [webhooks, timeZone] = await Promise.all([
      hasEvents ? readEndpoints() : [],
      readSumsZone(owner, open, ends),
    ]);
    const items = open.map((item) => {
      const orders = documents.ordersOf(item);
      const announcement = new Announcement(item, [
        ...item.events,
        ...orders.map((order) => documents.eventOf(order)),
      ]);
      const journal = journalPartOf(item);
      const appended = {
        item,
        events: announcement.events,
        documents: orders,
        journal,
        isJournaled: journal !== undefined,
        sums: namesOfSums(journal, timeZone),
        besides: announcement.events.length * webhooks.length,
      };
      // What does not fit into a transaction is stored after it.
      const isSmall = countActions(appended) <= actionsPerTransaction;
      return { ...appended, announcement, isSmall, besides: isSmall ? appended.besides : 0 };
    });
    const appended = await appendChanges(
      owner,
      items.map(({ announcement, isSmall, ...each }) => ({
        ...each,
        events: each.events.map((event, index) => ({
          event,
          besides: (position: number) => [
            ...(index === 0 && each.journal ? [each.journal.put(position)] : []),
            ...(isSmall ? announcement.plan(event, position, webhooks, now).map(timerPut) : []),
          ],
          ...(index === 0 && each.journal && { sums: { ...each.journal, timeZone } }),
        })),
      })),
      ends,
      documents.log,
      now,
    );
    // An earlier relay can have stored the timers for other endpoints.
    const late = items.flatMap(({ announcement, isSmall }) =>
      announcement.events.flatMap((event) => {
        const { position, existed } = appended.get(event.id) ?? { position: 0, existed: true };
        return existed || !isSmall ? announcement.plan(event, position, webhooks, now) : [];
      }),
    );
    await storeTimers(late);
    for (const { item, announcement } of items) announcements.set(item, announcement);
  });
  return (item) => announcements.get(item) ?? new Announcement(item, []);
}

/** Returns the names of the items to which a change adds sums, without the totals, which the cursor of the event log has. */
const namesOfSums = (journal: JournalPart | undefined, timeZone: string): readonly string[] => {
  const additions = journal?.additions(undefined, timeZone) ?? [];
  return [...new Set(additions.map(({ key }) => key.sk))].filter((name) => name !== totalsName);
};
