/**
 * Bundles the functions with esbuild, all of them in one call.
 *
 * - Each bundle is one file and includes the AWS SDK. It loads faster than the runtime's copy, and it is the version
 *   that was tested.
 * - The same sources always result in the same bytes, so a deployment updates only the functions that changed.
 * - esbuild is a development dependency, so bundling never needs Docker.
 */
import { join, resolve } from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';

const repositoryRoot = resolve(import.meta.dirname, '..');

/** The modules that the bundles replace, with their replacements. */
export const bundlingAlias = {
  '@aws-sdk/credential-provider-node': resolve(import.meta.dirname, 'lambda-credentials.ts'),
};

/**
 * How esbuild bundles a function.
 *
 * - The format is CommonJS, because it loads faster than ESM.
 * - `mainFields` selects the ESM sources of packages, so esbuild can drop unused code.
 */
export const bundling = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  mainFields: ['module', 'main'],
  minify: true,
  absWorkingDir: repositoryRoot,
} satisfies BuildOptions;

/**
 * Bundles each handler into a directory of its own, as `index.js`.
 * @param handlers the files that export `handler`, relative to the repository root
 * @param outdir the directory of the bundles' directories
 * @returns the bundle's directory by handler
 * @throws Error if a file does not compile; esbuild prints the reason
 */
export function bundleHandlers(handlers: readonly string[], outdir: string): ReadonlyMap<string, string> {
  const directories = handlers.map((handler) => [handler, handler.replace(/\.ts$/, '')] as const);
  buildSync({
    ...bundling,
    alias: bundlingAlias,
    outdir,
    entryPoints: directories.map(([handler, directory]) => ({ in: handler, out: `${directory}/index` })),
  });
  return new Map(directories.map(([handler, directory]) => [handler, join(outdir, directory)]));
}
