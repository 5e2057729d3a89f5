/**
 * Measures the processor time of the server for each request, in the same run as the usual build (Fastify with PostgreSQL) and as the
 * calls of DynamoDB of the same request alone. Rounds alternate, so the ratios hold on a busy machine, too.
 *
 * - Each server is a process of its own. Only its time counts, not that of the database and the client.
 * - Remit's server runs the bundles that Lambda runs. All times include HTTP.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleHandlers } from '../infra/bundles.ts';
import type { HandlerFile } from '../infra/grants.ts';
import { currentRegion } from '../infra/local/environment.ts';
import type { Stack } from '../infra/local/stack.ts';
import { invoiceBody } from '../test/support/api.ts';
import { request } from '../test/support/http.ts';
import type { Diagram } from './diagram.ts';
import type { GoalResult } from './goals.ts';
import { customerId, Ledger } from './ledger.ts';
import { limit } from './list-probe.ts';
import { formatCount, formatMs, formatRatio, median, printLine, type Table } from './results.ts';
import { type CallRecorder, type Recording, startRecorder } from './usual-build/bare-calls.ts';
import { findPostgres, startPostgres, type TemporaryPostgres } from './usual-build/postgres.ts';
import { createTables, seedAccount } from './usual-build/seed.ts';
import { type MeasuredServer, type ServerSettings, startServer } from './usual-build/servers.ts';

const sizes = [1, 10_000, 100_000];
const customers = 50;
const mix = { paid: 0.8, cancelled: 0.05, overdue: 0.05, late: 0.05 };
/** Many short rounds: the speed of a shared machine changes within seconds, and both builds of a round must have the same. */
const rounds = 45;
const requestsPerRound = 40;
const clients = 8;
/** The most processor time of its own calls that a request may take. */
const mostTimesOfCalls = 2.5;
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

/** A server with an account that has a number of invoices. */
interface Contestant {
  readonly server: MeasuredServer;
  readonly apiKey: string;
  readonly invoiceId: string;
}

/** The builds beside which Remit is measured. The usual build is missing if PostgreSQL is not installed. */
type Other = 'usual' | 'bare';
const others = ['usual', 'bare'] as const satisfies readonly Other[];

/** The processor time of one request in milliseconds. */
interface Comparison {
  readonly size: number;
  readonly operation: Operation;
  readonly remitMs: number;
  /** Of another build, and the median of the ratios of the rounds. */
  readonly beside: Partial<Readonly<Record<Other, { readonly ms: number; readonly ratio: number }>>>;
}

interface Bench {
  readonly stack: Stack;
  readonly seed: number;
  readonly agent: Agent;
  readonly remit: MeasuredServer;
  /** Makes what the same requests call, and nothing else. */
  readonly bare: MeasuredServer;
  /** Remit, whose calls are recorded. */
  readonly recorded: MeasuredServer;
  readonly recorder: CallRecorder;
  readonly usual: { readonly server: MeasuredServer; readonly postgres: TemporaryPostgres } | undefined;
}

/** Compares the requests with the usual build, and with their own calls of DynamoDB made bare. */
export async function benchUsualBuild(stack: Stack, seed: number): Promise<Table> {
  const folder = findPostgres();
  const directory = mkdtempSync(join(tmpdir(), 'remit-bench-'));
  const bundles = bundleAll(directory);
  const postgres = folder === undefined ? undefined : await startPostgres(folder);
  const recorder = await startRecorder(stack.dynamodbEndpoint);
  const servers: MeasuredServer[] = [];
  const agent = new Agent({ keepAlive: true });
  const start = async (settings: ServerSettings) => {
    const server = await startServer(settings);
    servers.push(server);
    return server;
  };
  try {
    if (postgres) await createTables(postgres.connection);
    const bench: Bench = {
      stack,
      seed,
      agent,
      recorder,
      remit: await start({ kind: 'remit', bundles }),
      recorded: await start({ kind: 'remit', bundles, dynamodb: recorder.url }),
      bare: await start({ kind: 'bare', dynamodb: stack.dynamodbEndpoint, region: currentRegion() }),
      usual: postgres && {
        server: await start({ kind: 'usual', connection: postgres.connection }),
        postgres,
      },
    };
    // An account may send 5,000 requests in an hour.
    for (let account = 0; account < warmUp.accounts; account++) {
      printLine(`  warm-up ${account + 1} of ${warmUp.accounts}`);
      for (const operation of operations)
        for (const contestant of Object.values(await openAll(bench, operation, 1)))
          await timeRequests(shareOf(warmUp.requestsPerAccount, operation), operation, contestant, agent);
    }
    const comparisons: Comparison[] = [];
    for (const size of sizes) {
      printLine(`  ${formatCount(size)} invoices`);
      for (const operation of operations) comparisons.push(await compare(bench, operation, size));
    }
    return toTable(comparisons);
  } finally {
    agent.destroy();
    for (const server of servers) await server.close();
    recorder.close();
    await postgres?.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Opens an account of each build. The calls of Remit's requests are recorded for the bare ones. */
async function openAll(bench: Bench, operation: Operation, size: number) {
  const { stack, seed, remit, usual } = bench;
  const own = await openRemit(remit, stack, seed, size);
  return {
    remit: own,
    ...(usual && { usual: await openUsual(usual.server, usual.postgres, size) }),
    bare: await openBare(bench, operation, own),
  };
}

/** Lets the bare server repeat the calls of a request. The requests before it fill what a function keeps. */
async function openBare(
  { agent, bare, recorded, recorder }: Bench,
  operation: Operation,
  own: Contestant,
): Promise<Contestant> {
  const contestant = { ...own, server: recorded };
  for (let count = 0; count < 3; count++) await timeRequests(1, operation, contestant, agent);
  const next = await openRequest(operation, contestant, agent);
  recorder.take();
  const answer = JSON.stringify(await next());
  const body: Recording = { steps: recorder.take(), answer };
  await request({ baseUrl: bare.url, agent, path: '/', method: 'PUT', body });
  return { ...own, server: bare };
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

async function compare(bench: Bench, operation: Operation, size: number): Promise<Comparison> {
  const { agent } = bench;
  const contestants = Object.entries(await openAll(bench, operation, size));
  const times = new Map(contestants.map(([name]) => [name, [] as number[]]));
  for (const [, contestant] of contestants)
    await timeRequests(shareOf(firstRequests, operation), operation, contestant, agent);
  for (let round = -1; round < rounds; round++) {
    for (const [name, contestant] of contestants) {
      const ms = await timeRequests(shareOf(requestsPerRound, operation), operation, contestant, agent);
      if (round >= 0) times.get(name)?.push(ms);
    }
  }
  const own = times.get('remit') ?? [];
  const beside = others.flatMap((name) => {
    const all = times.get(name);
    if (!all) return [];
    return [
      [name, { ms: median(all), ratio: median(own.map((ms, round) => ms / (all[round] ?? Number.NaN))) }],
    ];
  });
  return { size, operation, remitMs: median(own), beside: Object.fromEntries(beside) };
}

/** Returns a function that sends one request of a kind. The invoice of a payment exists when it returns. */
async function openRequest(
  operation: Operation,
  { server, apiKey, invoiceId }: Contestant,
  agent: Agent,
  // biome-ignore lint/suspicious/noExplicitAny: the response differs by kind
): Promise<() => Promise<any>> {
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
  if (operation === 'create') return create;
  if (operation === 'get') return () => send(`/api/invoices/${invoiceId}`);
  if (operation === 'list')
    return async () => {
      const page = await send(`/api/invoices?limit=${limit}`);
      if (page.data.length === 0) throw new Error('A list has no rows.');
      return page;
    };
  const { id } = await create();
  return async () => {
    const payment = await send('/api/payments', { invoiceId: id, method: 'card', card });
    if (payment.status !== 'completed') throw new Error(`A payment has the status ${payment.status}.`);
    return payment;
  };
}

/** Sends requests of several clients. Returns the server's processor time for each, in milliseconds. */
async function timeRequests(
  count: number,
  operation: Operation,
  contestant: Contestant,
  agent: Agent,
): Promise<number> {
  const waiting: (() => Promise<unknown>)[] = [];
  const open = () => openRequest(operation, contestant, agent);
  const work = async (perform: () => Promise<void>) => {
    let left = count;
    const client = async () => {
      while (left-- > 0) await perform();
    };
    await Promise.all(Array.from({ length: clients }, client));
  };
  await work(async () => {
    waiting.push(await open());
  });
  const before = await contestant.server.cpuMs();
  await work(async () => {
    await waiting.pop()?.();
  });
  return ((await contestant.server.cpuMs()) - before) / count;
}

function toTable(comparisons: readonly Comparison[]): Table {
  const largest = comparisons.filter(({ size }) => size === sizes.at(-1));
  const rowOf = (size: number) => (size === 1 ? '1 invoice' : `${formatCount(size)} invoices`);
  const hasUsual = comparisons.some(({ beside }) => beside.usual);
  return {
    title: 'Processor time of a request, beside the usual build and its own calls',
    columns: [
      'invoices',
      'request',
      'Remit',
      'the usual build',
      'ratio',
      'target',
      'its calls alone',
      'ratio',
      'target',
    ],
    rows: comparisons.map(({ size, operation, remitMs, beside: { usual, bare } }) => [
      formatCount(size),
      kinds[operation].name,
      formatMs(remitMs),
      usual ? formatMs(usual.ms) : '',
      usual ? formatRatio(usual.ratio) : '',
      `≤ ${kinds[operation].target}×`,
      bare ? formatMs(bare.ms) : '',
      bare ? formatRatio(bare.ratio) : '',
      `≤ ${mostTimesOfCalls}×`,
    ]),
    goals: comparisons.flatMap(({ size, operation, beside: { usual, bare } }): GoalResult[] => [
      ...(usual
        ? [
            {
              figure: kinds[operation].figure,
              row: rowOf(size),
              measured: formatRatio(usual.ratio),
              shares: [usual.ratio / kinds[operation].target],
            },
          ]
        : []),
      ...(bare
        ? [
            {
              figure: 'warm server CPU, against its own calls made bare' as const,
              row: `${kinds[operation].name}, ${rowOf(size)}`,
              measured: formatRatio(bare.ratio),
              shares: [bare.ratio / mostTimesOfCalls],
            },
          ]
        : []),
    ]),
    ...(hasUsual && { diagrams: [toDiagram(largest)] }),
    notes: [
      `${clients} clients send the requests. Each time is the median of ${rounds} rounds of ${requestsPerRound} requests, and each ratio is the median of the ratios of the rounds. ${formatCount(warmUp.accounts * warmUp.requestsPerAccount)} requests of each kind came before all rounds, and ${formatCount(firstRequests)} before those of each size. Rounds alternate. Only the process of the server counts: not the database, and not the client. All servers reach their databases with TCP. Remit's server is the gateway of a local stack with the bundles that Lambda runs. A list shows ${limit} rows and the exact total. Remit's index is folded. A payment has half as many requests, and pays an invoice that was created before its time was taken.`,
      'Its calls alone: a server that makes the DynamoDB calls of the same request, recorded from Remit, with as many in sequence and at the same time. It signs them, sends them with the HTTP client of Node over kept connections, parses the answers, and answers with the same bytes. It does nothing else. A write is one of as many bytes, under a key of its own and without conditions, so that it can be repeated.',
      hasUsual
        ? 'The usual build is Fastify with PostgreSQL (bench/usual-build): the same requests, API keys, rate limit, idempotency keys and an outbox, with indexes, prepared statements and a pool. Its payment provider is a function; that of Remit is the one of test mode, which stores each operation in the table.'
        : 'The usual build was left out, because PostgreSQL is not installed on this machine.',
    ],
  };
}

function toDiagram(comparisons: readonly Comparison[]): Diagram {
  return {
    file: 'cpu-per-request.svg',
    title: 'Processor time of a request, beside the usual build',
    description: comparisons
      .map(
        ({ operation, remitMs, beside }) =>
          `${kinds[operation].name}: ${formatMs(remitMs)} in Remit, ${formatMs(beside.usual?.ms ?? 0)} in the usual build`,
      )
      .join('. '),
    kind: 'bars',
    axis: `milliseconds, with ${formatCount(sizes.at(-1) ?? 0)} invoices`,
    labels: comparisons.map(({ operation }) => kinds[operation].name),
    series: [
      { name: 'Remit', values: comparisons.map(({ remitMs }) => remitMs) },
      { name: 'Fastify and PostgreSQL', values: comparisons.map(({ beside }) => beside.usual?.ms ?? 0) },
    ],
  };
}
