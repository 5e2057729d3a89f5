/**
 * Measures the processor time of the server for each request, beside the usual build (Fastify with PostgreSQL) in the
 * same run. Rounds of both alternate, so the ratios hold on a busy machine, too.
 *
 * - Each server is a process of its own. Only its time counts, not that of the database and the client.
 * - Remit's server runs the bundles that Lambda runs. Both times include HTTP.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleHandlers } from '../infra/bundles.ts';
import type { HandlerFile } from '../infra/grants.ts';
import type { Stack } from '../infra/local/stack.ts';
import { invoiceBody } from '../test/support/api.ts';
import { request } from '../test/support/http.ts';
import type { Diagram } from './diagram.ts';
import type { GoalResult } from './goals.ts';
import { customerId, Ledger } from './ledger.ts';
import { limit } from './list-probe.ts';
import { formatCount, formatMs, formatRatio, median, printLine, type Table } from './results.ts';
import { findPostgres, startPostgres, type TemporaryPostgres } from './usual-build/postgres.ts';
import { createTables, seedAccount } from './usual-build/seed.ts';
import { type MeasuredServer, startServer } from './usual-build/servers.ts';

const sizes = [1, 10_000, 100_000];
const customers = 50;
const mix = { paid: 0.8, cancelled: 0.05, overdue: 0.05, late: 0.05 };
/** Many short rounds: the speed of a shared machine changes within seconds, and both builds of a round must have the same. */
const rounds = 45;
const requestsPerRound = 40;
/**
 * The requests of each kind before all rounds. V8 optimizes a function only after thousands of calls, and its compiler works
 * in the same process. So a server that has answered fewer requests is not warm yet.
 */
const warmUp = { accounts: 4, requestsPerAccount: 4_000 };
/** The requests before the rounds of each size, whose account is new. */
const firstRequests = 1_000;

/** A measured request of one kind. */
interface Kind {
  readonly name: string;
  /** The most processor time of the usual build that Remit may take. */
  readonly target: number;
  readonly figure: GoalResult['figure'];
  readonly handler: HandlerFile;
  /** Pays an invoice of its own, which is created before the time is taken. So an account has half as many of these requests. */
  readonly needsInvoice?: boolean;
}

const kinds = {
  get: {
    name: 'get',
    target: 2,
    figure: 'warm server CPU of get, against the usual build',
    handler: 'functions/invoices/get.ts',
  },
  list: {
    name: 'list',
    target: 2.5,
    figure: 'warm server CPU of list, against the usual build',
    handler: 'functions/invoices/list.ts',
  },
  create: {
    name: 'create, with key',
    target: 2.5,
    figure: 'warm server CPU of create, against the usual build',
    handler: 'functions/invoices/create.ts',
  },
  pay: {
    name: 'card payment, with key',
    target: 2.5,
    figure: 'warm server CPU of a card payment, against the usual build',
    handler: 'functions/payments/create.ts',
    needsInvoice: true,
  },
} as const satisfies Record<string, Kind>;
type Operation = keyof typeof kinds;
const operations = Object.keys(kinds) as Operation[];
const card = { number: '4242424242424242', expMonth: 12, expYear: 2040, cvc: '123' };

/** An account of one build that has a number of invoices. */
interface Contestant {
  readonly server: MeasuredServer;
  readonly apiKey: string;
  readonly invoiceId: string;
}

/** The processor time of one request in milliseconds, of both builds. */
interface Comparison {
  readonly size: number;
  readonly operation: Operation;
  readonly remitMs: number;
  readonly usualMs: number;
  /** The median of the ratios of the rounds. */
  readonly ratio: number;
}

/** Compares both builds. The table has no rows if PostgreSQL is not installed. */
export async function benchUsualBuild(stack: Stack, seed: number): Promise<Table> {
  const folder = findPostgres();
  if (folder === undefined) return toTable([]);
  const bundles = mkdtempSync(join(tmpdir(), 'remit-bench-'));
  const postgres = await startPostgres(folder);
  const servers: MeasuredServer[] = [];
  const agent = new Agent({ keepAlive: true });
  try {
    const remit = await startServer({ kind: 'remit', bundles: bundleAll(bundles) });
    servers.push(remit);
    await createTables(postgres.connection);
    const usual = await startServer({ kind: 'usual', connection: postgres.connection });
    servers.push(usual);
    // An account may send 5,000 requests in an hour.
    for (let account = 0; account < warmUp.accounts; account++) {
      printLine(`  warm-up ${account + 1} of ${warmUp.accounts}`);
      for (const operation of operations) {
        const contestants = [await openRemit(remit, stack, seed, 1), await openUsual(usual, postgres, 1)];
        for (const contestant of contestants)
          await timeRequests(shareOf(warmUp.requestsPerAccount, operation), operation, contestant, agent);
      }
    }
    const comparisons: Comparison[] = [];
    for (const size of sizes) {
      printLine(`  ${formatCount(size)} invoices`);
      for (const operation of operations) {
        const own = await openRemit(remit, stack, seed, size);
        const other = await openUsual(usual, postgres, size);
        comparisons.push(await compare(operation, size, own, other, agent));
      }
    }
    return toTable(comparisons);
  } finally {
    agent.destroy();
    for (const server of servers) await server.close();
    await postgres.close();
    rmSync(bundles, { recursive: true, force: true });
  }
}

function bundleAll(directory: string): Record<string, string> {
  const handlers = Object.values(kinds).map(({ handler }) => handler);
  return Object.fromEntries(bundleHandlers(handlers, directory));
}

/** How many requests of a kind take the place of `requests` others in the limit of an account. */
const shareOf = (requests: number, operation: Operation) =>
  'needsInvoice' in kinds[operation] ? requests / 2 : requests;

/** Loads the list of all invoices, whose index is folded, and the records of the rows that are requested. */
async function openRemit(
  server: MeasuredServer,
  stack: Stack,
  seed: number,
  count: number,
): Promise<Contestant> {
  const ledger = await Ledger.open(stack, { seed, count, mix, customers });
  await ledger.loadIndex('volumes');
  const { seqs } = ledger.expected({}, 0, limit);
  await ledger.table.putAll(seqs.map((seq) => ledger.record(seq)));
  return { server, apiKey: ledger.api.apiKey, invoiceId: ledger.id(count) };
}

async function openUsual(
  server: MeasuredServer,
  { connection }: TemporaryPostgres,
  count: number,
): Promise<Contestant> {
  const [before = '', after = ''] = customerId(0).split('0');
  return { server, ...(await seedAccount(connection, { count, customers, customerId: [before, after] })) };
}

async function compare(
  operation: Operation,
  size: number,
  own: Contestant,
  other: Contestant,
  agent: Agent,
): Promise<Comparison> {
  const [remit, usual]: [number[], number[]] = [[], []];
  for (const contestant of [own, other])
    await timeRequests(shareOf(firstRequests, operation), operation, contestant, agent);
  for (let round = -1; round < rounds; round++) {
    for (const [contestant, times] of [
      [own, remit],
      [other, usual],
    ] as const) {
      const ms = await timeRequests(shareOf(requestsPerRound, operation), operation, contestant, agent);
      if (round >= 0) times.push(ms);
    }
  }
  const ratio = median(remit.map((ms, round) => ms / (usual[round] ?? Number.NaN)));
  return { size, operation, remitMs: median(remit), usualMs: median(usual), ratio };
}

/** Sends one request after the other. Returns the server's processor time for each, in milliseconds. */
async function timeRequests(
  requests: number,
  operation: Operation,
  { server, apiKey, invoiceId }: Contestant,
  agent: Agent,
): Promise<number> {
  const send = async (path: string, body?: object) => {
    const { status, text } = await request({
      baseUrl: server.url,
      agent,
      path,
      method: body ? 'POST' : 'GET',
      headers: { Authorization: `Bearer ${apiKey}`, ...(body && { 'Idempotency-Key': randomUUID() }) },
      ...(body && { body }),
    });
    if (status >= 300) throw new Error(`${path} returned the status ${status}: ${text}`);
    return JSON.parse(text);
  };
  const create = () =>
    send('/api/invoices', invoiceBody({ customerId: 'accounts@example.com', description: 'd'.repeat(100) }));
  const unpaid: string[] = [];
  if (operation === 'pay') while (unpaid.length < requests) unpaid.push((await create()).id);
  const sendOne: Readonly<Record<Operation, () => Promise<void>>> = {
    get: () => send(`/api/invoices/${invoiceId}`),
    list: async () => {
      const { data } = await send(`/api/invoices?limit=${limit}`);
      if (data.length === 0) throw new Error('A list has no rows.');
    },
    create,
    pay: async () => {
      const { status } = await send('/api/payments', { invoiceId: unpaid.pop(), method: 'card', card });
      if (status !== 'completed') throw new Error(`A payment has the status ${status}.`);
    },
  };
  const before = await server.cpuMs();
  for (let count = 0; count < requests; count++) await sendOne[operation]();
  return ((await server.cpuMs()) - before) / requests;
}

function toTable(comparisons: readonly Comparison[]): Table {
  const largest = comparisons.filter(({ size }) => size === sizes.at(-1));
  return {
    title: 'Processor time of a request, beside the usual build',
    columns: ['invoices', 'request', 'Remit', 'the usual build', 'ratio', 'target'],
    rows: comparisons.map(({ size, operation, remitMs, usualMs, ratio }) => [
      formatCount(size),
      kinds[operation].name,
      formatMs(remitMs),
      formatMs(usualMs),
      formatRatio(ratio),
      `≤ ${kinds[operation].target}×`,
    ]),
    goals: comparisons.map(({ size, operation, ratio }) => ({
      figure: kinds[operation].figure,
      row: size === 1 ? '1 invoice' : `${formatCount(size)} invoices`,
      measured: formatRatio(ratio),
      shares: [ratio / kinds[operation].target],
    })),
    ...(comparisons.length > 0 && { diagrams: [toDiagram(largest)] }),
    notes: [
      comparisons.length === 0
        ? 'Skipped, because PostgreSQL is not installed on this machine.'
        : `The usual build is Fastify with PostgreSQL (bench/usual-build): the same requests, API keys, rate limit, idempotency keys and an outbox, with indexes, prepared statements and a pool. Each time is the median of ${rounds} rounds of ${requestsPerRound} requests, one after the other, and each ratio is the median of the ratios of the rounds. ${formatCount(warmUp.accounts * warmUp.requestsPerAccount)} requests of each kind came before all rounds, and ${formatCount(firstRequests)} before those of each size. Rounds of both builds alternate. Only the process of the server counts: not the database, and not the client. Both servers reach their databases with TCP. Remit's server is the gateway of a local stack with the bundles that Lambda runs. A list shows ${limit} rows and the exact total. Remit's index is folded. A payment has half as many requests, and pays an invoice that was created before its time was taken. Its provider is that of test mode: in Remit, one that stores each operation in the table; in the usual build, a function.`,
    ],
  };
}

function toDiagram(comparisons: readonly Comparison[]): Diagram {
  return {
    file: 'cpu-per-request.svg',
    title: 'Processor time of a request, beside the usual build',
    description: comparisons
      .map(
        ({ operation, remitMs, usualMs }) =>
          `${kinds[operation].name}: ${formatMs(remitMs)} in Remit, ${formatMs(usualMs)} in the usual build`,
      )
      .join('. '),
    kind: 'bars',
    axis: `milliseconds, with ${formatCount(sizes.at(-1) ?? 0)} invoices`,
    labels: comparisons.map(({ operation }) => kinds[operation].name),
    series: [
      { name: 'Remit', values: comparisons.map(({ remitMs }) => remitMs) },
      { name: 'Fastify and PostgreSQL', values: comparisons.map(({ usualMs }) => usualMs) },
    ],
  };
}
