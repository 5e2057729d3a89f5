/**
 * Creates the canary for the setting `canary`: a function that uses the API every five minutes, a function that receives
 * and verifies its webhooks, and the secret with its API key. `npx remit canary enable` stores the key.
 *
 * - It is a stack of its own, because the stateless stack is close to the limit of 500 resources.
 * - It refers to no resource of the stateless stack. It uses the API at its public address, as clients do.
 * - Its alarms are with all others in `alarms.ts`.
 */
import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { FunctionUrlAuthType, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { createFunction } from './function.ts';
import { type FunctionCode, withFunctionCode } from './function-code.ts';
import type { DeployedFunction } from './rollout.ts';
import { deploymentName, type Settings } from './settings.ts';
import { divideConcurrency } from './shares.ts';
import type { StatefulStack } from './stateful-stack.ts';

export interface CanaryProps extends StackProps {
  readonly settings: Settings;
  readonly stateful: StatefulStack;
}

const handlers = { run: 'functions/canary/run.ts', receive: 'functions/canary/receive.ts' };
const interval = Duration.minutes(5);
/** Longer than the time limit of a run. */
const runTimeout = Duration.seconds(60);
const receiveTimeout = Duration.seconds(10);

export class CanaryStack extends Stack {
  constructor(scope: Construct, id: string, { settings, stateful, ...props }: CanaryProps) {
    super(scope, id, props);
    withFunctionCode(this, settings, Object.values(handlers), (code) => this.build(settings, stateful, code));
  }

  private build(settings: Settings, { customerKey }: StatefulStack, code: FunctionCode): void {
    const secret = new Secret(this, 'Secret', {
      description:
        'Remit canary: its API key and webhook secret. npx remit canary enable writes a new version.',
      // A value that the functions ignore. A secret without a value cannot be read.
      generateSecretString: { passwordLength: 32 },
      removalPolicy: RemovalPolicy.DESTROY,
      ...(customerKey && { encryptionKey: customerKey }),
    });
    acknowledge(
      secret,
      'SMG4',
      'The command npx remit canary enable replaces the key and the webhook secret.',
    );
    const shares = divideConcurrency(settings.concurrency).canary;
    const create = (id: 'Run' | 'Receive', handler: string, timeout: Duration, share: number | undefined) => {
      const environment = {
        STAGE: deploymentName(settings),
        REMIT_VERSION: code.version,
        AWS_CALLS: settings.awsCalls,
        CANARY_SECRET_ARN: secret.secretArn,
      };
      const { stage } = settings;
      const deployed = createFunction(this, id, {
        ...{ handler, code: code.codeOf(handler), environment, stage, customerKey, timeout },
        ...(share !== undefined && { reservedConcurrentExecutions: share }),
      });
      deployed.fn.addToRolePolicy(
        new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [secret.secretArn] }),
      );
      return deployed;
    };
    addSchedule(this, create('Run', handlers.run, runTimeout, shares?.run));
    const receiver = create('Receive', handlers.receive, receiveTimeout, shares?.receive);
    // Webhooks come without AWS credentials. The function verifies their signatures.
    const { url } = receiver.alias.addFunctionUrl({ authType: FunctionUrlAuthType.NONE });
    new CfnOutput(this, 'SecretArn', { value: secret.secretArn });
    new CfnOutput(this, 'ReceiverUrl', { value: url });
  }
}

/** A failed run is not retried. It counts against the objective. */
function addSchedule(scope: Construct, { alias }: DeployedFunction): void {
  const retryPolicy = { retryAttempts: 0, maxEventAge: Duration.minutes(1) };
  alias.configureAsyncInvoke(retryPolicy);
  new Rule(scope, 'Schedule', {
    schedule: Schedule.rate(interval),
    targets: [new LambdaFunction(alias as IFunction, retryPolicy)],
  });
}
