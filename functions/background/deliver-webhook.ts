/** Delivers events to webhook endpoints. */
import { queueHandler } from '../../shared/batch.ts';
import type { TimerMessage } from '../../shared/store/timers.ts';
import { dispatch } from '../../shared/webhooks/dispatch.ts';

export const handler = queueHandler(async ({ body }) => {
  await dispatch(JSON.parse(body) as TimerMessage);
});
