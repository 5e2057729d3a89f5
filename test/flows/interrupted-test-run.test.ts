/** A test run that is interrupted leaves no process behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { repositoryRoot } from '../../infra/local/handler.ts';
import { identify, isRunning, type ProcessIdentity } from '../../infra/local/process-identity.ts';
import { waitUntil } from '../support/wait-until.ts';

let folder: string;
let run: ChildProcess;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'remit-run-'));
});
afterEach(async () => {
  // A negative number is the group of the process.
  if (run.pid && run.exitCode === null && run.signalCode === null) process.kill(-run.pid, 'SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

/**
 * Runs `npm test` with one test that starts a DynamoDB of its own and does not end. Returns all processes of the run when
 * the test waits.
 */
async function startRun(): Promise<ProcessIdentity[]> {
  const pids = join(folder, 'pids');
  const source = (path: string) => JSON.stringify(join(repositoryRoot, path));
  await writeFile(
    join(folder, 'endless.test.mjs'),
    `import { writeFileSync } from 'node:fs';
import { startDynamodb } from ${source('infra/local/dynamodb.ts')};
test('endless', async () => {
  let child;
  await startDynamodb({ runFile: { setChild: (pid) => { child = pid; }, release: () => {} } });
  writeFileSync(${JSON.stringify(pids)}, JSON.stringify([process.pid, process.ppid, child, JSON.parse(process.env.REMIT_TEST_SERVERS).synthesizer.pid]));
  await new Promise(() => {});
});
`,
  );
  const config = {
    rootDir: repositoryRoot,
    roots: [folder],
    testMatch: [join(folder, '*.test.mjs')],
    testTimeout: 900_000,
    extensionsToTreatAsEsm: ['.ts'],
    transform: { '\\.ts$': '<rootDir>/test/support/strip-types.mjs' },
    globalSetup: '<rootDir>/test/support/global-setup.ts',
    globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  };
  await writeFile(join(folder, 'jest.config.json'), JSON.stringify(config));
  // Detached, it has a process group of its own, as a command in a terminal has.
  run = spawn('npm', ['test', '--', '--config', join(folder, 'jest.config.json')], {
    cwd: repositoryRoot,
    detached: true,
    env: { ...process.env },
    stdio: 'ignore',
  });
  const [worker, parent, ownDynamodb, synthesizer] = await waitUntil(
    'the test waits',
    async () => JSON.parse(await readFile(pids, 'utf8')) as number[],
  );
  // Jest runs the test in its own process or in a worker.
  const shared = await Promise.any([worker, parent].map(readChildOfRun));
  return [run.pid, worker, ownDynamodb, synthesizer, shared].map((pid) => {
    const identity = identify(Number(pid));
    if (!identity) throw new Error(`Process ${pid} does not run.`);
    return identity;
  });
}

/** Returns the process of the DynamoDB that the run `pid` has started for its first worker. */
async function readChildOfRun(pid: number | undefined): Promise<number> {
  const file = join(repositoryRoot, '.local', 'run', `test-${pid}-1.json`);
  return JSON.parse(await readFile(file, 'utf8')).child.pid;
}

test.each([
  ['Ctrl-C in a terminal', 'SIGINT', 'group'],
  ['the end of a terminal', 'SIGHUP', 'group'],
  ['SIGTERM to npm', 'SIGTERM', 'process'],
  ['SIGKILL', 'SIGKILL', 'group'],
] as const)('%s ends all processes of the run', async (_, signal, target) => {
  const processes = await startRun();
  const pid = Number(run.pid);
  process.kill(target === 'group' ? -pid : pid, signal);
  if (run.exitCode === null && run.signalCode === null) await once(run, 'exit');
  await waitUntil('all processes have ended', () => !processes.some(isRunning));
  expect(processes).toHaveLength(5);
});
