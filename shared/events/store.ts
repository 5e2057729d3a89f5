/**
 * The log of events of an account and mode. Each event has a position; positions are consecutive, because the
 * transaction that puts an event also raises the cursor it took its position from. So reading on from a position
 * misses nothing. Publishing an event again finds its pointer and changes nothing.
 */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../env.ts';
import type { Owner } from '../ids.ts';
import { dynamodb, retryDelayMs } from '../store/client.ts';
import { keys } from '../store/keys.ts';
import type { EventDraft } from '../store/outbox.ts';
import { type TransactionItem, type Verdict, writeTransaction } from '../store/transactions.ts';
import { type Instant, toSeconds } from '../time.ts';

/** How long an event is kept. */
export const retentionSeconds = 30 * 24 * 60 * 60;

/** The last publication of each owner in this instance: a cursor is one item, so they take turns. */
const turns = new Map<string, Promise<Positions>>();

/** Where events stand in the log, by their id. */
export type Positions = ReadonlyMap<string, number>;

/** Stores events that are not stored yet, in the order given; returns where all of them stand. */
export async function storeEvents(
  owner: Owner,
  events: readonly EventDraft[],
  now: Instant,
): Promise<Positions> {
  if (events.length === 0) return new Map();
  const { pk } = keys.eventCursor(owner);
  const before = turns.get(pk) ?? Promise.resolve();
  const turn = before.then(
    () => appendEvents(owner, events, now),
    () => appendEvents(owner, events, now),
  );
  turns.set(pk, turn);
  try {
    return await turn;
  } finally {
    if (turns.get(pk) === turn) turns.delete(pk);
  }
}

/** Another instance may raise the cursor, or store the same events, between reading and writing: then once more. */
async function appendEvents(owner: Owner, events: readonly EventDraft[], now: Instant): Promise<Positions> {
  const positions = new Map<string, number>();
  let open = [...events];
  for (let attempt = 0; open.length > 0; attempt++) {
    if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, retryDelayMs(attempt)));
    const position = await readCursor(owner);
    const verdict = await writeTransaction([
      raiseCursor(owner, position, open.length),
      ...open.flatMap((event, index) => putEvent(owner, event, position + 1 + index, now)),
    ]);
    // The actions of event n are 1 + 2n (the event) and 2 + 2n (its pointer).
    for (const [index, { id }] of open.entries()) {
      if (verdict.written) positions.set(id, position + 1 + index);
      else if (verdict.failed[2 + 2 * index]?.failed) positions.set(id, positionIn(verdict, 2 + 2 * index));
    }
    open = open.filter(({ id }) => !positions.has(id));
  }
  return positions;
}

/** The position of an event that is in the log already, from its pointer. */
function positionIn(verdict: Extract<Verdict, { written: false }>, action: number): number {
  return verdict.failed[action]?.item?.position as number;
}

async function readCursor(owner: Owner): Promise<number> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: keys.eventCursor(owner), ConsistentRead: true }),
  );
  return (item?.position as number | undefined) ?? 0;
}

function raiseCursor(owner: Owner, position: number, by: number): TransactionItem {
  return {
    Update: {
      TableName: env.tableName(),
      Key: keys.eventCursor(owner),
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
    { Put: { TableName, Item: { ...keys.event(owner, position), ...event, expiresAt } } },
    {
      Put: {
        TableName,
        Item: { ...keys.eventPointer(event.id), account, mode, position, expiresAt },
        ConditionExpression: 'attribute_not_exists(pk)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    },
  ];
}
