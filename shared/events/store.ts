/**
 * Writes the event log of an account and mode.
 *
 * - The positions of events are consecutive, because the transaction that stores an event also raises the cursor that
 *   its position comes from. So a reader that continues from a position misses no event.
 * - Storing an event again changes nothing, because the transaction finds the event's pointer.
 */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../env.ts';
import type { Owner } from '../ids.ts';
import { dynamodb, retryDelayMs } from '../store/client.ts';
import type { EventDraft } from '../store/commit/outbox-item.ts';
import { tableKeys } from '../store/keys.ts';
import { type TransactionItem, type TransactionResult, writeTransaction } from '../store/transactions.ts';
import { type Instant, toSeconds } from '../time.ts';

/** How long an event is kept, in seconds. */
export const retentionSeconds = 30 * 24 * 60 * 60;

/** A transaction has at most 100 actions: one for the cursor, and two for each event. */
const eventsPerTransaction = 49;
/** DynamoDB accepts 4 MB in one transaction. This is the limit for the bodies of events. */
const bytesPerTransaction = 3 * 1024 * 1024;
/** The size of the attributes of an event and its pointer, apart from the body. It is an upper bound. */
const bytesPerEvent = 1024;

/** The last append of each owner in this instance. Appends of one owner run in turn, because they change one cursor. */
const lastAppends = new Map<string, Promise<EventPositions>>();

/** The positions of events in the log, by event id. */
export type EventPositions = ReadonlyMap<string, number>;

/**
 * Stores those events that are not stored yet, in the given order, in as few transactions as possible.
 * @param changes the events of each change. One transaction stores all events of a change.
 * @returns the positions of all events
 */
export async function storeEvents(
  owner: Owner,
  changes: readonly (readonly EventDraft[])[],
  now: Instant,
): Promise<EventPositions> {
  if (changes.every((events) => events.length === 0)) return new Map();
  const { pk } = tableKeys.eventCursor(owner);
  const previous = lastAppends.get(pk) ?? Promise.resolve();
  const append = previous.then(
    () => appendChanges(owner, changes, now),
    () => appendChanges(owner, changes, now),
  );
  lastAppends.set(pk, append);
  try {
    return await append;
  } finally {
    if (lastAppends.get(pk) === append) lastAppends.delete(pk);
  }
}

async function appendChanges(
  owner: Owner,
  changes: readonly (readonly EventDraft[])[],
  now: Instant,
): Promise<EventPositions> {
  const positions = new Map<string, number>();
  let cursor = await readCursor(owner);
  for (const events of groupByTransaction(changes)) {
    cursor = await appendEvents({ owner, now, positions }, events, cursor);
  }
  return positions;
}

/** Divides the events into groups that fit into one transaction each. The events of one change stay together. */
function groupByTransaction(changes: readonly (readonly EventDraft[])[]): EventDraft[][] {
  const groups: EventDraft[][] = [];
  let group: EventDraft[] = [];
  let bytes = 0;
  for (const events of changes) {
    const size = events.reduce((sum, { body }) => sum + Buffer.byteLength(body) + bytesPerEvent, 0);
    const fits = group.length + events.length <= eventsPerTransaction && bytes + size <= bytesPerTransaction;
    if (groups.length === 0 || !fits) {
      group = [];
      groups.push(group);
      bytes = 0;
    }
    group.push(...events);
    bytes += size;
  }
  return groups;
}

interface Append {
  readonly owner: Owner;
  readonly now: Instant;
  /** Receives the position of each event. */
  readonly positions: Map<string, number>;
}

/**
 * Appends events in one transaction. Tries again if another instance raises the cursor or stores the same events at the
 * same time.
 * @param cursor the last position of the log, as last read or written
 * @returns the last position after that
 */
async function appendEvents(
  { owner, now, positions }: Append,
  events: readonly EventDraft[],
  cursor: number,
): Promise<number> {
  let open = [...events];
  for (let attempt = 0; open.length > 0; attempt++) {
    if (attempt > 0) {
      await new Promise((resolve) => setTimeout(resolve, retryDelayMs(attempt)));
      cursor = await readCursor(owner);
    }
    const first = cursor + 1;
    const result = await writeTransaction([
      raiseCursor(owner, cursor, open.length),
      ...open.flatMap((event, index) => putEvent(owner, event, first + index, now)),
    ]);
    if (result.written) cursor += open.length;
    // The actions of event n are 1 + 2n (the event) and 2 + 2n (its pointer).
    for (const [index, { id }] of open.entries()) {
      if (result.written) positions.set(id, first + index);
      else if (result.failed[2 + 2 * index]?.failed) positions.set(id, storedPosition(result, 2 + 2 * index));
    }
    open = open.filter(({ id }) => !positions.has(id));
  }
  return cursor;
}

/** Returns the position of an event that is already in the log, from its pointer. */
function storedPosition(result: Extract<TransactionResult, { written: false }>, action: number): number {
  return result.failed[action]?.item?.position as number;
}

async function readCursor(owner: Owner): Promise<number> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: tableKeys.eventCursor(owner), ConsistentRead: true }),
  );
  return (item?.position as number | undefined) ?? 0;
}

function raiseCursor(owner: Owner, position: number, by: number): TransactionItem {
  return {
    Update: {
      TableName: env.tableName(),
      Key: tableKeys.eventCursor(owner),
      UpdateExpression: 'SET #position = :next',
      ConditionExpression: position === 0 ? 'attribute_not_exists(pk)' : '#position = :position',
      ExpressionAttributeNames: { '#position': 'position' },
      ExpressionAttributeValues: { ':next': position + by, ...(position > 0 && { ':position': position }) },
    },
  };
}

function putEvent(owner: Owner, event: EventDraft, position: number, now: Instant): TransactionItem[] {
  const { account, mode } = owner;
  const expiresAt = toSeconds(now) + retentionSeconds;
  const TableName = env.tableName();
  return [
    { Put: { TableName, Item: { ...tableKeys.event(owner, position), ...event, expiresAt } } },
    {
      Put: {
        TableName,
        Item: { ...tableKeys.eventPointer(event.id), account, mode, position, expiresAt },
        ConditionExpression: 'attribute_not_exists(pk)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    },
  ];
}
