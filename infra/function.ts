/** Creates Lambda functions with the defaults of this project. `grants.ts` lists their permissions. */
import { Duration } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  Architecture,
  type Code,
  Function as FunctionConstruct,
  type RecursiveLoop,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { createLogGroup } from './log-group.ts';
import { addAlias, type DeployedFunction, versionOptions } from './rollout.ts';
import type { Settings } from './settings.ts';

/** A whole processor, which Lambda gives with this memory: https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html */
export const wholeProcessor = { memorySize: 1769 } as const;

export interface FunctionOptions {
  /** The file that exports `handler`, relative to the repository root. */
  readonly handler: string;
  readonly code: Code;
  readonly environment: Readonly<Record<string, string>>;
  /** Decides how long the log is kept. */
  readonly stage: Settings['stage'];
  /** Encrypts the function's log. */
  readonly customerKey?: IKey | undefined;
  /**
   * The default is 28 seconds, one second less than the gateway waits. So the client gets the function's response, not
   * the gateway's timeout error.
   */
  readonly timeout?: Duration;
  /** In MB. A function has a whole processor with 1,769 MB, and a part of one in proportion with less. The default is 1,024. */
  readonly memorySize?: number;
  readonly reservedConcurrentExecutions?: number;
  readonly recursiveLoop?: RecursiveLoop;
}

/** Creates a function with its own role, log and alias. The role may only write that log and traces. */
export function createFunction(
  scope: Construct,
  id: string,
  {
    handler,
    stage,
    customerKey,
    timeout = Duration.seconds(28),
    memorySize = 1024,
    ...options
  }: FunctionOptions,
): DeployedFunction {
  const group = new Construct(scope, id);
  acknowledge(
    group,
    'IAM5[Resource::*]',
    'Traces do not belong to a resource, so the permission to send them cannot name one.',
  );
  const role = new Role(group, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  const logGroup = createLogGroup(group, 'Logs', stage, customerKey);
  logGroup.grantWrite(role);
  const fn = new FunctionConstruct(group, 'Function', {
    ...options,
    currentVersionOptions: versionOptions,
    description: handler,
    handler: 'index.handler',
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    memorySize,
    timeout,
    tracing: Tracing.ACTIVE,
    role,
    logGroup,
  });
  return addAlias(fn);
}
