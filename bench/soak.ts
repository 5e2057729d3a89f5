/**
 * `npm run soak -- --operations N --seed S [--resume]`: random clients under the fault layer, at length, in rounds.
 * Each round is a process with a DynamoDB of its own (`--round`); after each it is noted how far the run came.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { dynamodbMark, startDynamodb } from '../infra/local/dynamodb.ts';
import { repositoryRoot } from '../infra/local/handler.ts';
import { claimRun } from '../infra/local/run-file.ts';
import { startStack } from '../infra/local/stack.ts';
import { stopClock } from '../test/support/clock.ts';
import { type RunResult, runHistory } from '../test/support/history-run.ts';

const operationsPerRound = 2_000;
/** They make more than 20,000 events. */
const defaultOperations = 36_000;
const directory = join(repositoryRoot, '.local', 'soak');

interface Arguments {
  readonly seed: number;
  readonly operations: number;
  readonly resume: boolean;
  /** Only this round, and its result as JSON. */
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

/** All rounds that are left; 1 if any of them ever had a violation. */
async function runAll({ seed, operations, resume }: Arguments): Promise<number> {
  const file = join(directory, `seed-${seed}-operations-${operations}.json`);
  const begun = { seed, operations, roundsDone: 0, events: 0, deliveries: 0, violations: [] };
  const progress: Progress = { ...begun, ...(resume && readProgress(file)) };
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
  return conclude(progress);
}

/** A process that is killed, or fails, ends the run; `--resume` goes on with that round. */
async function runInProcess(words: readonly (string | number)[]): Promise<RunResult> {
  const child = spawn(process.execPath, [import.meta.filename, ...words.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (code !== 0) throw new Error(`A round has ended with code ${code}: ${words.join(' ')}`);
  return JSON.parse(output.trim().split('\n').at(-1) ?? '') as RunResult;
}

async function runRound(seed: number, round: number, operations: number): Promise<RunResult> {
  process.env.POWERTOOLS_LOG_LEVEL = 'SILENT';
  const runFile = await claimRun(join(repositoryRoot, '.local', 'run'), `soak-${process.pid}`, dynamodbMark);
  const name = `soak-${round}`;
  const stack = await startStack({
    ...{ host: '127.0.0.1', port: 0, tableName: name, queuePrefix: name, report: () => {} },
    ...{ dynamodb: () => startDynamodb({ runFile }), scheduleIntervalMs: 3_600_000 },
    deploymentSecretFile: join(directory, 'deployment-secret.json'),
  });
  try {
    return await runHistory(stack, {
      ...{ seed: seed * 10_000 + round, operations, concurrency: 50, owners: 3, clock: stopClock() },
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
      resume: { type: 'boolean', default: false },
      round: { type: 'string' },
    },
  });
  const [operations, seed] = [Number(values.operations), Number(values.seed)];
  if (!Number.isSafeInteger(operations) || operations < 1 || !Number.isSafeInteger(seed)) {
    throw new Error('Use npm run soak -- --operations <number> --seed <number> [--resume].');
  }
  return { seed, operations, resume: values.resume, round: values.round ? Number(values.round) : undefined };
}

function readProgress(file: string): Progress | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Progress;
  } catch {
    return undefined;
  }
}

function describeRound(round: number, rounds: number, result: RunResult, ms: number): string {
  const { calls, invoices, payments, refunds, events, deliveries, messages, faults, violations } = result;
  const injected = Object.values(faults).reduce((sum, count) => sum + count, 0);
  const verdict = violations.length === 0 ? 'ok' : `${violations.length} VIOLATIONS`;
  const records = `${invoices} invoices, ${payments} payments, ${refunds} refunds`;
  const delivered = `${events} events, ${deliveries} deliveries in ${messages} messages`;
  return `round ${round + 1}/${rounds}: ${verdict}, ${calls} calls, ${records}, ${delivered}, ${injected} faults ${JSON.stringify(faults)}, ${Math.round(ms / 1000)} s`;
}

function conclude({ seed, operations, events, deliveries, violations }: Progress): number {
  for (const { round, violations: faults } of violations) {
    for (const fault of faults.slice(0, 20)) say(`seed ${seed}, round ${round + 1}: ${fault}`);
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
  const words = readArguments();
  const { seed, round, operations } = words;
  if (round === undefined) return runAll(words);
  const left = Math.min(operationsPerRound, operations - round * operationsPerRound);
  say(JSON.stringify(await runRound(seed, round, left)));
  return 0;
}

process.exit(await main());
