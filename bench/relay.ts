/**
 * Measures the relay in one lane of the stream: the rate for a backlog of one account, and what a burst of one account
 * costs the other accounts of the lane. The baseline relays each item on its own, with one transaction for each change.
 */
import { randomUUID } from 'node:crypto';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { type LambdaHandler, lambdaContext, loadHandler } from '../infra/local/handler.ts';
import { triggers } from '../infra/triggers.ts';
import type { Owner } from '../shared/base/ids.ts';
import { toOutboxItem } from '../shared/store/commit/outbox-item.ts';
import { tableKeys } from '../shared/store/keys.ts';
import { sampleEvent } from '../test/support/sample-events.ts';
import { latencies, type ModeledTable, modelTable } from './modeled-table.ts';
import { formatCount, formatMs, formatRatio, percentile, printLine, type Table } from './results.ts';

const backlogSize = 5_000;
/** The baseline is slow. */
const baselineBacklogSize = 500;
const burstSize = 2_500;
/** The outbox items of an account are in one partition of the table, which accepts 1,000 write units a second. */
const burstPerSecond = 500;
const others = { accounts: 20, perSecond: 50, seconds: 9 };
const rounds = 1;
/** From the end of one invocation to the begin of the next. */
const invocationMs = 5;

/** A relay, as one instance runs it: one batch after another. */
interface Contestant {
  readonly name: string;
  readonly batchSize: number;
  readonly relay: (records: readonly DynamoDBRecord[]) => Promise<void>;
}

/** A change that arrives in the stream at `atMs`, counted from the start of the measurement. */
interface Change {
  readonly atMs: number;
  readonly account: string;
  readonly sk: string;
  readonly record: DynamoDBRecord;
}

export async function benchRelay(): Promise<Table> {
  const own = await groupCommit();
  const contestants = [own, await oneByOne()];
  const rows: string[][] = [];
  for (const endpoints of [0, 1]) {
    const measured: Backlog[] = [];
    for (const contestant of contestants) {
      const backlog = await measureBacklog(contestant, endpoints);
      measured.push(backlog);
      rows.push(toBacklogRow(contestant, endpoints, backlog, measured[0] ?? backlog));
    }
  }
  return toTable([...rows, ...(await measureOthers(own))]);
}

async function groupCommit(): Promise<Contestant> {
  const { handler: file, batchSize } = triggers.publishOutbox;
  const handler: LambdaHandler<DynamoDBStreamEvent, DynamoDBBatchResponse> = await loadHandler(file);
  return {
    name: 'Remit',
    batchSize,
    relay: async (records) => {
      const { batchItemFailures } = await handler({ Records: [...records] }, lambdaContext(file, 60_000));
      if (batchItemFailures.length > 0) throw new Error('A change was not relayed.');
    },
  };
}

async function oneByOne(): Promise<Contestant> {
  const { relay } = await import('../shared/operations/outbox/relay.ts');
  const { fromOutboxItem } = await import('../shared/store/commit/outbox-item.ts');
  return {
    name: '… one transaction for each change',
    batchSize: 25,
    relay: async (records) => {
      const items = records.map(({ dynamodb }) => fromOutboxItem(unmarshall(dynamodb?.NewImage as never)));
      await Promise.all(items.map((item) => relay(item, Date.now())));
    },
  };
}

let created = 0;

/** Returns a new change: an invoice was created. */
function newChange(owner: Owner, atMs: number): Change {
  created += 1;
  const item = toOutboxItem(owner, randomUUID(), Date.now(), {
    indexEntries: [
      { resource: 'invoice', seq: created, filterKeys: ['#customer#0123456789abcdef'], status: 'pending' },
    ],
    events: [sampleEvent('invoice.created', owner)],
    timers: [{ due: Date.now() + 30 * 24 * 60 * 60_000, kind: 'overdue', reference: `inv_${randomUUID()}` }],
  });
  const dynamodb = { SequenceNumber: String(created), NewImage: marshall(item) as never };
  return {
    atMs,
    account: owner.account,
    sk: String(item?.sk),
    record: { eventID: String(created), dynamodb },
  };
}

/** Creates an account with `endpoints` webhook endpoints. */
function newOwner(table: ModeledTable, endpoints: number): Owner {
  const owner: Owner = { account: `acct_${randomUUID().slice(0, 16)}`, mode: 'test' };
  const items = Array.from({ length: endpoints }, (_, number) =>
    marshall({
      ...tableKeys.webhook(owner, `wh_${randomUUID().replaceAll('-', '').slice(0, 26)}`),
      ...owner,
      version: 1,
      status: 'enabled',
      number,
      url: 'https://example.com/',
      events: ['*'],
    }),
  );
  table.endpoints.set(tableKeys.webhook(owner, '').pk, items);
  return owner;
}

/** Processes the changes as the stream delivers them: in order, one batch after another. Returns each one's latency. */
async function relayInOrder(
  table: ModeledTable,
  { batchSize, relay }: Contestant,
  changes: readonly Change[],
): Promise<Map<Change, number>> {
  const { clock } = table;
  const startedAt = clock.now();
  for (let next = 0; next < changes.length; ) {
    const nowMs = clock.now() - startedAt;
    const batch = changes.slice(next, next + batchSize).filter(({ atMs }) => atMs <= nowMs);
    if (batch.length === 0) {
      await clock.wait((changes[next]?.atMs ?? 0) - nowMs);
      continue;
    }
    await clock.wait(invocationMs);
    await relay(batch.map(({ record }) => record));
    next += batch.length;
  }
  return new Map(
    changes.map((change) => [
      change,
      (table.deletedAt.get(change.sk) ?? Number.NaN) - startedAt - change.atMs,
    ]),
  );
}

interface Backlog {
  readonly perSecond: number;
  readonly cpuMs: number;
  readonly calls: number;
}

/** Relays a backlog of one account. The first batches are the warm-up. */
async function measureBacklog(contestant: Contestant, endpoints: number): Promise<Backlog> {
  printLine(`  ${contestant.name}: a backlog, ${endpoints} endpoints`);
  const table = await modelTable();
  const run = async (count: number) => {
    const owner = newOwner(table, endpoints);
    const changes = Array.from({ length: count }, () => newChange(owner, 0));
    table.calls.clear();
    const [startedAt, before] = [table.clock.now(), process.cpuUsage()];
    await relayInOrder(table, contestant, changes);
    const { user, system } = process.cpuUsage(before);
    const seconds = (table.clock.now() - startedAt) / 1000;
    if (table.cursors.get(tableKeys.eventCursor(owner).pk) !== count) throw new Error('Positions are wrong.');
    const calls = [...table.calls.values()].reduce((sum, number) => sum + number, 0);
    return { perSecond: count / seconds, cpuMs: (user + system) / 1000 / count, calls: calls / count };
  };
  try {
    await run(baselineBacklogSize);
    return await run(contestant.name === 'Remit' ? backlogSize : baselineBacklogSize);
  } finally {
    table.remove();
  }
}

/** Measures the latencies of the other accounts, without and with a burst. The rounds alternate. */
async function measureOthers(contestant: Contestant): Promise<string[][]> {
  const latenciesMs: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    for (const [index, burst] of [0, burstSize].entries()) {
      printLine(`  ${contestant.name}: other accounts, round ${round + 1}/${rounds}, burst of ${burst}`);
      latenciesMs[index]?.push(...(await measureRound(contestant, burst)));
    }
  }
  const p99 = percentile(latenciesMs[0], 0.99);
  return latenciesMs.map((values, index) => [
    contestant.name,
    index === 0 ? 'others alone' : 'others during a burst',
    ...Array(4).fill(''),
    formatMs(percentile(values, 0.5)),
    formatMs(percentile(values, 0.99)),
    formatRatio(percentile(values, 0.99) / p99),
  ]);
}

async function measureRound(contestant: Contestant, burst: number): Promise<number[]> {
  const table = await modelTable();
  try {
    const owners = Array.from({ length: others.accounts }, () => newOwner(table, 0));
    const bursting = newOwner(table, 0);
    const count = others.perSecond * others.seconds;
    const changes = [
      ...Array.from({ length: count }, (_, index) =>
        newChange(owners[(index * 7) % owners.length] as Owner, (index * 1000) / others.perSecond),
      ),
      ...Array.from({ length: burst }, (_, index) =>
        newChange(bursting, 2_000 + (index * 1000) / burstPerSecond),
      ),
    ].sort((a, b) => a.atMs - b.atMs);
    const latenciesMs = await relayInOrder(table, contestant, changes);
    return [...latenciesMs].flatMap(([change, ms]) =>
      change.account === bursting.account || change.atMs < 2_000 ? [] : [ms],
    );
  } finally {
    table.remove();
  }
}

function toBacklogRow({ name }: Contestant, endpoints: number, own: Backlog, first: Backlog): string[] {
  return [
    name,
    endpoints === 0 ? 'backlog' : 'backlog, one endpoint',
    formatCount(own.perSecond),
    formatRatio(own.perSecond / first.perSecond),
    own.calls.toFixed(2),
    `${own.cpuMs.toFixed(2)} ms`,
    '',
    '',
    '',
  ];
}

function toTable(rows: readonly string[][]): Table {
  const { accounts, perSecond } = others;
  return {
    title: 'Relaying a burst of one account',
    columns: ['relay', 'load', 'changes/s', 'rate', 'calls per change', 'CPU', 'p50', 'p99', 'p99'],
    rows,
    notes: [
      `Targets: ≥ 1,000 changes/s of one account, and during a burst the p99 of the other accounts stays within 1.2×. The backlog is ${formatCount(backlogSize)} changes of one account, each with two index pages, an event and a timer, and in the second case a delivery. The others are ${accounts} accounts with ${perSecond} changes/s in all, in the same lane of the stream as the burst. A lane is what one instance processes: with a parallelization factor of ${triggers.publishOutbox.parallelizationFactor}, nine of ten accounts are in other lanes, which the burst does not touch. The burst is ${formatCount(burstSize)} changes at ${burstPerSecond}/s, the most that the partition of an account's outbox items accepts.`,
      `The baseline runs the same code on each change alone, in batches of 25, as before changes were grouped. A latency starts when the change is in the stream, and ends when its outbox item is deleted.`,
      `Time is modeled: reads and single writes take ${latencies.single} ms, transactions, batches and messages ${latencies.other} ms, an invocation ${invocationMs} ms, and the CPU time of this process is added. The stream is polled without a pause. Calls are answered from memory, so the emulator takes no part.`,
    ],
  };
}
