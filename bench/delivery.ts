/**
 * From the change to the receiver, through the whole of the local stack: how many events it sustains, how long one takes
 * at a steady rate, and whether a receiver that hangs delays the others.
 */
import type { Stack } from '../infra/local/stack.ts';
import { newAccount } from '../test/support/api.ts';
import { type Arrival, type Outside, startOutside } from './outside.ts';
import { count, ms, percentile, say, type Table, times } from './results.ts';

/** Waits in stream and queue to find out what is sustained. */
const backlog = 1_500;
const steady = { perSecond: 50, seconds: 20 };
const receivers = { number: 20, perSecond: 40, seconds: 15, rounds: 4 };

export async function benchDelivery(stack: Stack): Promise<Table> {
  const outside = await startOutside(stack);
  const parts = [stack.stream, stack.queues];
  for (const part of parts) part.resume();
  try {
    const bench = { stack, outside };
    await atSteadyRate(bench, 20, 5);
    const sustained = await drain(bench);
    const rates = [steady.perSecond, Math.floor(sustained / 2)];
    const rows: string[][] = [];
    for (const perSecond of rates) {
      const name = perSecond === steady.perSecond ? '' : ' (half of what is sustained)';
      const latencies = await atSteadyRate(bench, perSecond, steady.seconds);
      rows.push([`${perSecond} events/s${name}`, ...describe(latencies)]);
    }
    return await toTable(bench, sustained, rows);
  } finally {
    await Promise.all(parts.map((part) => part.pause()));
    outside.close();
  }
}

interface Bench {
  readonly stack: Stack;
  readonly outside: Outside;
}

/** API keys of new accounts, each with an endpoint at its path. */
async function newKeys({ stack, outside }: Bench, paths: readonly string[]): Promise<string[]> {
  const keys: string[] = [];
  for (const path of paths) {
    const { test } = await newAccount(stack.baseUrl);
    await test.post('/api/webhooks', { url: `${outside.url}${path}`, events: ['*'] });
    keys.push(test.apiKey);
  }
  return keys;
}

/** Events per second that publisher and dispatcher work off a backlog at, with nothing else to do. */
async function drain(bench: Bench): Promise<number> {
  const { stack, outside } = bench;
  const apiKeys = await newKeys(bench, ['/after/0']);
  await stack.stream.pause();
  await outside.create({ apiKeys, count: backlog, perSecond: 100 });
  const began = performance.now();
  stack.stream.resume();
  await outside.take(backlog);
  return (backlog * 1000) / (performance.now() - began);
}

async function atSteadyRate(bench: Bench, perSecond: number, seconds: number): Promise<number[]> {
  say(`  ${perSecond} events/s for ${seconds} s`);
  const [number, apiKeys] = [perSecond * seconds, await newKeys(bench, ['/after/0'])];
  const { outside } = bench;
  await outside.create({ apiKeys, count: number, perSecond });
  return latenciesOf(await outside.take(number));
}

/** What the receivers that do not hang have seen, with all of them well and with one that hangs, in turn. */
async function withOneHanging(bench: Bench): Promise<[well: number[], hanging: number[]]> {
  const seen: [number[], number[]] = [[], []];
  const { number, perSecond, seconds, rounds } = receivers;
  const { outside } = bench;
  for (let round = 0; round < rounds; round++) {
    for (const [place, first] of ['/after/0', '/hang'].entries()) {
      say(`  ${number} receivers, round ${round + 1}/${rounds}, the first at ${first}`);
      const paths = Array.from({ length: number }, (_, index) => (index === 0 ? first : '/after/0'));
      const apiKeys = await newKeys(
        bench,
        paths.map((path, index) => `${path}/${round}-${index}`),
      );
      const created = perSecond * seconds;
      await outside.create({ apiKeys, count: created, perSecond });
      const others = created - created / number;
      const arrivals = await outside.take(first === '/hang' ? others : created);
      seen[place]?.push(...latenciesOf(arrivals.filter(({ path }) => !path.endsWith('-0'))));
    }
  }
  return seen;
}

const latenciesOf = (arrivals: readonly Arrival[]) => arrivals.map(({ latencyMs }) => latencyMs);

const describe = (latencies: readonly number[]) => [
  count(latencies.length),
  ms(percentile(latencies, 0.5)),
  ms(percentile(latencies, 0.99)),
];

async function toTable(bench: Bench, sustained: number, rows: readonly string[][]): Promise<Table> {
  const [well, hanging] = await withOneHanging(bench);
  const ratio = percentile(hanging, 0.99) / percentile(well, 0.99);
  const name = `${receivers.number} receivers, ${receivers.perSecond} events/s`;
  return {
    title: 'From the change to the receiver',
    columns: ['load', 'events', 'p50', 'p99', 'p99'],
    rows: [
      ...rows.map((row) => [...row, '']),
      [name, ...describe(well), '1.00×'],
      ['… one of them hangs: the others', ...describe(hanging), times(ratio)],
    ],
    notes: [
      `Target: with one of 20 receivers hanging, the others' p99 within 1.2×. A backlog is worked off at ${Math.round(sustained)} events/s.`,
      'Publisher, dispatcher and SQS are one process here; DynamoDB Local is another, and API, clients and receivers are a third. The stream is polled every 100 ms. From the time in the event, which is taken before its change is committed, to the arrival of the whole request. Rounds with and without the receiver that hangs take turns, with new endpoints each.',
    ],
  };
}
