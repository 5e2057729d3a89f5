/** Stores counts of a clock hour (UTC), each in an item of its own that expires after the hour. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../base/env.ts';
import type { Instant } from '../../base/time.ts';
import { hourOf } from '../../store/account-state.ts';
import { dynamodb } from '../../store/client.ts';
import type { Key } from '../../store/keys.ts';

interface CountOptions {
  /** The number to add. The default is 1. */
  readonly by?: number;
  /** Counts only if no earlier call counted an older one. In milliseconds since 1970. */
  readonly openedAt?: Instant;
}

/**
 * Adds to a count of the clock hour of `now`.
 * @returns the count. `limit` + 1, with nothing added, if the limit was reached before or an older one was counted.
 */
export async function countInHour(
  Key: Key,
  limit: number,
  now: Instant,
  { by = 1, openedAt }: CountOptions = {},
): Promise<number> {
  const isOldest =
    openedAt === undefined ? '' : ' AND (attribute_not_exists(#oldest) OR #oldest >= :openedAt)';
  try {
    const { Attributes } = await dynamodb.send(
      new UpdateCommand({
        TableName: env.tableName(),
        Key,
        UpdateExpression: `ADD #count :by SET expiresAt = :end${openedAt === undefined ? '' : ', #oldest = :openedAt'}`,
        ConditionExpression: `(attribute_not_exists(#count) OR #count < :limit)${isOldest}`,
        ExpressionAttributeNames: {
          '#count': 'count',
          ...(openedAt !== undefined && { '#oldest': 'oldest' }),
        },
        ExpressionAttributeValues: {
          ':by': by,
          ':limit': limit,
          ':end': (hourOf(now) + 2) * 3600,
          ...(openedAt !== undefined && { ':openedAt': openedAt }),
        },
        ReturnValues: 'UPDATED_NEW',
      }),
    );
    return Attributes?.count as number;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return limit + 1;
  }
}

/** Subtracts 1 from a count. Does nothing if the count does not exist or is 0. */
export async function subtractFromCount(Key: Key): Promise<void> {
  try {
    await dynamodb.send(
      new UpdateCommand({
        TableName: env.tableName(),
        Key,
        UpdateExpression: 'ADD #count :minusOne',
        ConditionExpression: '#count > :zero',
        ExpressionAttributeNames: { '#count': 'count' },
        ExpressionAttributeValues: { ':minusOne': -1, ':zero': 0 },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}
