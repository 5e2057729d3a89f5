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
  /** The body holds a secret: it is kept encrypted. */
  readonly confidential?: boolean;
}

/** What is kept under a key: the answer or, until there is one, the intent from which the request goes on. */
export type IdempotencyRecord = {
  /** What request it answers, see `idempotency/request-key.ts`. */
  readonly fingerprint: string;
} & (
  | (Reply & {
      readonly final: true;
      /** What a replay adds to the index once more, should the first request not have come so far. */
      readonly elements: readonly IndexElement[];
    })
  | {
      readonly final: false;
      /** The id of the record that the request has made so far. */
      readonly intent: string;
    }
);

/** The condition under which a key is free: no record, or one whose time is over (TTL deletes late). */
export const keyIsFree = (now: Instant) => ({
  ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
  ExpressionAttributeValues: { ':now': toSeconds(now) },
});

/** The condition that the request of intent `id` has no answer yet. */
export const requestIsOpen = (id: string) => ({
  ConditionExpression: 'intent = :intent AND #final = :open',
  ExpressionAttributeNames: { '#final': 'final' },
  ExpressionAttributeValues: { ':intent': id, ':open': false },
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

/** The record of an item; undefined if there is none, or its time is over. */
export function fromIdempotencyItem(item: Item | undefined, now: Instant): IdempotencyRecord | undefined {
  if (!item || (item.expiresAt as number) <= toSeconds(now)) return undefined;
  const { pk: _, sk: __, expiresAt: ___, ...record } = item;
  return record as IdempotencyRecord;
}

/** The item that keeps the record for 24 hours. */
export function toIdempotencyItem(
  owner: Owner,
  keyHash: string,
  record: IdempotencyRecord,
  now: Instant,
): Item {
  return {
    ...keys.idempotency(owner, keyHash),
    ...record,
    expiresAt: Math.ceil(now / 1000) + retentionSeconds,
  };
}
