/**
 * Measures the processor time with which the sweep leases timers. The baseline is a lease with three calls of its own: two
 * writes and a message.
 */
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { StoredTimer } from '../shared/store/timers/timer-item.ts';
import { modelTable } from './modeled-table.ts';
import { formatCount, formatRatio, median, type Table } from './results.ts';

const pageSize = 100;
const pagesPerRound = 30;
const rounds = 7;
const due = Date.now() + 60_000;
const minute = Math.floor(due / 60_000);

type Lease = (page: readonly StoredTimer[]) => Promise<void>;

export async function benchLeases(): Promise<Table> {
  const contestants = [
    ['batches (Remit)', await leaseInBatches()],
    ['three calls for each lease', await leaseOneByOne()],
  ] as const;
  const table = await modelTable();
  const times = new Map<string, number[]>(contestants.map(([name]) => [name, []]));
  const calls = new Map<string, number>();
  try {
    // The first round only compiles the code.
    for (let round = 0; round <= rounds; round++) {
      for (const [name, lease] of contestants) {
        table.calls.clear();
        const cpu = process.cpuUsage();
        for (let page = 0; page < pagesPerRound; page++) await lease(newPage());
        const { user, system } = process.cpuUsage(cpu);
        const leases = pageSize * pagesPerRound;
        if (round > 0) times.get(name)?.push((user + system) / leases);
        calls.set(name, [...table.calls.values()].reduce((sum, count) => sum + count) / leases);
      }
    }
  } finally {
    table.remove();
  }
  const timeOf = (name: string) => median(times.get(name) ?? []);
  const [[own]] = contestants;
  return {
    title: 'Processor time of a lease',
    columns: ['design', 'calls per lease', 'processor time', 'ratio'],
    rows: contestants.map(([name]) => [
      name,
      (calls.get(name) ?? 0).toFixed(2),
      `${formatCount(timeOf(name))} µs`,
      formatRatio(timeOf(name) / timeOf(own)),
    ]),
    notes: [
      `Medians of ${rounds} rounds of ${formatCount(pageSize * pagesPerRound)} leases each, in turns. The answers come from memory, so the time is that of the service's code and of the SDK, without the network.`,
    ],
  };
}

function newPage(): StoredTimer[] {
  return Array.from({ length: pageSize }, () => {
    const reference = `inv_${crypto.randomUUID()}`;
    return { pk: 'TIMER', sk: reference, due, kind: 'overdue', reference, minute };
  });
}

async function leaseInBatches(): Promise<Lease> {
  const { leasePage } = await import('../shared/store/timers/lease-timers.ts');
  const run = { time: due, elapsedMs: () => 0 } as const;
  return async (page) => {
    const [failure] = await leasePage(page, run);
    if (failure) throw failure.error;
  };
}

async function leaseOneByOne(): Promise<Lease> {
  const { dynamodb } = await import('../shared/store/client.ts');
  const { sendMessage } = await import('../shared/store/queues.ts');
  const { planLease } = await import('../shared/store/timers/lease-timers.ts');
  const { timerItem, timerKey } = await import('../shared/store/timers/timer-item.ts');
  const { settleInParallel } = await import('../shared/base/settle-in-parallel.ts');
  const TableName = process.env.TABLE_NAME;
  return async (page) => {
    await settleInParallel(page, 20, async (item) => {
      const planned = planLease(item, { time: due });
      if (!planned) throw new Error('The timer is leased.');
      await dynamodb.send(new PutCommand({ TableName, Item: timerItem(planned.copy, planned.lease) }));
      await dynamodb.send(new DeleteCommand({ TableName, Key: timerKey(item) }));
      await sendMessage('overdue', { body: planned.copy });
    });
  };
}
