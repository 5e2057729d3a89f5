/** Requests lists through the API. Measures their cost and time, and compares them with the ledger. */
import type { Stack } from '../infra/local/stack.ts';
import { listenToRequestLog } from '../test/support/api.ts';
import { type CountedCall, countUnits, sumOf } from '../test/support/capacity-units.ts';
import { request } from '../test/support/http.ts';
import { modelLatencyMs } from '../test/support/wire-call.ts';
import { customerId, type Ledger, type LedgerFilter, ledgerStatuses } from './ledger.ts';
import { median } from './results.ts';

export const limit = 20;
const warmUpRounds = 2;

export interface Probe {
  readonly path: string;
  readonly readUnits: number;
  readonly calls: number;
  readonly inSequence: number;
  /** The number of index queries: 1 while the index fits into one megabyte. */
  readonly queries: number;
  /** The time on AWS according to the modeled latencies. */
  readonly modeledMs: number;
}

export type ListRequest = LedgerFilter & { readonly offset: number };

export function listPath({ status, customer, offset }: ListRequest): string {
  const query = new URLSearchParams({ limit: String(limit), offset: String(offset) });
  if (status) query.set('status', status);
  if (customer !== undefined) query.set('customerId', customerId(customer));
  return `/api/invoices?${query}`;
}

/** Returns a request for every customer and status at these offsets: start, middle, near the end, past the end. */
export function allRequests(ledger: Ledger, customers: readonly (number | undefined)[]): ListRequest[] {
  return customers.flatMap((customer) =>
    [undefined, ...ledgerStatuses].flatMap((status) => {
      const { total } = ledger.expected({ status, customer }, 0, 0);
      const offsets = new Set([0, Math.floor(total / 2), Math.max(0, total - 5), total]);
      return [...offsets].map((offset) => ({ status, customer, offset }));
    }),
  );
}

/** Returns the number of responses that differ from the ledger. */
export async function countWrong(ledger: Ledger, requests: readonly ListRequest[]): Promise<number> {
  let wrong = 0;
  for (const listRequest of requests) {
    const { json, status } = await ledger.api.get(listPath(listRequest));
    if (status !== 200)
      throw new Error(`A list request returned the status ${status}: ${JSON.stringify(json)}`);
    const { total, seqs } = ledger.expected(listRequest, listRequest.offset, limit);
    const expected = seqs.map((seq) => `${ledger.id(seq)} ${ledger.status(seq)}`);
    const rows = json.data.map(({ id, status }: { id: string; status: string }) => `${id} ${status}`);
    if (json.pagination.total !== total || rows.join() !== expected.join()) wrong += 1;
  }
  return wrong;
}

/** Counts the cost of each request. Sends one request at a time. */
export async function probe(
  stack: Stack,
  { api }: Ledger,
  requests: readonly ListRequest[],
): Promise<Probe[]> {
  const log = await listenToRequestLog();
  const counter = countUnits(stack);
  const probes: Probe[] = [];
  for (const path of requests.map(listPath)) {
    counter.take();
    const { dynamodbCalls: calls, dynamodbCallsInSequence: inSequence } = log.lineOf(await api.get(path));
    const counted = counter.take();
    const queries = counted.filter(({ operation }) => operation === 'Query').length;
    const readUnits = sumOf(counted, 'read');
    probes.push({ path, readUnits, calls, inSequence, queries, modeledMs: modeledListMs(counted) });
  }
  counter.remove();
  return probes;
}

/** Adds the parts in sequence: authorization parallel to the first query, the other ranges in parallel, the records in parallel. */
function modeledListMs(calls: readonly CountedCall[]): number {
  const durationOf = ({ operation, items }: CountedCall) =>
    modelLatencyMs(
      { operation, input: {} },
      items.reduce((sum, { bytes }) => sum + bytes, 0),
    );
  const durationsOf = (name: string) => calls.filter(({ operation }) => operation === name).map(durationOf);
  const [first = 0, ...others] = durationsOf('Query');
  const records = Math.max(0, ...durationsOf('BatchGetItem'));
  return Math.max(first, ...durationsOf('UpdateItem')) + Math.max(0, ...others) + records;
}

export interface Timing {
  /** The median response time. */
  readonly wallMs: number;
  /** The median CPU time of this process. It includes the client, the gateway and the service if they take part. */
  readonly cpuMs: number;
}

/** Measures several functions in alternating rounds after two warm-up rounds. */
export async function timeInTurn(
  work: readonly (() => Promise<unknown>)[],
  rounds: number,
): Promise<Timing[]> {
  const walls = work.map(() => [] as number[]);
  const cpus = work.map(() => [] as number[]);
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const [index, run] of work.entries()) {
      const [startedAt, before] = [performance.now(), process.cpuUsage()];
      await run();
      const { user, system } = process.cpuUsage(before);
      if (round < 0) continue;
      walls[index]?.push(performance.now() - startedAt);
      cpus[index]?.push((user + system) / 1000);
    }
  }
  return walls.map((wall, index) => ({ wallMs: median(wall), cpuMs: median(cpus[index] ?? []) }));
}

/** Measures whole requests through HTTP. */
export function timeRequests(
  stack: Stack,
  { api }: Ledger,
  requests: readonly ListRequest[],
  rounds: number,
) {
  const headers = { Authorization: `Bearer ${api.apiKey}` };
  const send = async (listRequest: ListRequest) => {
    const { status } = await request({ baseUrl: stack.baseUrl, path: listPath(listRequest), headers });
    if (status !== 200) throw new Error(`A list request returned the status ${status}.`);
  };
  return timeInTurn(
    requests.map((listRequest) => () => send(listRequest)),
    rounds,
  );
}
