/**
 * Starts before all tests what their files share, and passes the endpoints on in the environment: a DynamoDB for each worker of
 * Jest, where each file creates a table of its own, an SQS emulator, where each file creates queues of its own, and a folder for
 * the results of the CDK app.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configuredEndpoint, localRegion } from '../../infra/local/environment.ts';
import { startQueueServer } from '../../infra/local/queue-server.ts';
import { isLoopback } from '../../infra/loopback.ts';
import { type SharedDynamodb, startDynamodbInMemory, startIndexedDynamodb } from './shared-dynamodb.ts';
import { type GlobalHandle, setSharedServers } from './shared-servers.ts';

async function setUp({ maxWorkers }: { readonly maxWorkers: number }): Promise<void> {
  const configured = configuredEndpoint('DYNAMODB');
  if (configured && !isLoopback(configured))
    throw new Error('The tests run only against a DynamoDB on this machine. Use a loopback endpoint.');
  const queueServer = await startQueueServer(localRegion);
  const indexed = configured ? [] : await startIndexedDatabases(maxWorkers);
  const databases = configured || indexed.length > 0 ? indexed : [await startDynamodbInMemory()];
  setSharedServers({
    sqs: queueServer.endpoint,
    dynamodb: configured
      ? [{ endpoint: configured }]
      : databases.map(({ endpoint, pid }) => ({ endpoint, pid })),
    isDynamodbIndexed: indexed.length > 0,
  });
  const syntheses = mkdtempSync(join(tmpdir(), 'remit-test-syntheses-'));
  process.env.REMIT_TEST_SYNTHESES = syntheses;
  process.once('exit', () => rmSync(syntheses, { recursive: true, force: true }));
  // Without a handler, a signal would end this process before it can end its children.
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  (globalThis as GlobalHandle).closeSharedServers = async () => {
    await Promise.all([queueServer, ...databases].map((server) => server.close()));
  };
}

/** Returns a DynamoDB for each worker, or none if the machine has too little memory. */
async function startIndexedDatabases(maxWorkers: number): Promise<SharedDynamodb[]> {
  const numbers = Array.from({ length: maxWorkers }, (_, index) => index + 1);
  const started = await Promise.all(numbers.map(startIndexedDynamodb));
  return started.filter((database) => database !== undefined);
}

// biome-ignore lint/style/noDefaultExport: jest takes the default export
export default setUp;
