/**
 * Admission in the table: one conditional `UpdateItem` on the head that checks key, expiry and rate limit, counts
 * the request, stamps the key's last use and draws a number where a record will be created. Also the windows of
 * source addresses, for requests without a valid key.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { env } from '../env.ts';
import type { Owner, Resource } from '../ids.ts';
import { tableHash } from '../secrets/deployment-secret.ts';
import { dynamodb } from '../store/client.ts';
import { headAttributes, hourOf, staleHours } from '../store/heads.ts';
import { type Key, keys } from '../store/keys.ts';
import type { Item } from '../store/records.ts';
import { type Instant, toSeconds } from '../time.ts';
import type { KeyClaim } from './api-key.ts';

/** Requests per hour and source address without a valid key: the standard plan's limit. */
export const sourceLimit = 1000;

/** `admitted`: the head after this request. Otherwise the head as it is, if there is one. */
export interface AdmissionAnswer {
  readonly admitted: boolean;
  readonly head: Item | undefined;
}

/** @param draws the resource whose next number this request needs, if any */
export async function countRequest(
  { owner, keyHash }: KeyClaim,
  draws: Resource | undefined,
  now: Instant,
): Promise<AdmissionAnswer> {
  const hour = hourOf(now);
  try {
    const { Attributes: head = {} } = await dynamodb.send(
      new UpdateCommand({
        TableName: env.tableName(),
        Key: keys.head(owner),
        UpdateExpression: `SET #keys.#key.u = :now, #hour = if_not_exists(#hour, :zero) + :one${
          draws ? ', #seq = if_not_exists(#seq, :zero) + :one' : ''
        }`,
        ConditionExpression:
          'attribute_exists(#keys.#key) AND (attribute_not_exists(#keys.#key.e) OR #keys.#key.e > :now) ' +
          'AND (attribute_not_exists(#hour) OR #hour < #limit)',
        ExpressionAttributeNames: {
          '#keys': headAttributes.keys,
          '#key': keyHash,
          '#hour': headAttributes.hour(hour),
          '#limit': headAttributes.limit,
          ...(draws && { '#seq': headAttributes.seq[draws] }),
        },
        ExpressionAttributeValues: { ':now': toSeconds(now), ':zero': 0, ':one': 1 },
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    await removeStaleHours(owner, head, hour);
    return { admitted: true, head };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { admitted: false, head: error.Item && unmarshall(error.Item) };
  }
}

/** Why a key that was presented is not usable: it is expired, revoked, or was never issued. */
export async function readKeyFault(
  keyHash: string,
  now: Instant,
): Promise<'invalid_api_key' | 'expired_api_key' | 'revoked_api_key'> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: keys.apiKey(keyHash), ConsistentRead: true }),
  );
  if (!item) return 'invalid_api_key';
  const validUntil = item.validUntil as Instant | undefined;
  const expired = validUntil !== undefined && validUntil <= now;
  return expired && item.revokedAt === undefined ? 'expired_api_key' : 'revoked_api_key';
}

/** Counts a request of a source address; returns the count of this hour, which stops at the limit + 1. */
export async function countSource(address: string, now: Instant): Promise<number> {
  return countInHour(keys.source(await tableHash('source', address), hourOf(now)), sourceLimit, now);
}

/**
 * Counts an attempt to pay; returns whether it is within the limit.
 * @param kind what is counted: attempts for an invoice, or from an address
 */
export async function countAttempt(
  kind: 'invoice' | 'address',
  name: string,
  limit: number,
  now: Instant,
): Promise<boolean> {
  const key = keys.attempts(await tableHash(`attempts:${kind}`, name), hourOf(now));
  return (await countInHour(key, limit, now)) <= limit;
}

async function countInHour(Key: Key, limit: number, now: Instant): Promise<number> {
  try {
    const { Attributes } = await dynamodb.send(
      new UpdateCommand({
        TableName: env.tableName(),
        Key,
        UpdateExpression: 'ADD #count :one SET expiresAt = :end',
        ConditionExpression: 'attribute_not_exists(#count) OR #count < :limit',
        ExpressionAttributeNames: { '#count': 'count' },
        ExpressionAttributeValues: { ':one': 1, ':limit': limit, ':end': (hourOf(now) + 2) * 3600 },
        ReturnValues: 'UPDATED_NEW',
      }),
    );
    return Attributes?.count as number;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return limit + 1;
  }
}

/** An account that was idle leaves the count of its last hour behind; the next request tidies up after it. */
async function removeStaleHours(owner: Owner, head: Item, hour: number): Promise<void> {
  const stale = staleHours(head, hour);
  if (stale.length === 0) return;
  await dynamodb.send(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: keys.head(owner),
      UpdateExpression: `REMOVE ${stale.map((_, index) => `#h${index}`).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(stale.map((name, index) => [`#h${index}`, name])),
    }),
  );
}
