/**
 * Bundles the functions with esbuild, all of them in one call.
 *
 * - Each bundle is one file and includes what it needs of the AWS SDK. It loads faster than the runtime's copy, and it is the
 *   version that was tested.
 * - The same sources always result in the same bytes, so a deployment updates only the functions that changed.
 * - esbuild is a development dependency, so bundling never needs Docker.
 * - Files that a function reads at run time are beside its bundle, and beside no other.
 */
import { copyFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';
import { documentAssets, documentWorker } from '../shared/web/documents/document-assets.ts';
import type { AwsCalls } from './setting-values.ts';

const repositoryRoot = resolve(import.meta.dirname, '..');

const pathOf = (file: string) => resolve(import.meta.dirname, file);

/** What is beside the bundle of a function, because it is loaded at run time. Paths are relative to the repository root. */
interface Beside {
  /** Files that are copied. Without folders, their names differ. */
  readonly files: readonly string[];
  /** The bundle of a thread. */
  readonly worker: { readonly source: string; readonly bundled: string };
}

const renderer: Beside = { files: Object.values(documentAssets).flat(), worker: documentWorker };

const beside: Readonly<Record<string, Beside>> = {
  'functions/documents/pdf.ts': renderer,
  'functions/pay/pdf.ts': renderer,
  'functions/background/send-mail.ts': renderer,
  'functions/background/make-export.ts': renderer,
  'functions/dashboard/account-statements.ts': renderer,
};

/** The modules that the bundles replace, with their replacements. */
const sdkAlias = {
  '@aws-sdk/credential-provider-node': pathOf('lambda-credentials.ts'),
  '@aws-sdk/endpoint-cache': pathOf('lambda-endpoint-cache.ts'),
};

/** What differs between bundles that call AWS in one way or the other. */
export const bundlingFor = {
  direct: {
    define: { directCallsOnly: 'true' },
    alias: {
      ...sdkAlias,
      '@aws-sdk/lib-dynamodb': pathOf('lambda-commands.ts'),
      '@aws-sdk/client-sqs': pathOf('lambda-commands.ts'),
      '@aws-sdk/client-secrets-manager': pathOf('lambda-commands.ts'),
    },
  },
  sdk: { alias: sdkAlias },
} satisfies Record<AwsCalls, BuildOptions>;

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
  // Code that finds files by its own path runs only outside of bundles.
  logOverride: { 'empty-import-meta': 'silent' },
  absWorkingDir: repositoryRoot,
} satisfies BuildOptions;

/**
 * Bundles each handler into a directory of its own, as `index.js`, and copies the files beside it that the function reads.
 * @param handlers the files that export `handler`, relative to the repository root
 * @param outdir the directory of the bundles' directories
 * @param calls how the functions call AWS. With `sdk`, the variable `AWS_CALLS` of the functions can still choose.
 * @returns the bundle's directory by handler
 * @throws Error if a file does not compile; esbuild prints the reason
 */
export function bundleHandlers(
  handlers: readonly string[],
  outdir: string,
  calls: AwsCalls = 'direct',
): ReadonlyMap<string, string> {
  const directories = handlers.map((handler) => [handler, handler.replace(/\.ts$/, '')] as const);
  buildSync({
    ...bundling,
    ...bundlingFor[calls],
    outdir,
    entryPoints: directories.flatMap(([handler, directory]) => {
      const { worker } = beside[handler] ?? {};
      const entry = { in: handler, out: `${directory}/index` };
      return worker ? [entry, { in: worker.source, out: `${directory}/${worker.bundled}` }] : [entry];
    }),
  });
  for (const [handler, directory] of directories) {
    for (const file of beside[handler]?.files ?? [])
      copyFileSync(join(repositoryRoot, file), join(outdir, directory, basename(file)));
  }
  return new Map(directories.map(([handler, directory]) => [handler, join(outdir, directory)]));
}
