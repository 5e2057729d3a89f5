/** Shows how far the sweep has come, for the operator's commands. */
import { settleInParallel } from '../../base/settle-in-parallel.ts';
import type { Instant } from '../../base/time.ts';
import { tableTime } from '../client.ts';
import { timerPartition, timerShards } from '../keys.ts';
import { minutesAhead, readTimers } from './sweep-timers.ts';
import { type Marks, minuteOf, readMarks, sweepLagMs } from './timer-marks.ts';

/** How far the sweep is. Instants are in milliseconds since 1970. */
export interface TimerStatus {
  /** The time on DynamoDB's clock. */
  readonly time: Instant;
  readonly lagMs: number;
  readonly marks: Marks;
  /** The number of timers that the next sweep leases. Undefined if the sweep is more than `maxHoursCounted` behind. */
  readonly waiting: number | undefined;
}

const maxHoursCounted = 100;
/** Queries that run at once. */
const parallelQueries = 32;

/** Reads the marks and counts the timers that are due. */
export async function readTimerStatus(now: Instant): Promise<TimerStatus> {
  const marks = await readMarks(now);
  const time = tableTime(now);
  const [first, last] = [marks.done + 1, minuteOf(time) + minutesAhead];
  const isCounted = last - first <= maxHoursCounted * 60;
  const waiting = isCounted ? await countWaiting(first, last, time) : undefined;
  return { time, lagMs: sweepLagMs(marks, time), marks, waiting };
}

/** Counts the timers under the minutes from `first` to `last` that are not leased. */
async function countWaiting(first: number, last: number, time: Instant): Promise<number> {
  const partitions: string[] = [];
  for (let hour = first - (first % 60); hour <= last; hour += 60)
    for (let shard = 0; shard < timerShards; shard++) partitions.push(timerPartition(hour, shard));
  let waiting = 0;
  const settled = await settleInParallel(partitions, parallelQueries, async (partition) => {
    for await (const { parsed, malformed } of readTimers(partition, first, last))
      waiting += malformed.length + parsed.filter(({ leasedUntil = 0 }) => leasedUntil <= time).length;
  });
  for (const each of settled) if (each.failed) throw each.error;
  return waiting;
}
