/** Every minute, one at a time: sends the timers that are due and publishes what the stream's consumer has left. */
import { publish } from '../../shared/events/publish.ts';
import { claimLeftOutboxItems } from '../../shared/store/outbox.ts';
import { sweepTimers } from '../../shared/store/timers.ts';
import { now } from '../../shared/time.ts';

export const handler = async (): Promise<void> => {
  await sweepTimers(now());
  for (const item of await claimLeftOutboxItems(now())) await publish(item, now());
};
