/** When a provider is asked again for an outcome that it did not know yet. */
import type { Instant } from '../time.ts';

/** Providers know within seconds, or it takes hours: so often at first, then after half the time that has passed. */
const shortestMs = 5_000;
const longestMs = 30 * 60_000;

/**
 * The next of the instants at which to ask, later than `now`. Which they are follows from the beginning alone: queues
 * deliver at least once, and a message that comes twice so sets one timer, and what asks does not multiply.
 * @param begunAt when the payment or refund was created
 * @param asked the timer that led to the question, due at `due`
 * @returns milliseconds since 1970, as all instants; it throws nothing
 */
export function nextLook(begunAt: Instant, asked: { due: Instant }, now: Instant): Instant {
  // A message may come before its time, by another clock: the next timer is another one in any case.
  const after = Math.max(now, asked.due);
  let look = begunAt;
  while (look <= after) look += Math.min(longestMs, Math.max(shortestMs, Math.round((look - begunAt) / 2)));
  return look;
}
