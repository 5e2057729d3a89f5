/** Delivers events to webhook endpoints. */
import { timerHandler } from '../../shared/background/timer-handler.ts';
import { dispatchDelivery } from '../../shared/webhooks/dispatch.ts';

export const handler = timerHandler(dispatchDelivery);
