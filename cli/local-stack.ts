/** Reads the description that the local stack wrote to `.local/stack.json`. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot } from '../infra/local/handler.ts';
import type { StackDescription } from '../infra/local/stack-file.ts';

/** Returns undefined if no local stack was ever started. */
export async function readLocalStack(): Promise<StackDescription | undefined> {
  try {
    return JSON.parse(await readFile(join(repositoryRoot, '.local', 'stack.json'), 'utf8'));
  } catch {
    return undefined;
  }
}
