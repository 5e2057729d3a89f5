/**
 * Starts one DynamoDB Local in memory before all tests, and passes its endpoint to them in the environment. Each test
 * file creates a table of its own in it.
 */
import { join } from 'node:path';
import { type Dynamodb, dynamodbCommandMarker, startDynamodb } from '../../infra/local/dynamodb.ts';
import { configuredEndpoint } from '../../infra/local/environment.ts';
import { repositoryRoot } from '../../infra/local/handler.ts';
import { claimRun } from '../../infra/local/run-file.ts';
import { isLoopback } from '../../infra/loopback.ts';
import { endpointVariable, type GlobalHandle } from './test-dynamodb.ts';

async function setUp(): Promise<void> {
  const configured = configuredEndpoint('DYNAMODB');
  if (configured) {
    if (!isLoopback(configured))
      throw new Error('The tests run only against a DynamoDB on this machine. Use a loopback endpoint.');
    process.env[endpointVariable] = configured;
    return;
  }
  const directory = join(repositoryRoot, '.local', 'run');
  const runFile = await claimRun(directory, `test-${process.pid}`, dynamodbCommandMarker);
  try {
    const dynamodb: Dynamodb = await startDynamodb({ runFile });
    process.env[endpointVariable] = dynamodb.endpoint;
    // Without a handler, a signal would end this process before it can end its child.
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
    (globalThis as GlobalHandle).testDynamodb = {
      close: async () => {
        await dynamodb.close();
        runFile.release();
      },
    };
  } catch (error) {
    runFile.release();
    throw error;
  }
}

// biome-ignore lint/style/noDefaultExport: jest takes the default export
export default setUp;
