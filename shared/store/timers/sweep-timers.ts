/**
 * Sends timers to their queues when they are due. `timers.ts` describes how timers are stored.
 *
 * - The sweep reads all minutes after `done`, up to two minutes ahead. It leases each due timer: it stores a copy under
 *   the minute in which the lease ends, and then deletes the timer. A crash between the two leaves two timers, which is a
 *   repetition, and never none.
 * - `lease-timers.ts` leases the timers of a page.
 * - The sweep uses DynamoDB's clock, see `tableTime`. So a sweep whose clock is wrong sends no timer early or late.
 */
import { settleInParallel } from '../../base/settle-in-parallel.ts';
import { throwAfterAllSettled } from '../../base/throw-after-all-settled.ts';
import type { Instant } from '../../base/time.ts';
import { padMinute, timerPartition, timerShards } from '../keys.ts';
import { queryPages } from '../query-pages.ts';
import { type MalformedWork, parseEach, setItemAside } from '../set-aside.ts';
import { MalformedItemError } from '../stored-fields.ts';
import { leasePage, type SweepRun } from './lease-timers.ts';
import { fromTimerItem, type StoredTimer } from './timer-item.ts';
import { beginSweep, minuteOf, raiseDone } from './timer-marks.ts';

/** The sweep leases timers this many minutes before they are due. The queue delays their messages to the second. */
export const minutesAhead = 2;
/** A sweep that is behind catches up by at most this many hours in one run, and only while `sweepMs` lasts. */
const maxHoursPerSweep = 1_000;
/** A run leases no more pages of timers after this time. It must end before the first lease that it gives ends. */
export const sweepMs = 45_000;
/** How many timers of a partition are leased between two looks at the clock and at the marks. */
export const leasesPerPage = 100;
/**
 * Leases and sends all timers that are due now or within two minutes.
 *
 * - A failure of one timer does not stop the sweep of the other timers. A timer that cannot be read, or that DynamoDB refuses, is
 *   set aside.
 * - If the time of the run ends, `done` stays before the first timer that is not leased. The next run continues there.
 * - If two sweeps overlap, they may send a timer twice, which does no harm.
 * - A sweep must end before the first lease that it gives ends, which is after two minutes. A later sweep could already
 *   have closed that minute, and a timer that this sweep then stores there would never be read.
 * @throws the failure of a timer or a query, or an `AggregateError` of several, after everything else was swept
 */
export async function sweepTimers(now: Instant): Promise<void> {
  const begun = performance.now();
  const { time, done } = await beginSweep(now);
  const run: SweepRun = { time, elapsedMs: () => performance.now() - begun };
  const present = minuteOf(time);
  const failures: unknown[] = [];
  const hours = hoursFrom(done + 1, present + minutesAhead).slice(0, maxHoursPerSweep);
  let reached = hours.at(-1)?.last ?? done;
  for (const hour of hours) {
    if (run.elapsedMs() > sweepMs) {
      reached = Math.min(reached, hour.first - 1);
      break;
    }
    const shards = Array.from({ length: timerShards }, (_, shard) =>
      sweepShard(timerPartition(hour.first, shard), hour, run),
    );
    for (const shard of await Promise.all(shards)) {
      reached = Math.min(reached, shard.reached);
      failures.push(...shard.failures);
    }
  }
  await raiseDone(Math.min(present - 1, reached));
  await throwAfterAllSettled([...new Set(failures)].map((failure) => Promise.reject(failure)));
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

/** Sweeps the minutes of a partition in their order, page by page. */
async function sweepShard(
  partition: string,
  { first, last }: HourOfMinutes,
  run: SweepRun,
): Promise<ShardResult> {
  const failures: unknown[] = [];
  let reached = Number.POSITIVE_INFINITY;
  const stopBefore = ({ minute }: { readonly minute: number }) => {
    reached = Math.min(reached, minute - 1);
  };
  try {
    for await (const { parsed: items, malformed } of readTimers(partition, first, last)) {
      failures.push(...(await setAside(malformed)));
      if (run.elapsedMs() > sweepMs) {
        items.forEach(stopBefore);
        if (items.length > 0) break;
        continue;
      }
      for (const { item, error, isRefused } of await leasePage(items, run)) {
        if (isRefused) {
          const refused = new MalformedItemError(`${item.pk} ${item.sk}`, 'DynamoDB refuses its copy', {
            cause: error,
          });
          failures.push(...(await setAside([{ item: { ...item }, error: refused }])));
        } else {
          stopBefore(item);
          failures.push(error);
        }
      }
    }
  } catch (error) {
    failures.push(error);
    stopBefore({ minute: first });
  }
  return { reached, failures };
}

/** Sets timers aside. Returns why that has failed. Those timers stay, and the next sweep finds them in the minutes that it reads. */
async function setAside(malformed: readonly MalformedWork[]): Promise<unknown[]> {
  const settled = await settleInParallel(malformed, 1, (work) => setItemAside('timer', work));
  return settled.flatMap((each) => (each.failed ? [each.error] : []));
}

/** Yields the timers of a partition under the minutes from `first` to `last`, in pages. */
export async function* readTimers(
  partition: string,
  first: number,
  last: number,
): AsyncGenerator<{ readonly parsed: StoredTimer[]; readonly malformed: MalformedWork[] }> {
  const pages = queryPages({
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :end',
    ExpressionAttributeValues: { ':pk': partition, ':first': padMinute(first), ':end': padMinute(last + 1) },
    Limit: leasesPerPage,
  });
  for await (const items of pages) yield parseEach(items, fromTimerItem);
}
