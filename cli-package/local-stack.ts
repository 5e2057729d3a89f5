/** Finds the local stack for the installed command line, which is not in the repository: in the current folder. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StackDescription } from '../infra/local/stack-file.ts';
import { isLoopback } from '../infra/loopback.ts';

/**
 * Returns the stack of `.local/stack.json` in the current folder. Returns undefined if there is none, or if its address is
 * not on this machine.
 */
export async function readLocalStack(): Promise<StackDescription | undefined> {
  try {
    const stack: StackDescription = JSON.parse(
      await readFile(join(process.cwd(), '.local', 'stack.json'), 'utf8'),
    );
    return isLoopback(stack.baseUrl) ? stack : undefined;
  } catch {
    return undefined;
  }
}
