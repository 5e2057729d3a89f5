/** Provides the code of all functions to the CDK app, and the version that identifies it. */
import type { Stack } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { release, versionOf, withBundles } from './code-version.ts';
import type { Settings } from './settings.ts';

/** The code of all functions of a deployment. */
export interface FunctionCode {
  /** Returns the code of a handler. */
  readonly codeOf: (handler: string) => Code;
  /** The version of the code, for example `1.0.0+3f9a0c21b7de`. */
  readonly version: string;
}

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
  return withBundles(handlers, awsCalls, (directories) =>
    use({
      codeOf: (handler) => Code.fromAsset(requireDirectory(directories, handler)),
      version: versionOf(directories),
    }),
  );
}

function requireDirectory(directories: ReadonlyMap<string, string>, handler: string): string {
  const directory = directories.get(handler);
  if (directory === undefined) throw new Error(`${handler} was not bundled. Add it to the list of handlers.`);
  return directory;
}
