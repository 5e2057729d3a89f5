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
import { type Key, keys, outboxPartition, padInstant } from './keys.ts';
import type { Item } from './records.ts';
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
  /** While this lies ahead no sweep takes the item up: one is at work on it, or has failed at it. */
  readonly claimedUntil?: Instant;
  /** How often sweeps have taken it up. */
  readonly claims?: number;
}

/** The first claim is for that long, each further one for twice as long as the one before. */
const firstClaimMs = 60_000;
const longestClaimMs = 15 * 60_000;
/** Younger items are left to the stream. */
const sweepAgeMs = 60_000;
const itemsAtOnce = 25;

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

/** Items of a shard that the stream's consumer has left for a minute and no sweep is at, oldest first, some at a time. */
export async function* leftOutboxItems(shard: number, now: Instant): AsyncGenerator<OutboxItem[]> {
  let start: Item | undefined;
  do {
    const { Items: items = [], LastEvaluatedKey: last } = await dynamodb.send(
      new QueryCommand({
        TableName: env.tableName(),
        KeyConditionExpression: 'pk = :pk AND sk < :before',
        FilterExpression: isUnclaimed,
        ExpressionAttributeValues: {
          ':pk': outboxPartition(shard),
          ':before': padInstant(now - sweepAgeMs),
          ':now': now,
        },
        ConsistentRead: true,
        Limit: itemsAtOnce,
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    yield items as OutboxItem[];
    start = last;
  } while (start);
}

const isUnclaimed = '(attribute_not_exists(claimedUntil) OR claimedUntil <= :now)';

/**
 * Whether the caller may take the item up: no other sweep has. If it is still there afterwards, because its publication
 * failed, it is left longer each time, and meanwhile lets those behind it pass.
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
        ExpressionAttributeValues: { ':until': now + claimMs, ':claims': claims + 1, ':now': now },
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
