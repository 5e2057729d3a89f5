/**
 * Leases the right to send to a receiver while a client waits for the result. A receiver can let a function wait for 15
 * seconds, so the leases bound how many functions an account can occupy.
 *
 * - One send at a time for an endpoint, and five for an account and mode.
 * - A send that ends releases its lease. The lease of a function that was killed ends after 30 seconds, which is longer
 *   than a function can run.
 * - All leases of an account and mode are in one item, so one conditional write decides about both limits.
 */
import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { env } from '../../base/env.ts';
import { ApiError } from '../../base/errors.ts';
import { logger, serializeError } from '../../base/log.ts';
import { type Instant, now, toSeconds } from '../../base/time.ts';
import { dynamodb } from '../../store/client.ts';
import { tableKeys } from '../../store/keys.ts';
import type { Item } from '../../store/records.ts';
import { instant, objectOf, text } from '../../store/stored-fields.ts';
import type { Webhook } from './webhook.ts';

/** A function runs for 28 seconds at most. The clocks of two instances may differ by the rest. */
const leaseMs = 30_000;
/** The names of the attributes that hold a lease each. */
const slots = ['s0', 's1', 's2', 's3', 's4'] as const;
/** How long the item is kept after the last lease, in seconds. */
const retentionSeconds = 24 * 60 * 60;

/** A lease, as the item stores it. One-letter names keep the item small. */
interface StoredLease {
  /** The endpoint. */
  readonly w: string;
  /** When the lease ends at the latest, in milliseconds since 1970. */
  readonly u: Instant;
  /** Unique for each lease. */
  readonly i: string;
}

const storedLease = objectOf<StoredLease>({ w: text, u: instant, i: text });

/** Returns the lease in a slot. What is malformed holds nothing, and the next lease replaces it. */
const leaseIn = (value: unknown): StoredLease | undefined =>
  storedLease.accepts(value) ? (value as StoredLease) : undefined;

/** A lease that the caller holds. */
export interface SendLease {
  /** Ends the lease. An error is only logged, because the lease ends by itself. */
  release(): Promise<void>;
}

const accountMessage =
  'Five tests or redeliveries of this account are in progress. Wait for the number of seconds in the Retry-After header.';

/**
 * Takes a lease to send to an endpoint.
 * @returns the lease, or the error `webhook_busy` if one of the limits is reached
 */
export async function takeSendLease(webhook: Webhook): Promise<SendLease | ApiError> {
  const at = now();
  const lease: StoredLease = { w: webhook.id, u: at + leaseMs, i: randomUUID() };
  let slot: string | undefined = slots[webhook.number % slots.length];
  // Each attempt that fails shows the slots as they are. Another one can fail only because another request took a slot.
  for (let attempt = 0; slot && attempt < slots.length; attempt++) {
    const present = await putLease(webhook, slot, lease, at);
    if (!present) return heldLease(webhook, slot, lease);
    const active = slots.map((name) => leaseIn(present[name]));
    if (active.some((other) => other && other.w === webhook.id && other.u > at))
      return new ApiError('webhook_busy');
    slot = slots.find((_, index) => (active[index]?.u ?? 0) <= at);
  }
  return new ApiError('webhook_busy', { message: accountMessage });
}

/**
 * Puts a lease into a slot, if the slot is free and no other slot holds a lease of the endpoint.
 * @returns undefined if the lease was put, otherwise the item
 */
async function putLease(
  webhook: Webhook,
  slot: string,
  lease: StoredLease,
  at: Instant,
): Promise<Item | undefined> {
  const isFree = slots.map((name) => {
    const isOther = name === slot ? '' : ` OR ${name}.w <> :webhook`;
    return `(NOT attribute_type(${name}.u, :number) OR ${name}.u <= :now${isOther})`;
  });
  try {
    await dynamodb.send(
      new UpdateCommand({
        TableName: env.tableName(),
        Key: tableKeys.webhookSends(webhook),
        UpdateExpression: `SET ${slot} = :lease, expiresAt = :end`,
        ConditionExpression: isFree.join(' AND '),
        ExpressionAttributeValues: {
          ':lease': lease,
          ':webhook': lease.w,
          ':now': at,
          ':number': 'N',
          ':end': toSeconds(lease.u) + retentionSeconds,
        },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return undefined;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException) || !error.Item) throw error;
    const item = unmarshall(error.Item);
    // The answer to this write was lost, and its repetition met its own lease.
    return leaseIn(item[slot])?.i === lease.i ? undefined : item;
  }
}

function heldLease(webhook: Webhook, slot: string, { i }: StoredLease): SendLease {
  const release = async () => {
    try {
      await dynamodb.send(
        new UpdateCommand({
          TableName: env.tableName(),
          Key: tableKeys.webhookSends(webhook),
          UpdateExpression: `REMOVE ${slot}`,
          ConditionExpression: `${slot}.i = :id`,
          ExpressionAttributeValues: { ':id': i },
        }),
      );
    } catch (error) {
      // The lease has ended, and another request may have one in its place.
      if (error instanceof ConditionalCheckFailedException) return;
      logger.warn('a lease to send was not released', { error: serializeError(error) });
    }
  };
  return { release };
}
