/** Runs work on many items, a few of them at a time. */
import { limitConcurrency } from './limit-concurrency.ts';

/** An item of which the work has ended, with the error that it threw or the value that it returned. */
export type Settled<T, R> =
  | { readonly item: T; readonly failed: false; readonly value: R }
  | { readonly item: T; readonly failed: true; readonly error: unknown };

/** Runs `work` on each item, on at most `limit` of them at once. A failure does not stop the other items. */
export function settleInParallel<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<Settled<T, R>[]> {
  const limited = limitConcurrency(limit);
  return Promise.all(
    items.map(async (item): Promise<Settled<T, R>> => {
      try {
        return { item, failed: false, value: await limited(() => work(item)) };
      } catch (error) {
        return { item, failed: true, error };
      }
    }),
  );
}
