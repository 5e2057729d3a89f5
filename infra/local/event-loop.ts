/**
 * Tells how busy the event loop of this process is. All functions of the local stack share it, so background functions that use all of
 * its time delay requests.
 */
import { performance } from 'node:perf_hooks';

/** The share of the time, from 0 to 1, from which on the event loop counts as busy. */
const busyShare = 0.6;
/** Shorter periods say little. In milliseconds. */
const periodMs = 25;

let [startedAt, start, isBusy] = [performance.now(), performance.eventLoopUtilization(), false];

/** Returns whether the event loop had little time to spare in the last finished period. */
export function isEventLoopBusy(): boolean {
  const now = performance.now();
  if (now - startedAt < periodMs) return isBusy;
  isBusy = performance.eventLoopUtilization(start).utilization >= busyShare;
  startedAt = now;
  start = performance.eventLoopUtilization();
  return isBusy;
}
