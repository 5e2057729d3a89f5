/**
 * The outbox: one item per change with all that must follow from it. It is written in the change's transaction
 * and deleted, by its consumer alone, once everything followed. It is empty when all is well.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../env.ts';
import type { Owner } from '../ids.ts';
import type { Instant } from '../time.ts';
import { dynamodb } from './client.ts';
import type { IndexElement } from './index-pages.ts';
import { type Key, keys, outboxPartition, outboxShards, padInstant } from './keys.ts';
import type { Timer } from './timers.ts';

/** An event with its body frozen: the bytes that every delivery sends. */
export interface EventDraft {
  readonly id: string;
  readonly type: string;
  readonly body: string;
}

/** What follows from a change. */
export interface FollowUps {
  readonly elements: readonly IndexElement[];
  readonly events: readonly EventDraft[];
  readonly timers: readonly Timer[];
}

export interface OutboxItem extends Key, Owner, FollowUps {
  /** While this lies ahead, a sweep is at work on the item. */
  readonly claimedUntil?: Instant;
}

const claimMs = 60_000;
/** Younger items are left to the stream. */
const sweepAgeMs = 60_000;
const sweepPerShard = 25;

/** The outbox item of change `change`, or undefined if nothing follows from it. */
export function toOutboxItem(
  owner: Owner,
  change: string,
  now: Instant,
  followUps: FollowUps,
): OutboxItem | undefined {
  const { elements, events, timers } = followUps;
  if (elements.length + events.length + timers.length === 0) return undefined;
  const { account, mode } = owner;
  return { ...keys.outbox(owner, now, change), account, mode, elements, events, timers };
}

/** Deletes an item whose follow-ups are all done. */
export async function deleteOutboxItem({ pk, sk }: Key): Promise<void> {
  await dynamodb.send(new DeleteCommand({ TableName: env.tableName(), Key: { pk, sk } }));
}

/** Items that the stream's consumer has left for a minute, oldest first in each shard, claimed for the caller. */
export async function claimLeftOutboxItems(now: Instant): Promise<OutboxItem[]> {
  const shards = Array.from({ length: outboxShards }, (_, shard) => leftItems(shard, now));
  const left = (await Promise.all(shards)).flat();
  const claimed = await Promise.all(left.map(async (item) => ((await claim(item, now)) ? [item] : [])));
  return claimed.flat();
}

async function leftItems(shard: number, now: Instant): Promise<OutboxItem[]> {
  const answer = await dynamodb.send(
    new QueryCommand({
      TableName: env.tableName(),
      KeyConditionExpression: 'pk = :pk AND sk < :before',
      ExpressionAttributeValues: { ':pk': outboxPartition(shard), ':before': padInstant(now - sweepAgeMs) },
      ConsistentRead: true,
      Limit: sweepPerShard,
    }),
  );
  return (answer.Items ?? []) as OutboxItem[];
}

async function claim({ pk, sk }: OutboxItem, now: Instant): Promise<boolean> {
  try {
    await dynamodb.send(
      new UpdateCommand({
        TableName: env.tableName(),
        Key: { pk, sk },
        UpdateExpression: 'SET claimedUntil = :until',
        ConditionExpression:
          'attribute_exists(pk) AND (attribute_not_exists(claimedUntil) OR claimedUntil <= :now)',
        ExpressionAttributeValues: { ':until': now + claimMs, ':now': now },
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
