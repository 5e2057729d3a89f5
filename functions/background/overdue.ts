/**
 * Turns pending invoices overdue when their timer fires, and continues moves of clocks of test mode. The timer is a hint: the
 * state of the invoice or of the clock decides.
 */

import { makeOverdueIfDue } from '../../shared/domain/invoices/invoice-store.ts';
import { timerHandler } from '../../shared/operations/background/timer-handler.ts';
import { continueMove, isMoveTimer } from '../../shared/operations/clock/continue-move.ts';

export const handler = timerHandler('overdue', (timer, now) =>
  isMoveTimer(timer) ? continueMove(timer) : makeOverdueIfDue(timer, now),
);
