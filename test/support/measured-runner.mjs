/**
 * Runs a test file with Jest's own runner, and adds to its result the CPU time of the file, by program, and how many calls it made to
 * the table: a file with many more than it has requests wastes them. `cpu-reporter.mjs` collects the results.
 *
 * - `node` is the worker of Jest: the tests, and the local stack with its functions.
 * - `java` is the DynamoDB Local that the files of the worker share.
 * - Every other program is a child process of the worker, such as `chromium`, or a script of Node.
 * - The CDK app is not listed, because one process synthesizes it for all files.
 */
import { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import circus from 'jest-circus/runner';
import './code-cache.mjs';
import { cpuOf } from './process-cpu.mjs';
import { workerDynamodbPid } from './shared-servers.ts';

const { default: runFile } = circus;

const samplePauseMs = 250;

/** The seconds that ended child processes took since the worker began, by program. */
const programs = new Map();
let countedChildren = 0;
let before;
let tableCalls = 0;
subscribe('http.client.request.created', ({ request }) => {
  if (String(request.getHeader('x-amz-target')).startsWith('DynamoDB_')) tableCalls++;
});

/** Has the parameters and the result of `jest-circus/runner`. */
export default async function runMeasured(...args) {
  // What the worker does between two files belongs to the second one.
  before ??= measure();
  const callsBefore = tableCalls;
  const result = await runFile(...args);
  const after = measure();
  const cpu = Object.fromEntries(
    Object.entries(after).map(([program, seconds]) => [program, seconds - (before[program] ?? 0)]),
  );
  before = after;
  return { ...result, cpu, tableCalls: tableCalls - callsBefore };
}

function measure() {
  const { user, system } = process.cpuUsage();
  countChildren('others');
  return {
    node: (user + system) / 1e6,
    // Some tests change the environment, which names the process.
    java: cpuOf(workerDynamodbPid())?.seconds ?? before?.java ?? 0,
    ...Object.fromEntries(programs),
  };
}

/** Adds the time of the child processes that have ended since the last call to a program. */
function countChildren(program, atLeast = 0) {
  const total = cpuOf('self')?.childrenSeconds ?? 0;
  const seconds = Math.max(total - countedChildren, atLeast);
  countedChildren = total;
  if (seconds > 0) programs.set(program, (programs.get(program) ?? 0) + seconds);
}

const { spawn } = ChildProcess.prototype;

/** Knows the program of each child process. Node passes its arguments on to this method. */
ChildProcess.prototype.spawn = function spawnMeasured(options) {
  const failure = spawn.call(this, options);
  const program = nameOf(options);
  // Chromium does not wait for all of its processes, so their times are read while they run.
  const sampler = program.startsWith('chrom') && this.pid ? sampleGroup(this.pid) : undefined;
  this.once('exit', () => countChildren(program, sampler?.end()));
  return failure;
};

/** Returns the name of the program, or of the script that Node runs. */
function nameOf({ file, args }) {
  const name = basename(file ?? '').replace('-headless-shell', '');
  if (name !== 'node' && file !== process.execPath) return name;
  const script = args.slice(1).find((argument) => !argument.startsWith('-')) ?? '';
  // The text of a program is no name.
  return /^[\w./-]+$/.test(script) ? basename(script) : 'node -e';
}

/** Adds up the CPU times of the processes of a process group until it ends. */
function sampleGroup(group) {
  const seconds = new Map();
  const sample = () => {
    for (const pid of readdirSync('/proc')) {
      const stat = /^\d+$/.test(pid) && cpuOf(pid);
      if (stat?.group === group) seconds.set(pid, stat.seconds);
    }
  };
  const timer = setInterval(sample, samplePauseMs).unref();
  return {
    end: () => {
      clearInterval(timer);
      return [...seconds.values()].reduce((sum, each) => sum + each, 0);
    },
  };
}
