/**
 * Builds the functions of the last release from its commit. So tests can run them beside the functions of this version,
 * as during a rollout.
 *
 * - The functions use the installed packages, not those of the release. Some are installed for it only, such as
 *   `@aws-lambda-powertools/logger`.
 * - They share one module graph, so the clock of all of them is replaced in one place. The faults that tests inject apply
 *   to them as well, because the SDK is the same.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { importHandler, lambdaContext, repositoryRoot } from '../../infra/local/handler.ts';
import { logger } from '../../shared/log.ts';
import type { PostLimits } from '../../shared/outbound/exchange.ts';
import { postLimits } from '../../shared/outbound/post.ts';
import { failures } from '../../shared/payments/provider/failures.ts';
import { now } from '../../shared/time.ts';
import { serviceClients } from '../support/intercept-calls.ts';
import releases from './releases.json' with { type: 'json' };

/** Loads a handler, as `handlerLoader.load` does. */
export type LoadHandler = (file: string) => Promise<unknown>;

const run = promisify(execFile);

// biome-ignore lint/suspicious/noExplicitAny: the modules of a release have no types here
type Module = any;

/**
 * Builds the last release, unless it is built already. Its functions follow the clock, the log, the limits of POSTs and
 * the failure messages of this version, also when a test replaces them.
 * @returns loads a handler of the release, or of this version if the release does not have the function. Load it when the
 *   environment of the functions is set.
 * @throws Error if the repository does not contain the commit, for example because it is a shallow clone
 */
export async function openLastRelease(): Promise<LoadHandler> {
  const directory = await buildRelease(lastRelease().commit);
  const pathOf = (file: string) => join(directory, file.replace(/\.ts$/, '.js'));
  const importFile = async (file: string): Promise<Module> => import(pathToFileURL(pathOf(file)).href);
  return async (file) => {
    if (!existsSync(pathOf(file))) return importHandler(file);
    await Promise.all(Object.entries(controls).map(async ([path, follow]) => follow(await importFile(path))));
    return (await importFile(file)).handler;
  };
}

/**
 * Opens the last release.
 * @returns invokes a function of it with an event, and returns what the function returns
 * @throws as `openLastRelease`
 */
export async function openLastFunctions(): Promise<(file: string, event: unknown) => Promise<unknown>> {
  const load = await openLastRelease();
  return async (file, event) => {
    const handler = (await load(file)) as (event: unknown, context: unknown) => Promise<unknown>;
    return handler(event, lambdaContext(file, 60_000));
  };
}

/** The modules of the release that tests control, with the exports that it has, and what makes each follow this version. */
const controls: Readonly<Record<string, (module: Module) => void>> = {
  'shared/time.ts': ({ setClock }) => setClock(now),
  'shared/webhooks/post.ts': ({ setPostLimits }) => setPostLimits(currentPostLimits),
  // The history checker compares whole resources, and a release may word a message differently.
  'shared/payments/failures.ts': ({ failures: last }) => Object.assign(last, failures),
  'shared/store/client.ts': ({ dynamodb }) => serviceClients.add(dynamodb),
  'shared/log.ts': ({ logger: last }) => {
    const follow: Pick<typeof logger, 'info' | 'error'> = {
      info: (message, ...fields) => logger.info(message, ...fields),
      error: (message, ...fields) => logger.error(message, ...fields),
    };
    Object.assign(last, follow);
  },
};

/** Has the limits that apply to this version at the moment of each access. */
const currentPostLimits: PostLimits = {
  get totalMs() {
    return postLimits.current.totalMs;
  },
  get bodyMs() {
    return postLimits.current.bodyMs;
  },
  get bodyBytes() {
    return postLimits.current.bodyBytes;
  },
};

/** Whether the repository contains the last release. An archive or a shallow clone does not. */
export async function hasLastRelease(): Promise<boolean> {
  const { commit } = lastRelease();
  return run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: repositoryRoot }).then(
    () => true,
    () => false,
  );
}

/** Returns the version and the commit of the last release. */
function lastRelease(): { readonly version: string; readonly commit: string } {
  const last = releases.at(-1);
  if (!last) throw new Error('releases.json lists no release.');
  return last;
}

/** Returns the directory that contains the bundles of the functions at `commit`. */
async function buildRelease(commit: string): Promise<string> {
  const parent = join(repositoryRoot, '.local', 'releases');
  const entryFiles = ['functions/**/*.ts', ...Object.keys(controls)];
  const hash = createHash('sha256').update(entryFiles.join()).digest('hex').slice(0, 8);
  const target = join(parent, `${commit}-${hash}`);
  if (existsSync(target)) return target;
  await mkdir(parent, { recursive: true });
  const directory = await mkdtemp(join(parent, 'build-'));
  try {
    const source = join(directory, 'source');
    await extractCommit(commit, source);
    const outdir = join(directory, 'functions-and-controls');
    await build({
      entryPoints: entryFiles.map((path) => join(source, path)),
      outbase: source,
      outdir,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node24',
      packages: 'external',
      logLevel: 'error',
    });
    // Another process may build the same release at the same time.
    await rename(outdir, target).catch((error) => {
      if (!existsSync(target)) throw error;
    });
    return target;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function extractCommit(commit: string, directory: string): Promise<void> {
  await mkdir(directory);
  const archive = join(directory, 'source.tar');
  const options = { cwd: repositoryRoot };
  await run('git', ['archive', '--output', archive, commit, 'functions', 'shared'], options).catch(
    (error) => {
      throw new Error(`The repository does not contain the release ${commit}. Run: git fetch --unshallow`, {
        cause: error,
      });
    },
  );
  await run('tar', ['-xf', archive, '-C', directory]);
}
