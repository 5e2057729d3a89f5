/**
 * Starts before all tests what their files share, and passes the endpoints on in the environment: a DynamoDB for each worker of
 * Jest, where each file creates a table of its own, an SQS emulator, where each file creates queues of its own, and a process
 * that synthesizes the CDK app.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
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
  const synthesizer = await startSynthesizer();
  setSharedServers({
    sqs: queueServer.endpoint,
    dynamodb: configured
      ? [{ endpoint: configured }]
      : databases.map(({ endpoint, pid }) => ({ endpoint, pid })),
    isDynamodbIndexed: indexed.length > 0,
    synthesizer,
  });
  // Without a handler, a signal would end this process before it can end its children.
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  (globalThis as GlobalHandle).closeSharedServers = async () => {
    await Promise.all([queueServer, synthesizer, ...databases].map((server) => server.close()));
  };
}

/** Returns a DynamoDB for each worker, or none if the machine has too little memory. */
async function startIndexedDatabases(maxWorkers: number): Promise<SharedDynamodb[]> {
  const numbers = Array.from({ length: maxWorkers }, (_, index) => index + 1);
  const started = await Promise.all(numbers.map(startIndexedDynamodb));
  return started.filter((database) => database !== undefined);
}

async function startSynthesizer() {
  const child = fork(join(import.meta.dirname, '../infra/synthesizer.ts'), { execArgv: [] });
  const ended = once(child, 'exit');
  const [{ endpoint }] = await Promise.race([
    once(child, 'message'),
    ended.then(() => Promise.reject(new Error('The synthesizer has ended. The error is above.'))),
  ]);
  const close = async () => {
    child.disconnect();
    await ended;
  };
  return { endpoint: String(endpoint), pid: Number(child.pid), close };
}

// biome-ignore lint/style/noDefaultExport: jest takes the default export
export default setUp;
