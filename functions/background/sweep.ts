/** Every minute, one at a time: sends the timers that are due and publishes what the stream's consumer has left. */

import { allOrThrow } from '../../shared/settle.ts';
import { sweepTimers } from '../../shared/store/timers.ts';
import { now } from '../../shared/time.ts';
import { publishLeft } from '../../shared/webhooks/publish.ts';

/** Neither part keeps the other from being done. */
export const handler = () => allOrThrow([sweepTimers(now()), publishLeft(now())]);
