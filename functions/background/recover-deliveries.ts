/** Restarts the deliveries that a webhook endpoint missed. */

import { recoverDeliveries } from '../../shared/domain/webhooks/redelivery.ts';
import { timerHandler } from '../../shared/operations/background/timer-handler.ts';

export const handler = timerHandler('recovery', recoverDeliveries);
