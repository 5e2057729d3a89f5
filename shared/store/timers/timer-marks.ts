/**
 * Stores the progress of the sweep as two marks, `closed` and `done`. Both are minutes, and they only rise. `timers.ts`
 * describes what each one promises.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../env.ts';
import type { Instant } from '../../time.ts';
import { dynamodb } from '../client.ts';
import { tableKeys } from '../keys.ts';

export const minuteMs = 60_000;
/** How many minutes back the first sweep begins. Any two clocks differ by less than this. */
const firstMinutesBack = 10;

/** Returns the minute that contains an instant, counted from 1970. */
export const minuteOf = (instant: Instant): number => Math.floor(instant / minuteMs);

/** The two marks, as minutes counted from 1970. */
export interface Marks {
  /** Every minute up to this one may have had its last read, so no timer may be stored under it any more. */
  readonly closed: number;
  /** Every timer up to this minute has been leased, so the next sweep begins after it. */
  readonly done: number;
}

/**
 * Raises `closed` to `minute`, which must happen before that minute is read for the last time.
 * @returns the marks after that
 */
export async function closeMinutes(minute: number, now: Instant): Promise<Marks> {
  const marks = await readMarks(now);
  if (marks.closed >= minute) return marks;
  await raise('closed', minute);
  return { ...marks, closed: minute };
}

/** Raises a mark to `minute`. Does nothing if the mark has already reached it. */
export async function raise(mark: keyof Marks, minute: number): Promise<void> {
  try {
    await dynamodb.send(
      new UpdateCommand({
        TableName: env.tableName(),
        Key: tableKeys.watermark,
        UpdateExpression: 'SET #mark = :minute',
        ConditionExpression: '#mark < :minute',
        ExpressionAttributeNames: { '#mark': mark },
        ExpressionAttributeValues: { ':minute': minute },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}

/** Reads both marks, strongly consistent. Creates them if they do not exist. */
export async function readMarks(now: Instant): Promise<Marks> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: tableKeys.watermark, ConsistentRead: true }),
  );
  return item ? (item as unknown as Marks) : createMarks(now);
}

/** Creates the marks for the first reader, a writer or a sweep. If another process creates them first, uses those. */
async function createMarks(now: Instant): Promise<Marks> {
  const minute = minuteOf(now) - firstMinutesBack;
  const marks = { closed: minute, done: minute };
  try {
    await dynamodb.send(
      new PutCommand({
        TableName: env.tableName(),
        Item: { ...tableKeys.watermark, ...marks },
        ConditionExpression: 'attribute_not_exists(pk)',
      }),
    );
    return marks;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return readMarks(now);
  }
}
