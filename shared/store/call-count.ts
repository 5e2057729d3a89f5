/** Counts the DynamoDB calls of each request. */
import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The DynamoDB calls of one request: all of them, and the longest chain in which each call waited for the previous one.
 */
export interface CallCount {
  calls: number;
  inSequence: number;
}

const counts = new AsyncLocalStorage<CallCount>();

/** Runs `work` and adds the DynamoDB calls made inside it to `count`. */
export function countingCalls<T>(count: CallCount, work: () => Promise<T>): Promise<T> {
  return counts.run(count, work);
}

/**
 * Runs `work` as a chain of its own. It runs beside others, and a call of theirs that happens to end first does not make it longer.
 */
export async function asOwnChain<T>(work: () => Promise<T>): Promise<T> {
  const count = counts.getStore();
  if (!count) return work();
  const own: CallCount = { calls: 0, inSequence: count.inSequence };
  try {
    return await counts.run(own, work);
  } finally {
    count.calls += own.calls;
    count.inSequence = Math.max(count.inSequence, own.inSequence);
  }
}

/** Runs `work` without adding its DynamoDB calls to the count of the request. */
export function uncounted<T>(work: () => Promise<T>): Promise<T> {
  return counts.exit(work);
}

/** Counts one call, if it is made inside `countingCalls`. Returns the function to call when it ends. */
export function beginCall(): () => void {
  const count = counts.getStore();
  if (!count) return () => {};
  count.calls += 1;
  const position = count.inSequence + 1;
  return () => {
    count.inSequence = Math.max(count.inSequence, position);
  };
}
