/**
 * Manages run files. Each run of the stack records its own process and its child process in a run file.
 *
 * - A killed run leaves its file and its child process. The next start finds both and stops the child.
 * - A run file reserves its name, so two runs never use the same data directory.
 */
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine, identify, isRunning, type ProcessIdentity } from './process-identity.ts';
import { StartError } from './start-error.ts';

interface Run {
  readonly owner: ProcessIdentity;
  readonly child?: ProcessIdentity;
}

/** The run file of this process. */
export interface RunFile {
  /** Records a child process. The next start stops it if this process did not. */
  setChild(pid: number): void;
  release(): void;
}

/**
 * Stops the child processes that killed runs left in `directory`, then reserves `name` for this process.
 * @param childMarker a text in the command line of the child processes; a process without it is not stopped
 * @throws StartError if a running process holds the name
 */
export async function claimRun(directory: string, name: string, childMarker: string): Promise<RunFile> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  await reapLeftovers(directory, childMarker);
  const file = join(directory, `${name}.json`);
  const owner = identify(process.pid) ?? { pid: process.pid, started: 'unknown' };
  const write = (run: Run) => writeFileSync(file, JSON.stringify(run), { mode: 0o600 });
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw alreadyRunning(file);
  }
  write({ owner });
  return {
    setChild: (pid) => {
      const child = identify(pid);
      write({ owner, ...(child && { child }) });
    },
    release: () => rmSync(file, { force: true }),
  };
}

async function reapLeftovers(directory: string, childMarker: string): Promise<void> {
  const files = readdirSync(directory).filter((entry) => entry.endsWith('.json'));
  await Promise.all(files.map((entry) => reap(join(directory, entry), childMarker)));
}

async function reap(file: string, childMarker: string): Promise<void> {
  const run = readRun(file);
  if (!run || isRunning(run.owner)) return;
  if (run.child && isRunning(run.child) && commandLine(run.child.pid).includes(childMarker)) {
    await stopProcess(run.child);
  }
  rmSync(file, { force: true });
}

/** Reads a run file. Returns undefined for an incomplete or foreign file, which then stays unchanged. */
function readRun(file: string): Run | undefined {
  try {
    const run = JSON.parse(readFileSync(file, 'utf8')) as Partial<Run>;
    return run.owner ? { owner: run.owner, ...(run.child && { child: run.child }) } : undefined;
  } catch {
    return undefined;
  }
}

/** Sends SIGTERM, and SIGKILL after 3 seconds. Waits at most 6 seconds. */
async function stopProcess(target: ProcessIdentity): Promise<void> {
  const signals = { 0: 'SIGTERM', 60: 'SIGKILL' } as const;
  for (let check = 0; check < 120 && isRunning(target); check += 1) {
    const signal = signals[check as keyof typeof signals];
    if (signal) process.kill(target.pid, signal);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function alreadyRunning(file: string): StartError {
  const run = readRun(file);
  return new StartError(
    run
      ? `The local stack already runs with the same data as process ${run.owner.pid}. Stop that process first.`
      : `Another process is starting the local stack. If no such process exists, delete ${file} and start again.`,
  );
}
