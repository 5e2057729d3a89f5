/** Runs every minute, one at a time: sends the timers that are due, and relays the outbox items that the stream left. */

import { throwAfterAllSettled } from '../../shared/base/throw-after-all-settled.ts';
import { now } from '../../shared/base/time.ts';
import { scheduleHandler } from '../../shared/operations/background/schedule-handler.ts';
import { logBacklog } from '../../shared/operations/outbox/backlog.ts';
import { relayStale } from '../../shared/operations/outbox/relay.ts';
import { sweepTimers } from '../../shared/store/timers/sweep-timers.ts';

/** Measures the backlog before the work reduces it. A failure of one part does not stop the others. */
export const handler = scheduleHandler(async () => {
  const measuring = logBacklog(now());
  await Promise.allSettled([measuring]);
  await throwAfterAllSettled([measuring, sweepTimers(now()), relayStale()]);
});
