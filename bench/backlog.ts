/**
 * Measures how a backlog of webhook deliveries affects requests, and how fast it falls, on the whole local stack: while events are
 * relayed, while only deliveries wait, and from half of the backlog on while the table throttles background work.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { currentRegion } from '../infra/local/environment.ts';
import { runningFunction } from '../infra/local/handler.ts';
import type { Stack } from '../infra/local/stack.ts';
import { outboxPartitions } from '../shared/store/keys.ts';
import { type Api, newAccount } from '../test/support/api.ts';
import { installFaults } from '../test/support/fault-layer.ts';
import { runAsInvocation } from '../test/support/invocations.ts';
import type { GoalResult } from './goals.ts';
import { type LoadGenerator, startLoadGenerator } from './load-generator.ts';
import { formatCount, formatMs, formatRatio, percentile, printLine, type Table } from './results.ts';

const endpoints = 20;
const events = 2_500;
const backlog = endpoints * events;
const requests = { perSecond: 20, seconds: 10 };
/**
 * The units a second of a partition of the table that throttles: a hundredth of those on AWS, because DynamoDB Local makes few
 * deliveries a second. As on AWS, the largest transaction fits into the units that a partition keeps.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/burst-adaptive-capacity.html
 */
const limits = { partition: { write: 10, read: 3_000 }, burstSeconds: 20 };
const mostTimes = 2;
/** The accounts that request lists in turn. One account would reach its limit of 5,000 requests an hour. */
const readers = 6;
const throttledWindows = 6;

const parts = ['events are relayed', 'only deliveries wait', 'the table throttles'] as const;
type Part = (typeof parts)[number];

interface Window {
  readonly part: Part;
  readonly waiting: number;
  readonly delivered: number;
  readonly latency: Latency;
}
/** How long lists took, and as many bare calls in sequence from another process at the same time. In milliseconds. */
interface Latency {
  readonly list: readonly number[];
  readonly bareCalls: readonly number[];
}
interface Run {
  /** Without background work. */
  readonly before: Latency;
  readonly windows: readonly Window[];
  /** The calls that the limits refused. */
  readonly throttled: number;
}

export async function benchBacklog(stack: Stack, seed: number): Promise<Table> {
  const loadGenerator = await startLoadGenerator(stack);
  const table = new DynamoDBClient({ endpoint: stack.dynamodbEndpoint, region: currentRegion() });
  try {
    return toTable(await measure({ stack, loadGenerator, table }, seed));
  } finally {
    table.destroy();
    loadGenerator.close();
  }
}

interface Bench {
  readonly stack: Stack;
  readonly loadGenerator: LoadGenerator;
  /** A client that no function uses. */
  readonly table: DynamoDBClient;
}

async function measure(bench: Bench, seed: number): Promise<Run> {
  const { stack, loadGenerator } = bench;
  const others = await makeBacklog(bench);
  const measureLatency = () => latencyOf(bench, others);
  await measureLatency();
  const before = await measureLatency();
  const windows: Window[] = [];
  let waiting = backlog;
  const measureWindow = async (part: Part) => {
    const latency = await measureLatency();
    const delivered = (await loadGenerator.take(1)).length;
    waiting -= delivered;
    windows.push({ part, waiting, delivered, latency });
    printLine(`  ${part}: ${formatCount(waiting)} wait, ${toText(latency)}, ${toText(before)} before`);
  };
  stack.queues.resume();
  stack.stream.resume();
  // How many events are relayed before half of the deliveries are made depends on the machine.
  while (waiting > backlog / 2)
    await measureWindow((await hasOutboxItems(bench)) ? 'events are relayed' : 'only deliveries wait');
  const layer = await throttleBackground(seed);
  for (let index = 0; index < throttledWindows; index++) await measureWindow('the table throttles');
  const throttled = layer.stop();
  await Promise.all([stack.stream.pause(), stack.queues.pause()]);
  return { before, windows, throttled };
}

/** Limits the calls of background functions. `stop` ends that and returns how many calls the limits have refused. */
async function throttleBackground(seed: number): Promise<{ stop(): number }> {
  const { dynamodb } = await import('../shared/store/client.ts');
  const layer = await installFaults({ seed, limits });
  const name = 'throttleBackground';
  const step = (next: (args: object) => Promise<object>) => (args: object) =>
    runningFunction()?.startsWith('functions/background/')
      ? runAsInvocation(name, () => next(args))
      : next(args);
  dynamodb.middlewareStack.add(step as never, { step: 'initialize', name });
  return {
    stop: () => {
      dynamodb.middlewareStack.remove(name);
      layer.remove();
      return layer.counts['over a limit'] ?? 0;
    },
  };
}

/** Makes the events, whose deliveries wait. Returns the APIs of other accounts. */
async function makeBacklog({ stack, loadGenerator }: Bench): Promise<readonly Api[]> {
  const { test } = await newAccount(stack.baseUrl);
  for (let index = 0; index < endpoints; index++)
    await test.post('/api/webhooks', { url: `${loadGenerator.url}/after/0/${index}`, events: ['*'] });
  stack.stream.resume();
  await loadGenerator.create({ apiKeys: [test.apiKey], count: events, perSecond: 50 });
  const others: Api[] = [];
  while (others.length < readers) others.push((await newAccount(stack.baseUrl)).test);
  await stack.stream.pause();
  return others;
}

/** Returns whether events are not relayed yet. */
async function hasOutboxItems({ stack, table }: Bench): Promise<boolean> {
  const counts = outboxPartitions.map(async (pk) => {
    const query = new QueryCommand({
      TableName: stack.tableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: pk } },
      Select: 'COUNT',
      Limit: 1,
    });
    return (await table.send(query)).Count ?? 0;
  });
  return (await Promise.all(counts)).some((count) => count > 0);
}

async function latencyOf({ loadGenerator }: Bench, apis: readonly Api[]): Promise<Latency> {
  const count = requests.perSecond * requests.seconds;
  const [lists, bareCalls] = await Promise.all([
    measureLists(apis, count),
    loadGenerator.read({ count, perSecond: requests.perSecond }),
  ]);
  return { list: lists, bareCalls };
}

const p99 = (durations: readonly number[]) => percentile(durations, 0.99);
const toText = ({ list, bareCalls }: Latency) =>
  `list ${formatMs(p99(list))}, bare calls ${formatMs(p99(bareCalls))}`;

/** Requests a list at a steady rate. Returns the durations in milliseconds. @throws Error if one fails */
async function measureLists(apis: readonly Api[], count: number): Promise<readonly number[]> {
  const startedAt = performance.now();
  const all: Promise<number>[] = [];
  for (let index = 0; index < count; index++) {
    const waitMs = startedAt + (index * 1000) / requests.perSecond - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    all.push(measureRequest(apis[index % apis.length] as Api));
  }
  return Promise.all(all);
}

async function measureRequest(api: Api): Promise<number> {
  const startedAt = performance.now();
  const { status } = await api.get('/api/invoices');
  if (status !== 200) throw new Error(`A list answered ${status}.`);
  return performance.now() - startedAt;
}

function toTable({ before, windows, throttled }: Run): Table {
  const timesOf = ({ list, bareCalls }: Latency) => p99(list) / p99(bareCalls);
  const rowOf = (part: string, { waiting, delivered, latency }: Omit<Window, 'part'>) => [
    part,
    formatCount(waiting),
    formatCount(delivered),
    formatMs(p99(latency.list)),
    formatRatio(p99(latency.list) / p99(before.list)),
    formatMs(p99(latency.bareCalls)),
    formatRatio(timesOf(latency)),
  ];
  const goals = parts.flatMap((part): GoalResult[] => {
    const latencies = windows.filter((window) => window.part === part).map(({ latency }) => latency);
    if (latencies.length === 0) return [];
    const times = timesOf({
      list: latencies.flatMap(({ list }) => list),
      bareCalls: latencies.flatMap(({ bareCalls }) => bareCalls),
    });
    const figure = 'p99 of a list beside 50,000 deliveries, against its calls alone';
    return [{ figure, row: part, measured: formatRatio(times), shares: [times / mostTimes] }];
  });
  return {
    title: 'Requests beside a backlog',
    columns: [
      'while',
      'deliveries that wait',
      'delivered',
      'p99 of a list',
      '',
      'p99 of its calls alone',
      'list against its calls',
    ],
    rows: [
      rowOf('nothing else runs', { waiting: backlog, delivered: 0, latency: before }),
      ...windows.map((window) => rowOf(window.part, window)),
    ],
    goals,
    notes: [
      `${endpoints} endpoints of an account get ${formatCount(events)} events while the queues are paused. Then the queues run, and ${requests.perSecond} lists of invoices a second are requested of other accounts. The API, the relay, the dispatcher, SQS and the clients share one process. Each row is a window of ${requests.seconds} s. At the same time another process makes the calls of a list, two in sequence, and nothing else. Target: over all windows of a part, the p99 of a list is at most ${mostTimes}× that of its calls alone, and the backlog falls in each window. The p99 of one window is its second slowest of ${requests.perSecond * requests.seconds}, so a single pause of the machine can decide it.`,
      'DynamoDB Local executes one call after another, so a list waits for the call before it, and its calls alone wait as long. On AWS, calls for other accounts do not delay a request.',
      `The table that throttles allows the background functions ${limits.partition.write} write units a second for each partition. It refused ${formatCount(throttled)} calls, which they repeated.`,
    ],
  };
}
