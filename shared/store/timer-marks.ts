/** How far the sweep has come: two marks over the minutes, which rise and never fall. What they mean is in `timers.ts`. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../env.ts';
import type { Instant } from '../time.ts';
import { dynamodb } from './client.ts';
import { keys } from './keys.ts';

export const minuteMs = 60_000;
/** Before the first sweep: minutes back from which it begins, more than any two clocks differ. */
const firstMinutesBack = 10;

/** The minute of an instant, counted from 1970. */
export const minuteOf = (instant: Instant): number => Math.floor(instant / minuteMs);

/** Minutes, counted from 1970. */
export interface Marks {
  readonly closed: number;
  readonly done: number;
}

/** Raises `closed` to `minute` before that minute is read for the last time. */
export async function closeMinutes(minute: number, now: Instant): Promise<Marks> {
  const marks = await readMarks(now);
  if (marks.closed >= minute) return marks;
  await raise('closed', minute);
  return { ...marks, closed: minute };
}

/** Raises a mark to `minute`, unless it is there or beyond already. */
export async function raise(mark: keyof Marks, minute: number): Promise<void> {
  try {
    await dynamodb.send(
      new UpdateCommand({
        TableName: env.tableName(),
        Key: keys.watermark,
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

/** Reads both marks, strongly consistent; makes them if there are none. */
export async function readMarks(now: Instant): Promise<Marks> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: keys.watermark, ConsistentRead: true }),
  );
  return item ? (item as unknown as Marks) : firstMarks(now);
}

/** The first to look at the marks, writer or sweep, makes them; should another have been faster, its are taken. */
async function firstMarks(now: Instant): Promise<Marks> {
  const minute = minuteOf(now) - firstMinutesBack;
  const marks = { closed: minute, done: minute };
  try {
    await dynamodb.send(
      new PutCommand({
        TableName: env.tableName(),
        Item: { ...keys.watermark, ...marks },
        ConditionExpression: 'attribute_not_exists(pk)',
      }),
    );
    return marks;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return readMarks(now);
  }
}
