/**
 * Reads the event log, in either order. `event-log.ts` says how it is written.
 *
 * - No event is skipped. The positions that a reader sees are consecutive, except for deleted events.
 */
import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../base/env.ts';
import { ApiError } from '../../base/errors.ts';
import { isRecordId, type Owner } from '../../base/ids.ts';
import { hasExpired, type Instant, toSeconds } from '../../base/time.ts';
import { dynamodb } from '../../store/client.ts';
import type { EventDraft } from '../../store/commit/outbox-item.ts';
import { tableKeys } from '../../store/keys.ts';
import { noteLeftOut } from '../../store/left-out-items.ts';
import { type Item, readItems } from '../../store/records.ts';
import {
  checksOf,
  compressibleText,
  integer,
  MalformedItemError,
  requireAttributes,
  text,
} from '../../store/stored-fields.ts';
import { fromStoredText, type StoredText } from '../../store/stored-text.ts';
import { readTransaction } from '../../store/transactions.ts';
import { parsePointer, retentionSeconds } from './log-end-store.ts';

/** A position in the log, and when the event at that position expires, in seconds since 1970. */
export interface LogPosition {
  readonly position: number;
  readonly expiresAt: number;
}

export interface StoredEvent extends LogPosition, EventDraft {}

/** An event that cannot be read. It keeps its position, so that readers pass it. */
export interface MalformedEvent extends LogPosition {
  /** The id, if the item has one. */
  readonly id: string | undefined;
  readonly malformed: MalformedItemError;
}

/** Returns the events that can be read. Names the others in the log, and in the answer to the request. */
export function readableEvents(events: readonly (StoredEvent | MalformedEvent)[]): StoredEvent[] {
  noteLeftOut(events.flatMap((event) => ('malformed' in event ? event.malformed : [])));
  return events.filter((event): event is StoredEvent => !('malformed' in event));
}

/** The order in which to read, and the position before the first event to read. */
export interface ReadOrder {
  readonly order: 'newest first' | 'oldest first';
  readonly from: LogPosition;
}

/** The positions before and behind all events. */
export const logStart: LogPosition = { position: 0, expiresAt: 0 };
export const logEnd: LogPosition = { position: Number.MAX_SAFE_INTEGER, expiresAt: 0 };

/** Longer than it takes to store events, also if the clocks of instances differ. */
const recentSeconds = 60 * 60;
/** A transaction reads 100 items: the event behind the gap, and this many missing ones. */
const maxMissing = 99;

/** Whether an event has expired. Readers treat it as deleted, although DynamoDB deletes it later. */
export function isEventExpired({ expiresAt }: LogPosition, now: Instant): boolean {
  return hasExpired(expiresAt, now);
}

/** Returns the position of an event, or undefined if the owner has no such event. A malformed id costs no call. */
export async function readLogPosition(
  owner: Owner,
  id: string,
  now: Instant,
): Promise<LogPosition | undefined> {
  if (!isRecordId('event', id)) return undefined;
  const key = tableKeys.eventPointer(id);
  const { Item: found } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: key, ConsistentRead: true }),
  );
  // A transaction can store the event and its pointer. A query can see the event before a plain read sees the pointer.
  const item = found ?? (await readTransaction([key]))[0];
  if (item?.account !== owner.account || item.mode !== owner.mode) return undefined;
  const { position, expiresAt } = parsePointer(item);
  return isEventExpired({ position, expiresAt }, now) ? undefined : { position, expiresAt };
}

/** Returns those of up to 100 event ids that are events of the owner and have not expired. */
export async function findEvents(
  owner: Owner,
  ids: readonly string[],
  now: Instant,
): Promise<ReadonlySet<string>> {
  const pointers = ids.length === 0 ? [] : await readItems(ids.map(tableKeys.eventPointer));
  const found = pointers.filter(
    ({ account, mode, expiresAt }) =>
      account === owner.account && mode === owner.mode && !hasExpired(expiresAt, now),
  );
  const byKey = new Map(ids.map((id) => [tableKeys.eventPointer(id).pk, id]));
  return new Set(found.flatMap(({ pk }) => byKey.get(String(pk)) ?? []));
}

/** Reads an event. Returns undefined if the owner has no such event. @throws MalformedItemError */
export async function readEvent(owner: Owner, id: string, now: Instant): Promise<StoredEvent | undefined> {
  const found = await readLogPosition(owner, id, now);
  if (!found) return undefined;
  const { Item: item } = await dynamodb.send(
    new GetCommand({
      TableName: env.tableName(),
      Key: tableKeys.event(owner, found.position),
      ConsistentRead: true,
    }),
  );
  if (item?.id !== id) return undefined;
  return readableEvent(item);
}

/** Returns the event that was read. @throws ApiError `event_not_found` */
export function requireEvent(event: StoredEvent | undefined): StoredEvent {
  if (!event) throw new ApiError('event_not_found');
  return event;
}

/**
 * Reads the next `count` events, including expired ones, and tells whether there are more. May return more than
 * `count`.
 *
 * A query is not a snapshot. It can pass a position before the event there becomes visible, and still return the next
 * event. So if positions are missing before a recent event, they are read again in one transaction with that event. An
 * event that the transaction does not return was deleted.
 */
export async function readLog(
  owner: Owner,
  readOrder: ReadOrder,
  count: number,
  now: Instant,
): Promise<{ events: (StoredEvent | MalformedEvent)[]; more: boolean }> {
  const { events, more } = await query(owner, readOrder, count);
  const { order, from } = readOrder;
  const reachesStart = order === 'newest first' && !more;
  const known = [from, ...events, ...(reachesStart ? [logStart] : [])].sort(byPosition);
  const missed = known.map((later, index) => readBetween(owner, known[index - 1] ?? later, later, now));
  const all = [...events, ...(await Promise.all(missed)).flat()].sort(byPosition);
  return { events: order === 'newest first' ? all.reverse() : all, more };
}

/**
 * Finds the newest expired event by a binary search, because events expire in the order of their positions.
 * @param expired any expired event
 */
export async function findLastExpired(
  owner: Owner,
  expired: LogPosition,
  now: Instant,
): Promise<LogPosition> {
  const newest = (await query(owner, { order: 'newest first', from: logEnd }, 1)).events[0];
  let last = expired;
  let end = (newest ?? expired).position + 1;
  while (end - last.position > 1) {
    const middle = Math.floor((last.position + end) / 2);
    const from = { position: middle - 1, expiresAt: 0 };
    const [event] = (await query(owner, { order: 'oldest first', from }, 1)).events;
    if (event && isEventExpired(event, now)) last = event;
    else end = middle;
  }
  return last;
}

const byPosition = (one: LogPosition, other: LogPosition) => one.position - other.position;

/** Reads up to `count` events. Repeats the query, because one query reads at most 1 MB. */
async function query(owner: Owner, { order, from }: ReadOrder, count: number) {
  const { pk, sk } = tableKeys.event(owner, from.position);
  const events: (StoredEvent | MalformedEvent)[] = [];
  let start: Item | undefined;
  do {
    const answer = await dynamodb.send(
      new QueryCommand({
        TableName: env.tableName(),
        KeyConditionExpression: `pk = :pk AND sk ${order === 'newest first' ? '<' : '>'} :from`,
        ExpressionAttributeValues: { ':pk': pk, ':from': sk },
        ScanIndexForward: order === 'oldest first',
        ConsistentRead: true,
        Limit: count - events.length,
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    events.push(...(answer.Items ?? []).map(toEvent));
    start = answer.LastEvaluatedKey;
  } while (start && events.length < count);
  return { events, more: start !== undefined };
}

/**
 * Reads the events between two neighbors of a query's result. An event is stored only after the one before it. So an
 * event that is missing in a read that sees the later neighbor was deleted. Reads at most the last
 * 99 positions: if those are deleted, so are the earlier ones.
 */
async function readBetween(
  owner: Owner,
  earlier: LogPosition,
  later: LogPosition,
  now: Instant,
): Promise<(StoredEvent | MalformedEvent)[]> {
  const count = Math.min(later.position - earlier.position - 1, maxMissing);
  const isRecent = later.expiresAt - retentionSeconds > toSeconds(now) - recentSeconds;
  if (count < 1 || !isRecent) return [];
  const positions = Array.from({ length: count + 1 }, (_, index) => later.position - index);
  const [, ...found] = await readTransaction(positions.map((position) => tableKeys.event(owner, position)));
  return found.flatMap((item) => (item ? [toEvent(item)] : []));
}

const checks = checksOf({ id: text, type: text, body: compressibleText, expiresAt: integer });

function toEvent(item: Item): StoredEvent | MalformedEvent {
  const { sk, id, type, body, expiresAt } = item;
  const position = Number(sk);
  const name = typeof id === 'string' ? id : `event ${position}`;
  try {
    requireAttributes(checks, item, () => name);
    return { position, id, type, body: bodyOf(name, body as StoredText), expiresAt } as StoredEvent;
  } catch (malformed) {
    if (!(malformed instanceof MalformedItemError)) throw malformed;
    // Without a time, the events around it decide what has expired.
    const at = integer.accepts(expiresAt) ? (expiresAt as number) : Number.POSITIVE_INFINITY;
    return { position, id: typeof id === 'string' ? id : undefined, expiresAt: at, malformed };
  }
}

/** Returns the event in an item of the log. @throws MalformedItemError */
export function readableEvent(item: Item): StoredEvent {
  const event = toEvent(item);
  if ('malformed' in event) throw event.malformed;
  return event;
}

/** Returns the body of an event, which is the JSON text of an object. */
function bodyOf(name: string, stored: StoredText): string {
  try {
    const body = fromStoredText(stored);
    if (typeof JSON.parse(body)?.id === 'string') return body;
  } catch (cause) {
    throw new MalformedItemError(
      name,
      'its attribute body is not JSON text, or is compressed in another form',
      { cause },
    );
  }
  throw new MalformedItemError(name, 'its attribute body is not an event');
}
