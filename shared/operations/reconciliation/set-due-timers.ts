/**
 * Sets the timers of due dates that are near. `shared/store/timers/due-dates.ts` says why the changes of the invoices have not set them.
 *
 * - Each comparison checks again, for half a read unit. So a timer that was lost, or that a change set for an earlier time of
 *   the account, is set within a day.
 * - A date that has passed needs a timer if no reconciliation ran for days. It is due at once, so it has another key each time. While
 *   the worker of due dates fails for days, such an invoice gets one more timer a day, and all of them have one effect.
 * - A date that has passed just now is left to its own timer.
 */

import { clockAt, toRealTime } from '../../base/clock.ts';
import type { Owner } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import type { Invoice } from '../../domain/invoices/invoice.ts';
import { readStoredClock } from '../../store/account-clock.ts';
import { tableTime } from '../../store/client.ts';
import { readItems } from '../../store/records.ts';
import { isNearDue } from '../../store/timers/due-dates.ts';
import { planTimers, storeTimers } from '../../store/timers/timer-batches.ts';
import { type Timer, timerKey } from '../../store/timers/timer-item.ts';
import type { ScheduledTimer } from '../../store/timers/timers.ts';
import { mapInChunks } from './reconciliation-store.ts';

/** How many timers are stored together. */
export const batchSize = 100;
/** The timer of a due date that passed less than this many milliseconds ago is being handled. */
const handledWithinMs = 10 * 60_000;

/**
 * Stores the timers of pending invoices that are due within three days, or are past their due dates. The sweep sends their messages.
 * @param now on the clock of this process
 * @throws the failure of a call. Calling it again sets what is missing.
 */
export async function setDueTimers(owner: Owner, invoices: readonly Invoice[], now: Instant): Promise<void> {
  const pending = invoices.filter(({ status }) => status === 'pending');
  if (pending.length === 0) return;
  const clock = clockAt(owner.mode === 'test' ? await readStoredClock(owner) : undefined, now);
  const time = tableTime(now);
  const near = pending.flatMap(({ id, overdueAt }): Timer[] => {
    const due = toRealTime(clock, overdueAt);
    const isHandled = due <= time && due > time - handledWithinMs;
    return isNearDue(due, time) && !isHandled ? [{ due, kind: 'overdue', reference: id }] : [];
  });
  await mapInChunks(near, batchSize, async (timers) => storeMissing(planTimers(timers, now)));
}

/** Stores those of up to 100 planned timers that are not stored yet. The sweep sends their messages. */
export async function storeMissing(planned: readonly ScheduledTimer[]): Promise<void> {
  const keys = new Map(planned.map((timer) => [timer, timerKey(timer.scheduled)]));
  const items = await readItems([...keys.values()], 'eventual');
  const existing = new Set(items.map(({ pk, sk }) => `${pk} ${sk}`));
  const missing = [...keys].filter(([, { pk, sk }]) => !existing.has(`${pk} ${sk}`));
  if (missing.length > 0) await storeTimers(missing.map(([timer]) => timer));
}
