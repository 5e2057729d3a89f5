/**
 * A run of random clients against a stack of its own under the fault layer, from the first call until everything
 * has settled, and its verdict. Used by `npm test` at short and by `npm run soak` at length.
 */
import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { Stack } from '../../infra/local/stack.ts';
import { postLimits, setPostLimits } from '../../shared/webhooks/post.ts';
import { newAccount } from './api.ts';
import type { TestClock } from './clock.ts';
import { type FaultPlan, installFaults } from './fault-layer.ts';
import { Recorder } from './history.ts';
import { type ClientAccount, RandomClients } from './history-clients.ts';
import { RandomEndpoints } from './history-endpoints.ts';
import { startHistoryReceivers } from './history-receivers.ts';
import { comeToRest } from './history-rest.ts';
import { judge, type Verdict } from './history-verdict.ts';
import { diceOf } from './seeded-random.ts';
import { tableOf } from './table.ts';
import { startUnreliableBackground } from './unreliable-background.ts';

export interface RunOptions {
  readonly seed: number;
  readonly operations: number;
  readonly concurrency: number;
  readonly owners: number;
  readonly faults?: Partial<FaultPlan>;
  readonly clock: TestClock;
}

export interface RunResult extends Verdict {
  readonly calls: number;
  readonly faults: Readonly<Record<string, number>>;
}

/** @param stack fresh, with a schedule that never comes by itself */
export async function runHistory(stack: Stack, options: RunOptions): Promise<RunResult> {
  const { seed, operations, concurrency, clock } = options;
  const recorder = new Recorder(clock.now());
  const table = tableOf(stack);
  const dynamodb = new DynamoDBClient({ endpoint: stack.dynamodbEndpoint, region: 'us-east-1' });
  const accounts = await newOwners(stack, options.owners);
  const receivers = await startHistoryReceivers(seed);
  const endpoints = new RandomEndpoints({ seed, accounts, receivers, now: clock.now });
  await endpoints.create();
  setPostLimits(quickLimits);
  const layer = await installFaults({ seed, ...defaultPlan, ...options.faults });
  const background = await startUnreliableBackground(stack, { seed, rate: 0.15 });
  const dice = diceOf(seed, 'clock');
  const moveClock = (ms: number) => {
    clock.advance(ms);
    recorder.setClock(clock.now());
  };
  // As after requests that drew a number and failed: so that lists have several pages, however few records.
  const skipNumbers = async (owner: string) => {
    const head = { TableName: stack.tableName, Key: { pk: { S: `ACCOUNT#${owner}` }, sk: { S: 'HEAD' } } };
    const skip = {
      UpdateExpression: 'ADD si :n, sp :n, sr :n',
      ExpressionAttributeValues: { ':n': { N: '90' } },
    };
    await dynamodb.send(new UpdateItemCommand({ ...head, ...skip }));
  };
  try {
    const clients = new RandomClients({ seed, accounts, recorder, now: clock.now });
    await clients.run(operations, concurrency, (number) => {
      if (number % 25 !== 0) return;
      void skipNumbers(dice.pick(accounts)?.owner ?? '');
      moveClock(dice.integer(1, 150) * 1000);
      void background.sweep();
      endpoints.act();
    });
    await endpoints.finish();
    layer.setPlan({ seed });
    await background.flush();
    const resting = { table, layer, background, clock, moveClock };
    await comeToRest(resting);
    await endpoints.resume();
    await comeToRest(resting);
    recorder.settle();
    await clients.readAll();
    const items = await table.all('');
    const { history } = recorder;
    const left = { items, accounts, history, endpoints, receivers, now: clock.now() };
    const verdict = await judge({ ...left, deadLetters: await background.deadLetters() });
    return { ...verdict, calls: history.calls.length, faults: layer.counts };
  } finally {
    layer.remove();
    setPostLimits();
    await background.close();
    await receivers.close();
    dynamodb.destroy();
  }
}

/** Receivers that do not answer are given up soon; one that is only slow, because all is in one process, is not. */
const quickLimits = { ...postLimits, totalMs: 1_500, bodyMs: 500 };

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
