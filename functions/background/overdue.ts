/** Turns pending invoices overdue when their timer comes. The timer is a hint; the invoice's own state decides. */
import { queueHandler } from '../../shared/batch.ts';
import { passDueDate } from '../../shared/invoices/store.ts';
import type { TimerMessage } from '../../shared/store/timers.ts';
import { now } from '../../shared/time.ts';

export const handler = queueHandler(async ({ body }) => {
  await passDueDate(JSON.parse(body) as TimerMessage, now());
});
