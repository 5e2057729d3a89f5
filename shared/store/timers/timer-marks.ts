/**
 * Stores the progress of the sweep as two marks, `closed` and `done`. Both are minutes. `timers.ts` describes what each one
 * promises.
 *
 * - The sweep raises the marks by DynamoDB's clock, see `tableTime`. So a function whose clock is days wrong cannot move them too far.
 * - All timers of all accounts wait for the marks. So marks that cannot be read are replaced at once by marks that lose no timer.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../base/env.ts';
import { logger } from '../../base/log.ts';
import { metricFields } from '../../base/metrics.ts';
import type { Instant } from '../../base/time.ts';
import { dynamodb, tableTime } from '../client.ts';
import { tableKeys } from '../keys.ts';

export const minuteMs = 60_000;
/** How many minutes back the first sweep begins. Any two clocks differ by less than this. */
const firstMinutesBack = 10;
/** How many minutes back the sweep begins after marks that cannot be read: two days. It reads them in a few seconds. */
const replacedMinutesBack = 2 * 24 * 60;

/** Returns the minute that contains an instant, counted from 1970. */
export const minuteOf = (instant: Instant): number => Math.floor(instant / minuteMs);

/** The progress of the sweep, as minutes counted from 1970. */
export interface Marks {
  /** Every minute up to this one may have had its last read, so no timer may be stored under it any more. */
  readonly closed: number;
  /** Every timer up to this minute has been leased, so the next sweep begins after it. */
  readonly done: number;
}

/**
 * Returns how late timers are, in milliseconds: how far the sweep is behind.
 * @param time on DynamoDB's clock
 */
export const sweepLagMs = ({ done }: Marks, time: Instant): number =>
  Math.max(0, minuteOf(time) - 1 - done) * minuteMs;

/** The last minute that `Date` can represent. */
const lastMinute = minuteOf(8.64e15);
const isMinute = (mark: unknown): mark is number =>
  typeof mark === 'number' && mark >= 0 && mark <= lastMinute;
/** The same as a condition, so a writer and DynamoDB agree about which marks cannot be read. */
const areMinutes = ['#closed', '#done']
  .map((name) => `attribute_type(${name}, :number) AND ${name} BETWEEN :first AND :last`)
  .join(' AND ');

/** Reads the marks, strongly consistent. Creates them if they do not exist, and replaces them if they cannot be read. */
export async function readMarks(now: Instant): Promise<Marks> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: tableKeys.watermark, ConsistentRead: true }),
  );
  if (!item) return createMarks(now);
  const { closed, done } = item;
  return isMinute(closed) && isMinute(done)
    ? { closed: Math.floor(closed), done: Math.floor(done) }
    : replaceMarks(done, now);
}

/**
 * Replaces marks that cannot be read. `closed` never passes the last minute that has ended, so that minute is at least as high as
 * the mark was. `done` stays if it can be read. Otherwise it goes back, because sweeping a minute twice does no harm.
 */
async function replaceMarks(done: unknown, now: Instant): Promise<Marks> {
  const ended = minuteOf(tableTime(now)) - 1;
  const last = isMinute(done) ? Math.floor(done) : ended - replacedMinutesBack;
  const marks = { closed: ended, done: Math.min(last, ended) };
  const replaced = await ifConditionHolds(
    new PutCommand({
      TableName: env.tableName(),
      Item: { ...tableKeys.watermark, ...marks },
      ConditionExpression: `attribute_exists(pk) AND NOT (${areMinutes})`,
      ExpressionAttributeNames: { '#closed': 'closed', '#done': 'done' },
      ExpressionAttributeValues: { ':number': 'N', ':first': 0, ':last': lastMinute },
    }),
  );
  if (!replaced) return readMarks(now);
  logger.error('malformed item replaced', {
    item: 'the marks of the sweep',
    ...metricFields({ MalformedItems: 1 }),
  });
  return marks;
}

/** Creates the marks of a new table, for a writer or a sweep. If another process creates them first, uses those. */
async function createMarks(now: Instant): Promise<Marks> {
  const minute = minuteOf(tableTime(now)) - firstMinutesBack;
  const marks = { closed: minute, done: minute };
  const created = await ifConditionHolds(
    new PutCommand({
      TableName: env.tableName(),
      Item: { ...tableKeys.watermark, ...marks },
      ConditionExpression: 'attribute_not_exists(pk)',
    }),
  );
  return created ? marks : readMarks(now);
}

/**
 * Raises `closed` to the last minute that has ended, which must happen before that minute is read for the last time.
 * @returns the time on DynamoDB's clock, and the minute after which the sweep begins
 */
export async function beginSweep(now: Instant): Promise<{ time: Instant; done: number }> {
  const { closed, done } = await readMarks(now);
  const time = tableTime(now);
  const ended = minuteOf(time) - 1;
  if (closed < ended) await raise('closed', ended);
  return { time, done };
}

/** Raises `done` after a sweep to the last minute whose timers are all leased. */
export const raiseDone = (minute: number): Promise<void> => raise('done', minute);

/** Raises a mark to `minute`. Does nothing if the mark has already reached it. */
async function raise(mark: keyof Marks, minute: number): Promise<void> {
  await ifConditionHolds(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: tableKeys.watermark,
      UpdateExpression: 'SET #mark = :minute',
      ConditionExpression: '#mark < :minute',
      ExpressionAttributeNames: { '#mark': mark },
      ExpressionAttributeValues: { ':minute': minute },
    }),
  );
}

/** Sends a conditional write. Returns whether its condition held. */
async function ifConditionHolds(command: PutCommand | UpdateCommand): Promise<boolean> {
  try {
    await dynamodb.send(command as PutCommand);
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
