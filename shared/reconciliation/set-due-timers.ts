/**
 * Sets the timers of due dates that are near. `store/timers/due-dates.ts` says why their changes have not set them.
 *
 * - It does so in both storage formats, because the setting can change. A timer that exists costs half a read unit.
 * - A timer whose message was sent is stored under another key until it is completed. Then a second one is stored, which does no
 *   harm.
 * - Each comparison looks again. So a timer that was lost, or that a change set for an earlier time of the account, is set
 *   within a day.
 */
import type { Owner } from '../ids.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { readStoredClock } from '../store/account-clock.ts';
import { readItems } from '../store/records.ts';
import { isNearDue } from '../store/timers/due-dates.ts';
import { planTimers, storeTimers } from '../store/timers/timer-batches.ts';
import { type ScheduledTimer, type Timer, timerKey } from '../store/timers/timers.ts';
import type { Instant } from '../time.ts';
import { mapInChunks } from './store.ts';

const batchSize = 100;

/**
 * Stores the timers of pending invoices that are due soon, or are past their due dates. The sweep sends their messages.
 * @param now on the clock of this process
 * @throws the failure of a call. Calling it again sets what is missing.
 */
export async function setDueTimers(owner: Owner, invoices: readonly Invoice[], now: Instant): Promise<void> {
  const pending = invoices.filter(({ status }) => status === 'pending');
  if (pending.length === 0) return;
  const offset = owner.mode === 'test' ? ((await readStoredClock(owner))?.o ?? 0) : 0;
  const near = pending.flatMap(({ id, overdueAt }): Timer[] => {
    const due = overdueAt - offset;
    return isNearDue(due, now) ? [{ due, kind: 'overdue', reference: id }] : [];
  });
  await mapInChunks(near, batchSize, async (timers) => storeMissing(await planTimers(timers, now)));
}

async function storeMissing(planned: readonly ScheduledTimer[]): Promise<void> {
  const keys = new Map(planned.map((timer) => [timer, timerKey(timer.scheduled)]));
  const items = await readItems([...keys.values()], 'eventual');
  const existing = new Set(items.map(({ pk, sk }) => `${pk} ${sk}`));
  const missing = [...keys].filter(([, { pk, sk }]) => !existing.has(`${pk} ${sk}`));
  if (missing.length > 0) await storeTimers(missing.map(([timer]) => timer));
}
