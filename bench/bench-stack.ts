/** Provides the stack of a benchmark: its own in-memory DynamoDB Local, and no background work. */
import { join } from 'node:path';
import { dynamodbCommandMarker, startDynamodb } from '../infra/local/dynamodb.ts';
import { repositoryRoot } from '../infra/local/handler.ts';
import { claimRun } from '../infra/local/run-file.ts';
import { type Stack, startStack } from '../infra/local/stack.ts';

/** Runs `work` on a stack with a paused stream, queues and schedule. Closes the stack afterwards. */
export async function withBenchStack(work: (stack: Stack) => Promise<void>): Promise<void> {
  process.env.POWERTOOLS_LOG_LEVEL ??= 'SILENT';
  // The short path to AWS, as deployments have it.
  process.env.AWS_CALLS ??= 'direct';
  const local = join(repositoryRoot, '.local');
  const name = `bench-${process.pid}`;
  const runFile = await claimRun(join(local, 'run'), name, dynamodbCommandMarker);
  try {
    const stack = await startStack({
      host: '127.0.0.1',
      port: 0,
      tableName: name,
      queuePrefix: name,
      report: () => {},
      dynamodb: () => startDynamodb({ runFile }),
      deploymentSecretFile: join(local, 'bench-secret.json'),
      scheduleIntervalMs: 3_600_000,
      enforcesPolicies: false,
    });
    try {
      await Promise.all([stack.stream.pause(), stack.queues.pause(), stack.schedule.pause()]);
      await work(stack);
    } finally {
      await stack.close();
    }
  } finally {
    runFile.release();
  }
}
