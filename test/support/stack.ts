/**
 * The local stack for one test file: its own DynamoDB, queues, deployment secret and gateway, in the test's process,
 * so that `setClock` of `shared/time.ts` sets its clock. Start it before importing anything of `shared` that
 * reads the environment when it is imported.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deploymentSecretOf } from '../../cli/deployment-secret.ts';
import { dynamodbMark, startDynamodb } from '../../infra/local/dynamodb.ts';
import { configuredEndpoint, setEnvironment } from '../../infra/local/environment.ts';
import { repositoryRoot } from '../../infra/local/handler.ts';
import { claimRun } from '../../infra/local/run-file.ts';
import { type Stack, type StackOptions, startStack } from '../../infra/local/stack.ts';
import { setClock } from '../../shared/time.ts';

/**
 * Starts a stack on a free port, or takes the deployment at `REMIT_URL` for one; call `close()` in `afterAll`, which
 * also puts the clock back. The clock sets the service's time only: delays and visibility timeouts of queues, and the
 * pace of the sweep, are real time.
 */
export async function startTestStack(options: Partial<StackOptions> = {}): Promise<Stack> {
  process.env.POWERTOOLS_LOG_LEVEL ??= 'SILENT';
  const { REMIT_URL, REMIT_TABLE } = process.env;
  if (REMIT_URL && REMIT_TABLE) return deployedStack(REMIT_URL, REMIT_TABLE);
  const name = `test-${randomUUID()}`;
  const directory = await mkdtemp(join(tmpdir(), 'remit-test-'));
  const removeDirectory = () => rm(directory, { recursive: true, force: true });
  try {
    const stack = await startStack({
      host: '127.0.0.1',
      port: 0,
      tableName: name,
      queuePrefix: name,
      dynamodb: configuredEndpoint('DYNAMODB') ?? ownDynamodb,
      deploymentSecretFile: join(directory, 'deployment-secret.json'),
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
 * For tests that need no more of a stack than its address: `npm run test:deployed` runs no others. Accounts are made in
 * its table, with the AWS credentials of the environment.
 */
async function deployedStack(url: string, tableName: string): Promise<Stack> {
  const secret = process.env.DEPLOYMENT_SECRET_ARN ?? (await deploymentSecretOf(tableName));
  setEnvironment({ TABLE_NAME: tableName, DEPLOYMENT_SECRET_ARN: secret });
  return { baseUrl: url.replace(/\/+$/, ''), tableName, close: async () => {} } as Stack;
}

/** One for each file: DynamoDB Local's writes get slower with every stream record that it keeps, of whatever table. */
async function ownDynamodb(): Promise<{ endpoint: string; close(): Promise<void> }> {
  const runFile = await claimRun(join(repositoryRoot, '.local', 'run'), `test-${randomUUID()}`, dynamodbMark);
  try {
    const { endpoint, close } = await startDynamodb({ runFile });
    return { endpoint, close: () => close().finally(() => runFile.release()) };
  } catch (error) {
    runFile.release();
    throw error;
  }
}
