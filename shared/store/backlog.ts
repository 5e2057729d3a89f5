/** How far the background is behind: measured at each sweep, also where the sweep itself then fails. */
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { env, localStage } from '../env.ts';
import { logger } from '../log.ts';
import { measured } from '../metrics.ts';
import type { Instant } from '../time.ts';
import { dynamodb } from './client.ts';
import { outboxPartition, outboxShards } from './keys.ts';
import { minuteMs, minuteOf, readMarks } from './timer-marks.ts';

/** Logs the lag of the sweep and the age of the oldest outbox item; not on one machine, where nobody watches. */
export async function measureBacklog(now: Instant): Promise<void> {
  if (env.stage() === localStage) return;
  const shards = Array.from({ length: outboxShards }, (_, shard) => oldestOf(shard));
  const [{ done }, ...oldest] = await Promise.all([readMarks(now), ...shards]);
  const behindMinutes = Math.max(0, minuteOf(now) - 1 - done);
  const ageMs = Math.max(0, ...oldest.map((instant) => now - (instant ?? now)));
  logger.info(
    'backlog',
    measured({ SweepLag: (behindMinutes * minuteMs) / 1000, OutboxAge: Math.round(ageMs / 1000) }),
  );
}

/** When the oldest item of a shard was written; items that a sweep is at work on count as well. */
async function oldestOf(shard: number): Promise<Instant | undefined> {
  const { Items: [first] = [] } = await dynamodb.send(
    new QueryCommand({
      TableName: env.tableName(),
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': outboxPartition(shard) },
      ProjectionExpression: 'sk',
      Limit: 1,
    }),
  );
  return first && Number.parseInt(String(first.sk), 10);
}
