/**
 * Makes the delivery of a stream or queue as unreliable as its guarantees allow: batches arrive late, twice, or with
 * their records in another order.
 *
 * A deferred batch counts as delivered for the poller. It is delivered after some later batches, or by `flush`.
 */
import { runAsInvocation } from './invocations.ts';
import { seededRandom } from './seeded-random.ts';

export interface Batch<R> {
  Records: R[];
}

export interface UnreliableDelivery<R, Context, Result> {
  readonly handler: (event: Batch<R>, context: Context) => Promise<Result | undefined>;
  /** Delivers all deferred batches, and defers no batch from now on. */
  flush(): Promise<void>;
}

interface DeferredBatch {
  /** How many more batches arrive before this one is delivered. */
  batchesLeft: number;
  readonly deliver: () => Promise<unknown>;
}

/**
 * Wraps the handler of a stream or queue. Each delivery is an invocation of its own, named `<name>-<number>`.
 * @param rate the chance of each batch to be reordered, the chance to be late, and the chance to be delivered twice
 */
export function makeUnreliable<R, Context, Result>(
  name: string,
  handler: (event: Batch<R>, context: Context) => Promise<Result>,
  { seed, rate }: { seed: number; rate: number },
): UnreliableDelivery<R, Context, Result> {
  let invocations = 0;
  let batches = 0;
  let mayDefer = true;
  const deferred: DeferredBatch[] = [];
  const invoke = (event: Batch<R>, context: Context) =>
    runAsInvocation(`${name}-${invocations++}`, () => handler(event, context));

  const deliverDeferred = async (isDue: (entry: DeferredBatch) => boolean) => {
    const due = deferred.filter(isDue);
    for (const entry of due) deferred.splice(deferred.indexOf(entry), 1);
    for (const { deliver } of due) await deliver().catch(() => {});
  };
  return {
    handler: async (event, context) => {
      const random = seededRandom(seed, name, batches++);
      for (const entry of deferred) entry.batchesLeft -= 1;
      const records = random.chance(rate) ? [...event.Records].reverse() : event.Records;
      const batch = { ...event, Records: records };
      const later = { batchesLeft: random.integer(1, 6), deliver: () => invoke(batch, context) };
      if (mayDefer && random.chance(rate)) {
        deferred.push(later);
        return undefined;
      }
      if (mayDefer && random.chance(rate)) deferred.push(later);
      const result = await invoke(batch, context);
      await deliverDeferred(({ batchesLeft }) => batchesLeft <= 0);
      return result;
    },
    flush: async () => {
      mayDefer = false;
      await deliverDeferred(() => true);
    },
  };
}
