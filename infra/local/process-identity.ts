/**
 * Detects whether a process id still belongs to the same process. Operating systems reuse ids, but the pair of id and
 * start time is unique.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A unique process: its id, and its start time as a text. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly started: string;
}

/** Returns the identity of the running process `pid`, or undefined if it does not exist. */
export function identify(pid: number): ProcessIdentity | undefined {
  const started = process.platform === 'linux' ? startedOnLinux(pid) : ps(pid, 'lstart=');
  return started ? { pid, started } : undefined;
}

/** Returns true while exactly this process runs. */
export function isRunning({ pid, started }: ProcessIdentity): boolean {
  return identify(pid)?.started === started;
}

/** Returns the command line of a process with its arguments separated by spaces, or an empty text if it has ended. */
export function commandLine(pid: number): string {
  if (process.platform !== 'linux') return ps(pid, 'command=');
  return readProc(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
}

/** Returns the start time in ticks since boot (field 22 of `stat`) and the id of the boot. A zombie is not running. */
function startedOnLinux(pid: number): string | undefined {
  const stat = readProc(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, ticks] = [fields[0], fields[19]];
  if (!ticks || state === 'Z' || state === 'X') return undefined;
  return `${ticks}@${readProc('/proc/sys/kernel/random/boot_id').trim()}`;
}

function readProc(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function ps(pid: number, field: string): string {
  try {
    return execFileSync('ps', ['-o', field, '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return '';
  }
}
