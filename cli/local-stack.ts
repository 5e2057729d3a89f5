/** The local stack, as it has described itself in `.local/stack.json`. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot } from '../infra/local/handler.ts';
import type { StackDescription } from '../infra/local/stack-file.ts';

/** Undefined if none was ever started. */
export async function readLocalStack(): Promise<StackDescription | undefined> {
  try {
    return JSON.parse(await readFile(join(repositoryRoot, '.local', 'stack.json'), 'utf8'));
  } catch {
    return undefined;
  }
}
