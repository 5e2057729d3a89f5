/**
 * Starts the local stack for one test file, with a DynamoDB, queues, a deployment secret and a gateway of its own.
 *
 * - The stack runs in the test's process, so `setClock` of `shared/time.ts` sets its clock.
 * - Start it before you import a module of `shared` that reads the environment on import.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findSecretArns, secretArnVariables } from '../../cli/find-secrets.ts';
import { dynamodbCommandMarker, startDynamodb } from '../../infra/local/dynamodb.ts';
import { configuredEndpoint, setEnvironment } from '../../infra/local/environment.ts';
import { repositoryRoot } from '../../infra/local/handler.ts';
import { claimRun } from '../../infra/local/run-file.ts';
import { type Stack, type StackOptions, startStack } from '../../infra/local/stack.ts';
import { setClock } from './clock.ts';

/** Settings of all stacks that start afterwards. */
export const stackDefaults = {
  /** The secrets are those of a deployment of the last release. So its functions can decrypt what this version encrypts. */
  hasSecretsOfLastRelease: false,
};

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
  try {
    if (stackDefaults.hasSecretsOfLastRelease)
      await writeFile(deploymentSecretFile, JSON.stringify({ current: '1', 1: randomUUID() }), {
        mode: 0o600,
      });
    const stack = await startStack({
      host: '127.0.0.1',
      port: 0,
      tableName: name,
      queuePrefix: name,
      dynamodb: configuredEndpoint('DYNAMODB') ?? startOwnDynamodb,
      deploymentSecretFile,
      scheduleIntervalMs: 1_000,
      report: () => {},
      ...options,
    });
    const close = async () => {
      setClock();
      await stack.close();
      await removeDirectory();
    };
    return { ...stack, close };
  } catch (error) {
    await removeDirectory();
    throw error;
  }
}

/**
 * Returns a stack that has only its URL and table name. `npm run test:deployed` runs only tests that need no more. The
 * tests create accounts in its table, with the AWS credentials of the environment.
 */
async function useDeployedStack(url: string, tableName: string): Promise<Stack> {
  const secrets = process.env.DEPLOYMENT_SECRET_ARN
    ? {}
    : secretArnVariables(await findSecretArns(tableName));
  setEnvironment({ TABLE_NAME: tableName, ...secrets });
  return { baseUrl: url.replace(/\/+$/, ''), tableName, close: async () => {} } as Stack;
}

/** Starts a DynamoDB for one test file. DynamoDB Local gets slower with each stream record of any table. */
async function startOwnDynamodb(): Promise<{ endpoint: string; close(): Promise<void> }> {
  const runFile = await claimRun(
    join(repositoryRoot, '.local', 'run'),
    `test-${randomUUID()}`,
    dynamodbCommandMarker,
  );
  try {
    const { endpoint, close } = await startDynamodb({ runFile });
    return { endpoint, close: () => close().finally(() => runFile.release()) };
  } catch (error) {
    runFile.release();
    throw error;
  }
}
