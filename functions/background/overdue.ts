/**
 * Turns pending invoices overdue when their timer fires, makes the invoices of schedules, and continues moves of clocks of test mode. The
 * timer is a hint: the state of the invoice, of the schedule or of the clock decides.
 */

import { isRecordId } from '../../shared/base/ids.ts';
import { makeOverdueIfDue } from '../../shared/domain/invoices/invoice-store.ts';
import { timerHandler } from '../../shared/operations/background/timer-handler.ts';
import { continueMove, isMoveTimer } from '../../shared/operations/clock/continue-move.ts';
import { makeDueInvoices } from '../../shared/operations/schedules/make-occurrences.ts';

export const handler = timerHandler('overdue', (timer, now) => {
  if (isMoveTimer(timer)) return continueMove(timer);
  const isOfSchedule = isRecordId('schedule', timer.reference);
  return isOfSchedule ? makeDueInvoices(timer, now) : makeOverdueIfDue(timer, now);
});
