/** Run files: what a killed run leaves behind is ended, what a living one holds is not touched. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { identify, isRunning, type ProcessIdentity } from '../../../../infra/local/process-identity.ts';
import { claimRun } from '../../../../infra/local/run-file.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const mark = 'the-mark-of-our-child';
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

/** Another process that claims a name, starts a child which carries `childMark`, and waits. */
async function startOwner(name: string, childMark: string) {
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
      childMark,
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

test('a name is held by one run only, until it is released', async () => {
  const run = await claimRun(directory, 'data', mark);
  await expect(claimRun(directory, 'data', mark)).rejects.toMatchObject({
    name: 'StartError',
    message: `The local stack already runs as process ${process.pid} with the same data: stop it first.`,
  });
  run.release();
  (await claimRun(directory, 'data', mark)).release();
});

test('the child of a killed run is ended at the next start, whatever the name', async () => {
  const { child, kill } = await startOwner('data', mark);
  await kill();
  expect(isRunning(child)).toBe(true);
  (await claimRun(directory, 'another', mark)).release();
  await waitUntil('the child has ended', () => !isRunning(child));
  expect(readdirSync(directory)).toEqual([]);
});

test('a living run and its child are left alone', async () => {
  const { child, pid } = await startOwner('data', mark);
  await expect(claimRun(directory, 'data', mark)).rejects.toThrow(`process ${pid}`);
  (await claimRun(directory, 'another', mark)).release();
  expect(isRunning(child)).toBe(true);
});

test('a process that does not carry the mark is not ended', async () => {
  const { child, kill } = await startOwner('data', 'something else');
  await kill();
  (await claimRun(directory, 'data', mark)).release();
  expect(isRunning(child)).toBe(true);
});

test('a process id that was used again is not ended', async () => {
  const { child } = await startOwner('data', mark);
  const gone = { pid: 2 ** 22, started: 'never' };
  writeFileSync(
    join(directory, 'old.json'),
    JSON.stringify({ owner: gone, child: { ...child, started: 'earlier' } }),
  );
  (await claimRun(directory, 'another', mark)).release();
  expect(isRunning(child)).toBe(true);
  expect(existsSync(join(directory, 'old.json'))).toBe(false);
});

test('a damaged file is named, not guessed at', async () => {
  writeFileSync(join(directory, 'data.json'), '');
  await expect(claimRun(directory, 'data', mark)).rejects.toThrow(join(directory, 'data.json'));
});
