/**
 * Loads the functions' handlers and makes the context that Lambda would hand to them.
 */
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Context } from 'aws-lambda';

/** A handler as this project writes them: asynchronous, no callback. */
export type LambdaHandler<Event, Result> = (event: Event, context: Context) => Promise<Result>;

/** The repository's root, whatever the working directory is. */
export const repositoryRoot = resolve(import.meta.dirname, '../..');

/**
 * Imports the module at `file`, relative to the repository's root, and returns its export `handler`.
 * Throws if there is none.
 */
export async function loadHandler<Event, Result>(file: string): Promise<LambdaHandler<Event, Result>> {
  const loaded: { handler?: unknown } = await import(pathToFileURL(resolve(repositoryRoot, file)).href);
  if (typeof loaded.handler !== 'function') throw new Error(`${file} has no export named handler.`);
  return loaded.handler as LambdaHandler<Event, Result>;
}

/** A fresh context for one invocation of the function in `file`, with `timeoutMs` to run. */
export function lambdaContext(file: string, timeoutMs: number, requestId: string = randomUUID()): Context {
  const deadline = performance.now() + timeoutMs;
  const name = file
    .replace(/^functions\//, '')
    .replace(/\.ts$/, '')
    .replaceAll('/', '-');
  return {
    callbackWaitsForEmptyEventLoop: false,
    functionName: name,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:local:000000000000:function:${name}`,
    memoryLimitInMB: '1024',
    awsRequestId: requestId,
    logGroupName: `/aws/lambda/${name}`,
    logStreamName: 'local',
    getRemainingTimeInMillis: () => Math.max(0, Math.floor(deadline - performance.now())),
    done: () => {},
    fail: () => {},
    succeed: () => {},
  };
}
