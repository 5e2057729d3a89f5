/**
 * Takes the functions of the last release from the repository, so that a test can run them beside the functions of this version, as
 * during a rollout.
 *
 * - The last release is the newest tag such as `v1.2.0` before this version. Candidates are none. Until there is a release, the last
 *   commit takes its place, so that the test itself is tried.
 * - The functions use the installed packages, and modules of their own.
 * - The clock, the log, the limits of POSTs and the texts of failures are those of this version, because tests replace them.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { importHandler, repositoryRoot } from '../../infra/local/handler.ts';
import { logger } from '../../shared/base/log.ts';
import { clock } from '../../shared/base/time.ts';
import { failures } from '../../shared/domain/payments/provider/failures.ts';
import { postLimits } from '../../shared/platform/outbound/post.ts';
import { senders } from './fault-layer.ts';

// biome-ignore lint/suspicious/noExplicitAny: the modules of a release have no types here
type ReleaseModule = any;

const git = (...args: string[]): string =>
  execFileSync('git', args, {
    cwd: repositoryRoot,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

/** A release in the repository. */
export interface LastRelease {
  /** Its tag, or `HEAD` if there is no release yet. */
  readonly name: string;
  readonly commit: string;
}

/** Returns the last release. Undefined: the folder is no repository, for example because it was unpacked from an archive. */
export function findLastRelease(): LastRelease | undefined {
  try {
    const tags = git('tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-version:refname').split('\n');
    const name = tags.find((tag) => /^v\d+\.\d+\.\d+$/.test(tag)) ?? 'HEAD';
    return { name, commit: git('rev-parse', `${name}^{commit}`) };
  } catch {
    return undefined;
  }
}

/**
 * Opens a release.
 * @returns loads a handler of the release, or of this version if the release does not have the function. Load it when the environment
 *   of the functions is set
 */
export function openRelease({ commit }: LastRelease): (file: string) => Promise<unknown> {
  const root = unpack(commit);
  const following = new Map<string, Promise<void>>();
  const follow = async (path: string, control: (module: ReleaseModule) => void) =>
    control(await import(pathToFileURL(join(root, path)).href));
  return async (file) => {
    if (!existsSync(join(root, file))) return importHandler(file);
    for (const [path, control] of Object.entries(controls))
      if (!following.has(path)) following.set(path, follow(path, control));
    await Promise.all(following.values());
    return importHandler(file, root);
  };
}

/** The modules of a release that follow those of this version. */
const controls: Readonly<Record<string, (module: ReleaseModule) => void>> = {
  'shared/base/time.ts': (last) => {
    last.clock.read = () => clock.read();
  },
  'shared/base/log.ts': (last) => {
    for (const level of Object.keys(logger) as (keyof typeof logger)[])
      last.logger[level] = (...entry: Parameters<typeof logger.info>) => logger[level](...entry);
  },
  'shared/platform/outbound/post.ts': (last) =>
    Object.defineProperty(last.postLimits, 'current', { get: () => postLimits.current }),
  // A release may word a failure differently, and histories compare whole answers.
  'shared/domain/payments/provider/failures.ts': (last) => Object.assign(last.failures, failures),
  'shared/platform/aws/http-client.ts': (last) => {
    const { prototype } = last.HttpClient;
    // A call that passed the faults twice would conflict with itself.
    if (!senders.includes(prototype)) senders.push(prototype);
  },
};

/** Returns the folder with the sources of a commit. Another process may unpack the same commit at the same time. */
function unpack(commit: string): string {
  const parent = join(repositoryRoot, '.local', 'releases');
  const root = join(parent, commit);
  if (existsSync(root)) return root;
  mkdirSync(parent, { recursive: true });
  const directory = mkdtempSync(join(parent, 'new-'));
  try {
    const archive = join(directory, 'sources.tar');
    const sources = join(directory, 'sources');
    mkdirSync(sources);
    git('archive', '--output', archive, commit, 'functions', 'shared');
    execFileSync('tar', ['-xf', archive, '-C', sources]);
    renameSync(sources, root);
  } catch (error) {
    if (!existsSync(root)) throw error;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  return root;
}
