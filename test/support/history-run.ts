/**
 * A run of random clients against a stack of its own under the fault layer, from the first call until everything
 * has settled, and its verdict. Used by `npm test` at short and by `npm run soak` at length.
 */
import { DescribeTableCommand, DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { QueueHandler } from '../../infra/local/queue.ts';
import { startQueue } from '../../infra/local/queue.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { type StreamHandler, startStream } from '../../infra/local/stream.ts';
import { queues, triggers } from '../../infra/triggers.ts';
import { newAccount } from './api.ts';
import { auditFollowUps, readChains } from './audit-table.ts';
import type { TestClock } from './clock.ts';
import { type FaultPlan, installFaults } from './fault-layer.ts';
import { Recorder } from './history.ts';
import { checkHistory } from './history-check.ts';
import { type ClientAccount, RandomClients } from './history-clients.ts';
import { keyAuditFaults } from './history-keys.ts';
import { runAs } from './invocations.ts';
import { diceOf } from './seeded-random.ts';
import { tableOf } from './table.ts';
import { unreliable } from './unreliable-delivery.ts';
import { waitUntil } from './wait-until.ts';

export interface RunOptions {
  readonly seed: number;
  readonly operations: number;
  readonly concurrency: number;
  readonly owners: number;
  readonly faults?: Partial<FaultPlan>;
  readonly clock: TestClock;
}

export interface RunResult {
  readonly violations: readonly string[];
  readonly calls: number;
  readonly invoices: number;
  readonly faults: Readonly<Record<string, number>>;
}

const region = 'us-east-1';
const handlerOf = async <T>(file: string) =>
  ((await import(`../../${file}`)) as { handler: unknown }).handler as T;

/** @param stack fresh, with a schedule that never comes by itself */
export async function runHistory(stack: Stack, options: RunOptions): Promise<RunResult> {
  const { seed, operations, concurrency, clock } = options;
  const recorder = new Recorder(clock.now());
  const table = tableOf(stack);
  const dynamodb = new DynamoDBClient({ endpoint: stack.dynamodbEndpoint, region });
  const accounts = await newOwners(stack, options.owners);
  const plan: FaultPlan = { seed, ...defaultPlan, ...options.faults };
  const layer = await installFaults(plan);
  const background = await startUnreliableBackground(stack, seed);
  const dice = diceOf(seed, 'clock');
  let sweeps = 0;
  let sweeping: Promise<unknown> = Promise.resolve();
  const sweep = () => {
    sweeping = sweeping
      .then(() =>
        runAs(`sweep-${sweeps++}`, async () =>
          (await handlerOf<() => Promise<void>>(triggers.sweep.handler))(),
        ),
      )
      .catch(() => {});
    return sweeping;
  };
  const moveClock = (ms: number) => {
    clock.advance(ms);
    recorder.setClock(clock.now());
  };
  // As after requests that drew a number and failed: so that lists have several pages, however few invoices.
  const skipNumbers = async (owner: string) => {
    const head = { TableName: stack.tableName, Key: { pk: { S: `ACCOUNT#${owner}` }, sk: { S: 'HEAD' } } };
    const skip = { UpdateExpression: 'ADD si :n', ExpressionAttributeValues: { ':n': { N: '90' } } };
    await dynamodb.send(new UpdateItemCommand({ ...head, ...skip }));
  };
  try {
    const clients = new RandomClients({ seed, accounts, recorder, now: clock.now });
    await clients.run(operations, concurrency, (number) => {
      if (number % 25 !== 0) return;
      void skipNumbers(dice.pick(accounts)?.owner ?? '');
      moveClock(dice.integer(1, 300) * 1000);
      void sweep();
    });
    layer.setPlan({ seed });
    await sweeping;
    await background.flush();
    const settle = async () => {
      moveClock(45 * 60_000);
      await sweep();
      const done = async () => layer.running() === 0 && (await isQuiet(table, clock.now()));
      return waitUntil('all is quiet', done, { deadlineMs: 5_000, everyMs: 50 }).catch(() => false);
    };
    for (let round = 0; round < 10 && !(await settle()); round++);
    recorder.settle();
    await clients.readAll();

    const items = await table.all('');
    const owners = accounts.map(({ owner }) => owner);
    const read = owners.map((owner) => ({ owner, ...readChains(items, owner) }));
    const { history } = recorder;
    const violations = [
      ...checkHistory(history, new Map(read.map(({ owner, chains }) => [owner, chains]))),
      ...read.flatMap(({ owner, chains, faults }) => [
        ...faults,
        ...auditFollowUps(items, owner, chains, clock.now()),
        ...keyAuditFaults(items, owner, chains, history),
      ]),
    ];
    const invoices = read.reduce((sum, { chains }) => sum + chains.length, 0);
    return { violations, calls: history.calls.length, invoices, faults: layer.counts };
  } finally {
    layer.remove();
    await background.close();
    dynamodb.destroy();
  }
}

const defaultPlan = {
  ...{ conflicts: true, latency: true, cutBytes: 200, mixedReasons: 0.3 },
  ...{
    throttled: 0.02,
    requestLost: 0.01,
    answerLost: 0.02,
    serverError: 0.02,
    death: 0.06,
    abandoned: 0.05,
  },
};

async function newOwners(stack: Stack, count: number): Promise<ClientAccount[]> {
  const owners: ClientAccount[] = [];
  while (owners.length < count) {
    const { accountId, test, live } = await newAccount(stack.baseUrl);
    owners.push({ owner: `${accountId}#test`, api: test }, { owner: `${accountId}#live`, api: live });
  }
  return owners.slice(0, count);
}

/** No outbox item is left, and nothing that is due is pending. */
async function isQuiet(table: ReturnType<typeof tableOf>, now: number): Promise<boolean> {
  const items = await table.all('');
  return !items.some(
    ({ pk, status, overdueAt }) => pk.startsWith('OUTBOX#') || (status === 'pending' && overdueAt <= now),
  );
}

/** Pollers in place of the stack's own, whose deliveries are late, doubled and out of order. */
async function startUnreliableBackground(stack: Stack, seed: number) {
  await Promise.all([stack.stream.pause(), stack.queues.pause(), stack.schedule.pause()]);
  const report = () => {};
  const dynamodb = new DynamoDBClient({ endpoint: stack.dynamodbEndpoint, region });
  const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: stack.tableName }));
  const streams = new DynamoDBStreamsClient({ endpoint: stack.dynamodbEndpoint, region });
  const sqs = new SQSClient({ endpoint: stack.sqsEndpoint, region });
  const rate = { seed, rate: 0.15 };
  const publish = unreliable('stream', await handlerOf<StreamHandler>(triggers.publishOutbox.handler), rate);
  const overdue = unreliable('queue', await handlerOf<QueueHandler>(triggers.overdue.handler), rate);
  const loops = [
    await startStream({
      ...{ client: streams, streamArn: Table?.LatestStreamArn ?? '', region, report },
      ...{ trigger: triggers.publishOutbox, handler: publish.handler, idleMs: 20 },
    }),
    startQueue({
      ...{ client: sqs, region, report, trigger: triggers.overdue, handler: overdue.handler },
      ...{ queueUrl: stack.queueUrls.overdue.url, queueArn: stack.queueUrls.overdue.arn },
      timeoutMs: queues.overdue.visibilityTimeoutSeconds * 1000,
    }),
  ];
  return {
    flush: async () => {
      await publish.flush();
      await overdue.flush();
    },
    close: async () => {
      await Promise.all(loops.map((loop) => loop.close()));
      for (const client of [dynamodb, streams, sqs]) client.destroy();
    },
  };
}
