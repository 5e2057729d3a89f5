/**
 * Measures how a backlog of webhook deliveries affects requests, and how fast it falls, on the whole local stack: once as fast as
 * DynamoDB Local is, and once with the limits of a partition on AWS.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stack } from '../infra/local/stack.ts';
import { type Api, newAccount } from '../test/support/api.ts';
import { installFaults } from '../test/support/fault-layer.ts';
import type { GoalResult } from './goals.ts';
import { type LoadGenerator, startLoadGenerator } from './load-generator.ts';
import { formatCount, formatMs, formatRatio, percentile, printLine, type Table } from './results.ts';

const endpoints = 20;
const events = 2_500;
const backlog = endpoints * events;
const requests = { perSecond: 20, seconds: 10 };
/** The units a second of a partition on AWS: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html */
const limits = { partition: { write: 1_000, read: 3_000 } };
const mostTimes = 2;

export async function benchBacklog(stack: Stack, seed: number): Promise<Table> {
  const loadGenerator = await startLoadGenerator(stack);
  try {
    const goals: GoalResult[] = [];
    const rows: string[][] = [];
    for (const name of ['no limits', 'limits of a partition on AWS']) {
      const layer = name === 'no limits' ? undefined : await installFaults({ seed, limits });
      const run = await measure(stack, loadGenerator);
      layer?.remove();
      const times = Math.max(...run.windows.map(({ p99 }) => p99)) / run.before;
      const figure = 'p99 of requests beside 50,000 deliveries';
      goals.push({ figure, row: name, measured: formatRatio(times), shares: [times / mostTimes] });
      rows.push(...toRows(name, run));
    }
    return {
      title: 'Requests beside a backlog',
      columns: ['table', 'time', 'deliveries that wait', 'delivered', 'p99 of a list', 'p99'],
      rows,
      goals,
      notes: [
        `${endpoints} endpoints of an account get ${formatCount(events)} events while the queues are paused. Then the queues run, and ${requests.perSecond} lists of invoices a second are requested of another account. The API, the relay, the dispatcher, SQS and the clients share one process. Each row is a window of ${requests.seconds} s. Target: the p99 of each window is at most ${mostTimes}× that before, and the backlog falls in each.`,
      ],
    };
  } finally {
    loadGenerator.close();
  }
}

interface Window {
  readonly waiting: number;
  readonly delivered: number;
  readonly p99: number;
}
interface Run {
  /** The p99 of requests without background work, in milliseconds. */
  readonly before: number;
  readonly windows: readonly Window[];
}

async function measure(stack: Stack, loadGenerator: LoadGenerator): Promise<Run> {
  const { test } = await newAccount(stack.baseUrl);
  for (let index = 0; index < endpoints; index++)
    await test.post('/api/webhooks', { url: `${loadGenerator.url}/after/0/${index}`, events: ['*'] });
  stack.stream.resume();
  await loadGenerator.create({ apiKeys: [test.apiKey], count: events, perSecond: 50 });
  const { test: other } = await newAccount(stack.baseUrl);
  await stack.stream.pause();
  await measureRequests(other);
  const before = await measureRequests(other);
  const windows: Window[] = [];
  stack.queues.resume();
  stack.stream.resume();
  for (let waiting = backlog; waiting > 0; ) {
    const p99 = await measureRequests(other);
    const delivered = (await loadGenerator.take(1)).length;
    waiting -= delivered;
    windows.push({ waiting, delivered, p99 });
    printLine(`  ${formatCount(waiting)} wait, p99 ${formatMs(p99)} (${formatMs(before)} before)`);
  }
  await Promise.all([stack.stream.pause(), stack.queues.pause()]);
  return { before, windows };
}

/** Requests a list at a steady rate. Returns the p99 of the durations in milliseconds. @throws Error if one fails */
async function measureRequests(api: Api): Promise<number> {
  const startedAt = performance.now();
  const all: Promise<number>[] = [];
  for (let index = 0; index < requests.perSecond * requests.seconds; index++) {
    const waitMs = startedAt + (index * 1000) / requests.perSecond - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    all.push(measureRequest(api));
  }
  return percentile(await Promise.all(all), 0.99);
}

async function measureRequest(api: Api): Promise<number> {
  const startedAt = performance.now();
  const { status } = await api.get('/api/invoices');
  if (status !== 200) throw new Error(`A list answered ${status}.`);
  return performance.now() - startedAt;
}

function toRows(name: string, { before, windows }: Run): string[][] {
  const rowOf = (time: string, { waiting, delivered, p99 }: Window) => [
    name,
    time,
    formatCount(waiting),
    formatCount(delivered),
    formatMs(p99),
    formatRatio(p99 / before),
  ];
  return [
    rowOf('before', { waiting: backlog, delivered: 0, p99: before }),
    ...windows.map((window, index) => rowOf(`${(index + 1) * requests.seconds} s`, window)),
  ];
}
