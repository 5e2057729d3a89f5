/** Computes how long the sweep takes at month end, when a million invoices are due in the same minute. */
import {
  limits,
  modelSweep,
  monthEnd,
  oneTransactionEach,
  type SweepModel,
} from '../test/model/month-end.ts';
import { formatCount, type Table } from './results.ts';

const designs: readonly (readonly [name: string, model: SweepModel])[] = [
  ['32 shards, batches of 25 leases (Remit)', monthEnd],
  ['32 shards, a transaction for each lease', { ...monthEnd, ...oneTransactionEach }],
  ['4 shards, batches of 25 leases', { ...monthEnd, shards: 4 }],
  ['4 shards, a transaction for each lease', { ...monthEnd, ...oneTransactionEach, shards: 4 }],
];

export function benchMonthEnd(): Table {
  return {
    title: 'A million timers in the same minute',
    columns: [
      'design',
      'units per lease',
      'runs of the sweep',
      'last lease after the first',
      'after the timers are due',
    ],
    rows: designs.map(([name, model]) => {
      const { runs, lastLeaseMs, afterDueMs } = modelSweep(model);
      const seconds = (ms: number) => `${formatCount(ms / 1000)} s`;
      return [
        name,
        String(model.unitsPerLease),
        formatCount(runs),
        seconds(lastLeaseMs),
        seconds(afterDueMs),
      ];
    }),
    notes: [
      `Target: the last lease at most 120 s after the first. This is a model with the constants of the service, not a measurement. A partition accepts ${formatCount(limits.unitsPerSecond)} write units a second, each call takes ${limits.callMs} ms, and a run starts every minute and leases for ${monthEnd.sweepMs / 1000} s. The model contains the limits of connections and the uneven distribution over the shards. It does not contain the processor time of the sweep, which the table “Processor time of a lease” shows: that can be the tighter limit.`,
    ],
  };
}
