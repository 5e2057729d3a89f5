/**
 * Starts the local stack for one test file, with a table, queues, a deployment secret and a gateway of its own.
 *
 * - The stack runs in the test's process, so `setClock` of `shared/base/time.ts` sets its clock.
 * - Start it before you import a module of `shared` that reads the environment on import.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { findSecretArns, secretArnVariables } from '../../cli/find-secrets.ts';
import { configuredEndpoint, currentRegion, setEnvironment } from '../../infra/local/environment.ts';
import { type Stack, type StackOptions, startStack } from '../../infra/local/stack.ts';
import { listenToClock, setClock } from './clock.ts';
import { startDynamodbInMemory } from './shared-dynamodb.ts';
import { sharedEndpoints } from './shared-servers.ts';

/**
 * Starts a stack on a free port, or uses the deployment at `REMIT_URL`. Call `close()` in `afterAll`, which also resets
 * the clock. The clock sets the service's time only. Queue delays, visibility timeouts and the sweep interval use real
 * time.
 */
export async function startTestStack(options: Partial<StackOptions> = {}): Promise<Stack> {
  const { REMIT_URL, REMIT_TABLE } = process.env;
  if (REMIT_URL && REMIT_TABLE) return useDeployedStack(REMIT_URL, REMIT_TABLE);
  const name = `test-${randomUUID()}`;
  const directory = await mkdtemp(join(tmpdir(), 'remit-test-'));
  const removeDirectory = () => rm(directory, { recursive: true, force: true });
  const deploymentSecretFile = join(directory, 'deployment-secret.json');
  const shared = sharedEndpoints();
  try {
    const stack = await startStack({
      host: '127.0.0.1',
      port: 0,
      tableName: name,
      queuePrefix: name,
      dynamodb: configuredEndpoint('DYNAMODB') ?? shared.indexedDynamodb ?? startDynamodbInMemory,
      sqsEndpoint: shared.sqs,
      s3Endpoint: shared.sqs,
      deploymentSecretFile,
      scheduleIntervalMs: sweepEveryMs,
      report: () => {},
      ...options,
    });
    const stopSweeping = options.scheduleIntervalMs === undefined ? sweepAfterClock(stack) : () => {};
    const close = async () => {
      stopSweeping();
      setClock();
      await stack.close();
      if (!options.tableName) await deleteTable(stack);
      await removeDirectory();
    };
    return { ...stack, close };
  } catch (error) {
    await removeDirectory();
    throw error;
  }
}

/** A sweep has 65 calls. A stack that sweeps every four seconds takes 4 % of a processor without any work. */
const sweepEveryMs = 10_000;
/** The message of a timer that has become due arrives at the second or third sweep. */
const sweepsAfterClock = 4;

/** Sweeps each second for some seconds after the clock has changed: what has become due waits for a sweep. */
function sweepAfterClock({ schedule }: Stack): () => void {
  let left = 0;
  let timer: NodeJS.Timeout | undefined;
  const sweep = () => {
    schedule.wake();
    timer = --left > 0 ? setTimeout(sweep, 1_000).unref() : undefined;
  };
  const stopListening = listenToClock(() => {
    left = sweepsAfterClock;
    timer ??= setTimeout(sweep, 0).unref();
  });
  return () => {
    stopListening();
    clearTimeout(timer);
  };
}

/**
 * Returns a stack that has only its URL and table name. `npm run test:deployed` runs only tests that need no more. The
 * tests create accounts in its table, with the AWS credentials of the environment.
 */
async function useDeployedStack(url: string, tableName: string): Promise<Stack> {
  setEnvironment({ TABLE_NAME: tableName, ...secretArnVariables(await findSecretArns(tableName)) });
  return { baseUrl: url.replace(/\/+$/, ''), tableName, close: async () => {} } as Stack;
}

/** Frees the space in the DynamoDB that test files share. A DynamoDB of the stack's own has ended. */
async function deleteTable({ dynamodbEndpoint, tableName }: Stack): Promise<void> {
  if (dynamodbEndpoint !== sharedEndpoints().dynamodb) return;
  const client = new DynamoDBClient({ endpoint: dynamodbEndpoint, region: currentRegion() });
  await client.send(new DeleteTableCommand({ TableName: tableName })).finally(() => client.destroy());
}
