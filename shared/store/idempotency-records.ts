/**
 * Idempotency records: the answer that took effect under a key, kept for 24 hours. They are only ever written in
 * the transaction of that effect (`commit.ts`), so one never exists without the other.
 */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../env.ts';
import type { Owner } from '../ids.ts';
import { type Instant, toSeconds } from '../time.ts';
import { dynamodb } from './client.ts';
import type { IndexElement } from './index-pages.ts';
import { keys } from './keys.ts';
import type { Item } from './records.ts';

const retentionSeconds = 24 * 60 * 60;

/** An answer as it went out: the same status and the same bytes again for every repetition. */
export interface Reply {
  readonly status: number;
  readonly body: string;
}

export interface IdempotencyRecord extends Reply {
  /** What request it answers, see `idempotency/fingerprint.ts`. */
  readonly fingerprint: string;
  /** What a replay adds to the index once more, should the first request not have come so far. */
  readonly element: IndexElement | undefined;
}

/** The condition under which a key is free: no record, or one whose time is over (TTL deletes late). */
export const keyIsFree = (now: Instant) => ({
  ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
  ExpressionAttributeValues: { ':now': toSeconds(now) },
});

/** Reads the record of a key, strongly consistent; one whose time is over counts as none. */
export async function readIdempotency(
  owner: Owner,
  keyHash: string,
  now: Instant,
): Promise<IdempotencyRecord | undefined> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({
      TableName: env.tableName(),
      Key: keys.idempotency(owner, keyHash),
      ConsistentRead: true,
    }),
  );
  return fromIdempotencyItem(item, now);
}

export function fromIdempotencyItem(item: Item | undefined, now: Instant): IdempotencyRecord | undefined {
  if (!item || (item.expiresAt as number) <= toSeconds(now)) return undefined;
  const { status, body, fingerprint, element } = item as unknown as IdempotencyRecord;
  return { status, body, fingerprint, element };
}

export function toIdempotencyItem(
  owner: Owner,
  keyHash: string,
  record: IdempotencyRecord,
  now: Instant,
): Item {
  return {
    ...keys.idempotency(owner, keyHash),
    ...record,
    final: true,
    expiresAt: Math.ceil(now / 1000) + retentionSeconds,
  };
}
