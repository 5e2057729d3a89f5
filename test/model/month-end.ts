/**
 * A model of the sweep at month end: a million timers are due in the same minute. It runs the schedule of the sweep with
 * the constants of the service and the limits of AWS, because a million items do not fit into a test.
 *
 * The model does not contain the processor time of the sweep.
 */
import { tableConnections } from '../../shared/store/client.ts';
import { timerShards } from '../../shared/store/keys.ts';
import { queueConnections } from '../../shared/store/queue-client.ts';
import { leasesPerBatch } from '../../shared/store/timers/lease-timers.ts';
import { leasesPerPage, minutesAhead, sweepMs } from '../../shared/store/timers/sweep-timers.ts';

export interface SweepModel {
  readonly timers: number;
  readonly shards: number;
  /** Write units of a lease, in the partition of its timer. */
  readonly unitsPerLease: number;
  /** Calls in sequence of a lease, or of a batch of leases: to the table, and to the queue. */
  readonly tableCalls: number;
  readonly queueCalls: number;
  /** How many leases a call to the table writes, and how many messages a call to the queue sends. */
  readonly leasesPerTableCall: number;
  readonly messagesPerQueueCall: number;
  /** How many leases of a partition are in progress at once. */
  readonly leasesAtOnce: number;
  /** A run leases no more pages after this time. */
  readonly sweepMs: number;
}

/** The limits of AWS. */
export const limits = { unitsPerSecond: 1_000, callMs: 10, runEveryMs: 60_000 } as const;

/** The sweep. `sweep-cost.test.ts` holds the units and the calls of a lease. */
export const monthEnd: SweepModel = {
  timers: 1_000_000,
  shards: timerShards,
  unitsPerLease: 2,
  tableCalls: 2,
  queueCalls: 1,
  leasesPerTableCall: leasesPerBatch,
  messagesPerQueueCall: 10,
  leasesAtOnce: leasesPerBatch,
  sweepMs,
};

/** Another design: each lease is a transaction, 20 of a partition at once. */
export const oneTransactionEach = {
  unitsPerLease: 4,
  tableCalls: 1,
  leasesPerTableCall: 1,
  messagesPerQueueCall: 1,
  leasesAtOnce: 20,
} as const;

export interface SweepResult {
  /** When the last timer is leased, in milliseconds since the start of the first run that leases. */
  readonly lastLeaseMs: number;
  /** The same, in milliseconds since the timers are due. Negative: before. */
  readonly afterDueMs: number;
  readonly runs: number;
}

/** Runs the model: in each run, every shard leases page after page until the time of the run ends. */
export function modelSweep(model: SweepModel): SweepResult {
  const pageMs = pageDurationMs(model);
  const pagesPerRun = Math.ceil(model.sweepMs / pageMs);
  const pages = Math.ceil(largestShard(model) / leasesPerPage);
  const runs = Math.ceil(pages / pagesPerRun);
  const lastLeaseMs = (runs - 1) * limits.runEveryMs + (pages - (runs - 1) * pagesPerRun) * pageMs;
  // The first run that leases begins up to one minute after the timers may be leased.
  const firstRunMs = -minutesAhead * 60_000 + limits.runEveryMs;
  return { lastLeaseMs, afterDueMs: firstRunMs + lastLeaseMs, runs };
}

/** Returns how long a shard takes for a page while all shards are busy. */
function pageDurationMs(model: SweepModel): number {
  const { shards, unitsPerLease, tableCalls, queueCalls } = model;
  const { callMs, unitsPerSecond } = limits;
  // A query, and a read of the marks.
  const readsMs = 2 * callMs;
  const inSequenceMs = Math.ceil(leasesPerPage / model.leasesAtOnce) * (tableCalls + queueCalls) * callMs;
  const unitsMs = (leasesPerPage * unitsPerLease * 1000) / unitsPerSecond;
  const tableCallsOfPage = (leasesPerPage / model.leasesPerTableCall) * tableCalls + 2;
  const tableMs = (shards * tableCallsOfPage * callMs) / tableConnections;
  const queueCallsOfPage = (leasesPerPage / model.messagesPerQueueCall) * queueCalls;
  const queueMs = (shards * queueCallsOfPage * callMs) / queueConnections;
  return Math.max(readsMs + inSequenceMs, unitsMs, tableMs, queueMs);
}

/**
 * Returns how many timers the fullest shard has: five standard deviations more than the mean, because the hash of their
 * ids distributes them.
 */
function largestShard({ timers, shards }: SweepModel): number {
  const mean = timers / shards;
  return Math.ceil(mean + 5 * Math.sqrt(mean));
}
