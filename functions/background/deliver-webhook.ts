/** Delivers events to webhook endpoints. */
import { timerBatchHandler } from '../../shared/background/timer-handler.ts';
import { dispatchDeliveries } from '../../shared/webhooks/dispatch.ts';

export const handler = timerBatchHandler('webhook', dispatchDeliveries);
