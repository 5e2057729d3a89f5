/**
 * Sends timers to their queues when they are due. `timers.ts` describes how timers are stored.
 *
 * - The sweep reads all minutes after `done`, up to two minutes ahead. It leases each due timer: it stores a copy under
 *   the minute in which the lease ends, and then deletes the timer. A crash between the two leaves two timers, which is a
 *   repetition, and never none.
 * - A lease has two writes of one unit each and no transaction, which would cost four units. A partition accepts 1,000
 *   units a second, so 32 shards lease 16,000 timers a second.
 * - The sweep uses DynamoDB's clock, see `tableTime`. So a sweep whose clock is wrong sends no timer early or late.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../env.ts';
import { settleInParallel } from '../../settle-in-parallel.ts';
import { throwAfterAllSettled } from '../../throw-after-all-settled.ts';
import { type Instant, now as readClock } from '../../time.ts';
import { dynamodb } from '../client.ts';
import { type Key, padMinute, type TimerLayout, timerPartition, timerShards } from '../keys.ts';
import { queryPages } from '../query-pages.ts';
import { beginSweep, currentLayout, type Marks, minuteOf, raiseDone, readTimerState } from './timer-marks.ts';
import {
  type Lease,
  leasesMs,
  moveAfter,
  putTimer,
  sendTimer,
  type TimerMessage,
  timerKey,
} from './timers.ts';

/** The sweep leases timers this many minutes before they are due. The queue delays their messages to the second. */
export const minutesAhead = 2;
/** A sweep that is behind catches up by at most this many hours in one run, and only while `sweepMs` lasts. */
const maxHoursPerSweep = 1_000;
/** A run leases no more pages of timers after this time. It must end before the first lease that it gives ends. */
export const sweepMs = 45_000;
/** How many timers of a partition are leased between two looks at the clock and at the marks. */
export const leasesPerPage = 100;
/**
 * How many timers of a partition are leased at once. With calls of 10 ms, twenty use the 1,000 write units that a
 * partition accepts in a second. With more, DynamoDB would only refuse writes.
 */
export const parallelLeases = 20;

/** One run of the sweep. */
interface Run {
  /** The time on DynamoDB's clock at the start. */
  readonly time: Instant;
  /** The layout in which leased timers are stored. */
  readonly layout: TimerLayout;
  /** The milliseconds since then. */
  readonly elapsedMs: () => number;
}

/**
 * Leases and sends all timers that are due now or within two minutes.
 *
 * - A failure of one timer does not stop the sweep of the other timers.
 * - If the time of the run ends, `done` stays before the first timer that is not leased. The next run continues there.
 * - If two sweeps overlap, they may send a timer twice, which does no harm.
 * - A sweep must end before the first lease that it gives ends, which is after two minutes. A later sweep could already
 *   have closed that minute, and a timer that this sweep then stores there would never be read.
 * @throws the failure of a timer or a query, or an `AggregateError` of several, after everything else was swept
 */
export async function sweepTimers(now: Instant): Promise<void> {
  const begun = performance.now();
  const { time, state } = await beginSweep(now);
  const run: Run = { time, layout: await currentLayout(now), elapsedMs: () => performance.now() - begun };
  await throwAfterAllSettled([
    sweepLayout('narrow', state.narrow, run),
    sweepLayout('wide', state.wide, run),
  ]);
}

async function sweepLayout(layout: TimerLayout, { done }: Marks, run: Run): Promise<void> {
  const present = minuteOf(run.time);
  const failures: unknown[] = [];
  const hours = hoursFrom(done + 1, present + minutesAhead).slice(0, maxHoursPerSweep);
  let reached = hours.at(-1)?.last ?? done;
  for (const hour of hours) {
    if (run.elapsedMs() > sweepMs) {
      reached = Math.min(reached, hour.first - 1);
      break;
    }
    const shards = Array.from({ length: timerShards[layout] }, (_, shard) =>
      sweepShard(timerPartition(layout, hour.first, shard), hour, run),
    );
    for (const shard of await Promise.all(shards)) {
      reached = Math.min(reached, shard.reached);
      failures.push(...shard.failures);
    }
  }
  await raiseDone(layout, done, Math.min(present - 1, reached));
  await throwAfterAllSettled(failures.map((failure) => Promise.reject(failure)));
}

/** A range of minutes within one clock hour, including its first and its last minute. */
interface HourOfMinutes {
  readonly first: number;
  readonly last: number;
}

/** Splits the minutes from `first` to `last` at the full hours. */
function hoursFrom(first: number, last: number): HourOfMinutes[] {
  const hours: HourOfMinutes[] = [];
  for (let start = first; start <= last; start = endOfHour(start) + 1) {
    hours.push({ first: start, last: Math.min(last, endOfHour(start)) });
  }
  return hours;
}

const endOfHour = (minute: number) => minute - (minute % 60) + 59;

/** How far the sweep of a partition has come. */
interface ShardResult {
  /** The minute before the first timer that is not leased. `Infinity` if all are. */
  readonly reached: number;
  readonly failures: readonly unknown[];
}

/** A timer as the table stores it. */
export type StoredTimer = TimerMessage & Lease & Key;

/** Sweeps the minutes of a partition in their order, page by page. */
async function sweepShard(partition: string, { first, last }: HourOfMinutes, run: Run): Promise<ShardResult> {
  const failures: unknown[] = [];
  let reached = Number.POSITIVE_INFINITY;
  const stopBefore = ({ minute }: { readonly minute: number }) => {
    reached = Math.min(reached, minute - 1);
  };
  try {
    for await (const items of readTimers(partition, first, last)) {
      if (run.elapsedMs() > sweepMs) {
        items.forEach(stopBefore);
        if (items.length > 0) break;
        continue;
      }
      for (const { item, error } of await leasePage(items, run)) {
        stopBefore(item);
        failures.push(error);
      }
    }
  } catch (error) {
    failures.push(error);
    stopBefore({ minute: first });
  }
  return { reached, failures };
}

/** Yields the timers of a partition under the minutes from `first` to `last`, in pages. */
export function readTimers(partition: string, first: number, last: number): AsyncGenerator<StoredTimer[]> {
  const pages = queryPages({
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :end',
    ExpressionAttributeValues: { ':pk': partition, ':first': padMinute(first), ':end': padMinute(last + 1) },
    Limit: leasesPerPage,
  });
  return pages as AsyncGenerator<unknown[]> as AsyncGenerator<StoredTimer[]>;
}

/** A timer to lease: its item, and the copy that is stored under the minute in which the lease ends. */
interface PlannedLease {
  readonly item: StoredTimer;
  readonly copy: TimerMessage;
  readonly lease: Lease;
}

/**
 * Leases and sends the timers of a page that are not leased. Reads the marks once, after the last copy is stored: a copy
 * under a minute that was closed meanwhile is stored again under a later one.
 * @returns the timers that failed, which stay under their minute
 */
async function leasePage(
  items: readonly StoredTimer[],
  run: Run,
): Promise<{ readonly item: StoredTimer; readonly error: unknown }[]> {
  const planned = items.flatMap((item) => planLease(item, run) ?? []);
  if (planned.length === 0) return [];
  const copied = await settleInParallel(planned, parallelLeases, ({ copy, lease }) => putTimer(copy, lease));
  const { closed } = (await readTimerState(readClock()))[run.layout];
  const stored = copied.flatMap((each) => (each.failed ? [] : [each.item]));
  const sent = await settleInParallel(stored, parallelLeases, async ({ item, copy, lease }) => {
    const leased = closed < copy.minute ? copy : await moveAfter(closed, copy, lease);
    if (await deleteOriginal(item)) await sendTimer(leased, run.time + run.elapsedMs());
  });
  return [...copied, ...sent].flatMap((each) =>
    each.failed ? [{ item: each.item.item, error: each.error }] : [],
  );
}

/** Plans the next lease of a timer. Returns undefined if the timer is leased. */
export function planLease(
  item: StoredTimer,
  { time, layout }: Pick<Run, 'time' | 'layout'>,
): PlannedLease | undefined {
  const { pk: _, sk: __, leasedUntil: before, sends = before === undefined ? 0 : 1, ...timer } = item;
  if (before !== undefined && before > time) return undefined;
  const leaseMs = leasesMs[Math.min(sends, leasesMs.length - 1)] ?? leasesMs[0];
  const leasedUntil = Math.max(timer.due, time) + leaseMs;
  // Always a later minute, even if this clock is behind the clock of the process that set the timer.
  const minute = Math.max(minuteOf(leasedUntil), timer.minute + 1);
  return { item, copy: { ...timer, minute, layout }, lease: { leasedUntil, sends: sends + 1 } };
}

/**
 * Deletes a timer whose copy is stored. Returns false if it does not exist: its consumer has completed it, or another
 * sweep has leased it. Its copy then stays, and is sent once more when the lease ends.
 */
async function deleteOriginal(item: StoredTimer): Promise<boolean> {
  try {
    await dynamodb.send(
      new DeleteCommand({
        TableName: env.tableName(),
        Key: timerKey(item),
        ConditionExpression: 'attribute_exists(pk)',
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
