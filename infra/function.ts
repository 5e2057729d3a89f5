/** Creates Lambda functions with the defaults of this project. `grants.ts` lists their permissions. */
import { resolve } from 'node:path';
import { Duration } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Architecture, type RecursiveLoop, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { type BundlingOptions, NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { createLogGroup } from './log-group.ts';

export interface FunctionOptions {
  /** The file that exports `handler`, relative to the repository root. */
  readonly handler: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Encrypts the function's log. */
  readonly customerKey?: IKey | undefined;
  /**
   * The default is 28 seconds, one second less than the gateway waits. So the client gets the function's response, not
   * the gateway's timeout error.
   */
  readonly timeout?: Duration;
  readonly reservedConcurrentExecutions?: number;
  readonly recursiveLoop?: RecursiveLoop;
}

const repositoryRoot = resolve(import.meta.dirname, '..');

/** The modules that the bundles replace, with their replacements. */
export const bundlingAlias = {
  '@aws-sdk/credential-provider-node': resolve(import.meta.dirname, 'lambda-credentials.ts'),
};

/**
 * How esbuild bundles a function.
 *
 * - The bundle is one file and includes the AWS SDK. It loads faster than the runtime's copy, and it is the version
 *   that was tested.
 * - The format is CommonJS, because it loads faster than ESM.
 * - `mainFields` selects the ESM sources of packages, so esbuild can drop unused code.
 * - esbuild is a development dependency, so bundling never needs Docker.
 */
export const bundling = {
  format: OutputFormat.CJS,
  target: 'node24',
  mainFields: ['module', 'main'],
  externalModules: [],
  minify: true,
  sourceMap: false,
  forceDockerBundling: false,
  esbuildArgs: Object.fromEntries(
    Object.entries(bundlingAlias).map(([name, file]) => [`--alias:${name}`, file]),
  ),
} as const satisfies BundlingOptions;

/** Creates a function with its own role and log. The role may only write that log and traces. */
export function createFunction(
  scope: Construct,
  id: string,
  { handler, customerKey, timeout = Duration.seconds(28), ...options }: FunctionOptions,
): NodejsFunction {
  const group = new Construct(scope, id);
  acknowledge(
    group,
    'IAM5[Resource::*]',
    'Traces do not belong to a resource, so the permission to send them cannot name one.',
  );
  const role = new Role(group, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  const logGroup = createLogGroup(group, 'Logs', customerKey);
  logGroup.grantWrite(role);
  return new NodejsFunction(group, 'Function', {
    ...options,
    description: handler,
    entry: resolve(repositoryRoot, handler),
    handler: 'handler',
    projectRoot: repositoryRoot,
    depsLockFilePath: resolve(repositoryRoot, 'package-lock.json'),
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    memorySize: 1024,
    timeout,
    tracing: Tracing.ACTIVE,
    awsSdkConnectionReuse: false,
    bundling,
    role,
    logGroup,
  });
}
