/** Every minute, one at a time: sends the timers that are due and publishes what the stream's consumer has left. */
import { allOrThrow } from '../../shared/settle.ts';
import { measureBacklog } from '../../shared/store/backlog.ts';
import { sweepTimers } from '../../shared/store/timers.ts';
import { now } from '../../shared/time.ts';
import { publishLeft } from '../../shared/webhooks/publish.ts';

/** The backlog is measured before the work that makes it less. No part keeps the others from being done. */
export const handler = async () => {
  const measuring = measureBacklog(now());
  await Promise.allSettled([measuring]);
  await allOrThrow([measuring, sweepTimers(now()), publishLeft()]);
};
