/**
 * Reading the log of events that `store.ts` writes, in either order, so that nothing is stepped over: the positions
 * that it shows are consecutive, but for those of events that are gone.
 */
import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../env.ts';
import { ApiError } from '../errors.ts';
import { isRecordId, type Owner } from '../ids.ts';
import { dynamodb } from '../store/client.ts';
import { keys } from '../store/keys.ts';
import type { EventDraft } from '../store/outbox.ts';
import type { Item } from '../store/records.ts';
import { readTransaction } from '../store/transactions.ts';
import { type Instant, toSeconds } from '../time.ts';
import { retentionSeconds } from './store.ts';

/** A position in the log, and when the event there expires, in seconds since 1970. */
export interface Place {
  readonly position: number;
  readonly expiresAt: number;
}

export interface StoredEvent extends Place, EventDraft {}

/** Which way to read, and where to begin: with what follows `from`. */
export interface Course {
  readonly order: 'newest first' | 'oldest first';
  readonly from: Place;
}

/** Before all events, and behind them. */
export const logStart: Place = { position: 0, expiresAt: 0 };
export const logEnd: Place = { position: Number.MAX_SAFE_INTEGER, expiresAt: 0 };

/** No publication takes that long, whatever the clocks of different instances show. */
const youngSeconds = 60 * 60;
/** Beside the event behind them, as many as a transaction takes. */
const maxMissing = 99;

/** Whether an event's time is over, so that it is not there any more even if DynamoDB has yet to delete it. */
export function isExpired({ expiresAt }: Place, now: Instant): boolean {
  return expiresAt <= toSeconds(now);
}

/** Where the event is; undefined if the owner has no such event. An id that is malformed costs no call. */
export async function readPlace(owner: Owner, id: string, now: Instant): Promise<Place | undefined> {
  if (!isRecordId('event', id)) return undefined;
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: keys.eventPointer(id), ConsistentRead: true }),
  );
  if (item?.account !== owner.account || item.mode !== owner.mode) return undefined;
  const place = { position: item.position as number, expiresAt: item.expiresAt as number };
  return isExpired(place, now) ? undefined : place;
}

/** The event; undefined if the owner has no such event. */
export async function readEvent(owner: Owner, id: string, now: Instant): Promise<StoredEvent | undefined> {
  const place = await readPlace(owner, id, now);
  if (!place) return undefined;
  const { Item: item } = await dynamodb.send(
    new GetCommand({
      TableName: env.tableName(),
      Key: keys.event(owner, place.position),
      ConsistentRead: true,
    }),
  );
  return item && toEvent(item);
}

/** The event that was read. Throws `event_not_found`. */
export function foundEvent(event: StoredEvent | undefined): StoredEvent {
  if (!event) throw new ApiError('event_not_found');
  return event;
}

/**
 * The next `count` events, expired ones included, and whether there are more.
 *
 * A query is no snapshot: it may have passed a position before the event there was visible, and then show the next
 * one. So what is missing before an event that was published a short while ago is read again together with that event,
 * in a transaction, which sees either both or the absence of what was deleted; some more than `count` may come of it.
 */
export async function readLog(
  owner: Owner,
  course: Course,
  count: number,
  now: Instant,
): Promise<{ events: StoredEvent[]; more: boolean }> {
  const { events, more } = await query(owner, course, count);
  const { order, from } = course;
  const isWhole = order === 'newest first' && !more;
  const known = [from, ...events, ...(isWhole ? [logStart] : [])].sort(byPosition);
  const unseen = known.map((place, index) => readBetween(owner, known[index - 1] ?? place, place, now));
  const all = [...events, ...(await Promise.all(unseen)).flat()].sort(byPosition);
  return { events: order === 'newest first' ? all.reverse() : all, more };
}

/** The newest of the expired events, given one of them: events expire in the order of their positions. */
export async function readLastExpired(owner: Owner, expired: Place, now: Instant): Promise<Place> {
  const newest = (await query(owner, { order: 'newest first', from: logEnd }, 1)).events[0];
  let last = expired;
  let end = (newest ?? expired).position + 1;
  while (end - last.position > 1) {
    const middle = Math.floor((last.position + end) / 2);
    const from = { position: middle - 1, expiresAt: 0 };
    const [event] = (await query(owner, { order: 'oldest first', from }, 1)).events;
    if (event && isExpired(event, now)) last = event;
    else end = middle;
  }
  return last;
}

const byPosition = (one: Place, other: Place) => one.position - other.position;

/** One query reads at most 1 MB. */
async function query(owner: Owner, { order, from }: Course, count: number) {
  const { pk, sk } = keys.event(owner, from.position);
  const events: StoredEvent[] = [];
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
 * The events between two neighbours that a query has shown. An event's transaction builds upon all before it, so what
 * is not there in a read that sees the later neighbour never will be. If the last 99 are gone, so are those before.
 */
async function readBetween(owner: Owner, earlier: Place, later: Place, now: Instant): Promise<StoredEvent[]> {
  const count = Math.min(later.position - earlier.position - 1, maxMissing);
  const isYoung = later.expiresAt - retentionSeconds > toSeconds(now) - youngSeconds;
  if (count < 1 || !isYoung) return [];
  const positions = Array.from({ length: count + 1 }, (_, index) => later.position - index);
  const [, ...found] = await readTransaction(positions.map((position) => keys.event(owner, position)));
  return found.flatMap((item) => (item ? [toEvent(item)] : []));
}

function toEvent({ sk, id, type, body, expiresAt }: Item): StoredEvent {
  return { position: Number(sk), id, type, body, expiresAt } as StoredEvent;
}
