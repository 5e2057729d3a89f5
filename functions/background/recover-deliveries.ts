/** Restarts the deliveries that a webhook endpoint missed. */
import { timerHandler } from '../../shared/background/timer-handler.ts';
import { recoverDeliveries } from '../../shared/webhooks/redelivery.ts';

export const handler = timerHandler('recovery', recoverDeliveries);
