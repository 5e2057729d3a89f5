/**
 * Loads the handlers of the functions and creates the context that Lambda passes to them. All functions run in one process, so this
 * file also says which of them the running code belongs to.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Context } from 'aws-lambda';

/** A handler of this project: asynchronous and without a callback. */
export type LambdaHandler<Event, Result> = (event: Event, context: Context) => Promise<Result>;

/** The root directory of the repository. It does not depend on the working directory. */
export const repositoryRoot = resolve(import.meta.dirname, '../..');

const runningFile = new AsyncLocalStorage<string>();

/** Runs `work` as the code of no function, for example as an operator's command that a test runs beside a function. */
export const runOutsideFunctions = <T>(work: () => T): T => runningFile.exit(work);

/** Runs `work` as the code of the function in `file`. */
export const runAsFunction = <T>(file: string, work: () => T): T => runningFile.run(file, work);

/** Returns the file of the function that the running code belongs to. Undefined outside of all functions. */
export const runningFunction = (): string | undefined => runningFile.getStore();

/** How handlers are loaded. A test replaces `load` to run functions of another release. */
export const handlerLoader = { load: importHandler };

/**
 * Loads the handler of a function.
 * @param file the path of the function's module, relative to the repository root
 * @throws Error if the module has no export `handler`
 */
export async function loadHandler<Event, Result>(file: string): Promise<LambdaHandler<Event, Result>> {
  const handler = (await handlerLoader.load(file)) as LambdaHandler<Event, Result>;
  return (event, context) => runAsFunction(file, () => handler(event, context));
}

/**
 * Imports the handler of a function from a folder.
 * @param root the folder, which is laid out like the repository
 * @throws Error if the module has no export `handler`
 */
export async function importHandler(file: string, root = repositoryRoot): Promise<unknown> {
  const loaded: { handler?: unknown } = await import(pathToFileURL(resolve(root, file)).href);
  if (typeof loaded.handler !== 'function') throw new Error(`${file} has no export named handler.`);
  return loaded.handler;
}

/** Creates the context of one invocation of the function in `file` with a time limit of `timeoutMs`. */
export function lambdaContext(file: string, timeoutMs: number, requestId: string = randomUUID()): Context {
  const deadline = performance.now() + timeoutMs;
  const name = file.slice('functions/'.length, -'.ts'.length).replaceAll('/', '-');
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
