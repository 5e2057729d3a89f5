/**
 * Decides which due dates have a timer. Most invoices are paid before they are due, and a timer that is set, leased and
 * completed costs four write units.
 *
 * - A change sets the timer of a due date only if the date is near.
 * - The daily reconciliation reads every pending invoice, and sets the timers of those whose dates are near by then
 *   (`shared/operations/reconciliation/set-due-timers.ts`). So a date has its timer in time, also if the reconciliation of a day fails.
 */
import { isRecordId } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import { tableTime } from '../client.ts';
import type { Timer } from './timer-item.ts';

/** A due date is near if it is at most this many milliseconds ahead, or has passed. */
const nearDueMs = 3 * 24 * 60 * 60 * 1000;

/**
 * Whether a due date is near.
 * @param due in the real time
 * @param time on DynamoDB's clock
 */
export const isNearDue = (due: Instant, time: Instant): boolean => due - time <= nearDueMs;

/**
 * Whether a change, or a move of the clock of test mode, sets this timer. Only timers of due dates of invoices can wait.
 * @param now on the clock of this process
 */
export const isSetByChange = ({ kind, due, reference }: Timer, now: Instant): boolean =>
  kind !== 'overdue' || !isRecordId('invoice', reference) || isNearDue(due, tableTime(now));
