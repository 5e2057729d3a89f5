/** Runs work on many items, a few of them at a time. */

/** An item of which the work has ended, with the error that it threw or the value that it returned. */
export type Settled<T, R> =
  | { readonly item: T; readonly failed: false; readonly value: R }
  | { readonly item: T; readonly failed: true; readonly error: unknown };

/** Runs `work` on each item, on at most `limit` of them at once. A failure does not stop the other items. */
export async function settleInParallel<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<Settled<T, R>[]> {
  const settled: Settled<T, R>[] = [];
  const remaining = items.values();
  const workOff = async () => {
    for (const item of remaining) {
      try {
        settled.push({ item, failed: false, value: await work(item) });
      } catch (error) {
        settled.push({ item, failed: true, error });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, workOff));
  return settled;
}
