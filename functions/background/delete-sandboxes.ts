/** Runs every hour: continues the deletion of sandboxes that have ended. */

import { now } from '../../shared/base/time.ts';
import { scheduleHandler } from '../../shared/operations/background/schedule-handler.ts';
import { deleteEndedSandboxes } from '../../shared/operations/sandboxes/delete-sandboxes.ts';

export const handler = scheduleHandler(() => deleteEndedSandboxes(now()));
