/** Runs every five minutes: uses the API as a client and a payer do, and logs whether it worked. */
import { scheduleHandler } from '../../shared/operations/background/schedule-handler.ts';
import { runScheduledCanary } from '../../shared/operations/canary/scheduled-canary.ts';

export const handler = scheduleHandler(runScheduledCanary);
