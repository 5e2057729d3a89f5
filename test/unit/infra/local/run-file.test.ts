/** Tests run files: children of killed runs are stopped, and running runs keep their children and names. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { identify, isRunning, type ProcessIdentity } from '../../../../infra/local/process-identity.ts';
import { claimRun } from '../../../../infra/local/run-file.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const marker = 'the-marker-of-our-child';
const moduleFile = resolve(import.meta.dirname, '../../../../infra/local/run-file.ts');

let directory: string;
const strays: ProcessIdentity[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'remit-run-'));
});
afterEach(() => {
  for (const stray of strays.splice(0)) if (isRunning(stray)) process.kill(stray.pid, 'SIGKILL');
  rmSync(directory, { recursive: true });
});

/** Starts another process that reserves a name, starts a child with `childMarker` in its command line, and waits. */
async function startOwner(name: string, childMarker: string) {
  const script = `
    import { spawn } from 'node:child_process';
    const { claimRun } = await import(process.argv[1]);
    const run = await claimRun(process.argv[2], process.argv[3], 'unused');
    const wait = 'setInterval(() => {}, 1000)';
    const child = spawn(process.execPath, ['-e', wait, process.argv[4]], { detached: true, stdio: 'ignore' });
    run.setChild(child.pid);
    console.log(child.pid);
    setInterval(() => {}, 1000);
  `;
  const owner = spawn(
    process.execPath,
    [
      '--input-type=module',
      '--disable-warning=ExperimentalWarning',
      '-e',
      script,
      moduleFile,
      directory,
      name,
      childMarker,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [line] = await once(owner.stdout, 'data');
  const child = identify(Number(String(line)));
  const self = identify(owner.pid ?? 0);
  if (!child || !self) throw new Error('The owner did not start.');
  strays.push(child, self);
  const kill = async () => {
    owner.kill('SIGKILL');
    await once(owner, 'exit');
  };
  return { pid: owner.pid, child, kill };
}

test('only one run can hold a name until it releases it', async () => {
  const run = await claimRun(directory, 'data', marker);
  await expect(claimRun(directory, 'data', marker)).rejects.toMatchObject({
    name: 'StartError',
    message: `The local stack already runs with the same data as process ${process.pid}. Stop that process first.`,
  });
  run.release();
  (await claimRun(directory, 'data', marker)).release();
});

test('the next start stops the child of a killed run, also with another name', async () => {
  const { child, kill } = await startOwner('data', marker);
  await kill();
  expect(isRunning(child)).toBe(true);
  (await claimRun(directory, 'another', marker)).release();
  await waitUntil('the child has ended', () => !isRunning(child));
  expect(readdirSync(directory)).toEqual([]);
});

test('a running run and its child are not stopped', async () => {
  const { child, pid } = await startOwner('data', marker);
  await expect(claimRun(directory, 'data', marker)).rejects.toThrow(`process ${pid}`);
  (await claimRun(directory, 'another', marker)).release();
  expect(isRunning(child)).toBe(true);
});

test('a process without the marker is not stopped', async () => {
  const { child, kill } = await startOwner('data', 'something else');
  await kill();
  (await claimRun(directory, 'data', marker)).release();
  expect(isRunning(child)).toBe(true);
});

test('a process that reuses the id of an old child is not stopped', async () => {
  const { child } = await startOwner('data', marker);
  const gone = { pid: 2 ** 22, started: 'never' };
  writeFileSync(
    join(directory, 'old.json'),
    JSON.stringify({ owner: gone, child: { ...child, started: 'earlier' } }),
  );
  (await claimRun(directory, 'another', marker)).release();
  expect(isRunning(child)).toBe(true);
  expect(existsSync(join(directory, 'old.json'))).toBe(false);
});

test('the error for a damaged file names the file', async () => {
  writeFileSync(join(directory, 'data.json'), '');
  await expect(claimRun(directory, 'data', marker)).rejects.toThrow(join(directory, 'data.json'));
});
