/** Turns pending invoices overdue when their timer fires. The timer is a hint: the invoice's own state decides. */
import { timerHandler } from '../../shared/background/timer-handler.ts';
import { makeOverdueIfDue } from '../../shared/invoices/store.ts';

export const handler = timerHandler(makeOverdueIfDue);
