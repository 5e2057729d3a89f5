/** Limits how much work runs at the same time. */

/** Runs `work` when fewer than the limit are running, in the order of the calls. Returns the result of `work`. */
export type Limited = <T>(work: () => Promise<T>) => Promise<T>;

/** Creates a function that runs at most `most` pieces of work at the same time. */
export function limitConcurrency(most: number): Limited {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running < most) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
