/** Computes the version that identifies the code of the functions. The same sources always have the same version. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { routes } from '../shared/api/routes.ts';
import { bundleHandlers } from './bundles.ts';
import type { AwsCalls } from './setting-values.ts';
import { triggers } from './triggers.ts';

/** The files of the functions of the stateless stack. Its version is that of the deployment. */
export const handlers = [
  ...new Set([...Object.values(routes), ...Object.values(triggers)].map(({ handler }) => handler)),
];

const packageFile = new URL('../package.json', import.meta.url);
/** The release in `package.json`. */
export const { version: release }: { version: string } = JSON.parse(readFileSync(packageFile, 'utf8'));

/**
 * Returns the release, a plus sign, and the first 12 hex digits of a hash of the bundles.
 * @param directories the directory of each bundle, by handler
 */
export function versionOf(directories: ReadonlyMap<string, string>): string {
  const hash = createHash('sha256');
  for (const [handler, directory] of [...directories].sort(([a], [b]) => (a < b ? -1 : 1))) {
    for (const file of readdirSync(directory).sort())
      hash.update(`${handler} ${file}\n`).update(readFileSync(join(directory, file)));
  }
  return `${release}+${hash.digest('hex').slice(0, 12)}`;
}

/**
 * Bundles the handlers, passes their directories to `use`, and deletes the bundles.
 * @param calls how the functions call AWS
 * @throws Error if a file does not compile
 */
export function withBundles<Result>(
  files: readonly string[],
  calls: AwsCalls,
  use: (directories: ReadonlyMap<string, string>) => Result,
): Result {
  const outdir = mkdtempSync(join(tmpdir(), 'remit-bundles-'));
  try {
    return use(bundleHandlers(files, outdir, calls));
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}
