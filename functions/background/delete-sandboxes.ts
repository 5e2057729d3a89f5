/** Runs every hour: continues the deletion of sandboxes that have ended. */
import { scheduleHandler } from '../../shared/background/schedule-handler.ts';
import { deleteEndedSandboxes } from '../../shared/sandboxes/delete-sandboxes.ts';
import { now } from '../../shared/time.ts';

export const handler = scheduleHandler(() => deleteEndedSandboxes(now()));
