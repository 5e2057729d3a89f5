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

interface Deadline {
  /** The instant on the clock of `performance.now()`. The wall clock can jump. */
  readonly endsAt: number;
  mayHaveEffect: boolean;
  /** What rejects the work that runs within it. */
  readonly open: Set<() => void>;
  /** One timer for all work. It is set when the first work begins. */
  timer?: NodeJS.Timeout;
  /** A timer can fire before its time, by less than a millisecond. */
  isOver?: boolean;
}

const deadlines = new AsyncLocalStorage<Deadline>();

export class DeadlineExceededError extends Error {
  override readonly name: string = 'DeadlineExceededError';

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
  const endsAt = performance.now() + context.getRemainingTimeInMillis() - reserveMs;
  const deadline: Deadline = { endsAt, mayHaveEffect: false, open: new Set() };
  return deadlines.run(deadline, work).finally(() => clearTimeout(deadline.timer));
}

/** Returns the milliseconds that are left until the deadline. Returns `Infinity` without a deadline. */
export function remainingMs(): number {
  return (deadlines.getStore()?.endsAt ?? Number.POSITIVE_INFINITY) - performance.now();
}

/** Notes that the work of this invocation has taken effect, or may have. It then never fails as if nothing happened. */
export function noteEffect(): void {
  const deadline = deadlines.getStore();
  if (deadline) deadline.mayHaveEffect = true;
}

/** Returns whether the work of this invocation may have taken effect. Without a deadline, the answer is yes. */
export function mayHaveEffect(): boolean {
  return deadlines.getStore()?.mayHaveEffect ?? true;
}

/** Lets work give up before its deadline. */
export interface Expiry {
  /** The last failure of the work. The error at the deadline names it as its cause. */
  cause?: unknown;
  /** Rejects immediately with `error`, as if the deadline had passed. Has no effect without a deadline. */
  readonly expire: (error: DeadlineExceededError) => void;
}

/**
 * Runs `work`, and rejects at the deadline at the latest. Work that has started continues, but nothing waits for it.
 * @throws DeadlineExceededError if the deadline passes, or has passed before
 */
export function rejectAtDeadline<T>(work: (expiry: Expiry) => Promise<T>): Promise<T> {
  const deadline = deadlines.getStore();
  if (!deadline) return work({ expire: () => {} });
  const leftMs = remainingMs();
  if (leftMs <= 0 || deadline.isOver) return Promise.reject(new DeadlineExceededError());
  const { open } = deadline;
  deadline.timer ??= setTimeout(() => {
    deadline.isOver = true;
    for (const reject of open) reject();
  }, Math.ceil(leftMs));
  return new Promise((resolve, reject) => {
    const expiry: Expiry = { expire: reject };
    const expire = () => reject(new DeadlineExceededError(expiry.cause));
    open.add(expire);
    const ending =
      <V>(settle: (value: V) => void) =>
      (value: V) => {
        open.delete(expire);
        settle(value);
      };
    work(expiry).then(ending(resolve), ending(reject));
  });
}
