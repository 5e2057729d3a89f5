/** How an endpoint is doing, in the table: an item that is there only while it fails. When it is given up is `health.ts`'s to say. */
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../env.ts';
import { isRecordId } from '../ids.ts';
import { dynamodb } from '../store/client.ts';
import { keys } from '../store/keys.ts';
import { readItems } from '../store/records.ts';
import { type Instant, toSeconds } from '../time.ts';
import type { Health } from './health.ts';

/** An endpoint that was deleted, or is sent nothing for so long, leaves nothing behind. */
const healthSeconds = 30 * 24 * 60 * 60;

/** Notes that an attempt has failed; returns how the endpoint is doing now. */
export async function noteFailure(
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
      Key: keys.webhookHealth(webhookId),
      UpdateExpression: `SET ${set.join(', ')}`,
      ExpressionAttributeValues: values,
      ReturnValues: 'ALL_NEW',
    }),
  );
  return health as unknown as Health;
}

/** Reads how an endpoint is doing; undefined if it does not fail. */
export async function readHealth(webhookId: string): Promise<Health | undefined> {
  if (!isRecordId('webhook', webhookId)) return undefined;
  const [health] = await readItems([keys.webhookHealth(webhookId)]);
  return health as Health | undefined;
}

/** Forgets all failures. */
export async function forgetFailures(webhookId: string): Promise<void> {
  await dynamodb.send(new DeleteCommand({ TableName: env.tableName(), Key: keys.webhookHealth(webhookId) }));
}
