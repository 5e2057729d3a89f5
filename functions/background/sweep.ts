/** Runs every minute, one at a time: sends the timers that are due, and relays the outbox items that the stream left. */
import { scheduleHandler } from '../../shared/background/schedule-handler.ts';
import { logBacklog } from '../../shared/outbox/backlog.ts';
import { relayStale } from '../../shared/outbox/relay.ts';
import { sweepTimers } from '../../shared/store/timers/sweep-timers.ts';
import { throwAfterAllSettled } from '../../shared/throw-after-all-settled.ts';
import { now } from '../../shared/time.ts';

/** Measures the backlog before the work reduces it. A failure of one part does not stop the others. */
export const handler = scheduleHandler(async () => {
  const measuring = logBacklog(now());
  await Promise.allSettled([measuring]);
  await throwAfterAllSettled([measuring, sweepTimers(now()), relayStale()]);
});
