/**
 * Leases timers for the sweep, in batches.
 *
 * - A lease stores a copy of the timer under the minute in which the lease ends, deletes the timer, and sends its message.
 * - The two writes have one unit each. A transaction of the same writes has four. A partition accepts 1,000 units a second,
 *   so 32 shards lease 16,000 timers a second.
 * - A batch writes 25 timers in a call and sends 10 messages in a call. Most of the processor time of the sweep is that of
 *   its calls.
 * - The delete has no condition. If a consumer completes a timer while the sweep leases it, the copy remains and its
 *   message is sent once or twice more. The consumer then finds nothing to do, and completes the copy. Only a recovery
 *   continues once more from there.
 */
import { type Settled, settleInParallel } from '../../base/settle-in-parallel.ts';
import { type Instant, now as readClock } from '../../base/time.ts';
import { deleteItems, putItems } from '../batch-write.ts';
import { type Lease, type StoredTimer, type TimerMessage, timerItem } from './timer-item.ts';
import { minuteOf, readMarks } from './timer-marks.ts';
import { leasesMs, moveAfter, sendTimers } from './timers.ts';

/** One run of the sweep. */
export interface SweepRun {
  /** The time on DynamoDB's clock at the start. */
  readonly time: Instant;
  /** The milliseconds since then. */
  readonly elapsedMs: () => number;
}

/**
 * How many timers one call writes, which is DynamoDB's limit. If a batch fails, other batches continue. A batch that fails because
 * of one timer is divided.
 */
export const leasesPerBatch = 25;
/** With calls of 10 ms, one batch at a time writes 2,500 units a second. A partition accepts 1,000. */
const batchesAtOnce = 1;

/** A timer to lease: its item, and the copy that is stored under the minute in which the lease ends. */
interface PlannedLease {
  readonly item: StoredTimer;
  readonly copy: TimerMessage;
  readonly lease: Lease;
}

/**
 * Leases and sends the timers of a page that are not leased. Reads the marks once, after the last copy is stored: a copy
 * under a minute that was closed meanwhile is stored again under a later one.
 * @returns the timers that failed. They stay under their minute, or the copy of their lease is stored. `isRefused`: DynamoDB does
 *   not accept the copy of this timer, and never will.
 */
export async function leasePage(items: readonly StoredTimer[], run: SweepRun): Promise<FailedLease[]> {
  const batches = toBatches(items.flatMap((item) => planLease(item, run) ?? []));
  if (batches.length === 0) return [];
  const { stored, failed } = await storeCopies(batches);
  const { closed } = await readMarks(readClock());
  const sent = await settleInParallel(stored, batchesAtOnce, (batch) => completeLeases(batch, closed, run));
  const toFailures = (isRefused: boolean) => (each: Settled<PlannedLease[], void>) =>
    each.failed ? each.item.map(({ item }) => ({ item, error: each.error, isRefused })) : [];
  return [
    ...failed.flatMap((each) => toFailures(each.failed && isRefusal(each.error))(each)),
    ...sent.flatMap(toFailures(false)),
  ];
}

/** A timer that could not be leased or sent. */
export interface FailedLease {
  readonly item: StoredTimer;
  readonly error: unknown;
  readonly isRefused: boolean;
}

/** Whether DynamoDB refuses the content of a call. */
const isRefusal = (error: unknown) => error instanceof Error && error.name === 'ValidationException';

/** Stores the copies of batches. Divides a batch that DynamoDB refuses, until only the timers that it refuses are left. */
async function storeCopies(batches: readonly PlannedLease[][]) {
  const stored: PlannedLease[][] = [];
  const failed: Settled<PlannedLease[], void>[] = [];
  for (let open = batches; open.length > 0; ) {
    const settled = await settleInParallel(open, batchesAtOnce, (batch) =>
      putItems(batch.map(({ copy, lease }) => timerItem(copy, lease))),
    );
    open = settled.flatMap((each) => {
      const { item: batch } = each;
      if (!each.failed) stored.push(batch);
      else if (batch.length > 1 && isRefusal(each.error)) {
        const middle = Math.ceil(batch.length / 2);
        return [batch.slice(0, middle), batch.slice(middle)];
      } else failed.push(each);
      return [];
    });
  }
  return { stored, failed };
}

function toBatches(planned: readonly PlannedLease[]): PlannedLease[][] {
  const count = Math.ceil(planned.length / leasesPerBatch);
  return Array.from({ length: count }, (_, index) =>
    planned.slice(index * leasesPerBatch, (index + 1) * leasesPerBatch),
  );
}

/** Plans the next lease of a timer. Returns undefined if the timer is leased. */
export function planLease(item: StoredTimer, { time }: Pick<SweepRun, 'time'>): PlannedLease | undefined {
  const { pk: _, sk: __, leasedUntil: before, sends = before === undefined ? 0 : 1, ...timer } = item;
  if (before !== undefined && before > time) return undefined;
  const leaseMs = leasesMs[Math.min(sends, leasesMs.length - 1)] ?? leasesMs[0];
  const leasedUntil = Math.max(timer.due, time) + leaseMs;
  // Always a later minute, even if this clock is behind the clock of the process that set the timer.
  const minute = Math.max(minuteOf(leasedUntil), timer.minute + 1);
  return { item, copy: { ...timer, minute }, lease: { leasedUntil, sends: sends + 1 } };
}

/**
 * Deletes the timers whose copies are stored, and sends their messages.
 * @param closed the last closed minute, read after the copies were stored
 */
async function completeLeases(
  batch: readonly PlannedLease[],
  closed: number,
  { time, elapsedMs }: SweepRun,
): Promise<void> {
  const leased = await Promise.all(
    batch.map(({ copy, lease }) => (closed < copy.minute ? copy : moveAfter(closed, copy, lease))),
  );
  await deleteItems(batch.map(({ item }) => item));
  await sendTimers(leased, time + elapsedMs());
}
