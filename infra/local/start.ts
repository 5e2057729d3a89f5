/**
 * Runs `npm start`: the service on 127.0.0.1 with its data in `.local/`. With `-- --fresh` it deletes the data first, with
 * `-- --provider-doubles` it also runs doubles of the payment providers. It prints a line for each request, or the log of
 * the functions with `-- --json`.
 */
import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isLoopback } from '../loopback.ts';
import type { DashboardOptions } from './dashboard.ts';
import { doubleVariables } from './double-urls.ts';
import { describeDoubles, type LocalDoubles, sendNotifications, startProviderDoubles } from './doubles.ts';
import { dynamodbCommandMarker, startDynamodb } from './dynamodb.ts';
import { configuredEndpoint, configuredPort, setEnvironment } from './environment.ts';
import { repositoryRoot } from './handler.ts';
import { localUsers } from './local-users.ts';
import { summarizeError } from './loop.ts';
import { formatRequest, paintForTerminal, writeReadableLines } from './readable-log.ts';
import { claimRun, type RunFile } from './run-file.ts';
import { seed } from './seed.ts';
import { seedMembers } from './seed-members.ts';
import { type Stack, startStack } from './stack.ts';
import { describeStack, readSeededAccount, type StackDescription, writeStackFile } from './stack-file.ts';
import { StartError } from './start-error.ts';

const directory = join(repositoryRoot, '.local');
const stackFile = join(directory, 'stack.json');
const runDirectory = join(directory, 'run');
/** The second is the compile cache of Node, which `package.json` names. */
const entriesWithoutData = [basename(runDirectory), 'compile-cache'];
/** npm forwards Ctrl-C, so one keypress can arrive twice. A second signal within this time is ignored. */
const duplicateSignalMs = 500;
const stopsWithinMs = 8_000;

/** The requests of the start itself are not shown. */
let showsRequests = false;

const print = (text: string) => process.stdout.write(`${text}\n`);
const report = (line: string) => process.stderr.write(`${line}\n`);

async function main(): Promise<void> {
  const { fresh, providerDoubles, json } = readArguments(process.argv.slice(2));
  const stopping = stopSignals();
  const runFile = await claimRun(runDirectory, 'start', dynamodbCommandMarker);
  let stack: Stack | undefined;
  let doubles: LocalDoubles | undefined;
  try {
    const failures: Promise<string>[] = [];
    doubles = providerDoubles
      ? await startProviderDoubles({ stripe: portAfter(3), razorpay: portAfter(4) })
      : undefined;
    const doubleUrls = doubles && { stripe: doubles.stripe.url, razorpay: doubles.razorpay.url };
    if (doubleUrls) setEnvironment(doubleVariables(doubleUrls));
    stack = await startStack(stackOptions(fresh, runFile, failures, stopping.signal));
    if (!json) await showReadableLog();
    const account = await seed(stack, await readSeededAccount(stackFile));
    const description = describeStack(stack, account, doubleUrls);
    if (doubles) sendNotifications(doubles, stack.baseUrl, account);
    await writeStackFile(stackFile, description);
    print(formatGreeting(description, await seedMembers(stack, account.accountId)));
    showsRequests = !json;
    if (doubles) print(describeDoubles(doubles));
    const failure = await Promise.race([stopping.requested, ...failures]);
    if (failure) throw new Error(failure);
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
  } finally {
    await stack?.close();
    await doubles?.close();
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
      '--fresh deletes the table, which is allowed only on this machine. Omit --fresh, or unset AWS_ENDPOINT_URL_DYNAMODB.',
    );
  }
  const dynamodb = async () => {
    if (fresh) deleteData();
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
    s3Endpoint: configuredEndpoint('S3'),
    objectDirectory: join(directory, 'objects'),
    mailPort: portAfter(5),
    mailDirectory: join(directory, 'mail'),
    reportsDeliveries: true,
    deploymentSecretFile: join(directory, 'deployment-secret.json'),
    scheduleIntervalMs: 1_000,
    beginsDailyWork: true,
    dashboard: dashboardOptions(),
    emptyTable: fresh,
    report,
    onRequest: (request) => {
      if (showsRequests) print(formatRequest(request, new Date(), paintForTerminal));
    },
    signal,
  };
}

/** Shows the log of the functions in lines for people, from now on. Its module reads the environment of the stack. */
async function showReadableLog(): Promise<void> {
  const { logger } = await import('../../shared/base/log.ts');
  writeReadableLines(logger, print, paintForTerminal);
}

/** The dashboard uses the next two ports after that of the API. The issuer's address is part of its users' identities. */
function dashboardOptions(): DashboardOptions {
  return { port: portAfter(1), issuerPort: portAfter(2), users: Object.values(localUsers) };
}

/** Returns the port that is `offset` after that of the API, or 0 if any free port will do. */
function portAfter(offset: number): number {
  const port = configuredPort(3000);
  return port > 0 && port + offset <= 65_535 ? port + offset : 0;
}

/** Deletes all data of earlier runs, except the run files. At this point no other run uses the data. */
function deleteData(): void {
  for (const entry of readdirSync(directory)) {
    if (!entriesWithoutData.includes(entry)) rmSync(join(directory, entry), { recursive: true, force: true });
  }
}

interface StartOptions {
  readonly fresh: boolean;
  readonly providerDoubles: boolean;
  /** The log of the functions stays as it is: one JSON object a line. */
  readonly json: boolean;
}

/** Reads the options. @throws StartError if the arguments contain anything else */
function readArguments(args: readonly string[]): StartOptions {
  const unknown = args.find((arg) => !['--fresh', '--provider-doubles', '--json'].includes(arg));
  if (unknown !== undefined) {
    throw new StartError(
      `Unknown option ${unknown}. The options are --fresh, --provider-doubles and --json.`,
    );
  }
  return {
    fresh: args.includes('--fresh'),
    providerDoubles: args.includes('--provider-doubles'),
    json: args.includes('--json'),
  };
}

/** Handles stop signals. The first one stops the stack cleanly within 8 seconds. The second one exits immediately. */
function stopSignals(): { requested: Promise<undefined>; signal: AbortSignal } {
  const controller = new AbortController();
  const requested = Promise.withResolvers<undefined>();
  let firstAtMs = 0;
  const stop = () => {
    if (controller.signal.aborted) {
      if (performance.now() - firstAtMs > duplicateSignalMs) process.exit(130);
      return;
    }
    firstAtMs = performance.now();
    controller.abort();
    requested.resolve(undefined);
    setTimeout(() => process.exit(1), stopsWithinMs).unref();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  if (process.env.npm_lifecycle_event) whenParentEnds(stop);
  return { requested: requested.promise, signal: controller.signal };
}

/** Stops the stack if the parent process ends. The shell between npm and this process may not forward signals. */
function whenParentEnds(stop: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, 250).unref();
}

/** @param signInLink signs the account's owner in at the dashboard, once */
function formatGreeting(description: StackDescription, signInLink: string): string {
  const { baseUrl, dashboardUrl, mailUrl, tableName, dynamodbEndpoint, sqsEndpoint, accountId, plan, keys } =
    description;
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
  dashboard  ${dashboardUrl}
  mail       ${mailUrl}

Open the dashboard as the owner of the account. The link works once:

  ${signInLink}

Create an invoice:

  curl ${baseUrl}/api/invoices -H 'Authorization: Bearer ${keys.test}' -H 'Content-Type: application/json' -d '${invoice}'

Press Ctrl-C to stop.
`;
}

function errorMessageOf(error: unknown): string {
  if (error instanceof StartError) return error.message;
  const unreachable = ['ECONNREFUSED', 'ENOTFOUND', 'ETIMEDOUT'].includes(
    (error as NodeJS.ErrnoException)?.code ?? '',
  );
  return unreachable
    ? `An endpoint does not respond (${summarizeError(error)}). Start it, or unset AWS_ENDPOINT_URL_DYNAMODB and AWS_ENDPOINT_URL_SQS.`
    : `The local stack failed. ${summarizeError(error)}`;
}

try {
  await main();
  process.exit(0);
} catch (error) {
  report(errorMessageOf(error));
  process.exit(1);
}
