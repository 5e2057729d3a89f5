/**
 * Run files: each run of the stack notes here who it is and which child process it started. A run that was killed
 * leaves its file and its child; the next start finds both and ends the child. A file also claims its name, so
 * that two runs never share one data directory.
 */
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine, identify, isRunning, type ProcessIdentity } from './process-identity.ts';
import { StartError } from './start-error.ts';

interface Run {
  readonly owner: ProcessIdentity;
  readonly child?: ProcessIdentity;
}

/** A claimed name. */
export interface RunFile {
  /** Notes a child process, which the next start ends if this process does not. */
  setChild(pid: number): void;
  release(): void;
}

/**
 * Ends what killed runs have left in `directory`, then claims `name` there for this process.
 * @param childMark a text that stands in the command line of the children, checked before one is ended
 * @throws StartError if a run that is alive holds the name
 */
export async function claimRun(directory: string, name: string, childMark: string): Promise<RunFile> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  await reapLeftovers(directory, childMark);
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

async function reapLeftovers(directory: string, childMark: string): Promise<void> {
  const files = readdirSync(directory).filter((entry) => entry.endsWith('.json'));
  await Promise.all(files.map((entry) => reap(join(directory, entry), childMark)));
}

async function reap(file: string, childMark: string): Promise<void> {
  const run = readRun(file);
  if (!run || isRunning(run.owner)) return;
  if (run.child && isRunning(run.child) && commandLine(run.child.pid).includes(childMark)) {
    await endProcess(run.child);
  }
  rmSync(file, { force: true });
}

/** A file that is being written, or is none of ours, reads as undefined and is left alone. */
function readRun(file: string): Run | undefined {
  try {
    const run = JSON.parse(readFileSync(file, 'utf8')) as Partial<Run>;
    return run.owner ? { owner: run.owner, ...(run.child && { child: run.child }) } : undefined;
  } catch {
    return undefined;
  }
}

async function endProcess(target: ProcessIdentity): Promise<void> {
  const signals = { 0: 'SIGTERM', 60: 'SIGKILL' } as const;
  for (let round = 0; round < 120 && isRunning(target); round += 1) {
    const signal = signals[round as keyof typeof signals];
    if (signal) process.kill(target.pid, signal);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function alreadyRunning(file: string): StartError {
  const run = readRun(file);
  return new StartError(
    run
      ? `The local stack already runs as process ${run.owner.pid} with the same data: stop it first.`
      : `Another start of the local stack is under way; if there is none, delete ${file} and start again.`,
  );
}
