/** Computes when the reminders of an invoice are due. Pure. */
import type { AccountTime } from '../../base/time.ts';
import { dueDayIn, instantIn } from '../accounts/fiscal-year.ts';
import { type ReminderPlan, weekdays } from '../accounts/reminder-plan.ts';

/** A reminder of an invoice, which has one at most for each of its days. */
export interface Reminder {
  /** Days from the due date. */
  readonly day: number;
  readonly at: AccountTime;
}

const dayMs = 24 * 60 * 60 * 1000;
/** How far a reminder can be from its day in UTC: six days off, a time zone, and the hour. */
const mostShiftMs = 9 * dayMs;

/**
 * Returns the reminders of an invoice in a range of time, the earliest first.
 * @param dueDate as the invoice shows it
 * @param from the first instant of the range
 * @param to the last instant of the range
 */
export function remindersBetween(
  { days, hour, daysOff, timeZone }: ReminderPlan,
  dueDate: string,
  from: AccountTime,
  to: AccountTime,
): Reminder[] {
  const due = Date.parse(dueDate);
  // A format of times takes long to make, so only reminders are computed that can be in the range.
  const candidates = days.filter((day) => {
    const about = due + day * dayMs;
    return about >= from - mostShiftMs && about <= to + mostShiftMs;
  });
  if (candidates.length === 0) return [];
  const zone = knownZone(timeZone);
  const dueDay = Date.parse(dueDayIn(zone, due));
  return candidates
    .map((day) => {
      let date = dueDay + day * dayMs;
      while (daysOff.some((off) => off === weekdays[new Date(date).getUTCDay()])) date += dayMs;
      return { day, at: instantIn(zone, new Date(date).toISOString().slice(0, 10), hour) };
    })
    .filter(({ at }) => at >= from && at <= to)
    .sort((one, other) => one.at - other.at || one.day - other.day);
}

/** Returns the reminder that is due at a moment: the last one until then. Undefined: none is. */
export function dueReminder(plan: ReminderPlan, dueDate: string, now: AccountTime): Reminder | undefined {
  return remindersBetween(plan, dueDate, Number.NEGATIVE_INFINITY, now).at(-1);
}

/** Pages show the times of a zone that this runtime does not know in UTC. */
function knownZone(timeZone: string): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return timeZone;
  } catch {
    return 'UTC';
  }
}

/** Returns the next reminder of an invoice after an instant. Undefined: none follows. */
export function nextReminder(plan: ReminderPlan, dueDate: string, after: AccountTime): Reminder | undefined {
  return remindersBetween(plan, dueDate, after + 1, Number.POSITIVE_INFINITY)[0];
}
