/**
 * Sets the timers of reminders that are near, for all open invoices. An account without a plan costs one read unit for each page with
 * open invoices.
 */
import { clockAt } from '../../base/clock.ts';
import type { Owner } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import { readAccounts } from '../../domain/accounts/account-store.ts';
import { reminderPlanOf } from '../../domain/accounts/reminder-plan.ts';
import type { Invoice } from '../../domain/invoices/invoice.ts';
import { isPayable } from '../../domain/invoices/transitions.ts';
import { nearMs, reminderTimersOf } from '../../domain/mails/reminder-timers.ts';
import { readStoredClock } from '../../store/account-clock.ts';
import { planTimers } from '../../store/timers/timer-batches.ts';
import { mapInChunks } from './reconciliation-store.ts';
import { batchSize, storeMissing } from './set-due-timers.ts';

/**
 * Stores the timers of the reminders of invoices that are due within three days. The sweep sends their messages.
 * @param now on the clock of this process
 * @param since the start of the last complete run, which has set the timers of the three days after it. Undefined: it is not known
 * @throws the failure of a call. Calling it again sets what is missing.
 */
export async function setReminderTimers(
  { account, mode }: Owner,
  invoices: readonly Invoice[],
  now: Instant,
  since?: Instant,
): Promise<void> {
  const open = invoices.filter(isPayable);
  if (open.length === 0) return;
  const owner = { account, mode };
  const [settings] = await readAccounts([account]);
  const plan = settings && reminderPlanOf(settings);
  if (!plan || settings.closedAt !== undefined) return;
  const clock = clockAt(mode === 'test' ? await readStoredClock(owner) : undefined, now);
  const missedMs = since === undefined ? 0 : Math.max(0, now - since - nearMs);
  const timers = open.flatMap((invoice) => {
    const from = clock.account + 1 - Math.min(missedMs, Math.max(0, clock.account - invoice.createdAt));
    return reminderTimersOf(owner, invoice, plan, clock, from);
  });
  await mapInChunks(timers, batchSize, (some) => storeMissing(planTimers(some, now)));
}
