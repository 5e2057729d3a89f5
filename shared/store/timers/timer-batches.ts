/**
 * Plans, stores, sends and completes several timers together. `timers.ts` describes timers.
 *
 * A caller may send the messages while the timers are stored. If a message leads to its effect first, the timer that is stored
 * afterwards fires once more, and its consumer finds nothing to do.
 */
import type { Instant } from '../../base/time.ts';
import { putItems } from '../batch-write.ts';
import { type Timer, timerItem } from './timer-item.ts';
import { readMarks } from './timer-marks.ts';
import {
  confirmAllStored,
  type PreparedTimer,
  type ScheduledTimer,
  schedule,
  sendTimers,
  toPrepared,
} from './timers.ts';

/** Decides where to store timers. Returns them in the same order. */
export const planTimers = (timers: readonly Timer[], now: Instant): ScheduledTimer[] =>
  timers.map((timer) => schedule(timer, now));

/**
 * Stores planned timers in batches, and reads the marks once after all of them. See `prepareTimer`.
 * @returns the prepared timers, in the same order
 */
export async function storeTimers(planned: readonly ScheduledTimer[]): Promise<PreparedTimer[]> {
  await putItems(planned.map(({ scheduled, lease }) => timerItem(scheduled, lease)));
  const stored = await confirmAllStored(planned);
  return stored.map((timer, index) => toPrepared(timer, planned[index] as ScheduledTimer));
}

/** Whether this instance has read the marks. The answer shows it DynamoDB's clock, see `tableTime`. */
let knowsTableTime = false;

/**
 * Plans timers and stores them, see `storeTimers`. An instance reads the marks before its first timers, because the relay may have
 * made no call before.
 */
export async function prepareTimers(timers: readonly Timer[], now: Instant): Promise<PreparedTimer[]> {
  if (timers.length === 0) return [];
  if (!knowsTableTime) await readMarks(now);
  knowsTableTime = true;
  return storeTimers(planTimers(timers, now));
}

/**
 * Sends the messages of those planned timers that are due within a minute, ten in each call.
 * @throws the failure of a call, or an `AggregateError` of several, after all calls
 */
export async function sendDueTimers(planned: readonly ScheduledTimer[]): Promise<void> {
  const near = planned.filter(({ lease }) => lease.leasedUntil !== undefined);
  if (near[0])
    await sendTimers(
      near.map(({ scheduled }) => scheduled),
      near[0].time,
    );
}
