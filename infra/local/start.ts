/**
 * `npm start`: the service on 127.0.0.1, its data under `.local/`. `-- --fresh` begins with empty data.
 */
import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { dynamodbMark, startDynamodb } from './dynamodb.ts';
import { configuredEndpoint, configuredPort, isLoopback } from './environment.ts';
import { repositoryRoot } from './handler.ts';
import { describe } from './loop.ts';
import { claimRun, type RunFile } from './run-file.ts';
import { seed } from './seed.ts';
import { type Stack, startStack } from './stack.ts';
import { describeStack, readSeededAccount, type StackDescription, writeStackFile } from './stack-file.ts';
import { StartError } from './start-error.ts';

const directory = join(repositoryRoot, '.local');
const stackFile = join(directory, 'stack.json');
const runDirectory = join(directory, 'run');
/** npm passes a terminal's Ctrl-C on, so that one arrives twice. */
const sameKeypressMs = 500;
const endsWithinMs = 8_000;

const print = (text: string) => process.stdout.write(`${text}\n`);
const report = (line: string) => process.stderr.write(`${line}\n`);

async function main(): Promise<void> {
  const fresh = readArguments(process.argv.slice(2));
  const stopping = stopSignals();
  const runFile = await claimRun(runDirectory, 'start', dynamodbMark);
  let stack: Stack | undefined;
  try {
    const failures: Promise<string>[] = [];
    stack = await startStack(stackOptions(fresh, runFile, failures, stopping.signal));
    const account = await seed(stack, await readSeededAccount(stackFile));
    const description = describeStack(stack, account);
    await writeStackFile(stackFile, description);
    print(greeting(description));
    const failure = await Promise.race([stopping.asked, ...failures]);
    if (failure) throw new Error(failure);
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
  } finally {
    await stack?.close();
    runFile.release();
  }
}

function stackOptions(
  fresh: boolean,
  runFile: RunFile,
  failures: Promise<string>[],
  signal: AbortSignal,
): Parameters<typeof startStack>[0] {
  const endpoint = configuredEndpoint('DYNAMODB');
  if (fresh && endpoint && !isLoopback(endpoint)) {
    throw new StartError(
      '--fresh deletes the table, which it does on this machine only: leave it out, or unset AWS_ENDPOINT_URL_DYNAMODB.',
    );
  }
  const dynamodb = async () => {
    if (fresh) wipe();
    if (endpoint) return { endpoint, close: async () => {} };
    const started = await startDynamodb({ dataDirectory: join(directory, 'dynamodb'), runFile, signal });
    failures.push(started.failed);
    return started;
  };
  return {
    host: '127.0.0.1',
    port: configuredPort(3000),
    tableName: 'remit-local',
    queuePrefix: 'remit-local',
    dynamodb,
    sqsEndpoint: configuredEndpoint('SQS'),
    deploymentSecretFile: join(directory, 'deployment-secret.json'),
    scheduleIntervalMs: 1_000,
    emptyTable: fresh,
    report,
    signal,
  };
}

/** Deletes all data of earlier runs; the run files stay, and by now they show that no other run uses it. */
function wipe(): void {
  for (const entry of readdirSync(directory)) {
    if (entry !== basename(runDirectory)) rmSync(join(directory, entry), { recursive: true, force: true });
  }
}

/** True for `--fresh`. */
function readArguments(words: readonly string[]): boolean {
  const unknown = words.find((word) => word !== '--fresh');
  if (unknown !== undefined) {
    throw new StartError(`There is no option ${unknown}: use npm start, or npm start -- --fresh.`);
  }
  return words.length > 0;
}

/** The first signal asks for an orderly end, within some seconds; the second one ends at once. */
function stopSignals(): { asked: Promise<undefined>; signal: AbortSignal } {
  const controller = new AbortController();
  const asked = Promise.withResolvers<undefined>();
  let firstAtMs = 0;
  const stop = () => {
    if (controller.signal.aborted) {
      if (performance.now() - firstAtMs > sameKeypressMs) process.exit(130);
      return;
    }
    firstAtMs = performance.now();
    controller.abort();
    asked.resolve(undefined);
    setTimeout(() => process.exit(1), endsWithinMs).unref();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  if (process.env.npm_lifecycle_event) whenParentEnds(stop);
  return { asked: asked.promise, signal: controller.signal };
}

/** The shell between npm and this process may die of a signal without passing it on. */
function whenParentEnds(stop: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, 250).unref();
}

function greeting(description: StackDescription): string {
  const { baseUrl, tableName, dynamodbEndpoint, sqsEndpoint, accountId, plan, keys } = description;
  const invoice = '{"customerId":"cust_123","amount":250000,"currency":"BTN","description":"Website design"}';
  return `
Remit runs at ${baseUrl}

  account    ${accountId} (${plan})
  test key   ${keys.test}
  live key   ${keys.live}
  table      ${tableName} at ${dynamodbEndpoint}
  queues     at ${sqsEndpoint}
  details    ${stackFile}
  reference  ${baseUrl}/docs

Create an invoice:

  curl ${baseUrl}/api/invoices -H 'Authorization: Bearer ${keys.test}' -H 'Content-Type: application/json' -d '${invoice}'

Ctrl-C ends it.
`;
}

function sentenceFor(error: unknown): string {
  if (error instanceof StartError) return error.message;
  const unreachable = ['ECONNREFUSED', 'ENOTFOUND', 'ETIMEDOUT'].includes(
    (error as NodeJS.ErrnoException)?.code ?? '',
  );
  return unreachable
    ? `An endpoint does not answer (${describe(error)}): start it, or unset AWS_ENDPOINT_URL_DYNAMODB and AWS_ENDPOINT_URL_SQS.`
    : `The local stack failed. ${describe(error)}`;
}

try {
  await main();
  process.exit(0);
} catch (error) {
  report(sentenceFor(error));
  process.exit(1);
}
