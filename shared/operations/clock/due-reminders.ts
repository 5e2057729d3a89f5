/**
 * Sends the reminders that become due while a clock of test mode moves. The worker of mails decides and sends each of them. This code
 * makes its timer due now, and waits until the worker has completed it.
 *
 * - The worker sends a reminder once, however often its timer fires. So a call that continues a move repeats the reminders of the last
 *   minutes, which another call may not have completed.
 * - A mail that waits, for example for the mail service, has the real time. So a move does not wait for it.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Owner } from '../../base/ids.ts';
import { type AccountTime, now } from '../../base/time.ts';
import { readAccounts } from '../../domain/accounts/account-store.ts';
import { planOfInvoice, type ReminderPlan, reminderPlanOf } from '../../domain/accounts/reminder-plan.ts';
import type { Invoice } from '../../domain/invoices/invoice.ts';
import { stepTimer } from '../../domain/mails/mail-timer.ts';
import { remindersBetween } from '../../domain/mails/reminder-times.ts';
import type { Timer } from '../../store/timers/timer-item.ts';
import { isTimerStored, schedule, sendTimers, storeTimer } from '../../store/timers/timers.ts';

const checkMs = 100;
/** Longer than a move rests before the worker continues it. */
export const repeatedMs = 10 * 60_000;

/** A reminder that becomes due, and what sends it. */
interface DueReminder {
  readonly at: AccountTime;
  /** @param end when to stop, on the clock of `performance.now` */
  readonly settle: (clock: unknown, end: number) => Promise<boolean>;
}

/** The reminders of one call that advances a clock. */
export class DueReminders {
  /** Undefined: the account sends none. */
  readonly plan: ReminderPlan | undefined;
  readonly #owner: Owner;
  readonly #settled = new Set<string>();

  private constructor(owner: Owner, plan: ReminderPlan | undefined) {
    this.#owner = owner;
    this.plan = plan;
  }

  /** Reads the plan of the account. */
  static async of(owner: Owner): Promise<DueReminders> {
    const [account] = await readAccounts([owner.account]);
    return new DueReminders(owner, account && reminderPlanOf(account));
  }

  /** Returns the reminders of open invoices until a moment, those that this call has settled excepted. */
  until(target: AccountTime, from: AccountTime, invoices: readonly Invoice[]): DueReminder[] {
    const { plan } = this;
    if (!plan) return [];
    return invoices.flatMap(({ id, dueDate, createdAt, reminders }) =>
      remindersBetween(
        planOfInvoice(plan, { reminders }),
        dueDate,
        Math.max(from - repeatedMs, createdAt),
        target,
      ).flatMap(({ day, at }) => {
        const timer = (due: number) =>
          stepTimer({ ...this.#owner, invoiceId: id, kind: 'reminder', reminderDay: day }, due);
        const name = timer(0).reference;
        if (this.#settled.has(name)) return [];
        const settle = async (_: unknown, end: number) => {
          const isDone = await completeByWorker(timer(now()), end);
          if (isDone) this.#settled.add(name);
          return isDone;
        };
        return [{ at, settle }];
      }),
    );
  }
}

/** Makes a timer fire now, and waits until the worker has completed it. Returns false if it has not in time. */
export async function completeByWorker(timer: Timer, end: number): Promise<boolean> {
  const { scheduled, lease, time } = schedule(timer, now());
  const stored = await storeTimer(scheduled, lease);
  await sendTimers([stored], time);
  while (performance.now() < end) {
    if (!(await isTimerStored(stored))) return true;
    await wait(checkMs);
  }
  return false;
}
