/**
 * Shows how far the sweep has come, and repairs marks that are too far ahead, for the operator's commands.
 *
 * - Sweeps of this release move no mark ahead of DynamoDB's clock. A sweep of an earlier release whose clock is a day ahead
 *   moves the marks of the narrow layout a day ahead. Then new timers are stored a day late, and no sweep reads the
 *   minutes before.
 * - The repair lowers the marks first. From then on, new timers are stored under their own minutes, and the next sweeps
 *   read these minutes again. Then it moves the timers that are stored too late.
 * - A sweep that runs meanwhile does not raise the lowered marks to minutes that it has not read, see `raiseDone`.
 * - The repair may stop at any point, and may run again: moving a timer twice leaves one timer.
 */
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../env.ts';
import { settleInParallel } from '../../settle-in-parallel.ts';
import type { Instant } from '../../time.ts';
import { dynamodb, tableTime } from '../client.ts';
import { type TimerLayout, tableKeys, timerPartition, timerShards } from '../keys.ts';
import type { StoredTimer } from './lease-timers.ts';
import { minutesAhead, readTimers } from './sweep-timers.ts';
import {
  markAttributes,
  maxMinutesAhead,
  minuteMs,
  minuteOf,
  readTimerState,
  sweepLagMs,
  type TimerState,
} from './timer-marks.ts';
import { completeTimer, leasesMs, storeTimer } from './timers.ts';

const layouts = ['narrow', 'wide'] as const satisfies readonly TimerLayout[];

/** After the repair the sweep reads a day again, although nothing should be left there. */
const minutesReadAgain = 24 * 60;
/** Queries that run at once. */
const parallelQueries = 32;
const longestLeaseMs = Math.max(...leasesMs);

/** How far the sweep is. Instants are in milliseconds since 1970. */
export interface TimerStatus {
  /** The time on DynamoDB's clock. */
  readonly time: Instant;
  readonly lagMs: number;
  readonly state: TimerState;
  /** Layouts with a mark that is too far ahead. */
  readonly ahead: readonly TimerLayout[];
  /** The number of timers that the next sweep leases. Undefined if the sweep is more than `maxHoursCounted` behind. */
  readonly waiting: number | undefined;
}

const maxHoursCounted = 100;

/** Reads the marks and counts the timers that are due. */
export async function readTimerStatus(now: Instant): Promise<TimerStatus> {
  const state = await readTimerState(now);
  const time = tableTime(now);
  const [first, last] = [Math.min(state.narrow.done, state.wide.done) + 1, minuteOf(time) + minutesAhead];
  let waiting: number | undefined;
  if (last - first <= maxHoursCounted * 60) {
    waiting = 0;
    await forEachTimer(first, last, async ({ leasedUntil = 0 }) => {
      if (leasedUntil <= time) waiting = (waiting ?? 0) + 1;
    });
  }
  const ahead = layouts.filter((layout) => isAhead(state, layout, time));
  return { time, lagMs: sweepLagMs(state, time), state, ahead, waiting };
}

const isAhead = (state: TimerState, layout: TimerLayout, time: Instant): boolean =>
  Math.max(state[layout].closed, state[layout].done) > minuteOf(time) + maxMinutesAhead;

/**
 * Lowers marks that are too far ahead, and moves timers that are stored too late under the minutes in which they are due.
 * @returns the layouts whose marks were lowered, and the number of timers that were moved
 * @throws the failure of a query or of a timer. The repair can run again.
 */
export async function repairTimers(
  now: Instant,
): Promise<{ readonly lowered: readonly TimerLayout[]; readonly moved: number }> {
  const state = await readTimerState(now);
  const time = tableTime(now);
  const lowered: TimerLayout[] = [];
  const marks = layouts.flatMap((layout) => [state[layout].closed, state[layout].done]);
  const until = Math.max(minuteOf(time), ...marks, state.repairUntil ?? 0);
  for (const layout of layouts) if (await lowerMarks(state, layout, time, until)) lowered.push(layout);
  const last = until + longestLeaseMs / minuteMs + 1;
  let moved = 0;
  await forEachTimer(minuteOf(time) + 1, last, async (timer) => {
    const due = dueMinute(timer, time);
    if (due === undefined) return;
    const { pk: _, sk: __, leasedUntil: ___, sends, ...message } = timer;
    const stored = await storeTimer({ ...message, minute: due }, { sends });
    if (stored.minute !== timer.minute) await completeTimer(timer);
    moved += 1;
  });
  if (lowered.length > 0 || state.repairUntil !== undefined) await endRepair();
  return { lowered, moved };
}

/**
 * Returns the minute under which a timer belongs if it is stored later than a right clock stores it. Otherwise returns
 * undefined.
 */
export function dueMinute(timer: StoredTimer, time: Instant): number | undefined {
  const earliest = Math.max(minuteOf(timer.due), minuteOf(time) + 1);
  const latest =
    timer.leasedUntil === undefined
      ? earliest + maxMinutesAhead
      : minuteOf(Math.max(timer.due, time) + longestLeaseMs) + maxMinutesAhead;
  return timer.minute > latest + 1 ? earliest : undefined;
}

/**
 * Lowers the marks of a layout. Also stores until which minute timers may be stored too late, for a repair that follows
 * if this one is interrupted. Returns false if the marks are not too far ahead.
 */
async function lowerMarks(
  state: TimerState,
  layout: TimerLayout,
  time: Instant,
  until: number,
): Promise<boolean> {
  if (!isAhead(state, layout, time)) return false;
  const { closed, done } = markAttributes[layout];
  await dynamodb.send(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: tableKeys.watermark,
      UpdateExpression: 'SET #closed = :closed, #done = :done, repairUntil = :until',
      ExpressionAttributeNames: { '#closed': closed, '#done': done },
      ExpressionAttributeValues: {
        ':closed': Math.min(state[layout].closed, minuteOf(time) + maxMinutesAhead),
        ':done': Math.min(state[layout].done, minuteOf(time) - minutesReadAgain),
        ':until': until,
      },
    }),
  );
  return true;
}

/** Removes the trace of a repair after its last step. */
async function endRepair(): Promise<void> {
  await dynamodb.send(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: tableKeys.watermark,
      UpdateExpression: 'REMOVE repairUntil',
    }),
  );
}

/** Calls `work` for each timer under the minutes from `first` to `last`, in both layouts. */
async function forEachTimer(
  first: number,
  last: number,
  work: (timer: StoredTimer) => Promise<void>,
): Promise<void> {
  const partitions: { pk: string }[] = [];
  for (let hour = first - (first % 60); hour <= last; hour += 60) {
    for (const layout of layouts) {
      for (let shard = 0; shard < timerShards[layout]; shard++) {
        partitions.push({ pk: timerPartition(layout, hour, shard) });
      }
    }
  }
  const settled = await settleInParallel(partitions, parallelQueries, async ({ pk }) => {
    for await (const timers of readTimers(pk, first, last)) for (const timer of timers) await work(timer);
  });
  for (const each of settled) if (each.failed) throw each.error;
}
