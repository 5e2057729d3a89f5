/**
 * Gives the work of a function a deadline, shortly before Lambda stops the function. So a request still gets its
 * response and its log line, and a batch still reports the records that failed.
 *
 * Work outside of `withDeadline` has no deadline, for example that of a command.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Context } from 'aws-lambda';

/** The time from the deadline until Lambda stops the function, for the response and the log. */
const reserveMs = 2_000;

/** The instant on the clock of `performance.now()`. The wall clock can jump. */
const deadlines = new AsyncLocalStorage<number>();

export class DeadlineExceededError extends Error {
  override readonly name = 'DeadlineExceededError';

  /** @param cause the last failure before the deadline, if one is known */
  constructor(cause?: unknown) {
    super('The deadline of this invocation passed.', { cause });
  }
}

/** Runs `work` with a deadline two seconds before Lambda stops the invocation of `context`. */
export function withDeadline<T>(
  context: Pick<Context, 'getRemainingTimeInMillis'>,
  work: () => Promise<T>,
): Promise<T> {
  return deadlines.run(performance.now() + context.getRemainingTimeInMillis() - reserveMs, work);
}

/** Returns the milliseconds that are left until the deadline. Returns `Infinity` without a deadline. */
export function remainingMs(): number {
  return (deadlines.getStore() ?? Number.POSITIVE_INFINITY) - performance.now();
}

/** Lets work give up before its deadline. */
export interface Expiry {
  /** The last failure of the work. The error at the deadline names it as its cause. */
  cause?: unknown;
  /** Rejects immediately, as if the deadline had passed. Has no effect without a deadline. */
  readonly expire: () => void;
}

/**
 * Runs `work`, and rejects at the deadline at the latest. Work that has started continues, but nothing waits for it.
 * @throws DeadlineExceededError if the deadline passes, or has passed before
 */
export function rejectAtDeadline<T>(work: (expiry: Expiry) => Promise<T>): Promise<T> {
  const leftMs = remainingMs();
  if (leftMs === Number.POSITIVE_INFINITY) return work({ expire: () => {} });
  if (leftMs <= 0) return Promise.reject(new DeadlineExceededError());
  return new Promise((resolve, reject) => {
    const expiry: Expiry = { expire: () => reject(new DeadlineExceededError(expiry.cause)) };
    const timer = setTimeout(expiry.expire, leftMs);
    work(expiry)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
