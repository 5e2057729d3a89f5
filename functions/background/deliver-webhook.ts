/** Delivers events to webhook endpoints. */

import { dispatchDeliveries } from '../../shared/domain/webhooks/dispatch.ts';
import { timerBatchHandler } from '../../shared/operations/background/timer-handler.ts';

export const handler = timerBatchHandler('webhook', dispatchDeliveries);
