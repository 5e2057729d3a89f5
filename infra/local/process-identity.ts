/**
 * Tells whether a process id still means the process it once meant: ids are used again, a start time with them
 * is not.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process for good: its id and a text that differs between processes which share the id. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly started: string;
}

/** The identity of the running process `pid`, or undefined if there is none. */
export function identify(pid: number): ProcessIdentity | undefined {
  const started = process.platform === 'linux' ? startedOnLinux(pid) : ps(pid, 'lstart=');
  return started ? { pid, started } : undefined;
}

/** True while exactly this process runs. */
export function isRunning({ pid, started }: ProcessIdentity): boolean {
  return identify(pid)?.started === started;
}

/** The command line of a running process, its arguments separated by spaces; empty if there is none. */
export function commandLine(pid: number): string {
  if (process.platform !== 'linux') return ps(pid, 'command=');
  return readProc(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
}

/** Field 22 of stat, counted from boot, with the boot's own id; a zombie no longer counts as running. */
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
