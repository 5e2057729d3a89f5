/**
 * Amazon's DynamoDB Local as a child process: started on a free port, awaited, ended. It runs in memory or on a
 * directory; its run file lets the next start end it if this process is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { findJava } from './java.ts';
import type { RunFile } from './run-file.ts';

/** Stands in the command line of every DynamoDB Local. */
export const dynamodbMark = 'DynamoDBLocal.jar';

export interface DynamodbOptions {
  /** Where the data is kept; in memory without it. */
  readonly dataDirectory?: string;
  /** The claim of this run; the process is noted there. */
  readonly runFile: RunFile;
  /** Ends a start that is no longer wanted. */
  readonly signal?: AbortSignal;
}

export interface Dynamodb {
  readonly endpoint: string;
  /** Resolves, with a sentence that says so, if the process ends by itself. */
  readonly failed: Promise<string>;
  close(): Promise<void>;
}

const readyWithinMs = 20_000;
const endsWithinMs = 3_000;

/** Starts DynamoDB Local and resolves once it answers. Throws a `StartError` without Java 17. */
export async function startDynamodb(options: DynamodbOptions): Promise<Dynamodb> {
  const java = await findJava();
  if (options.dataDirectory) mkdirSync(options.dataDirectory, { recursive: true, mode: 0o700 });
  for (let attempt = 1; ; attempt += 1) {
    options.signal?.throwIfAborted();
    const port = await freePort();
    const child = launch(java, port, options);
    const ended = once(child, 'exit').then(() => undefined);
    const output = collectOutput(child);
    if (await answers(port, child, options.signal)) return handle(port, child, ended, output);
    await end(child, ended);
    options.signal?.throwIfAborted();
    if (attempt === 3) throw new Error(`DynamoDB Local did not start: ${output() || 'it said nothing'}`);
  }
}

/**
 * Only the quick one of Java's compilers runs: for the minutes that it mostly lives, the thorough one takes more processor
 * time than it ever gives back. A process group of its own keeps Ctrl-C from ending it before the functions
 * that use it.
 */
function launch(java: string, port: number, { dataDirectory, runFile }: DynamodbOptions): ChildProcess {
  const emulator = join(
    dirname(createRequire(import.meta.url).resolve('amplify-dynamodb-simulator/package.json')),
    'emulator',
  );
  const storage = dataDirectory ? ['-dbPath', dataDirectory] : ['-inMemory'];
  const child = spawn(
    java,
    [
      ...['-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'],
      ...['-Djava.library.path=./DynamoDBLocal_lib', '-jar', dynamodbMark],
      ...['-port', String(port), '-sharedDb', '-disableTelemetry', ...storage],
    ],
    { cwd: emulator, stdio: ['ignore', 'pipe', 'pipe'], detached: true },
  );
  const killAtExit = () => child.kill('SIGKILL');
  process.once('exit', killAtExit);
  child.on('error', () => {}).once('exit', () => process.off('exit', killAtExit));
  if (child.pid) runFile.setChild(child.pid);
  return child;
}

function handle(port: number, child: ChildProcess, ended: Promise<void>, output: () => string): Dynamodb {
  let closing = false;
  const failed = ended.then(() =>
    closing ? new Promise<string>(() => {}) : `DynamoDB Local ended by itself. ${output()}`.trim(),
  );
  return {
    endpoint: `http://127.0.0.1:${port}`,
    failed,
    close: async () => {
      closing = true;
      await end(child, ended);
    },
  };
}

async function end(child: ChildProcess, ended: Promise<void>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || !child.pid) return;
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), endsWithinMs);
  await ended.finally(() => clearTimeout(timer));
}

/** True once anything answers HTTP at the port, false if the process ends, the signal aborts or time runs out. */
async function answers(port: number, child: ChildProcess, signal: AbortSignal | undefined): Promise<boolean> {
  const deadline = performance.now() + readyWithinMs;
  while (performance.now() < deadline) {
    if (!child.pid || child.exitCode !== null || child.signalCode !== null || signal?.aborted) return false;
    const up = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(2_000) }).then(
      (response) => response.arrayBuffer().then(() => true),
      () => false,
    );
    if (up) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || !address) throw new Error('There is no free port.');
  return address.port;
}

/** The last 2000 characters that the process wrote, for the sentence about its failure. */
function collectOutput(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-2_000);
    });
  }
  return () => text.trim();
}
