/**
 * A run of random clients against a stack of its own under the fault layer, from the first call until everything
 * has settled, and its verdict. Used by `npm test` at short and by `npm run soak` at length.
 */
import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { Stack } from '../../infra/local/stack.ts';
import { newAccount } from './api.ts';
import { balanceFaults } from './audit-balances.ts';
import { auditFollowUps, readChains } from './audit-table.ts';
import type { TestClock } from './clock.ts';
import { type FaultPlan, installFaults } from './fault-layer.ts';
import { type History, Recorder } from './history.ts';
import { startUnreliableBackground } from './history-background.ts';
import { checkHistory } from './history-check.ts';
import { type ClientAccount, RandomClients } from './history-clients.ts';
import { keyAuditFaults } from './history-keys.ts';
import { readMoney } from './history-stories.ts';
import { diceOf } from './seeded-random.ts';
import { type TestItem, type TestTable, tableOf } from './table.ts';
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
  readonly payments: number;
  readonly refunds: number;
  readonly faults: Readonly<Record<string, number>>;
}

/** @param stack fresh, with a schedule that never comes by itself */
export async function runHistory(stack: Stack, options: RunOptions): Promise<RunResult> {
  const { seed, operations, concurrency, clock } = options;
  const recorder = new Recorder(clock.now());
  const table = tableOf(stack);
  const dynamodb = new DynamoDBClient({ endpoint: stack.dynamodbEndpoint, region: 'us-east-1' });
  const accounts = await newOwners(stack, options.owners);
  const layer = await installFaults({ seed, ...defaultPlan, ...options.faults });
  const background = await startUnreliableBackground(stack, seed);
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
      moveClock(dice.integer(1, 300) * 1000);
      void background.sweep();
    });
    layer.setPlan({ seed });
    await background.flush();
    const settle = async () => {
      moveClock(45 * 60_000);
      await background.sweep();
      const done = async () => layer.running() === 0 && (await isQuiet(table, clock.now()));
      return waitUntil('all is quiet', done, { deadlineMs: 1_500, everyMs: 50 }).catch(() => false);
    };
    for (let round = 0; round < maxSettlingRounds && !(await settle()); round++);
    recorder.settle();
    await clients.readAll();
    const owners = accounts.map(({ owner }) => owner);
    const verdict = judge(await table.all(''), owners, recorder.history, clock.now());
    return { ...verdict, calls: recorder.history.calls.length, faults: layer.counts };
  } finally {
    layer.remove();
    await background.close();
    dynamodb.destroy();
  }
}

/** So many that all of them together stay below the 24 hours for which keys are kept. */
const maxSettlingRounds = 20;

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

/** All that is wrong with the history and with what it left in the table. */
function judge(items: readonly TestItem[], owners: readonly string[], history: History, now: number) {
  const read = owners.map((owner) => {
    const { chains, faults } = readChains(items, owner);
    const { payments, refunds, faults: ofMoney } = readMoney(items, owner);
    return { owner, told: { invoices: chains, payments, refunds }, faults: [...faults, ...ofMoney] };
  });
  const violations = [
    ...checkHistory(history, new Map(read.map(({ owner, told }) => [owner, told]))),
    ...read.flatMap(({ owner, told, faults }) => [
      ...faults,
      ...auditFollowUps(items, owner, told.invoices, now),
      ...balanceFaults(items, owner),
      ...keyAuditFaults(items, owner, told, history),
    ]),
  ];
  const count = (name: 'invoices' | 'payments' | 'refunds') =>
    read.reduce((sum, { told }) => sum + told[name].length, 0);
  return { violations, invoices: count('invoices'), payments: count('payments'), refunds: count('refunds') };
}

async function newOwners(stack: Stack, count: number): Promise<ClientAccount[]> {
  const owners: ClientAccount[] = [];
  while (owners.length < count) {
    const { accountId, test, live } = await newAccount(stack.baseUrl);
    owners.push({ owner: `${accountId}#test`, api: test }, { owner: `${accountId}#live`, api: live });
  }
  return owners.slice(0, count);
}

/** No outbox item is left, nothing that is due is pending, and neither is any payment or refund. */
async function isQuiet(table: TestTable, now: number): Promise<boolean> {
  const items = await table.all('');
  return !items.some(
    ({ pk, sk, status, overdueAt, owed }) =>
      pk.startsWith('OUTBOX#') ||
      (sk === 'RECORD' && (owed || (status === 'pending' && (overdueAt === undefined || overdueAt <= now)))),
  );
}
