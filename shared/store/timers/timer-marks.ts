/**
 * Stores the progress of the sweep as two marks for each layout of the timers, `closed` and `done`. Both are minutes.
 * `timers.ts` describes what each one promises.
 *
 * - Each layout has marks of its own. The last release knows only the narrow layout. While its sweep runs, during a
 *   rollout or after a rollback, it raises the marks of the narrow layout, which say nothing about wide partitions. So it
 *   can delay a timer in the wide layout, and cannot cause its loss.
 * - The first sweep of this release stores when the wide layout begins, a week later. Until then timers are stored in the
 *   narrow layout, so a rollback within this week does not even delay them. A new table begins with the wide layout.
 * - The sweep raises marks by DynamoDB's clock, see `tableTime`. So a function whose clock is days wrong cannot move them
 *   too far. Marks that an earlier release has moved too far are lowered by `npx remit timers repair`.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../env.ts';
import type { Instant } from '../../time.ts';
import { dynamodb, tableTime } from '../client.ts';
import { type TimerLayout, tableKeys } from '../keys.ts';

export const minuteMs = 60_000;
/** How many minutes back the first sweep begins. Any two clocks differ by less than this. */
const firstMinutesBack = 10;
/** The time from the first sweep of this release to the first timer in the wide layout. */
const wideAfterMs = 7 * 24 * 60 * minuteMs;

/** Returns the minute that contains an instant, counted from 1970. */
export const minuteOf = (instant: Instant): number => Math.floor(instant / minuteMs);

/** The two marks of a layout, as minutes counted from 1970. */
export interface Marks {
  /** Every minute up to this one may have had its last read, so no timer may be stored under it any more. */
  readonly closed: number;
  /** Every timer up to this minute has been leased, so the next sweep begins after it. */
  readonly done: number;
}

/** The progress of the sweep. */
export interface TimerState extends Readonly<Record<TimerLayout, Marks>> {
  /** From this instant on, timers are stored in the wide layout. Undefined before the first sweep of this release. */
  readonly wideFrom: Instant | undefined;
  /** Timers up to this minute may be stored too late, because a repair was interrupted. Otherwise undefined. */
  readonly repairUntil?: number | undefined;
}

/** Marks that are further ahead than this, in minutes, are wrong: two clocks never differ by as much. */
export const maxMinutesAhead = 5;

/**
 * Returns how late timers are, in milliseconds: how far the sweep is behind in the layout that is further behind. If a
 * mark is too far ahead, new timers are delayed until then, so that counts, too.
 * @param time on DynamoDB's clock
 */
export function sweepLagMs({ narrow, wide }: TimerState, time: Instant): number {
  const behind = minuteOf(time) - 1 - Math.min(narrow.done, wide.done);
  const ahead = Math.max(narrow.closed, wide.closed) - minuteOf(time);
  return Math.max(0, behind, ahead > maxMinutesAhead ? ahead : 0) * minuteMs;
}

/** The stored names of the marks. The last release knows only those of the narrow layout. */
export const markAttributes = {
  narrow: { closed: 'closed', done: 'done' },
  wide: { closed: 'wideClosed', done: 'wideDone' },
} as const satisfies Record<TimerLayout, Record<keyof Marks, string>>;

/** Reads the marks, strongly consistent. Creates them if they do not exist. */
export async function readTimerState(now: Instant): Promise<TimerState> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: tableKeys.watermark, ConsistentRead: true }),
  );
  return item ? toTimerState(item) : createTimerState(now);
}

function toTimerState(item: Record<string, number | undefined>): TimerState {
  const { closed = 0, done = 0, wideClosed = closed, wideDone = done, wideFrom, repairUntil } = item;
  return {
    narrow: { closed, done },
    // Before the first sweep of this release, the wide layout is empty, and nobody stores timers in it.
    wide: { closed: wideClosed, done: wideDone },
    wideFrom,
    repairUntil,
  };
}

/** Creates the marks of a new table, for a writer or a sweep. If another process creates them first, uses those. */
async function createTimerState(now: Instant): Promise<TimerState> {
  const minute = minuteOf(tableTime(now)) - firstMinutesBack;
  const item = { closed: minute, done: minute, wideClosed: minute, wideDone: minute, wideFrom: 0 };
  const created = await ifConditionHolds(
    new PutCommand({
      TableName: env.tableName(),
      Item: { ...tableKeys.watermark, ...item },
      ConditionExpression: 'attribute_not_exists(pk)',
    }),
  );
  return created ? toTimerState(item) : readTimerState(now);
}

/** When the wide layout begins. It never changes once it is stored, so an instance reads it once. */
let knownWideFrom: Instant | undefined;

/** Returns the layout in which to store a timer now. */
export async function currentLayout(now: Instant): Promise<TimerLayout> {
  knownWideFrom ??= (await readTimerState(now)).wideFrom;
  return knownWideFrom !== undefined && knownWideFrom <= tableTime(now) ? 'wide' : 'narrow';
}

/**
 * Raises `closed` of both layouts to the last minute that has ended, which must happen before that minute is read for
 * the last time. Prepares the wide layout if this is the first sweep of this release.
 * @returns the time on DynamoDB's clock, and the marks before
 */
export async function beginSweep(now: Instant): Promise<{ time: Instant; state: TimerState }> {
  const state = await readTimerState(now);
  const time = tableTime(now);
  if (state.wideFrom === undefined) {
    await prepareWideLayout(time);
    return beginSweep(now);
  }
  const ended = minuteOf(time) - 1;
  await Promise.all(
    (['narrow', 'wide'] as const).map(async (layout) => {
      if (state[layout].closed < ended) await raise(markAttributes[layout].closed, ended);
    }),
  );
  return { time, state };
}

/** Stores when the wide layout begins, and its marks. Its partitions are empty before that. */
async function prepareWideLayout(time: Instant): Promise<void> {
  await ifConditionHolds(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: tableKeys.watermark,
      UpdateExpression: 'SET wideClosed = :minute, wideDone = :minute, wideFrom = :from',
      ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(wideFrom)',
      ExpressionAttributeValues: {
        ':minute': minuteOf(time) - firstMinutesBack,
        ':from': time + wideAfterMs,
      },
    }),
  );
}

/** Raises a mark to `minute`. Does nothing if the mark has already reached it. */
async function raise(attribute: string, minute: number): Promise<void> {
  await ifConditionHolds(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: tableKeys.watermark,
      UpdateExpression: 'SET #mark = :minute',
      ConditionExpression: '#mark < :minute',
      ExpressionAttributeNames: { '#mark': attribute },
      ExpressionAttributeValues: { ':minute': minute },
    }),
  );
}

/**
 * Raises `done` of a layout after a sweep.
 *
 * - Does nothing if the marks were lowered since the sweep read them, because then the sweep has not read all minutes
 *   between the lowered mark and `minute`, or a timer may have been stored in a minute after its last read.
 * @param from the mark with which the sweep began
 */
export async function raiseDone(layout: TimerLayout, from: number, minute: number): Promise<void> {
  if (minute <= from) return;
  await ifConditionHolds(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: tableKeys.watermark,
      UpdateExpression: 'SET #done = :minute',
      ConditionExpression: '#done BETWEEN :from AND :minute AND #closed >= :minute',
      ExpressionAttributeNames: {
        '#done': markAttributes[layout].done,
        '#closed': markAttributes[layout].closed,
      },
      ExpressionAttributeValues: { ':from': from, ':minute': minute },
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
