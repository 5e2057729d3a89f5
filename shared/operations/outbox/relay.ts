/**
 * Relays outbox items: carries out everything that follows from a change, as its outbox item lists it.
 *
 * - Each step is idempotent and the item is deleted last, so that a crash only causes a repetition.
 * - The items of one account and mode are relayed as a group, so a burst of changes needs few calls: one for up to 100 index
 *   pages, one transaction for the events and audit entries of up to 32 changes, and one deletion for up to 25 items.
 * - Groups run in parallel, so a burst of one account does not delay the others.
 */

import { type Limited, limitConcurrency } from '../../base/limit-concurrency.ts';
import { logger } from '../../base/log.ts';
import { metricFields } from '../../base/metrics.ts';
import { throwAfterAllSettled } from '../../base/throw-after-all-settled.ts';
import { type Instant, now } from '../../base/time.ts';
import { isMarkedForReminders } from '../../domain/accounts/reminder-mark.ts';
import { auditScopeOf } from '../../domain/audit/audit-store.ts';
import type { ProfileItems } from '../../domain/documents/document-sources-store.ts';
import { webhooksAt } from '../../domain/webhooks/known-webhooks.ts';
import { registryKey } from '../../domain/webhooks/record.ts';
import {
  claimOutboxItem,
  committedAtOf,
  deleteOutboxItems,
  fromOutboxItem,
  type OutboxItem,
  readEarlierDocumented,
  readStaleOutboxItems,
} from '../../store/commit/outbox-item.ts';
import { outboxPartitions, tableKeys } from '../../store/keys.ts';
import { addMissingEntries } from '../../store/lists/pages/add-index-entries.ts';
import { type Item, readItem } from '../../store/records.ts';
import { parseEach, setItemAside } from '../../store/set-aside.ts';
import { announceChanges } from './announce-changes.ts';
import type { LogEnds } from './append-changes.ts';
import { canCauseMail, canCauseReminder } from './mail-timers.ts';
import { hasDocuments } from './open-documents.ts';
import { RelayGroup } from './relay-group.ts';

/** The number of groups that are relayed at the same time. */
const groupsAtOnce = 32;
/** The number of tasks that run at the same time. Each makes one call at a time, or waits for a batch of deliveries. */
const tasksAtOnce = 96;
/** The same for one group. It is smaller, so that a large group leaves room for the others. */
const groupTasksAtOnce = 64;

/** Carries out everything that the item lists, and then deletes the item. */
export async function relay(item: OutboxItem, now: Instant): Promise<void> {
  await Promise.all(relayAll([item], now));
}

/**
 * Relays items of any accounts, oldest first.
 * @returns one promise for each item, in the same order. It settles when the group of the item has ended.
 */
export function relayAll(items: readonly OutboxItem[], now: Instant): Promise<void>[] {
  const limitGroups = limitConcurrency(groupsAtOnce);
  const limitTasks = limitConcurrency(tasksAtOnce);
  const groups = new Map(
    [...groupByOwner(items)].map(([owner, members]) => [
      owner,
      limitGroups(() => relayGroup([...members.values()], now, limitTasks)),
    ]),
  );
  return items.map(async (item) => {
    const failures = await groups.get(ownerOf(item));
    if (failures?.has(nameOf(item))) throw failures.get(nameOf(item));
  });
}

/**
 * Relays outbox items as they are stored, and sets those aside that cannot be read.
 * @returns one promise for each item, in the same order
 */
export function relayStored(items: readonly Item[], now: Instant): Promise<void>[] {
  const { parsed, malformed } = parseEach(items, fromOutboxItem);
  const errors = new Map(malformed.map((work) => [work.item, work]));
  const outcomes = relayAll(parsed, now)[Symbol.iterator]();
  return items.map((item) => {
    const work = errors.get(item);
    return work ? setItemAside('outbox item', work) : (outcomes.next().value ?? Promise.resolve());
  });
}

const nameOf = ({ pk, sk }: OutboxItem) => `${pk} ${sk}`;
const ownerOf = ({ account, mode }: OutboxItem) => `${account}#${mode}`;

/** Returns the items of each owner by name, so that an item that was passed twice is relayed once. */
function groupByOwner(items: readonly OutboxItem[]): Map<string, Map<string, OutboxItem>> {
  const groups = new Map<string, Map<string, OutboxItem>>();
  for (const item of items) {
    const group = groups.get(ownerOf(item)) ?? new Map<string, OutboxItem>();
    groups.set(ownerOf(item), group.set(nameOf(item), item));
  }
  return groups;
}

/**
 * Returns the items in the order of their changes, after those before them from which documents follow. So a credit note never follows
 * from an invoice whose last change is not issued yet. DynamoDB keeps only the changes of one item in order, and a change that could
 * not be relayed waits for a sweep
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html).
 */
async function withEarlierDocuments(given: readonly OutboxItem[]): Promise<readonly OutboxItem[]> {
  const items = inOrder(given);
  const last = items.findLast(hasDocuments);
  if (!last) return items;
  const names = new Set(items.map(nameOf));
  const before = await readEarlierDocumented(last, committedAtOf(last));
  const earlier = before.filter((item) => !names.has(nameOf(item)));
  return inOrder([...earlier, ...items]);
}

/** Changes of the same time keep the order in which they arrived. */
const inOrder = (items: readonly OutboxItem[]): OutboxItem[] =>
  items.toSorted((one, other) => committedAtOf(one) - committedAtOf(other));

/** Relays items of one owner. Returns why items have failed, by name. */
async function relayGroup(
  given: readonly OutboxItem[],
  now: Instant,
  limitTasks: Limited,
): Promise<ReadonlyMap<string, unknown>> {
  const [owner] = given as [OutboxItem];
  const items = await withEarlierDocuments(given);
  const group = new RelayGroup(items);
  const hasEvents = items.some((item) => item.events.length > 0 || hasDocuments(item));
  const isAudited = items.some(({ audited }) => audited);
  const isDocumented = items.some(hasDocuments);
  const besides = {
    ...(hasEvents && { registry: registryKey(owner), eventCursor: tableKeys.eventCursor(owner) }),
    ...(isAudited && { auditHead: tableKeys.auditHead(auditScopeOf(owner)) }),
    ...((isDocumented || items.some(canCauseMail)) && { account: tableKeys.account(owner.account) }),
    ...(isDocumented && { seller: tableKeys.seller(owner.account) }),
  };
  let read: LogEnds & ProfileItems & { readonly registry?: Item } = {};
  // An event becomes visible only after the index entries of its change.
  await group.together(async (open) => {
    const entries = open.flatMap(({ indexEntries }) => indexEntries);
    read = await addMissingEntries(owner, entries, besides);
    const needsPlan = isMarkedForReminders(read.eventCursor) && open.some(canCauseReminder);
    if (needsPlan && !('account' in besides)) read = { ...read, ...(await readPlan(owner)) };
  });
  const limitGroupTasks = limitConcurrency(groupTasksAtOnce);
  const limited: Limited = (task) => limitGroupTasks(() => limitTasks(task));
  const readEndpoints = () => webhooksAt(owner, read.registry);
  await announceChanges({ owner, group, now, limited, ends: read, readEndpoints });
  await group.together(deleteOutboxItems);
  return new Map([...group.failures].map(([item, failure]) => [nameOf(item), failure]));
}

/** Reads the account, which has the plan of reminders. Nothing: it does not exist. */
async function readPlan({ account }: OutboxItem): Promise<Pick<ProfileItems, 'account'>> {
  const item = await readItem(tableKeys.account(account));
  return item ? { account: item } : {};
}

/** How long a sweep starts to relay more items. It ends before the next sweep, which timers wait for, too. */
const sweepMs = 45_000;

/**
 * Relays the items that the stream's consumer has not relayed within a minute. An item that fails does not keep the
 * others from being relayed. An item that cannot be read is set aside. Counts the relayed items, because the stream should leave
 * none.
 * @throws the first failure, after all items were tried
 */
export async function relayStale(): Promise<void> {
  const end = performance.now() + sweepMs;
  const swept = { items: 0 };
  const partitions = outboxPartitions.map((partition) => relayPartition(partition, end, swept));
  try {
    await throwAfterAllSettled(partitions);
  } finally {
    if (swept.items > 0) logger.info('relayed for the stream', metricFields({ SweptItems: swept.items }));
  }
}

async function relayPartition(partition: string, end: number, swept: { items: number }): Promise<void> {
  const failures: unknown[] = [];
  for await (const items of readStaleOutboxItems(partition, now())) {
    await relayClaimed(items, swept).catch((failure) => failures.push(failure));
    if (performance.now() > end) break;
  }
  await throwAfterAllSettled(failures.map((failure) => Promise.reject(failure)));
}

/** Claims the items and relays those that no other sweep has claimed. Sets those aside that cannot be read. */
async function relayClaimed(stored: readonly Item[], swept: { items: number }): Promise<void> {
  const { parsed: items, malformed } = parseEach(stored, fromOutboxItem);
  const settingAside = malformed.map((work) => setItemAside('outbox item', work));
  const claimed: OutboxItem[] = [];
  const claims = items.map(async (item) => {
    if (await claimOutboxItem(item, now())) claimed.push(item);
  });
  await Promise.allSettled(claims);
  const inTurn = items.filter((item) => claimed.includes(item));
  const relayed = relayAll(inTurn, now()).map(async (outcome) => {
    await outcome;
    swept.items += 1;
  });
  await throwAfterAllSettled([...settingAside, ...claims, ...relayed]);
}
