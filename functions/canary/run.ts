/** Runs every five minutes: uses the API as a client and a payer do, and logs whether it worked. */
import { scheduleHandler } from '../../shared/background/schedule-handler.ts';
import { runScheduledCanary } from '../../shared/canary/scheduled-canary.ts';

export const handler = scheduleHandler(runScheduledCanary);
