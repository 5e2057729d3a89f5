/**
 * Stores the outbox: one item for each change, with everything that must follow from the change.
 *
 * - The transaction of the change writes the item, so no follow-up is lost.
 * - The relay deletes the item after all follow-ups are done.
 * - When the system is healthy, the outbox contains only the items of the last seconds.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { auditOutcomes } from '../../base/audit-origin.ts';
import { env } from '../../base/env.ts';
import { modes, type Owner } from '../../base/ids.ts';
import type { WebhookFault } from '../../base/test-fault.ts';
import type { Instant } from '../../base/time.ts';
import { deleteItems } from '../batch-write.ts';
import { dynamodb } from '../client.ts';
import { type Key, outboxPartitionOf, padInstant, tableKeys } from '../keys.ts';
import type { IndexEntry } from '../lists/pages/index-pages.ts';
import { storedIndexEntries, toStoredEntry } from '../lists/pages/index-pages.ts';
import { fromStoredEntries, type MoneyEntry, storedEntries, toStoredEntries } from '../money-entries.ts';
import { queryPages } from '../query-pages.ts';
import type { Item } from '../records.ts';
import { parseEach } from '../set-aside.ts';
import {
  arrayOf,
  checksOf,
  compressibleText,
  count,
  type Field,
  instant,
  MalformedItemError,
  nullable,
  objectOf,
  oneOf,
  optional,
  requireAttributes,
  text,
  textOf,
} from '../stored-fields.ts';
import { fromStoredText, type StoredText, toStoredText } from '../stored-text.ts';
import type { Timer } from '../timers/timer-item.ts';
import {
  type AuditedChange,
  fromStoredAuditedChange,
  outboxName,
  type StoredAuditedChange,
  settingChanges,
  toStoredAuditedChange,
} from './audited-change.ts';

/** An event. Its body is fixed when the change commits, and every delivery sends these same bytes. */
export interface EventDraft {
  readonly id: string;
  readonly type: string;
  readonly body: string;
  /** What the credit note of the event credits, in the smallest currency unit. 0: it has none. Undefined: what the event says. */
  readonly credits?: number | undefined;
}

/** The index entries, events and timers that follow from a change, and its entry in the audit log. */
export interface FollowUps {
  readonly indexEntries: readonly IndexEntry[];
  readonly events: readonly EventDraft[];
  readonly timers: readonly Timer[];
  /** Undefined if the audit log does not record the change. */
  readonly audited?: AuditedChange | undefined;
  /**
   * The events from which documents follow: true for those of this change. A part that is set aside names them, because its events are
   * stored already.
   */
  readonly documents?: true | readonly EventDraft[] | undefined;
  /** The fault of the deliveries of the events. */
  readonly webhookFault?: WebhookFault | undefined;
  /** What the change adds to the accounts of the journal. It is stored with the first event. */
  readonly entries?: readonly MoneyEntry[] | undefined;
}

export interface OutboxItem extends Key, Owner, FollowUps {
  /** Until this instant, no sweep claims the item: another sweep is working on it or has failed to relay it. */
  readonly claimedUntil?: Instant;
  /** How often sweeps have claimed the item. */
  readonly claims?: number;
}

/** The duration of the first claim. Each further claim has twice the duration of the previous one. */
const firstClaimMs = 60_000;
const longestClaimMs = 15 * 60_000;
/** The sweep skips younger items, because the consumer of the stream relays them. */
const sweepAgeMs = 60_000;
/** As many as one transaction of the event log can store, if each item has one event. */
const itemsAtOnce = 49;

/**
 * Returns the table item that holds the follow-ups of a change, or undefined if nothing follows from it.
 * @param change the id of the change
 */
export function toOutboxItem(
  owner: Owner,
  change: string,
  now: Instant,
  { indexEntries, events, timers, audited, documents, webhookFault, entries = [] }: FollowUps,
): Item | undefined {
  if (indexEntries.length + events.length + timers.length === 0 && !audited) return undefined;
  const { account, mode } = owner;
  const name = outboxName(audited);
  const key = tableKeys.outbox(owner, now, name ?? change);
  const fault = events.length > 0 ? webhookFault : undefined;
  const journal = entries.length > 0 ? toStoredEntries(entries) : '';
  return {
    ...key,
    account,
    mode,
    indexEntries: indexEntries.map(toStoredEntry),
    events: events.map((event) => ({ ...event, body: toStoredText(event.body, journal.length) })),
    timers,
    ...(documents === true && { documents }),
    ...(audited && {
      audited: toStoredAuditedChange(audited, {
        isInEvents: events.some(({ body }) => body.includes(`"${audited.resource}"`)),
        hasName: name !== undefined,
      }),
    }),
    ...(fault && { webhookFault: fault }),
    ...(journal && { entries: journal }),
  };
}

/**
 * Returns the outbox item of an operation from which only its entry in the audit log follows.
 * @param name is unique among the items of the account and time. The same name gives the same entry
 */
export function toAuditOutboxItem(owner: Owner, name: string, at: Instant, audited: AuditedChange): Item {
  const { account, mode } = owner;
  const lists = { indexEntries: [], events: [], timers: [] };
  const stored = toStoredAuditedChange(audited, { isInEvents: false, hasName: false });
  return { ...tableKeys.outbox(owner, at, name), account, mode, ...lists, audited: stored };
}

/**
 * Returns the part of an outbox item from which only documents follow, under the same key, so that it gives the same documents.
 * @param events from which they follow
 */
export function documentPartOf(
  { pk, sk, account, mode }: OutboxItem,
  events: readonly EventDraft[],
): Item & Key {
  const documents = events.map((event) => ({ ...event, body: toStoredText(event.body) }));
  return { pk, sk, account, mode, indexEntries: [], events: [], timers: [], documents };
}

/** Returns the real time at which the change of an item was decided. Its sort key begins with it. */
export const committedAtOf = ({ sk }: Key): Instant => Number(sk.split('#')[0]);

const eventDraft = objectOf<EventDraft>({
  id: text,
  type: text,
  body: compressibleText,
  credits: optional(count),
});

/** Either true or a value of a field. */
const trueOr = <V>({ expected, accepts }: Field<V>): Field<true | V> => ({
  expected: `true or ${expected}`,
  accepts: (value) => value === true || accepts(value),
});

const checks = checksOf({
  account: text,
  mode: oneOf(...modes),
  // A later release can add kinds of entries and timers. The relay judges them.
  indexEntries: storedIndexEntries,
  events: arrayOf(eventDraft),
  timers: arrayOf(
    objectOf<Pick<Timer, 'due' | 'reference' | 'group'> & { kind: string }>({
      due: instant,
      kind: text,
      reference: text,
      group: optional(text),
    }),
  ),
  audited: optional(
    objectOf<StoredAuditedChange>({
      a: nullable(text),
      t: optional(textOf<NonNullable<StoredAuditedChange['t']>>()),
      n: textOf<StoredAuditedChange['n']>(),
      s: optional(nullable(text)),
      r: optional(nullable(text)),
      o: optional(nullable(text)),
      c: optional(settingChanges),
      u: optional(oneOf(...auditOutcomes)),
    }),
  ),
  documents: optional(trueOr(arrayOf(eventDraft))),
  webhookFault: optional(text),
  entries: optional(storedEntries),
  claimedUntil: optional(instant),
  claims: optional(count),
});

/**
 * Converts a table item to an outbox item.
 * @throws MalformedItemError
 */
export function fromOutboxItem(item: Item): OutboxItem {
  const name = `${item.pk} ${item.sk}`;
  requireAttributes(checks, item, () => name);
  if (item.pk !== outboxPartitionOf(item.account as string))
    throw new MalformedItemError(name, 'the partition is not that of the account');
  const { events, audited, documents, entries, ...rest } = item as unknown as Omit<
    OutboxItem,
    'events' | 'audited' | 'documents' | 'entries'
  > & {
    readonly entries?: string;
    readonly audited?: StoredAuditedChange;
    readonly events: readonly StoredEventDraft[];
    readonly documents?: true | readonly StoredEventDraft[];
  };
  const toDraft = ({ body, ...event }: StoredEventDraft) => ({ ...event, body: bodyOf(name, body) });
  return {
    ...rest,
    audited: audited && fromStoredAuditedChange(audited, rest.sk),
    documents: documents === true ? true : documents?.map(toDraft),
    events: events.map(toDraft),
    entries: entries === undefined ? undefined : fromStoredEntries(entries),
  };
}

type StoredEventDraft = Omit<EventDraft, 'body'> & { readonly body: StoredText };

/** Returns the body of an event, which is the JSON text of an object with the time of the event. */
function bodyOf(name: string, stored: StoredText): string {
  let body: string;
  let timestamp: unknown;
  try {
    body = fromStoredText(stored);
    timestamp = JSON.parse(body)?.timestamp;
  } catch (cause) {
    throw new MalformedItemError(name, 'the body of an event cannot be read', { cause });
  }
  if (typeof timestamp === 'string' && !Number.isNaN(Date.parse(timestamp))) return body;
  throw new MalformedItemError(name, 'the body of an event has no timestamp');
}

/** Reads the owner's outbox items, which are not relayed yet. Leaves malformed ones out, which the sweep sets aside. */
export async function readUnrelayed(owner: Owner): Promise<OutboxItem[]> {
  const unrelayed: OutboxItem[] = [];
  for await (const items of queryPages({
    KeyConditionExpression: 'pk = :pk',
    FilterExpression: 'account = :account AND #mode = :mode',
    ExpressionAttributeNames: { '#mode': 'mode' },
    ExpressionAttributeValues: {
      ':pk': tableKeys.outbox(owner, 0, '').pk,
      ':account': owner.account,
      ':mode': owner.mode,
    },
  })) {
    unrelayed.push(...parseEach(items, fromOutboxItem).parsed);
  }
  return unrelayed;
}

/** Deletes items. The caller has done all of their follow-ups. */
export async function deleteOutboxItems(items: readonly Key[]): Promise<void> {
  await deleteItems(items);
}

/**
 * Reads the items of a partition that are older than a minute and not claimed, oldest first, up to 49 at a time. The
 * consumer of the stream has failed to relay them, and `fromOutboxItem` has not read them yet.
 */
export async function* readStaleOutboxItems(partition: string, now: Instant): AsyncGenerator<Item[]> {
  yield* queryPages({
    KeyConditionExpression: 'pk = :pk AND sk < :before',
    FilterExpression: isUnclaimed,
    ExpressionAttributeValues: {
      ':pk': partition,
      ':before': padInstant(now - sweepAgeMs),
      ':now': now,
      ':number': 'N',
    },
    Limit: itemsAtOnce,
  });
}

/**
 * Reads the items of an owner from which documents follow and that were committed before an instant. Where a consumer of the stream has
 * failed to relay them, they wait for a sweep. Looks at the first page of the partition, which is 1 MB: usually it is empty.
 *
 * Items of the instant itself are left out: nothing of their keys says which of them was first.
 */
export async function readEarlierDocumented(
  { account, mode }: Owner,
  before: Instant,
): Promise<OutboxItem[]> {
  const pages = queryPages({
    KeyConditionExpression: 'pk = :pk AND sk < :before',
    FilterExpression: '#account = :account AND #mode = :mode AND attribute_exists(#documents)',
    ExpressionAttributeNames: { '#account': 'account', '#mode': 'mode', '#documents': 'documents' },
    ExpressionAttributeValues: {
      ':pk': outboxPartitionOf(account),
      ':before': padInstant(before),
      ':account': account,
      ':mode': mode,
    },
  });
  const { value: items = [] } = await pages.next();
  return parseEach(items as Item[], fromOutboxItem).parsed;
}

/** An attribute that is no number is malformed, and claims nothing. */
const isUnclaimed = '(NOT attribute_type(claimedUntil, :number) OR claimedUntil <= :now)';

/**
 * Claims an item for the caller. If relaying the item fails, sweeps skip it until the claim ends, longer each time. So
 * it does not block the items behind it.
 * @returns false if another sweep has claimed the item, or if it is deleted
 */
export async function claimOutboxItem({ pk, sk, claims = 0 }: OutboxItem, now: Instant): Promise<boolean> {
  const claimMs = Math.min(longestClaimMs, firstClaimMs * 2 ** claims);
  try {
    await dynamodb.send(
      new UpdateCommand({
        TableName: env.tableName(),
        Key: { pk, sk },
        UpdateExpression: 'SET claimedUntil = :until, claims = :claims',
        ConditionExpression: `attribute_exists(pk) AND ${isUnclaimed}`,
        ExpressionAttributeValues: {
          ':until': now + claimMs,
          ':claims': claims + 1,
          ':now': now,
          ':number': 'N',
        },
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
