/** Finds the documents that follow from outbox items, and sets those aside that cannot be made. */
import type { Owner } from '../../base/ids.ts';
import { throwAfterAllSettled } from '../../base/throw-after-all-settled.ts';
import { DocumentLog } from '../../domain/documents/document-log.ts';
import { type DocumentOrder, orderOf } from '../../domain/documents/document-order.ts';
import type { ProfileItems } from '../../domain/documents/document-sources-store.ts';
import { documentPartOf, type EventDraft, type OutboxItem } from '../../store/commit/outbox-item.ts';
import { setPartAside } from '../../store/set-aside.ts';

/** The documents that follow from some outbox items. */
interface OpenDocuments {
  /** Undefined: none follow. */
  readonly log: DocumentLog | undefined;
  /** Returns the documents to issue for an item, in the order of its events. */
  readonly ordersOf: (item: OutboxItem) => readonly DocumentOrder[];
  /** Returns the event that announces a document. */
  readonly eventOf: (order: DocumentOrder) => EventDraft;
}

/**
 * Opens the documents of an owner for some outbox items. A document that cannot be made is set aside with the reason, and all else that
 * follows from its change happens. `npx remit poison retry` makes it later, with the next number.
 */
export async function openDocuments(
  owner: Owner,
  items: readonly OutboxItem[],
  profile: ProfileItems,
): Promise<OpenDocuments> {
  const orders = new Map(items.map((item) => [item, eventsOf(item).map(({ order }) => order)]));
  const all = [...orders.values()].flat();
  if (all.length === 0) return { log: undefined, ordersOf: () => [], eventOf: throwMissing };
  const { log, followed, failures } = await DocumentLog.open(owner, all, profile);
  const parts = items.flatMap((item) => {
    const failed = eventsOf(item).filter(({ order }) => failures.has(order.id));
    const [error] = failed.flatMap(({ order }) => failures.get(order.id) ?? []);
    const events = failed.map(({ event }) => event);
    return error ? [setPartAside('documents', documentPartOf(item, events), error)] : [];
  });
  await throwAfterAllSettled(parts);
  return {
    log,
    ordersOf: (item) => orders.get(item)?.filter((order) => followed.has(order)) ?? [],
    eventOf: (order) => log.eventOf(order),
  };
}

/** Whether documents follow from an outbox item. */
export const hasDocuments = (item: OutboxItem): boolean => eventsOf(item).length > 0;

/** Returns the events from which documents follow. */
function eventsOf({ documents, events }: OutboxItem) {
  return (documents === true ? events : (documents ?? [])).flatMap((event) => {
    const order = orderOf(event);
    return order ? [{ event, order }] : [];
  });
}

function throwMissing(): never {
  throw new Error('No document follows from these items.');
}
