/**
 * Runs random clients against a stack under faults, waits until the system is quiescent, and audits the run.
 *
 * `npm test` uses it for a short run, and `npm run soak` for a long one.
 */
import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { Stack } from '../../infra/local/stack.ts';
import { defaultPostLimits } from '../../shared/platform/outbound/post.ts';
import { newAccount } from '../support/api.ts';
import type { TestClock } from '../support/clock.ts';
import { type FaultPlan, installFaults } from '../support/fault-layer.ts';
import { setPostLimits } from '../support/outbound.ts';
import { randomFolds } from '../support/random-folds.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { tableOf } from '../support/table.ts';
import { startUnreliableBackground } from '../support/unreliable-background.ts';
import { auditRun, type RunAudit } from './audit-run.ts';
import { Recorder } from './history.ts';
import { advanceToQuiescence } from './quiescence.ts';
import { type ClientAccount, RandomClients } from './random-clients.ts';
import { RandomEndpoints } from './random-endpoints.ts';
import { startRandomReceivers } from './random-receivers.ts';

/** A receiver refuses a message that is five minutes old. The clock of the run stops for messages that take longer to arrive. */
const maxFlightMs = 4 * 60_000;
/** How many volumes are folded after every 25 operations. All of them would take most of the time of a run. */
const foldsAtOnce = 20;

export interface WorkloadOptions {
  readonly seed: number;
  /** How many operations the clients perform in all. */
  readonly operations: number;
  /** How many clients run at the same time. */
  readonly concurrency: number;
  readonly owners: number;
  readonly faults?: Partial<FaultPlan>;
  readonly clock: TestClock;
}

export interface WorkloadResult extends RunAudit {
  readonly calls: number;
  /** How often each fault happened. */
  readonly faults: Readonly<Record<string, number>>;
}

/** @param stack a fresh stack, whose schedule interval is longer than the run */
export async function runWorkload(stack: Stack, options: WorkloadOptions): Promise<WorkloadResult> {
  const { seed, operations, concurrency, clock } = options;
  const recorder = new Recorder(clock.now());
  const table = tableOf(stack);
  const dynamodb = new DynamoDBClient({ endpoint: stack.dynamodbEndpoint, region: 'us-east-1' });
  const accounts = await createAccounts(stack, options.owners);
  const receivers = await startRandomReceivers(seed);
  const endpoints = new RandomEndpoints({ seed, accounts, receivers, now: clock.now });
  await endpoints.create();
  setPostLimits(shortPostLimits);
  const layer = await installFaults({ seed, ...defaultFaults, ...options.faults });
  const background = await startUnreliableBackground(stack, { seed, rate: 0.15 });
  const folds = randomFolds(table, clock.now, seededRandom(seed, 'folds'));
  const random = seededRandom(seed, 'clock');
  const advanceClock = (ms: number) => {
    clock.advance(ms);
    recorder.setClock(clock.now());
  };
  // Requests that allocate a sequence number and fail leave gaps, too. The gaps give lists of few records several pages.
  const skipSequenceNumbers = async (owner: string) => {
    const skip = new UpdateItemCommand({
      TableName: stack.tableName,
      Key: { pk: { S: `ACCOUNT#${owner}` }, sk: { S: 'STATE' } },
      UpdateExpression: 'ADD si :n, sp :n, sr :n',
      ExpressionAttributeValues: { ':n': { N: '90' } },
    });
    await dynamodb.send(skip);
  };
  try {
    const clients = new RandomClients({ seed, accounts, recorder, now: clock.now });
    await clients.run(operations, concurrency, (number) => {
      if (number % 25 !== 0) return;
      void skipSequenceNumbers(random.pick(accounts)?.owner ?? '');
      const later = random.integer(1, 150) * 1000;
      const oldest = background.oldestWebhookSignedAt() ?? clock.now();
      if (clock.now() + later - oldest <= maxFlightMs) advanceClock(later);
      void background.sweep();
      void folds.fold(foldsAtOnce);
      endpoints.changeSome();
    });
    await endpoints.finishChanges();
    layer.setPlan({ seed });
    await background.flush();
    const quiescence = { table, layer, background, clock, advanceClock };
    await advanceToQuiescence(quiescence);
    // From the first fold to the deletion of its pages, an hour later.
    for (let step = 0; step < 3; step++) {
      await folds.fold();
      await background.whileIdle(() => advanceClock(3_600_000));
    }
    await folds.fold();
    await endpoints.resume();
    await advanceToQuiescence(quiescence);
    recorder.markQuiescent();
    await clients.readAll();
    const { history } = recorder;
    const audit = await auditRun({
      items: await table.all(''),
      accounts,
      history,
      endpoints,
      receivers,
      deadLetters: await background.deadLetters(),
      now: clock.now(),
    });
    return { ...audit, calls: history.calls.length, faults: { ...layer.counts, ...folds.counts } };
  } finally {
    layer.remove();
    setPostLimits();
    await background.close();
    await receivers.close();
    dynamodb.destroy();
  }
}

/**
 * A receiver that does not respond fails soon. The limits are long enough for a receiver that is slow because everything
 * runs in one process.
 */
const shortPostLimits = { ...defaultPostLimits, totalMs: 1_500, bodyMs: 500 };

/** The faults of a run, if it asks for no others. */
export const defaultFaults = {
  conflicts: true,
  latency: true,
  queryPageBytes: 200,
  mixedReasons: 0.3,
  throttled: 0.02,
  requestLost: 0.01,
  responseLost: 0.02,
  serverError: 0.02,
  crash: 0.06,
  abandoned: 0.05,
};

/** Creates accounts with two owners each, one for test mode and one for live mode. */
async function createAccounts(stack: Stack, count: number): Promise<ClientAccount[]> {
  const accounts: ClientAccount[] = [];
  while (accounts.length < count) {
    const { accountId, test, live } = await newAccount(stack.baseUrl);
    accounts.push({ owner: `${accountId}#test`, api: test }, { owner: `${accountId}#live`, api: live });
  }
  return accounts.slice(0, count);
}
