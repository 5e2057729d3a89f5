/**
 * Tells whether the gateways of this process have requests. All functions of the local stack share one DynamoDB Local, so background
 * functions let requests go first.
 */
import { performance } from 'node:perf_hooks';

/** Another request is expected for this long after the last one began. In milliseconds. */
const expectedMs = 1_000;

let running = 0;
let lastBeganAt = Number.NEGATIVE_INFINITY;
const listeners = new Set<() => void>();

/**
 * Counts a request as running.
 * @returns a function that ends this. Call it once
 */
export function beginRequest(): () => void {
  running++;
  lastBeganAt = performance.now();
  return () => {
    running--;
    if (running === 0) for (const listener of listeners) listener();
  };
}

/** What requests do now: none is expected, one is expected because another has begun in the last second, or one runs. */
export type LocalRequestState = 'none expected' | 'expected' | 'running';

/** Returns whether a request runs, or is expected because one has begun in the last second. */
export function requestState(): LocalRequestState {
  if (running > 0) return 'running';
  return performance.now() - lastBeganAt < expectedMs ? 'expected' : 'none expected';
}

/** Returns whether a request runs or is expected. */
export const isRequestExpected = (): boolean => requestState() !== 'none expected';

/**
 * Returns how many records or messages a background function gets at once. While requests are expected it gets one, because large
 * batches make large calls: a transaction of 100 items takes DynamoDB Local 80 ms.
 * @param most the batch size in a deployment
 */
export const batchSizeNow = (most: number): number => (isRequestExpected() ? 1 : most);

/**
 * Calls `listener` each time when the last running request has ended.
 * @returns a function that ends this
 */
export function listenToLastRequest(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
