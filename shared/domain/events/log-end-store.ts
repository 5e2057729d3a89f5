/** Reads where the event log of an account and mode ends, and where an event is in it. `event-log.ts` says how both are written. */
import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../base/env.ts';
import { modes, type Owner } from '../../base/ids.ts';
import { dynamodb } from '../../store/client.ts';
import { type Key, tableKeys } from '../../store/keys.ts';
import type { Item } from '../../store/records.ts';
import { count, defineItem, integer, oneOf, positive, text } from '../../store/stored-fields.ts';

/** How long an event is kept, in seconds. */
export const retentionSeconds = 30 * 24 * 60 * 60;

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

/** Returns the position that the item of a cursor has. @throws MalformedItemError */
export const parseCursor = defineItem<{ readonly position: number }>(({ pk }) => String(pk), {
  position: count,
});

/** Reads the position of the last event of an account and mode. 0: none exists. @throws MalformedItemError */
export async function readEventPosition(owner: Owner): Promise<number> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: tableKeys.eventCursor(owner), ConsistentRead: true }),
  );
  return item ? parseCursor(item).position : 0;
}

/** Reads the key and the expiry of the newest event of an account and mode, strongly consistent. */
export function readNewestEvent(owner: Owner): Promise<Item | undefined> {
  return readNewestIn(tableKeys.event(owner, 0));
}

/**
 * Reads the last position that is taken, strongly consistent: that of the newest event, or of the newest entry of the journal, which
 * never expires. 0: none is taken.
 */
export async function readLastTaken(owner: Owner): Promise<number> {
  const newest = await Promise.all([readNewestEvent(owner), readNewestIn(tableKeys.journalEntry(owner, 0))]);
  return Math.max(...newest.map((item) => Number(item?.sk ?? 0)));
}

async function readNewestIn({ pk }: Key): Promise<Item | undefined> {
  const { Items: [newest] = [] } = await dynamodb.send(
    new QueryCommand({
      TableName: env.tableName(),
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
      ProjectionExpression: 'sk, expiresAt',
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: 1,
    }),
  );
  return newest;
}
