/**
 * Runs `npm run soak -- --operations N --seed S [--seeds K] [--resume]`: a long test with random clients and injected faults.
 *
 * - With `--seeds`, the operations are divided among the seeds from S on, and the seeds run one after another.
 * - The run of a seed consists of rounds. Each round is a process with its own DynamoDB Local (`--round`).
 * - The progress is saved after each round. `--resume` continues with the next round.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { dynamodbCommandMarker, startDynamodb } from '../infra/local/dynamodb.ts';
import { repositoryRoot } from '../infra/local/handler.ts';
import { claimRun } from '../infra/local/run-file.ts';
import { startStack } from '../infra/local/stack.ts';
import { runWorkload, type WorkloadResult } from '../test/model/workload.ts';
import { stopClock } from '../test/support/clock.ts';
import { startIndexedDynamodb } from '../test/support/shared-dynamodb.ts';

/** The start and the audit of a round take as long as about a thousand operations. */
const operationsPerRound = 5_000;
/** So many operations change the same records, and the history of each owner can be checked. */
const operationsPerOwner = 333;
/** This number of operations produces more than 20,000 events. */
const defaultOperations = 36_000;
const directory = join(repositoryRoot, '.local', 'soak');

interface Arguments {
  readonly seed: number;
  /** How many seeds run, from `seed` on. */
  readonly seeds: number;
  /** For all seeds together. */
  readonly operations: number;
  readonly resume: boolean;
  /** Runs only this round and prints its result as JSON. */
  readonly round: number | undefined;
}

interface Progress {
  readonly seed: number;
  readonly operations: number;
  roundsDone: number;
  events: number;
  deliveries: number;
  violations: { round: number; violations: readonly string[] }[];
}

/** Runs all seeds. Returns the exit code: 1 if any round of any seed had a violation. */
async function runAll({ seed, seeds, operations, resume }: Arguments): Promise<number> {
  let exitCode = 0;
  for (let number = 0; number < seeds; number++) {
    const ofSeed = Math.ceil(operations / seeds);
    exitCode = Math.max(exitCode, await runSeed({ seed: seed + number, operations: ofSeed, resume }));
  }
  return exitCode;
}

/** Runs the remaining rounds of one seed. Returns the exit code: 1 if any round had a violation. */
async function runSeed({
  seed,
  operations,
  resume,
}: Pick<Arguments, 'seed' | 'operations' | 'resume'>): Promise<number> {
  const file = join(directory, `seed-${seed}-operations-${operations}.json`);
  const initial = { seed, operations, roundsDone: 0, events: 0, deliveries: 0, violations: [] };
  const progress: Progress = { ...initial, ...(resume && readProgress(file)) };
  const rounds = Math.ceil(operations / operationsPerRound);
  for (let round = progress.roundsDone; round < rounds; round++) {
    const started = performance.now();
    const result = await runInProcess(['--seed', seed, '--operations', operations, '--round', round]);
    if (result.violations.length > 0) progress.violations.push({ round, violations: result.violations });
    progress.roundsDone = round + 1;
    progress.events += result.events;
    progress.deliveries += result.deliveries;
    writeFileSync(file, `${JSON.stringify(progress, undefined, 2)}\n`);
    say(describeRound(round, rounds, result, performance.now() - started));
  }
  return printSummary(progress);
}

/** Runs a round in a new process. If that process fails or is killed, the run ends; `--resume` repeats the round. */
async function runInProcess(args: readonly (string | number)[]): Promise<WorkloadResult> {
  const child = spawn(process.execPath, [import.meta.filename, ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // The modules of the service read the environment when they load. Calls to AWS are made as in deployments.
    env: { AWS_CALLS: 'direct', POWERTOOLS_LOG_LEVEL: 'SILENT', ...process.env },
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (code !== 0) throw new Error(`A round exited with code ${code}: ${args.join(' ')}`);
  return JSON.parse(output.trim().split('\n').at(-1) ?? '') as WorkloadResult;
}

async function runRound(seed: number, round: number, operations: number): Promise<WorkloadResult> {
  const runFile = await claimRun(
    join(repositoryRoot, '.local', 'run'),
    `soak-${process.pid}`,
    dynamodbCommandMarker,
  );
  const name = `soak-${round}`;
  const stack = await startStack({
    host: '127.0.0.1',
    port: 0,
    tableName: name,
    queuePrefix: name,
    report: () => {},
    dynamodb: async () => (await startIndexedDynamodb(1)) ?? startDynamodb({ runFile }),
    scheduleIntervalMs: 3_600_000,
    // A request that a busy machine delays does not fail: a failure is a violation.
    requestTimeoutMs: 600_000,
    deploymentSecretFile: join(directory, 'deployment-secret.json'),
  });
  try {
    return await runWorkload(stack, {
      seed: seed * 10_000 + round,
      operations,
      // With more, requests wait for DynamoDB Local, and those on the same records give up.
      concurrency: 25,
      owners: Math.ceil(operations / operationsPerOwner),
      clock: stopClock(),
    });
  } finally {
    await stack.close();
    runFile.release();
  }
}

function readArguments(): Arguments {
  const { values } = parseArgs({
    options: {
      operations: { type: 'string', default: String(defaultOperations) },
      seed: { type: 'string', default: '1' },
      seeds: { type: 'string', default: '1' },
      resume: { type: 'boolean', default: false },
      round: { type: 'string' },
    },
  });
  const [operations, seed, seeds] = [values.operations, values.seed, values.seeds].map(Number) as [
    number,
    number,
    number,
  ];
  const isCount = (number: number) => Number.isSafeInteger(number) && number >= 1;
  if (!isCount(operations) || !isCount(seeds) || !Number.isSafeInteger(seed)) {
    throw new Error(
      'Use npm run soak -- --operations <number> --seed <number> [--seeds <number>] [--resume].',
    );
  }
  return {
    seed,
    seeds,
    operations,
    resume: values.resume,
    round: values.round ? Number(values.round) : undefined,
  };
}

function readProgress(file: string): Progress | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Progress;
  } catch {
    return undefined;
  }
}

function describeRound(round: number, rounds: number, result: WorkloadResult, ms: number): string {
  const { calls, invoices, payments, refunds, events, deliveries, messages, faults, violations } = result;
  const injected = Object.values(faults).reduce((sum, count) => sum + count, 0);
  const verdict = violations.length === 0 ? 'ok' : `${violations.length} VIOLATIONS`;
  const records = `${invoices} invoices, ${payments} payments, ${refunds} refunds`;
  const delivered = `${events} events, ${deliveries} deliveries in ${messages} messages`;
  return `round ${round + 1}/${rounds}: ${verdict}, ${calls} calls, ${records}, ${delivered}, ${injected} faults ${JSON.stringify(faults)}, ${Math.round(ms / 1000)} s`;
}

function printSummary({ seed, operations, events, deliveries, violations }: Progress): number {
  for (const { round, violations: found } of violations) {
    for (const violation of found.slice(0, 20)) say(`seed ${seed}, round ${round + 1}: ${violation}`);
  }
  const checked = `${operations} operations, ${events} events, ${deliveries} deliveries`;
  say(`seed ${seed}, ${checked}: ${violations.length === 0 ? '0 violations' : 'FAILED'}`);
  return violations.length === 0 ? 0 : 1;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function main(): Promise<number> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const args = readArguments();
  const { seed, round, operations } = args;
  if (round === undefined) return runAll(args);
  const remaining = Math.min(operationsPerRound, operations - round * operationsPerRound);
  say(JSON.stringify(await runRound(seed, round, remaining)));
  return 0;
}

process.exit(await main());
