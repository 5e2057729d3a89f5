/**
 * Stores the progress of the sweep as two marks, `closed` and `done`. Both are minutes. `timers.ts` describes what each one
 * promises.
 *
 * The sweep raises the marks by DynamoDB's clock, see `tableTime`. So a function whose clock is days wrong cannot move them too far.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../env.ts';
import type { Instant } from '../../time.ts';
import { dynamodb, tableTime } from '../client.ts';
import { tableKeys } from '../keys.ts';

export const minuteMs = 60_000;
/** How many minutes back the first sweep begins. Any two clocks differ by less than this. */
const firstMinutesBack = 10;

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

/** Reads the marks, strongly consistent. Creates them if they do not exist. */
export async function readMarks(now: Instant): Promise<Marks> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: tableKeys.watermark, ConsistentRead: true }),
  );
  return item ? { closed: item.closed, done: item.done } : createMarks(now);
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
