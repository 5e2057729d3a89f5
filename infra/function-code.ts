/** Provides the code of all functions to the CDK app, and the version that identifies it. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Stack } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { bundleHandlers } from './bundles.ts';
import type { Settings } from './settings.ts';

/** The code of all functions of a deployment. */
export interface FunctionCode {
  /** Returns the code of a handler. */
  readonly codeOf: (handler: string) => Code;
  /**
   * The release in `package.json`, a plus sign, and the first 12 hex digits of a hash of all bundles. The same sources
   * have the same version.
   */
  readonly version: string;
}

const packageFile = new URL('../package.json', import.meta.url);
const { version: release }: { version: string } = JSON.parse(readFileSync(packageFile, 'utf8'));

/** The code if the CDK asks for a synthesis without bundling, for example when it lists or deletes stacks. */
const withoutBundling: FunctionCode = {
  codeOf: () => Code.fromInline('// This template was synthesized without bundling.'),
  version: `${release}+unbundled`,
};

/**
 * Bundles the handlers, passes their code to `use`, and deletes the bundles. The functions must be created in `use`,
 * because the CDK copies the code of a function into the cloud assembly when the function is created.
 * @throws Error if a file does not compile
 */
export function withFunctionCode<Result>(
  stack: Stack,
  { awsCalls }: Pick<Settings, 'awsCalls'>,
  handlers: readonly string[],
  use: (code: FunctionCode) => Result,
): Result {
  if (!stack.bundlingRequired) return use(withoutBundling);
  const outdir = mkdtempSync(join(tmpdir(), 'remit-bundles-'));
  try {
    const directories = bundleHandlers(handlers, outdir, awsCalls);
    return use({
      codeOf: (handler) => Code.fromAsset(requireDirectory(directories, handler)),
      version: `${release}+${hashOf(directories)}`,
    });
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

function requireDirectory(directories: ReadonlyMap<string, string>, handler: string): string {
  const directory = directories.get(handler);
  if (directory === undefined) throw new Error(`${handler} was not bundled. Add it to the list of handlers.`);
  return directory;
}

function hashOf(directories: ReadonlyMap<string, string>): string {
  const hash = createHash('sha256');
  for (const [handler, directory] of [...directories].sort(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`${handler}\n`).update(readFileSync(join(directory, 'index.js')));
  }
  return hash.digest('hex').slice(0, 12);
}
