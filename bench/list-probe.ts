/** Asks for lists through the API: what each costs, how long it takes, and whether it is what the ledger says. */
import type { Stack } from '../infra/local/stack.ts';
import { listenToRequestLog } from '../test/support/api.ts';
import { request } from '../test/support/http.ts';
import { type CountedCall, countUnits, sumOf } from '../test/support/units.ts';
import { modelledMs } from '../test/support/wire-call.ts';
import { customerId, type Filter, type Ledger, statuses } from './ledger.ts';
import { median } from './results.ts';

export const limit = 20;
const warmUpRounds = 2;

export interface Probe {
  readonly path: string;
  readonly readUnits: number;
  readonly calls: number;
  readonly inSequence: number;
  /** How often the index was queried: 1 while it fits into a megabyte. */
  readonly queries: number;
  /** On AWS, by the modelled latencies. */
  readonly modelledMs: number;
}

export type ListRequest = Filter & { readonly offset: number };

export function pathOf({ status, customer, offset }: ListRequest): string {
  const query = new URLSearchParams({ limit: String(limit), offset: String(offset) });
  if (status) query.set('status', status);
  if (customer !== undefined) query.set('customerId', customerId(customer));
  return `/api/invoices?${query}`;
}

/** Every combination of these, with offsets at both ends, in the middle and beyond. */
export function allRequests(ledger: Ledger, customers: readonly (number | undefined)[]): ListRequest[] {
  return customers.flatMap((customer) =>
    [undefined, ...statuses].flatMap((status) => {
      const { total } = ledger.expected({ status, customer }, 0, 0);
      const offsets = new Set([0, Math.floor(total / 2), Math.max(0, total - 5), total]);
      return [...offsets].map((offset) => ({ status, customer, offset }));
    }),
  );
}

/** How many of the requests were answered otherwise than the ledger says. */
export async function countWrong(ledger: Ledger, requests: readonly ListRequest[]): Promise<number> {
  let wrong = 0;
  for (const one of requests) {
    const { json } = await ledger.api.get(pathOf(one));
    const { total, seqs } = ledger.expected(one, one.offset, limit);
    const wanted = seqs.map((seq) => `${ledger.id(seq)} ${ledger.status(seq)}`);
    const rows = json.data.map(({ id, status }: { id: string; status: string }) => `${id} ${status}`);
    if (json.pagination.total !== total || rows.join() !== wanted.join()) wrong += 1;
  }
  return wrong;
}

/** Costs, counted one request at a time. */
export async function probe(
  stack: Stack,
  { api }: Ledger,
  requests: readonly ListRequest[],
): Promise<Probe[]> {
  const log = await listenToRequestLog();
  const counter = countUnits(stack);
  const probes: Probe[] = [];
  for (const path of requests.map(pathOf)) {
    counter.take();
    const { dynamodbCalls: calls, dynamodbCallsInSequence: inSequence } = log.lineOf(await api.get(path));
    const counted = counter.take();
    const queries = counted.filter(({ operation }) => operation === 'Query').length;
    const readUnits = sumOf(counted, 'read');
    probes.push({ path, readUnits, calls, inSequence, queries, modelledMs: modelledListMs(counted) });
  }
  counter.remove();
  return probes;
}

/** Admission beside the first query, then the other ranges beside one another, then the records. */
function modelledListMs(calls: readonly CountedCall[]): number {
  const lasts = ({ operation, items }: CountedCall) =>
    modelledMs(
      { operation, input: {} },
      items.reduce((sum, { bytes }) => sum + bytes, 0),
    );
  const of = (name: string) => calls.filter(({ operation }) => operation === name).map(lasts);
  const [first = 0, ...others] = of('Query');
  const records = of('BatchGetItem').reduce((sum, time) => sum + time, 0);
  return Math.max(first, ...of('UpdateItem')) + Math.max(0, ...others) + records;
}

export interface Timing {
  /** Median of the time until the answer is there. */
  readonly wallMs: number;
  /** Median CPU time of this process: client, gateway and service together, as far as they take part. */
  readonly cpuMs: number;
}

/** Times of several lists, taken in turn, after some rounds to warm up. */
export async function timeInTurn(
  work: readonly (() => Promise<unknown>)[],
  rounds: number,
): Promise<Timing[]> {
  const walls = work.map(() => [] as number[]);
  const cpus = work.map(() => [] as number[]);
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const [index, one] of work.entries()) {
      const [began, before] = [performance.now(), process.cpuUsage()];
      await one();
      const { user, system } = process.cpuUsage(before);
      if (round < 0) continue;
      walls[index]?.push(performance.now() - began);
      cpus[index]?.push((user + system) / 1000);
    }
  }
  return walls.map((wall, index) => ({ wallMs: median(wall), cpuMs: median(cpus[index] ?? []) }));
}

/** Whole requests, through HTTP. */
export function timeRequests(
  stack: Stack,
  { api }: Ledger,
  requests: readonly ListRequest[],
  rounds: number,
) {
  const headers = { Authorization: `Bearer ${api.apiKey}` };
  const ask = async (one: ListRequest) => {
    const { status } = await request({ baseUrl: stack.baseUrl, path: pathOf(one), headers });
    if (status !== 200) throw new Error(`A list was answered ${status}.`);
  };
  return timeInTurn(
    requests.map((one) => () => ask(one)),
    rounds,
  );
}
