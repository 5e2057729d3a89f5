/** Appends the changes of a group of outbox items to the logs of their owner: the event log and the audit log. */

import type { Owner } from '../../base/ids.ts';
import { throwAfterAllSettled } from '../../base/throw-after-all-settled.ts';
import type { Instant } from '../../base/time.ts';
import { AuditLog } from '../../domain/audit/audit-log.ts';
import { auditScopeOf } from '../../domain/audit/audit-store.ts';
import { auditEntryOf, auditPartOf } from '../../domain/audit/outbox-entry.ts';
import type { DocumentLog } from '../../domain/documents/document-log.ts';
import type { DocumentOrder } from '../../domain/documents/document-order.ts';
import { type AppendedEvent, EventLog, type NewEvent } from '../../domain/events/event-log.ts';
import { appendToLogs } from '../../store/append-to-logs.ts';
import type { OutboxItem } from '../../store/commit/outbox-item.ts';
import type { Item } from '../../store/records.ts';
import { setPartAside } from '../../store/set-aside.ts';
import { MalformedItemError } from '../../store/stored-fields.ts';

/** The items of the ends of the logs, as they were read. Other relays may have changed them since. */
export interface LogEnds {
  readonly eventCursor?: Item;
  readonly auditHead?: Item;
}

/** An outbox item with its events, and what is stored in the transaction that appends them. */
export interface AppendedItem {
  readonly item: OutboxItem;
  readonly events: readonly NewEvent[];
  /** The number of actions that `events` store beside the events. */
  readonly besides: number;
  /** Whether the transaction puts an entry of the journal. */
  readonly isJournaled: boolean;
  /** The names of the items to which the transaction adds sums. All items of a transaction share them. */
  readonly sums: readonly string[];
  /** The documents that follow from the item. */
  readonly documents: readonly DocumentOrder[];
}

/**
 * A transaction has at most 100 actions. Two raise the heads of the logs, and up to five the last numbers of series: those of invoices
 * and credit notes in two years, and that of receipts.
 */
export const actionsPerTransaction = 93;
/** DynamoDB accepts 4 MB in one transaction. This is the limit for the bodies of events. */
const bytesPerTransaction = 3 * 1024 * 1024;
/** The size of an action without the body of an event. It is an upper bound. */
const bytesPerAction = 1024;
/** The size of what a document has beside the texts of its event: the seller and the buyer. It is an upper bound. */
const bytesPerDocument = 32 * 1024;

/**
 * Appends what the logs do not have yet, in the order of the items. What follows from an item is appended in one transaction.
 * @param items of one owner
 * @returns the events in the log, by id
 * @throws MalformedItemError if the end of the event log cannot be read; the error of DynamoDB
 */
export async function appendChanges(
  owner: Owner,
  items: readonly AppendedItem[],
  ends: LogEnds,
  documents: DocumentLog | undefined,
  now: Instant,
): Promise<ReadonlyMap<string, AppendedEvent>> {
  const hasEvents = items.some((item) => item.events.length > 0);
  const events = hasEvents ? await EventLog.open(owner, now, ends.eventCursor) : undefined;
  const audit = await openAuditLog(owner, items, ends.auditHead);
  // The bodies of the events of documents follow from the actions of the documents.
  const logs = [documents, events, audit].filter((log) => log !== undefined);
  for (const group of groupByTransaction(items)) {
    documents?.add(group.flatMap((each) => each.documents));
    events?.add(group.flatMap((each) => each.events));
    audit?.add(group.flatMap(({ item }) => auditEntryOf(item) ?? []));
    try {
      await appendToLogs(logs);
    } catch (error) {
      if (!events?.leaveOutSums(error)) throw error;
      await appendToLogs(logs);
    }
  }
  return events?.appended ?? new Map();
}

/**
 * Opens the audit log, if it records a change of an item. If the head of the log cannot be read, no entry can follow it. Then the
 * entries are set aside, and all else that follows from the changes happens.
 */
async function openAuditLog(
  owner: Owner,
  items: readonly AppendedItem[],
  head: Item | undefined,
): Promise<AuditLog | undefined> {
  if (!items.some(({ item }) => item.audited)) return undefined;
  try {
    return await AuditLog.open(auditScopeOf(owner), head);
  } catch (error) {
    if (!(error instanceof MalformedItemError)) throw error;
    const parts = items.flatMap(({ item }) => auditPartOf(item) ?? []);
    await throwAfterAllSettled(parts.map((part) => setPartAside('audit', part, error)));
    return undefined;
  }
}

/** Returns how many actions append an item. */
export const countActions = ({
  item,
  events,
  documents,
  besides,
  isJournaled,
  sums,
}: Omit<AppendedItem, 'events'> & { readonly events: readonly unknown[] }): number =>
  2 * events.length +
  2 * documents.length +
  besides +
  (item.audited ? 1 : 0) +
  (isJournaled ? 1 : 0) +
  sums.length;

/** Divides items into groups that fit into one transaction each. */
function groupByTransaction(items: readonly AppendedItem[]): AppendedItem[][] {
  const groups: AppendedItem[][] = [];
  let left = { actions: 0, bytes: 0 };
  let sums = new Set<string>();
  for (const each of items) {
    const actionsOf = (item: AppendedItem) =>
      countActions(item) - item.sums.filter((name) => sums.has(name)).length;
    const bodies = each.item.events.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
    const ofDocuments = each.documents.length * (bodies + bytesPerDocument);
    const bytes = bodies + ofDocuments + countActions(each) * bytesPerAction;
    if (actionsOf(each) > left.actions || bytes > left.bytes) {
      groups.push([]);
      sums = new Set();
      left = { actions: actionsPerTransaction, bytes: bytesPerTransaction };
    }
    groups.at(-1)?.push(each);
    left = { actions: left.actions - actionsOf(each), bytes: left.bytes - bytes };
    for (const name of each.sums) sums.add(name);
  }
  return groups;
}
