/** Looks at payments whose outcome is open, or whose money is to go back, when their timer comes. */
import { queueHandler } from '../../shared/batch.ts';
import { lookAtPayment } from '../../shared/payments/settlement.ts';
import type { TimerMessage } from '../../shared/store/timers.ts';
import { now } from '../../shared/time.ts';

export const handler = queueHandler(async ({ body }) => {
  await lookAtPayment(JSON.parse(body) as TimerMessage, now());
});
