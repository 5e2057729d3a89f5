/** Every minute, one at a time: sends the timers that are due and publishes what the stream's consumer has left. */

import { allOrThrow } from '../../shared/settle.ts';
import { measureBacklog } from '../../shared/store/backlog.ts';
import { sweepTimers } from '../../shared/store/timers.ts';
import { now } from '../../shared/time.ts';
import { publishLeft } from '../../shared/webhooks/publish.ts';

/** No part keeps the others from being done. */
export const handler = () => allOrThrow([measureBacklog(now()), sweepTimers(now()), publishLeft()]);
