/**
 * Turns pending invoices overdue when their timer fires, and continues moves of clocks of test mode. The timer is a hint: the
 * state of the invoice or of the clock decides.
 */
import { timerHandler } from '../../shared/background/timer-handler.ts';
import { continueMove, isMoveTimer } from '../../shared/clock/continue-move.ts';
import { makeOverdueIfDue } from '../../shared/invoices/store.ts';

export const handler = timerHandler('overdue', (timer, now) =>
  isMoveTimer(timer) ? continueMove(timer) : makeOverdueIfDue(timer, now),
);
