/** The defaults of a Lambda function: runtime, bundle, log and trace. What it may do is in `grants.ts`. */
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
  /** The file whose `handler` it runs, from the repository's root. */
  readonly handler: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Encrypts its log. */
  readonly customerKey?: IKey | undefined;
  /** Without it as long as the gateway waits, less a second, so that the function's own answer is the one that is seen. */
  readonly timeout?: Duration;
  readonly reservedConcurrentExecutions?: number;
  readonly recursiveLoop?: RecursiveLoop;
}

const repositoryRoot = resolve(import.meta.dirname, '..');

/**
 * Everything in one file, the SDK too: it loads faster than the runtime's copy and is the version that was tested.
 * CommonJS loads faster than ESM; `mainFields` takes the packages' ESM sources, of which esbuild drops what is unused.
 * esbuild is a development dependency, so that bundling never falls back to Docker.
 */
export const bundling = {
  format: OutputFormat.CJS,
  target: 'node24',
  mainFields: ['module', 'main'],
  externalModules: [],
  minify: true,
  sourceMap: false,
  forceDockerBundling: false,
} as const satisfies BundlingOptions;

/** A function with a role and a log of its own; the role may write that log, and traces, and nothing else yet. */
export function createFunction(
  scope: Construct,
  id: string,
  { handler, customerKey, timeout = Duration.seconds(28), ...options }: FunctionOptions,
): NodejsFunction {
  const own = new Construct(scope, id);
  acknowledge(
    own,
    'IAM5[Resource::*]',
    'Traces belong to no resource, so the right to send them names none.',
  );
  const role = new Role(own, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  const logGroup = createLogGroup(own, 'Logs', customerKey);
  logGroup.grantWrite(role);
  return new NodejsFunction(own, 'Function', {
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
