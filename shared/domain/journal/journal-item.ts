/**
 * Describes how the journal and its sums are stored. Pure.
 *
 * - An entry has the position of the first event of its change, and the transaction that appends the event puts it. So each change is
 *   in the journal once, in the order of the events, and no later entry comes before one that a reader has seen.
 * - The same transaction adds to the sums. They belong to a generation, so a rebuild can replace all of them at one moment.
 */
import { env } from '../../base/env.ts';
import type { Owner } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import type { Addition } from '../../store/additions.ts';
import type { EventDraft, OutboxItem } from '../../store/commit/outbox-item.ts';
import { type Key, tableKeys } from '../../store/keys.ts';
import {
  fromStoredEntries,
  type MoneyEntry,
  storedEntries,
  toStoredEntries,
} from '../../store/money-entries.ts';
import type { Item } from '../../store/records.ts';
import { arrayOf, count, defineItem, instant, optional, text } from '../../store/stored-fields.ts';
import type { TransactionItem } from '../../store/transactions.ts';
import { additionsOf, type MoneyChange } from './sums.ts';

/** An entry as it is stored. */
export interface StoredJournalEntry extends MoneyChange {
  /** The id of the first event of the change. */
  readonly event: string;
  /** The record of that event. */
  readonly resource: string;
  /** Undefined: the change belongs to no invoice. */
  readonly invoice?: string | undefined;
}

type EntryItem = Omit<StoredJournalEntry, 'entries'> & { readonly entries: string };

const parseEntry = defineItem<EntryItem>(({ pk, sk }) => `the entry ${sk} of ${pk}`, {
  at: instant,
  entries: storedEntries,
  types: arrayOf(text),
  event: text,
  resource: text,
  invoice: optional(text),
});

/** Returns the entry in an item. @throws MalformedItemError */
export function toJournalEntry(item: Item): StoredJournalEntry {
  const entry = parseEntry(item);
  return { ...entry, entries: fromStoredEntries(entry.entries) };
}

/** Returns the position in the key of an entry. */
export const positionOf = ({ sk }: Item): number => Number(sk);

/** The state of the sums, which the cursor of the event log has. */
export interface SumsState {
  /** The position of the last event. */
  readonly position: number;
  /** Undefined: 0. A rebuild raises it. */
  readonly sums?: number | undefined;
  /** The time zone in which the sums have their days. Undefined: nothing was summed yet. */
  readonly sumsZone?: string | undefined;
}

/** Returns the state of the sums in the cursor of the event log. @throws MalformedItemError */
export const toSumsState: (item: Item) => SumsState = defineItem<SumsState>(({ pk }) => String(pk), {
  position: count,
  sums: optional(count),
  sumsZone: optional(text),
});

/** Returns the key of the item with the sums of a day. @param generation undefined: 0 */
export const sumsKeyOf =
  (owner: Owner, generation: number | undefined) =>
  (day: string): Key =>
    tableKeys.daySums(owner, generation ?? 0, day);

/** The part of a change that the journal and the sums store. */
export interface JournalPart {
  /** Returns the action that puts the entry at a position. */
  readonly put: (position: number) => TransactionItem;
  /** Returns what is added to the sums. @param generation of the sums. Undefined: 0 @param timeZone of the sums */
  readonly additions: (generation: number | undefined, timeZone: string) => readonly Addition[];
}

/** Returns what the journal and the sums store of a change. Undefined: nothing. */
export function journalPartOf(item: OutboxItem): JournalPart | undefined {
  const { account, mode, entries = [], events } = item;
  const [event] = events;
  if (!event || entries.length === 0) return undefined;
  const owner = { account, mode };
  const entry = entryOf(event, events, entries);
  return {
    put: (position) => ({
      Put: {
        TableName: env.tableName(),
        Item: {
          ...tableKeys.journalEntry(owner, position),
          account,
          mode,
          ...entry,
          entries: toStoredEntries(entries),
        },
        ConditionExpression: 'attribute_not_exists(pk)',
      },
    }),
    additions: (generation, timeZone) =>
      additionsOf(entry, timeZone, sumsKeyOf(owner, generation), tableKeys.eventCursor(owner)),
  };
}

function entryOf(
  event: EventDraft,
  events: readonly EventDraft[],
  entries: readonly MoneyEntry[],
): StoredJournalEntry {
  const { timestamp, data } = JSON.parse(event.body) as {
    readonly timestamp: string;
    readonly data: { readonly id: string; readonly invoiceId?: string };
  };
  const at: Instant = Date.parse(timestamp);
  const invoice = data.invoiceId ?? (event.type.startsWith('invoice.') ? data.id : undefined);
  return {
    at,
    entries,
    types: events.flatMap((each) => (isUseOfCredit(each) ? [] : each.type)),
    event: event.id,
    resource: data.id,
    ...(invoice !== undefined && { invoice }),
  };
}

/** Whether an event is about a payment with credit. Another payment received its money, so it is not counted. */
const isUseOfCredit = ({ type, body }: EventDraft): boolean =>
  type.startsWith('payment.') && (JSON.parse(body) as { data: { method?: string } }).data.method === 'credit';
