/** Compares the release that a deployment runs with the one of this folder: their versions and their commits. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stackNameOf } from '../infra/settings.ts';
import { git } from '../infra/source-commit.ts';
import { readDeployedStack } from './stack-outputs.ts';

export interface Release {
  /** The version of the functions, for example `1.0.0+3f9a0c21b7de`. */
  readonly version: string;
  /** The commit, perhaps with `-dirty` behind it. Undefined if nobody stored it. */
  readonly commit: string | undefined;
}

/** Reads the outputs of the deployed stateless stack. Returns undefined if it does not exist or has no version. */
export async function readDeployedRelease(
  deployment: Parameters<typeof stackNameOf>[0],
): Promise<Release | undefined> {
  const { Version, Commit } = (await readDeployedStack(stackNameOf(deployment, 'stateless')))?.outputs ?? {};
  return Version === undefined ? undefined : { version: Version, commit: Commit };
}

/**
 * Prints on standard error what the deployment runs now, and what it will run. Some deployers may not read stacks.
 * @param app the folder of the synthesized app
 */
export async function reportReleases(
  app: string,
  deployment: Parameters<typeof stackNameOf>[0],
): Promise<void> {
  const running = await readDeployedRelease(deployment).catch((error: Error) => {
    if (!error.name.startsWith('AccessDenied')) throw error;
    return undefined;
  });
  const { Outputs } = JSON.parse(await readFile(join(app, 'RemitStateless.template.json'), 'utf8'));
  const next = { version: Outputs.Version.Value, commit: Outputs.Commit.Value };
  process.stderr.write(
    `Runs now: ${running ? describeRelease(running) : 'nothing, or these credentials may not read the stack'}\nWill run: ${describeRelease(next)}\n`,
  );
}

const dirty = /-dirty$/;

/** Returns the commit without what `git describe` adds to it. */
export const commitOf = (text: string): string => text.replace(dirty, '');

/**
 * Describes a commit for people: its first digits, the last release tag before it in this repository, and whether files differed from it.
 * @param commit a commit as in `Release`
 */
export function describeCommit(commit: string | undefined): string {
  if (commit === undefined || commit === 'unknown') return 'unknown';
  const id = commitOf(commit);
  const isKnown = git('cat-file', '-e', `${id}^{commit}`) !== undefined;
  const described = git('describe', '--tags', '--match=v*', id);
  return [
    `${id.slice(0, 12)}${described === undefined ? '' : ` (${described})`}`,
    ...(dirty.test(commit) ? ['with changes that are not committed'] : []),
    ...(isKnown ? [] : ['which is not in this repository: run git fetch']),
  ].join(', ');
}

const describeRelease = ({ version, commit }: Release): string =>
  `${version}, commit ${describeCommit(commit)}`;

/**
 * Says how far the commits are from each other.
 * @returns for example `12 commits behind this folder`, or undefined if the repository does not have both
 */
export function distanceBetween(running: string | undefined, own: string): string | undefined {
  if (running === undefined) return undefined;
  const counts = git('rev-list', '--left-right', '--count', `${commitOf(running)}...${commitOf(own)}`);
  const [ahead, behind] = counts?.split('\t').map(Number) ?? [];
  if (ahead === undefined || behind === undefined) return undefined;
  const parts = [
    ...(behind > 0 ? [`${count(behind)} behind this folder`] : []),
    ...(ahead > 0 ? [`${count(ahead)} that this folder does not have`] : []),
  ];
  return parts.join(', ') || 'the same commit';
}

const count = (commits: number) => `${commits} ${commits === 1 ? 'commit' : 'commits'}`;
