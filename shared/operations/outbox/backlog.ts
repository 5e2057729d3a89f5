/**
 * Measures how far the background work is behind. Each sweep measures first, so that a failing sweep also reports it.
 */
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { env, localStage } from '../../base/env.ts';
import { logger } from '../../base/log.ts';
import { metricFields } from '../../base/metrics.ts';
import type { Instant } from '../../base/time.ts';
import { dynamodb, tableTime } from '../../store/client.ts';
import { outboxPartitions } from '../../store/keys.ts';
import { readMarks, sweepLagMs } from '../../store/timers/timer-marks.ts';

/** Logs the sweep's lag and the age of the oldest outbox item. Does nothing in the local stage, which has no alarms. */
export async function logBacklog(now: Instant): Promise<void> {
  if (env.stage() === localStage) return;
  const [marks, ...oldest] = await Promise.all([readMarks(now), ...outboxPartitions.map(oldestOf)]);
  const lagMs = sweepLagMs(marks, tableTime(now));
  const ageMs = Math.max(0, ...oldest.map((instant) => now - (instant ?? now)));
  logger.info('backlog', metricFields({ SweepLag: lagMs / 1000, OutboxAge: Math.round(ageMs / 1000) }));
}

/** Returns when the oldest item of a partition was written. Items that a sweep has claimed count, too. */
async function oldestOf(partition: string): Promise<Instant | undefined> {
  const { Items: [first] = [] } = await dynamodb.send(
    new QueryCommand({
      TableName: env.tableName(),
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': partition },
      ProjectionExpression: 'sk',
      Limit: 1,
    }),
  );
  return first && Number.parseInt(String(first.sk), 10);
}
