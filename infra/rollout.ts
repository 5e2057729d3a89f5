/**
 * Replaces the code of the functions gradually, for the setting `gradualDeployment`.
 *
 * - Each function has an alias. The gateway, the stream, the queues and the schedules call the alias.
 * - CodeDeploy sends 10 % of the calls to the new version for five minutes, then all of them.
 * - If an alarm of this file triggers meanwhile, all calls go back to the previous version and the deployment fails.
 * - Previous versions stay, so an operator can go back to one without a deployment. docs/operate/deploying.md has the steps.
 */
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Alarm, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  type Function as FunctionConstruct,
  type IVersion,
  type VersionOptions,
} from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { sumMetrics } from './metric-sums.ts';

/** A function, and the alias through which everything calls it. */
export interface DeployedFunction {
  readonly fn: FunctionConstruct;
  readonly alias: Alias;
}

/** The name of each function's alias. */
const aliasName = 'live';
/** The period of the metrics that stop a rollout. */
export const rolloutPeriod = Duration.minutes(1);

/** The previous versions stay. They cost nothing and count only towards Lambda's limit of stored code. */
export const versionOptions: VersionOptions = { removalPolicy: RemovalPolicy.RETAIN };

/** Creates the alias of a function, which refers to the version with the current code and settings. */
export function addAlias(fn: FunctionConstruct): DeployedFunction {
  return { fn, alias: new Alias(fn, 'Alias', { aliasName, version: fn.currentVersion as IVersion }) };
}

/**
 * Makes deployments of all functions gradual.
 * @param errors the server errors of the gateway in each `rolloutPeriod`
 * @param background the functions whose errors cause a rollback. For the others, the gateway's 5xx count does.
 */
export function addRollout(
  scope: Construct,
  errors: IMetric,
  functions: readonly DeployedFunction[],
  background: readonly FunctionConstruct[],
): void {
  const group = new Construct(scope, 'Rollout');
  const role = new Role(group, 'Role', { assumedBy: new ServicePrincipal('codedeploy.amazonaws.com') });
  acknowledge(
    role,
    'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
    'AWS provides this policy for CodeDeploy. It may change aliases, read alarms and call deployment hooks.',
  );
  const alarms = [
    addAlarm(group, 'ServerErrors', errors),
    ...sumMetrics(background, 'Errors', rolloutPeriod).map((metric, index) =>
      addAlarm(group, `FunctionErrors${index + 1}`, metric),
    ),
  ];
  const application = new LambdaApplication(group, 'Application');
  for (const { alias } of functions) {
    new LambdaDeploymentGroup(alias, 'Deployments', {
      alias,
      application,
      role,
      alarms,
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
    });
  }
}

/** Creates an alarm without notification. It triggers within the five minutes in which both versions run. */
function addAlarm(scope: Construct, id: string, metric: IMetric): Alarm {
  return new Alarm(scope, id, {
    metric,
    alarmDescription: 'Remit: stops a rollout and sends all calls back to the previous version.',
    threshold: 5,
    evaluationPeriods: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
}
