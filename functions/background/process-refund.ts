/** Carries out refunds. */
import { queueHandler } from '../../shared/batch.ts';
import { processRefund } from '../../shared/refunds/processing.ts';
import type { TimerMessage } from '../../shared/store/timers.ts';
import { now } from '../../shared/time.ts';

export const handler = queueHandler(async ({ body }) => {
  await processRefund(JSON.parse(body) as TimerMessage, now());
});
