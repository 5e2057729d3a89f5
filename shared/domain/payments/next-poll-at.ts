/** Computes when to poll a provider again for an outcome that it does not know yet. */
import type { RealTime } from '../../base/time.ts';

/**
 * An outcome takes seconds or hours. So polls are 5 seconds apart at first, then half of the elapsed time, at most 30
 * min. An outcome at a hosted provider can take days. Polls for it are at most 4 hours apart. An outcome that took a month
 * may never come, so polls are a day apart then.
 */
const shortestMs = 5_000;
const defaultLongestMs = 30 * 60_000;
const dayMs = 24 * 3_600_000;
const monthMs = 30 * dayMs;
export const longestHostedPollMs = 4 * 3_600_000;

/**
 * How long the outcome of a payment or a refund at a hosted provider can take, in milliseconds. No provider decides later than some
 * weeks. A payment that the merchant has gone on without fails after this time, and so does a refund about which nobody can ask.
 */
export const outcomeWithinMs = monthMs;

/**
 * Returns the next instant at which to poll. The instants depend only on the time of creation. So if a queue delivers a
 * message twice, both deliveries set the same timer, and polls do not multiply.
 * @param createdAt when the payment or refund was created, in milliseconds since 1970
 * @param timer the timer of the current poll
 * @param longestMs the longest time between two polls in the first 30 days
 * @returns milliseconds since 1970, later than both `now` and the timer's due time
 */
export function nextPollAt(
  createdAt: RealTime,
  timer: { due: RealTime },
  now: RealTime,
  longestMs: number = defaultLongestMs,
): RealTime {
  // A message can arrive early by another clock. The next timer must still be a different one.
  const after = Math.max(now, timer.due);
  let pollAt = createdAt;
  while (pollAt <= after) {
    const elapsedMs = pollAt - createdAt;
    const longest = elapsedMs < monthMs ? longestMs : dayMs;
    pollAt += Math.min(longest, Math.max(shortestMs, Math.round(elapsedMs / 2)));
  }
  return pollAt;
}
