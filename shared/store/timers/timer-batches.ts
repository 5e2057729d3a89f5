/**
 * Stores new timers within a transaction of the caller, sends them, and completes several timers in one call.
 * `timers.ts` describes timers.
 *
 * - The transaction stores what a timer is for together with the timer. So neither exists without the other.
 * - The messages may be sent before the marks are read. If the minute of a timer was closed, its copy under a later minute
 *   fires once more after its message, and its consumer finds nothing to do.
 */
import { env } from '../../env.ts';
import type { Instant } from '../../time.ts';
import { deleteItems } from '../batch-write.ts';
import type { TransactionItem } from '../transactions.ts';
import { currentLayout } from './timer-marks.ts';
import {
  confirmAllStored,
  type ScheduledTimer,
  schedule,
  sendTimers,
  type Timer,
  type TimerMessage,
  timerItem,
  timerKey,
} from './timers.ts';

/** A timer that a transaction of the caller stores with `action`. */
export interface NewTimer extends ScheduledTimer {
  readonly action: TransactionItem;
}

/** Returns the actions that store timers, in the same order. After they were written, call `confirmTimers`. */
export async function newTimers(timers: readonly Timer[], now: Instant): Promise<NewTimer[]> {
  if (timers.length === 0) return [];
  const layout = await currentLayout(now);
  return timers.map((timer) => {
    const planned = schedule(timer, layout, now);
    const Item = timerItem(planned.scheduled, planned.lease);
    return { ...planned, action: { Put: { TableName: env.tableName(), Item } } };
  });
}

/**
 * Sends the messages of those timers that are due within a minute, ten in each call.
 * @param firstOf returns what the message of a timer carries besides the timer
 * @throws the failure of a call, or an `AggregateError` of several, after all calls
 */
export async function sendNewTimers(
  timers: readonly NewTimer[],
  firstOf: (timer: NewTimer) => unknown = () => undefined,
): Promise<void> {
  const near = timers.filter(({ lease }) => lease.leasedUntil !== undefined);
  const messages = near.map((timer) => ({ ...timer.scheduled, first: firstOf(timer) }));
  if (near[0]) await sendTimers(messages, near[0].time);
}

/** Checks timers that were just written. Moves those whose minute the sweep has closed. */
export async function confirmTimers(timers: readonly NewTimer[]): Promise<void> {
  if (timers.length > 0) await confirmAllStored(timers);
}

/** Deletes timers whose effects are complete or no longer needed, 25 in each call. */
export async function completeTimers(timers: readonly TimerMessage[]): Promise<void> {
  await deleteItems(timers.map(timerKey));
}
