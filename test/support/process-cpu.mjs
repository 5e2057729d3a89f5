/** Reads the CPU time of processes from /proc, so there is none on other systems than Linux. */
import { readFileSync } from 'node:fs';

/** The clock ticks of a second in /proc, on every Linux. */
const ticksPerSecond = 100;

/** Reads the CPU time of a process, and of its children that have ended and that it waited for. */
export function cpuOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the name in parentheses, which may contain spaces.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11, 15);
    return {
      group: fields[2],
      seconds: (user + system) / ticksPerSecond,
      childrenSeconds: (childrenUser + childrenSystem) / ticksPerSecond,
    };
  } catch {
    return undefined;
  }
}
