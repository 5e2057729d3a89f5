/**
 * Stores the health of endpoints. An endpoint has a health item only while it fails. `health.ts` decides when an
 * endpoint is disabled.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../base/env.ts';
import { isRecordId } from '../../base/ids.ts';
import { hasExpired, type Instant, now, toSeconds } from '../../base/time.ts';
import { dynamodb } from '../../store/client.ts';
import { tableKeys } from '../../store/keys.ts';
import { leaveOutMalformed } from '../../store/left-out-items.ts';
import { type Item, readItems } from '../../store/records.ts';
import {
  count,
  defineItem,
  instant,
  integer,
  MalformedItemError,
  optional,
  parseOrError,
} from '../../store/stored-fields.ts';
import type { Health } from './health.ts';

/** The item of an endpoint that is deleted or gets no events expires after this time, and counts for nothing from then on. */
const healthSeconds = 30 * 24 * 60 * 60;

/** A failed attempt. */
interface Failure {
  /** Whether the delivery has finally failed. */
  readonly final: boolean;
  /** If it is given, the circuit opens until then. */
  readonly openUntil?: Instant | undefined;
  readonly openMs?: number | undefined;
}

/** Records a failed attempt. Returns the new health. A health that has expired or cannot be read is replaced. */
export async function recordFailure(webhookId: string, failure: Failure, now: Instant): Promise<Health> {
  try {
    return await addFailure(webhookId, failure, now);
  } catch (error) {
    if (isMalformed(error)) {
      await resetHealth(webhookId);
      return addFailure(webhookId, failure, now);
    }
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
  await dynamodb
    .send(
      new DeleteCommand({
        TableName: env.tableName(),
        Key: tableKeys.webhookHealth(webhookId),
        ConditionExpression: 'expiresAt <= :seconds OR NOT attribute_type(expiresAt, :number)',
        ExpressionAttributeValues: { ':seconds': toSeconds(now), ':number': 'N' },
      }),
    )
    .catch((error) => {
      // Another attempt has deleted it.
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    });
  return addFailure(webhookId, failure, now);
}

/** DynamoDB refuses to count in an attribute that is no number. */
const isMalformed = (error: unknown): boolean =>
  error instanceof MalformedItemError || (error instanceof Error && error.name === 'ValidationException');

/**
 * @throws ConditionalCheckFailedException if the health has expired
 * @throws MalformedItemError or a ValidationException of DynamoDB if it cannot be read
 */
async function addFailure(
  webhookId: string,
  { final, openUntil, openMs }: Failure,
  now: Instant,
): Promise<Health> {
  const set = ['failingSince = if_not_exists(failingSince, :now)', 'expiresAt = :end'];
  const seconds = toSeconds(now);
  const values: Record<string, unknown> = {
    ':now': now,
    ':seconds': seconds,
    ':end': seconds + healthSeconds,
  };
  if (final) {
    set.push(
      'failures = if_not_exists(failures, :zero) + :one',
      'firstFailureAt = if_not_exists(firstFailureAt, :now)',
    );
    set.push('lastFailureAt = :now');
    Object.assign(values, { ':zero': 0, ':one': 1 });
  }
  if (openUntil !== undefined) {
    set.push('openUntil = :until', 'openMs = :open');
    Object.assign(values, { ':until': openUntil, ':open': openMs });
  }
  const { Attributes: health } = await dynamodb.send(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: tableKeys.webhookHealth(webhookId),
      UpdateExpression: `SET ${set.join(', ')}`,
      ConditionExpression: 'attribute_not_exists(expiresAt) OR expiresAt > :seconds',
      ExpressionAttributeValues: values,
      ReturnValues: 'ALL_NEW',
    }),
  );
  return parseHealth(health ?? {});
}

/** Returns the health in an item. @throws MalformedItemError */
export const parseHealth: (item: Item) => Health = defineItem<Health & { readonly expiresAt: number }>(
  ({ pk }) => String(pk),
  {
    failingSince: instant,
    failures: optional(count),
    firstFailureAt: optional(instant),
    lastFailureAt: optional(instant),
    openUntil: optional(instant),
    openMs: optional(count),
    expiresAt: integer,
  },
);

/**
 * Returns the health in an item. Undefined if the endpoint does not fail, or if the health has expired. A malformed health is noted,
 * and counts for nothing: the next failure replaces it.
 */
export function toHealth(item: Item | undefined, now: Instant): Health | undefined {
  if (!item || hasExpired(item.expiresAt, now)) return undefined;
  return leaveOutMalformed([parseOrError(item, parseHealth)])[0];
}

/** Reads the health of an endpoint. Returns undefined if the endpoint does not fail. */
export async function readHealth(webhookId: string): Promise<Health | undefined> {
  if (!isRecordId('webhook', webhookId)) return undefined;
  const [item] = await readItems([tableKeys.webhookHealth(webhookId)]);
  return toHealth(item, now());
}

/** Reads the health of several endpoints in one call, by endpoint. Endpoints that do not fail are left out. */
export async function readHealthOf(webhookIds: readonly string[]): Promise<ReadonlyMap<string, Health>> {
  const byKey = new Map(webhookIds.map((id) => [tableKeys.webhookHealth(id).pk, id]));
  const items = webhookIds.length === 0 ? [] : await readItems(webhookIds.map(tableKeys.webhookHealth));
  const healths = items.map((item) => [byKey.get(String(item.pk)) ?? '', toHealth(item, now())] as const);
  return new Map(healths.filter((entry): entry is readonly [string, Health] => entry[1] !== undefined));
}

/** Deletes the health of an endpoint, because an attempt succeeded. */
export async function resetHealth(webhookId: string): Promise<void> {
  await dynamodb.send(
    new DeleteCommand({ TableName: env.tableName(), Key: tableKeys.webhookHealth(webhookId) }),
  );
}
