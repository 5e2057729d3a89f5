/** Takes up deliveries that an endpoint has missed. */
import { queueHandler } from '../../shared/batch.ts';
import type { TimerMessage } from '../../shared/store/timers.ts';
import { recover } from '../../shared/webhooks/redelivery.ts';

export const handler = queueHandler(async ({ body }) => {
  await recover(JSON.parse(body) as TimerMessage);
});
