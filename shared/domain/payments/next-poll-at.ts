/** Computes when to poll a provider again for an outcome that it does not know yet. */
import type { Instant } from '../../base/time.ts';

/**
 * An outcome takes seconds or hours. So polls are 5 seconds apart at first, then half of the elapsed time, at most 30
 * min. An outcome at a hosted provider can take days. Polls for it are at most 4 hours apart.
 */
const shortestMs = 5_000;
const defaultLongestMs = 30 * 60_000;
export const longestHostedPollMs = 4 * 3_600_000;

/**
 * Returns the next instant at which to poll. The instants depend only on the time of creation. So if a queue delivers a
 * message twice, both deliveries set the same timer, and polls do not multiply.
 * @param createdAt when the payment or refund was created, in milliseconds since 1970
 * @param timer the timer of the current poll
 * @param longestMs the longest time between two polls
 * @returns milliseconds since 1970, later than both `now` and the timer's due time
 */
export function nextPollAt(
  createdAt: Instant,
  timer: { due: Instant },
  now: Instant,
  longestMs: number = defaultLongestMs,
): Instant {
  // A message can arrive early by another clock. The next timer must still be a different one.
  const after = Math.max(now, timer.due);
  let pollAt = createdAt;
  while (pollAt <= after) {
    pollAt += Math.min(longestMs, Math.max(shortestMs, Math.round((pollAt - createdAt) / 2)));
  }
  return pollAt;
}
