/**
 * Decides how long a throttled DynamoDB call waits, and how it fails at the deadline.
 *
 * An item and a partition serve a limited number of writes a second, so a burst of requests on one account has to wait
 * for its turn. Each request runs in an instance of its own, and the instances do not know one another. So each one waits
 * a random time that gets shorter as its deadline approaches: the requests with the least time left try most often.
 */
import { DeadlineExceededError, mayHaveEffect, remainingMs } from '../base/deadline.ts';

const firstDelayMs = 25;
const longestDelayMs = 2_000;
/** A wait uses at most this part of the time that is left. */
const partOfTimeLeft = 1 / 8;
/** The time that the last attempt has for its answer. Without an answer, it would be unknown whether it had an effect. */
const answerMs = 1_000;

/** DynamoDB throttled the work until its deadline. The work had no effect. */
export class ThrottledError extends DeadlineExceededError {
  override readonly name = 'ThrottledError';
}

/** The name of the error of a throttled call, and of a throttled action in a canceled transaction. */
const throttlingErrors = new Set([
  'ThrottlingException',
  'ThrottlingError',
  'ProvisionedThroughputExceededException',
  'ProvisionedThroughputExceeded',
  'RequestLimitExceeded',
]);

/** Whether `name` is the name of an error, or the code of a cancellation reason, with which DynamoDB throttles. */
export function isThrottling(name: string | undefined): boolean {
  return name !== undefined && throttlingErrors.has(name);
}

/** Returns the milliseconds in which a throttled operation can start another attempt. `Infinity` without a deadline. */
export function throttledRemainingMs(): number {
  return remainingMs() - answerMs;
}

/**
 * Returns the wait after the throttled attempt `attempt` (from 0) in milliseconds: exponential with jitter, two seconds
 * at most.
 * @param leftMs the time in which another attempt can start
 */
export function throttledDelayMs(attempt: number, leftMs: number): number {
  const ceiling = Math.min(longestDelayMs, firstDelayMs * 2 ** attempt, leftMs * partOfTimeLeft);
  return (Math.max(firstDelayMs, ceiling) / 2) * (1 + Math.random());
}

/**
 * Returns the error of work that DynamoDB throttled until the deadline.
 * @param cause the last error of DynamoDB
 */
export function throttledUntilDeadline(cause?: unknown): DeadlineExceededError {
  return mayHaveEffect() ? new DeadlineExceededError(cause) : new ThrottledError(cause);
}

/**
 * Waits before a throttled operation is tried again.
 * @param attempt the number of earlier attempts, from 0
 * @throws DeadlineExceededError immediately, if the deadline is earlier: a `ThrottledError` if nothing took effect
 */
export async function waitWhileThrottled(attempt: number, cause?: unknown): Promise<void> {
  const leftMs = throttledRemainingMs();
  const delayMs = throttledDelayMs(attempt, leftMs);
  if (delayMs >= leftMs) throw throttledUntilDeadline(cause);
  await new Promise((resolve) => setTimeout(resolve, delayMs));
}
