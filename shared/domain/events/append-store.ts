/** Makes the calls to DynamoDB with which the event log of an account and mode is written. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { env } from '../../base/env.ts';
import { modes, type Owner } from '../../base/ids.ts';
import { type Instant, toSeconds } from '../../base/time.ts';
import { dynamodb, retryDelayMs, tableTime } from '../../store/client.ts';
import type { EventDraft } from '../../store/commit/outbox-item.ts';
import { tableKeys } from '../../store/keys.ts';
import { noteLeftOut } from '../../store/left-out-items.ts';
import type { Item } from '../../store/records.ts';
import { count, defineItem, integer, oneOf, orMalformed, positive, text } from '../../store/stored-fields.ts';
import { toStoredText } from '../../store/stored-text.ts';
import {
  type FailedAction,
  readTransaction,
  type TransactionItem,
  writeTransaction,
} from '../../store/transactions.ts';
import { type EventLogCalls, knownEnd, type LoggedEvent } from './append-events.ts';

/**
 * The endpoints to which the first messages of events go while outbox items are their watchdogs, by event id. See
 * `shared/domain/webhooks/first-message.ts`.
 */
export type WatchedEndpoints = ReadonlyMap<string, string>;

/** How long an event is kept, in seconds. */
export const retentionSeconds = 30 * 24 * 60 * 60;

/**
 * Returns the calls for the log of an owner. Events that they store expire 30 days after `now`.
 * @param watched the endpoint that an event names, by event id
 * @param onStored called with each event that these calls have put
 */
export function eventLogCalls(
  owner: Owner,
  now: Instant,
  watched: WatchedEndpoints = new Map(),
  onStored: (event: EventDraft) => void = () => {},
): EventLogCalls {
  const TableName = env.tableName();
  const expiresAt = toSeconds(now) + retentionSeconds;
  const { account, mode } = owner;
  const eventPut = (event: EventDraft, position: number) => {
    const endpoint = watched.get(event.id);
    const body = toStoredText(event.body);
    return {
      TableName,
      Item: { ...tableKeys.event(owner, position), ...event, body, expiresAt, ...(endpoint && { endpoint }) },
      ConditionExpression: 'attribute_not_exists(pk)',
    };
  };
  const pointerPut = ({ id }: EventDraft, position: number) => ({
    TableName,
    Item: { ...tableKeys.eventPointer(id), account, mode, position, expiresAt },
    ConditionExpression: 'attribute_not_exists(pk)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  });
  const cursorUpdate = { TableName, Key: tableKeys.eventCursor(owner), ...named('position') };
  return {
    wait: (attempt) => new Promise((resolve) => setTimeout(resolve, retryDelayMs(attempt))),
    readNewest: () => readNewestEvent(owner),
    async readCursor() {
      const cursor = await orMalformed(readCursor(owner));
      if (typeof cursor === 'number') return cursor;
      // The end of the log is known without the cursor, which is replaced.
      const end = knownEnd(await readNewestEvent(owner), toSeconds(tableTime(now)));
      if (end === undefined) throw cursor;
      noteLeftOut([cursor]);
      await this.raiseCursor(end);
      return readCursor(owner);
    },
    // Another plain read may not see an event of a transaction yet that has changed the cursor.
    async readAt(position) {
      const [item] = await readTransaction([tableKeys.event(owner, position)]);
      return item && toLoggedEvent(item);
    },
    async reserve(event, position) {
      const stored = await refusedBy(dynamodb.send(new PutCommand(pointerPut(event, position))));
      return stored ? parsePointer(stored).position : position;
    },
    async move({ id }, from, to) {
      const stored = await refusedBy(
        dynamodb.send(
          new UpdateCommand({
            TableName,
            Key: tableKeys.eventPointer(id),
            UpdateExpression: 'SET #position = :to',
            ConditionExpression: '#position = :from',
            ...named('position'),
            ExpressionAttributeValues: { ':from': from, ':to': to },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      );
      return stored ? parsePointer(stored).position : to;
    },
    async put(event, position) {
      if (await refusedBy(dynamodb.send(new PutCommand(eventPut(event, position))))) return false;
      onStored(event);
      return true;
    },
    async putWithPointer(event, position) {
      const result = await writeTransaction([
        { Put: eventPut(event, position) },
        { Put: pointerPut(event, position) },
      ]);
      if (!result.written) return { written: false, reserved: reservedBy(result.failed[1]) };
      onStored(event);
      return result;
    },
    async raiseCursor(position) {
      await refusedBy(
        dynamodb.send(
          new UpdateCommand({
            ...cursorUpdate,
            UpdateExpression: 'SET #position = :position',
            ConditionExpression: 'NOT attribute_type(#position, :number) OR #position < :position',
            ExpressionAttributeValues: { ':position': position, ':number': 'N' },
          }),
        ),
      );
    },
    async putTogether(events, cursor, first) {
      const raise: TransactionItem = {
        Update: {
          ...cursorUpdate,
          UpdateExpression: 'SET #position = :last',
          ConditionExpression: cursor === 0 ? 'attribute_not_exists(pk)' : '#position = :cursor',
          ExpressionAttributeValues: {
            ':last': first + events.length - 1,
            ...(cursor > 0 && { ':cursor': cursor }),
          },
        },
      };
      const puts = events.flatMap((event, index) => [
        { Put: eventPut(event, first + index) },
        { Put: pointerPut(event, first + index) },
      ]);
      const result = await writeTransaction([raise, ...puts]);
      if (result.written) {
        events.forEach(onStored);
        return result;
      }
      // The actions of event n are 1 + 2n (the event) and 2 + 2n (its pointer).
      return {
        written: false,
        reserved: events.map((_, index) => reservedBy(result.failed[2 + 2 * index])),
      };
    },
  };
}

/** Returns the position in the pointer that refused a transaction. Undefined if it did not refuse it. */
function reservedBy(pointer: FailedAction | undefined): number | undefined {
  return pointer?.failed ? parsePointer(pointer.item ?? {}).position : undefined;
}

/** DynamoDB's limit for one transaction. */
const readsAtOnce = 100;

/** Reads the endpoints that stored events name. @param positions the position of each event, by its id */
export async function readWatchedEndpoints(
  owner: Owner,
  positions: ReadonlyMap<string, number>,
): Promise<WatchedEndpoints> {
  const watched = new Map<string, string>();
  const wanted = [...positions.values()];
  for (let start = 0; start < wanted.length; start += readsAtOnce) {
    const keys = wanted.slice(start, start + readsAtOnce).map((position) => tableKeys.event(owner, position));
    for (const item of await readTransaction(keys))
      if (item?.endpoint) watched.set(item.id as string, item.endpoint as string);
  }
  return watched;
}

async function readNewestEvent(owner: Owner): Promise<LoggedEvent | undefined> {
  const { Items: [newest] = [] } = await dynamodb.send(
    new QueryCommand({
      TableName: env.tableName(),
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': tableKeys.event(owner, 0).pk },
      ProjectionExpression: 'id, sk, expiresAt',
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: 1,
    }),
  );
  return newest && toLoggedEvent(newest);
}

/** A malformed event keeps its position. Without a time, the cursor says where the log ends. */
const toLoggedEvent = ({ id, sk, expiresAt }: Item): LoggedEvent => ({
  id: String(id),
  position: Number(sk),
  expiresAt: typeof expiresAt === 'number' ? expiresAt : 0,
});

/** Where an event is in the log. */
export interface EventPointer extends Owner {
  readonly position: number;
  readonly expiresAt: number;
}

/** Returns the pointer of an event in an item. @throws MalformedItemError */
export const parsePointer: (item: Item) => EventPointer = defineItem(({ pk }) => String(pk), {
  account: text,
  mode: oneOf(...modes),
  position: positive,
  expiresAt: integer,
});

const parseCursor = defineItem<{ readonly position: number }>(({ pk }) => String(pk), { position: count });

async function readCursor(owner: Owner): Promise<number> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: tableKeys.eventCursor(owner), ConsistentRead: true }),
  );
  return item ? parseCursor(item).position : 0;
}

/** Reads the position of the last event of an account and mode. 0: none exists. */
export async function readEventPosition(owner: Owner): Promise<number> {
  const [cursor, newest] = await Promise.all([readCursor(owner), readNewestEvent(owner)]);
  return Math.max(cursor, newest?.position ?? 0);
}

const named = (name: string) => ({ ExpressionAttributeNames: { [`#${name}`]: name } });

/** Returns undefined if a conditional write was made. Otherwise the item that refused it, or an empty one. */
async function refusedBy(write: Promise<unknown>): Promise<Item | undefined> {
  try {
    await write;
    return undefined;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return error.Item ? unmarshall(error.Item) : {};
  }
}
