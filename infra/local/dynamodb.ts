/**
 * Starts and stops Amazon's DynamoDB Local as a child process on a free port.
 *
 * - The data is in memory or in a directory.
 * - The run file records the child process. If this process is killed, the next start can stop the child.
 * - The npm package `amplify-dynamodb-simulator` contains the JAR file of DynamoDB Local. This project uses only that
 *   file, none of the package's JavaScript. The `overrides` in package.json replace all nine dependencies of the package
 *   with `tslib`, a small package without dependencies. So npm does not install the Amplify CLI and other unused code.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { freePort } from './free-port.ts';
import { findJava } from './java.ts';
import type { RunFile } from './run-file.ts';

/** A text in the command line of every DynamoDB Local process. It identifies the process. */
export const dynamodbCommandMarker = 'DynamoDBLocal.jar';

export interface DynamodbOptions {
  /** The directory of the data. Without it the data is in memory. */
  readonly dataDirectory?: string;
  /** The run file of this run. It records the child process. */
  readonly runFile: RunFile;
  /** Cancels the start. */
  readonly signal?: AbortSignal;
}

export interface Dynamodb {
  readonly endpoint: string;
  readonly pid: number;
  /** Resolves with an error message if the process exits unexpectedly. */
  readonly failed: Promise<string>;
  close(): Promise<void>;
}

/** A machine under load needs many times the second that an idle one needs. */
const readyWithinMs = 90_000;
const endsWithinMs = 3_000;

/**
 * Starts DynamoDB Local and waits until it responds. Makes up to three attempts.
 * @throws StartError if Java 17 or later is not installed
 * @throws Error if DynamoDB Local does not start
 */
export async function startDynamodb(options: DynamodbOptions): Promise<Dynamodb> {
  const java = await findJava();
  if (options.dataDirectory) mkdirSync(options.dataDirectory, { recursive: true, mode: 0o700 });
  for (let attempt = 1; ; attempt += 1) {
    options.signal?.throwIfAborted();
    const port = await freePort();
    const child = launch(java, port, options);
    const ended = once(child, 'exit').then(() => undefined);
    const output = collectOutput(child);
    if (await waitUntilReady(port, child, options.signal)) return toDynamodb(port, child, ended, output);
    await stop(child, ended);
    options.signal?.throwIfAborted();
    if (attempt === 3) throw new Error(`DynamoDB Local did not start. Its output: ${output() || 'none'}`);
  }
}

/**
 * Starts the process.
 *
 * - Only the fast JIT compiler of Java runs. In the few minutes of a typical run, the optimizing compiler uses more
 *   processor time than it saves.
 * - `dynamodb-server.xml` makes it listen on loopback only, which its own command cannot. It sends no telemetry.
 * - The process has its own process group. Otherwise Ctrl-C would stop it before the functions that use it.
 */
function launch(java: string, port: number, { dataDirectory, runFile }: DynamodbOptions): ChildProcess {
  const emulator = join(
    dirname(createRequire(import.meta.url).resolve('amplify-dynamodb-simulator/package.json')),
    'emulator',
  );
  const storage = dataDirectory ? ['inMemory=false', `dbPath=${dataDirectory}`] : ['inMemory=true'];
  const child = spawn(
    java,
    [
      '-Xmx384m',
      '-XX:+UseSerialGC',
      '-XX:TieredStopAtLevel=1',
      '-Djava.library.path=./DynamoDBLocal_lib',
      '-classpath',
      [dynamodbCommandMarker, 'DynamoDBLocal_lib/*'].join(delimiter),
      'org.eclipse.jetty.xml.XmlConfiguration',
      `port=${port}`,
      ...storage,
      join(import.meta.dirname, 'dynamodb-server.xml'),
    ],
    {
      cwd: emulator,
      env: { ...process.env, DDB_LOCAL_TELEMETRY: '0' },
      // Nothing is written to its standard input. The operating system closes it when this process ends.
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    },
  );
  const killAtExit = () => child.kill('SIGKILL');
  process.once('exit', killAtExit);
  child.on('error', () => {}).once('exit', () => process.off('exit', killAtExit));
  if (child.pid) runFile.setChild(child.pid);
  return child;
}

function toDynamodb(port: number, child: ChildProcess, ended: Promise<void>, output: () => string): Dynamodb {
  let closing = false;
  const failed = ended.then(() =>
    closing ? new Promise<string>(() => {}) : `DynamoDB Local exited unexpectedly. ${output()}`.trim(),
  );
  return {
    endpoint: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    failed,
    close: async () => {
      closing = true;
      await stop(child, ended);
    },
  };
}

async function stop(child: ChildProcess, ended: Promise<void>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || !child.pid) return;
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), endsWithinMs);
  await ended.finally(() => clearTimeout(timer));
}

/**
 * Returns true when the process responds to HTTP requests. Returns false if it exits, if the signal aborts, or after
 * 90 seconds.
 */
async function waitUntilReady(
  port: number,
  child: ChildProcess,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const deadline = performance.now() + readyWithinMs;
  while (performance.now() < deadline) {
    if (!child.pid || child.exitCode !== null || child.signalCode !== null || signal?.aborted) return false;
    const responds = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(2_000) }).then(
      (response) => response.arrayBuffer().then(() => true),
      () => false,
    );
    if (responds) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

/** Collects the last 2,000 characters of the process output, for error messages. */
function collectOutput(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-2_000);
    });
  }
  return () => text.trim();
}
