/** Finds the commit of the sources of this folder: in its Git repository, or in the file that a release archive or the package `@remit/cdk` has. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

/**
 * Runs Git in this folder.
 * @returns the output without spaces around it, or undefined if Git fails or does not exist
 */
export function git(...args: readonly string[]): string | undefined {
  try {
    return execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return undefined;
  }
}

/**
 * Returns the id of the commit, with `-dirty` behind it if files differ from the commit. Returns `unknown` if the folder has neither
 * a repository nor the file of an archive.
 */
export function readSourceCommit(): string {
  // An archive that somebody unpacked inside another repository is not a part of that repository.
  const isOwnRepository = git('ls-files', '--error-unmatch', 'infra/archive-commit.txt') !== undefined;
  const described = isOwnRepository
    ? git('describe', '--always', '--dirty', '--abbrev=40', '--exclude=*')
    : undefined;
  if (described !== undefined) return described;
  const archived = readFileSync(resolve(import.meta.dirname, 'archive-commit.txt'), 'utf8').trim();
  return /^[0-9a-f]{40,64}(-dirty)?$/.test(archived) ? archived : 'unknown';
}
