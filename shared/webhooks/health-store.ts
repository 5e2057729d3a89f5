/**
 * Stores the health of endpoints. An endpoint has a health item only while it fails. `health.ts` decides when an
 * endpoint is disabled.
 */
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../env.ts';
import { isRecordId } from '../ids.ts';
import { dynamodb } from '../store/client.ts';
import { tableKeys } from '../store/keys.ts';
import { readItems } from '../store/records.ts';
import { type Instant, toSeconds } from '../time.ts';
import type { Health } from './health.ts';

/** The item of an endpoint that is deleted or gets no events expires after this time. */
const healthSeconds = 30 * 24 * 60 * 60;

/**
 * Records a failed attempt, and opens the circuit if `openUntil` is given. Returns the new health.
 * @param final whether the delivery has finally failed
 */
export async function recordFailure(
  webhookId: string,
  {
    final,
    openUntil,
    openMs,
  }: { final: boolean; openUntil?: Instant | undefined; openMs?: number | undefined },
  now: Instant,
): Promise<Health> {
  const set = ['failingSince = if_not_exists(failingSince, :now)', 'expiresAt = :end'];
  const values: Record<string, unknown> = { ':now': now, ':end': toSeconds(now) + healthSeconds };
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
      ExpressionAttributeValues: values,
      ReturnValues: 'ALL_NEW',
    }),
  );
  return health as unknown as Health;
}

/** Reads the health of an endpoint. Returns undefined if the endpoint does not fail. */
export async function readHealth(webhookId: string): Promise<Health | undefined> {
  if (!isRecordId('webhook', webhookId)) return undefined;
  const [health] = await readItems([tableKeys.webhookHealth(webhookId)]);
  return health as Health | undefined;
}

/** Reads the health of several endpoints in one call, by endpoint. Endpoints that do not fail are left out. */
export async function readHealthOf(webhookIds: readonly string[]): Promise<ReadonlyMap<string, Health>> {
  const byKey = new Map(webhookIds.map((id) => [tableKeys.webhookHealth(id).pk, id]));
  const items = webhookIds.length === 0 ? [] : await readItems(webhookIds.map(tableKeys.webhookHealth));
  return new Map(items.map((item) => [byKey.get(String(item.pk)) ?? '', item as unknown as Health]));
}

/** Deletes the health of an endpoint, because an attempt succeeded. */
export async function resetHealth(webhookId: string): Promise<void> {
  await dynamodb.send(
    new DeleteCommand({ TableName: env.tableName(), Key: tableKeys.webhookHealth(webhookId) }),
  );
}
