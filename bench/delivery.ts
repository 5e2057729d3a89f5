/**
 * Measures webhook deliveries from the change to the receiver on the whole local stack: the sustained event rate, the
 * latency at a steady rate, and the effect of a hanging receiver on the other receivers.
 */
import type { Stack } from '../infra/local/stack.ts';
import { newAccount } from '../test/support/api.ts';
import type { GoalResult } from './goals.ts';
import { type Arrival, type LoadGenerator, startLoadGenerator } from './load-generator.ts';
import { formatCount, formatMs, formatRatio, percentile, printLine, type Table } from './results.ts';

/** The number of events in the backlog that the sustained rate is measured with. */
const backlog = 1_500;
const steady = { perSecond: 50, seconds: 20 };
/** The goal for the processor time of a delivery, in milliseconds. */
const mostCpuMs = 8;
const receivers = { number: 20, perSecond: 40, seconds: 15, rounds: 4 };

export async function benchDelivery(stack: Stack): Promise<Table> {
  const loadGenerator = await startLoadGenerator(stack);
  const parts = [stack.stream, stack.queues];
  for (const part of parts) part.resume();
  try {
    const bench = { stack, loadGenerator };
    await measureSteadyRate(bench, 20, 5);
    const sustained = await measureSustainedRate(bench);
    const rates = [steady.perSecond, Math.floor(sustained / 2)];
    const rows: string[][] = [];
    const goals: GoalResult[] = [];
    for (const perSecond of rates) {
      const name = perSecond === steady.perSecond ? '' : ' (half of the sustained rate)';
      const measured = await measureSteadyRate(bench, perSecond, steady.seconds);
      const row = `${perSecond} events/s${name}`;
      const figure = 'server CPU a delivery';
      goals.push({ figure, row, measured: formatMs(measured.cpuMs), shares: [measured.cpuMs / mostCpuMs] });
      rows.push([row, ...describeLatencies(measured.latencies), '', formatMs(measured.cpuMs)]);
    }
    return await toTable(bench, sustained, rows, goals);
  } finally {
    await Promise.all(parts.map((part) => part.pause()));
    loadGenerator.close();
  }
}

interface Bench {
  readonly stack: Stack;
  readonly loadGenerator: LoadGenerator;
}

/** Creates one account with one webhook endpoint for each path. Returns their API keys. */
async function createAccounts({ stack, loadGenerator }: Bench, paths: readonly string[]): Promise<string[]> {
  const keys: string[] = [];
  for (const path of paths) {
    const { test } = await newAccount(stack.baseUrl);
    await test.post('/api/webhooks', { url: `${loadGenerator.url}${path}`, events: ['*'] });
    keys.push(test.apiKey);
  }
  return keys;
}

/** Returns the sustained rate: the events per second at which the relay and the dispatcher process a backlog. */
async function measureSustainedRate(bench: Bench): Promise<number> {
  const { stack, loadGenerator } = bench;
  const apiKeys = await createAccounts(bench, ['/after/0']);
  await stack.stream.pause();
  await loadGenerator.create({ apiKeys, count: backlog, perSecond: 100 });
  const startedAt = performance.now();
  stack.stream.resume();
  await loadGenerator.take(backlog);
  return (backlog * 1000) / (performance.now() - startedAt);
}

/** The delivery latencies of a steady rate, and the processor time of a delivery, both in milliseconds. */
interface SteadyRate {
  readonly latencies: readonly number[];
  readonly cpuMs: number;
}

/** Creates events at a steady rate, and measures their deliveries. */
async function measureSteadyRate(bench: Bench, perSecond: number, seconds: number): Promise<SteadyRate> {
  printLine(`  ${perSecond} events/s for ${seconds} s`);
  const [total, apiKeys] = [perSecond * seconds, await createAccounts(bench, ['/after/0'])];
  const { loadGenerator } = bench;
  const before = process.cpuUsage();
  await loadGenerator.create({ apiKeys, count: total, perSecond });
  const latencies = latenciesOf(await loadGenerator.take(total));
  const { user, system } = process.cpuUsage(before);
  return { latencies, cpuMs: (user + system) / 1000 / total };
}

/** Returns the latencies of the responsive receivers: without and with one hanging receiver. The rounds alternate. */
async function compareWithHangingReceiver(bench: Bench): Promise<[normal: number[], withHanging: number[]]> {
  const latencies: [number[], number[]] = [[], []];
  const { number, perSecond, seconds, rounds } = receivers;
  const { loadGenerator } = bench;
  for (let round = 0; round < rounds; round++) {
    for (const [index, firstPath] of ['/after/0', '/hang'].entries()) {
      printLine(`  ${number} receivers, round ${round + 1}/${rounds}, the first at ${firstPath}`);
      const paths = Array.from({ length: number }, (_, receiver) =>
        receiver === 0 ? firstPath : '/after/0',
      );
      const apiKeys = await createAccounts(
        bench,
        paths.map((path, receiver) => `${path}/${round}-${receiver}`),
      );
      const created = perSecond * seconds;
      await loadGenerator.create({ apiKeys, count: created, perSecond });
      const others = created - created / number;
      const arrivals = await loadGenerator.take(firstPath === '/hang' ? others : created);
      latencies[index]?.push(...latenciesOf(arrivals.filter(({ path }) => !path.endsWith('-0'))));
    }
  }
  return latencies;
}

const latenciesOf = (arrivals: readonly Arrival[]) => arrivals.map(({ latencyMs }) => latencyMs);

const describeLatencies = (latencies: readonly number[]) => [
  formatCount(latencies.length),
  formatMs(percentile(latencies, 0.5)),
  formatMs(percentile(latencies, 0.99)),
];

async function toTable(
  bench: Bench,
  sustained: number,
  rows: readonly string[][],
  goals: readonly GoalResult[],
): Promise<Table> {
  const [normal, withHanging] = await compareWithHangingReceiver(bench);
  const ratio = percentile(withHanging, 0.99) / percentile(normal, 0.99);
  const name = `${receivers.number} receivers, ${receivers.perSecond} events/s`;
  return {
    title: 'From the change to the receiver',
    columns: ['load', 'events', 'p50', 'p99', 'p99', 'CPU of a delivery'],
    rows: [
      ...rows,
      [name, ...describeLatencies(normal), '1.00×', ''],
      ['… one of them hangs: the others', ...describeLatencies(withHanging), formatRatio(ratio), ''],
    ],
    goals,
    notes: [
      `Target: if one of 20 receivers hangs, the p99 of the others stays within 1.2×. The sustained rate is ${Math.round(sustained)} events/s.`,
      'The relay, the dispatcher and SQS share one process, and the CPU of a delivery is that of this process. DynamoDB Local is a second process. The API, clients and receivers are a third. The stream is polled every 100 ms. A latency starts at the time in the event, which is taken before the change is committed, and ends when the whole request has arrived. Rounds with and without the hanging receiver alternate, each with new endpoints.',
    ],
  };
}
