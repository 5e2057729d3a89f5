/**
 * Decides which reminders have a timer, one for each invoice and reminder.
 *
 * - The daily reconciliation, which reads all open invoices, sets the timers of the reminders that are near. So a new plan holds within a
 *   day, and an invoice that is paid early costs nothing. A move of the clock of test mode sets them, too.
 * - The relay sets the same timers after the creation of an invoice, and after a change of its due date or its days
 *   (`shared/operations/outbox/mail-timers.ts`).
 * - A timer is a hint. When it fires, the plan, the due date and the state of the invoice decide, as they are then.
 * - Only reminders of the future get a timer. So nobody gets the reminders of the past when an account switches them on, or imports
 *   old invoices. After days without a reconciliation, those get one too that it would have set. Of several, only the last is sent.
 */
import { type Clock, toRealTime } from '../../base/clock.ts';
import type { Owner } from '../../base/ids.ts';
import type { AccountTime } from '../../base/time.ts';
import type { Timer } from '../../store/timers/timer-item.ts';
import { planOfInvoice, type ReminderPlan } from '../accounts/reminder-plan.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { stepTimer } from './mail-timer.ts';
import { remindersBetween } from './reminder-times.ts';

/** How far ahead timers of reminders are set, in milliseconds. The daily reconciliation can fail twice. */
export const nearMs = 3 * 24 * 60 * 60 * 1000;

/**
 * Returns the timers of the reminders of an invoice that are due after a moment and near.
 * @param plan that of the account
 * @param clock the moment. Timers are in the real time
 * @param from the first instant at which a reminder can be due, if it is not the next one
 */
export function reminderTimersOf(
  { account, mode }: Owner,
  { id, dueDate, reminders }: Pick<Invoice, 'id' | 'dueDate' | 'reminders'>,
  plan: ReminderPlan,
  clock: Clock,
  from: AccountTime = clock.account + 1,
): Timer[] {
  const own = planOfInvoice(plan, { reminders });
  return remindersBetween(own, dueDate, from, clock.account + nearMs).map(({ day, at }) =>
    stepTimer({ account, mode, invoiceId: id, kind: 'reminder', reminderDay: day }, toRealTime(clock, at)),
  );
}
