/** Creates a function with the permissions and environment variables that its entry in `grants.ts` lists. */
import { Stack } from 'aws-cdk-lib';
import type { IUserPool } from 'aws-cdk-lib/aws-cognito';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { type TargetType, targetTypes } from '../shared/base/aws-targets.ts';
import type { QueueName } from '../shared/base/queues.ts';
import { acknowledge } from './acknowledge.ts';
import { createFunction, type FunctionOptions } from './function.ts';
import type { FunctionCode } from './function-code.ts';
import { type GrantedFile, grantOf, type ResourceName, statementsOf } from './function-policies.ts';
import type { Grant, SecretName } from './grants.ts';
import { mailIdentityOf } from './mail-identity.ts';
import type { Queues } from './queues.ts';
import { stageName } from './rest-api.ts';
import type { DeployedFunction } from './rollout.ts';
import { deploymentName, type Settings } from './settings.ts';
import type { StatefulStack } from './stateful-stack.ts';
import { queues } from './triggers.ts';

/** The resources and settings that a grant can refer to. */
export interface FunctionDependencies {
  readonly stateful: StatefulStack;
  readonly queues: Queues;
  /** The base URL of payment pages, without a trailing slash. */
  readonly payUrlBase: string;
  /** The hosts of the API and of the dashboard, beside that of `payUrlBase`. No webhook may go there. */
  readonly ownHosts: readonly string[];
  readonly settings: Settings;
  readonly code: FunctionCode;
  /** Only for the dashboard, and only if the deployment has a user pool of its own. */
  readonly userPool?: IUserPool | undefined;
  /** The configuration set of Amazon SES. Undefined: no function sends mails. */
  readonly mailConfigurationSet?: string | undefined;
  /** More environment variables of each function. */
  readonly variables?: Readonly<Record<string, string>>;
}

/**
 * Creates a function with its grant.
 * @param handler the function's file, which is also the key of its grant
 */
export function createGrantedFunction(
  scope: Construct,
  id: string,
  {
    handler,
    ...options
  }: Omit<FunctionOptions, 'environment' | 'stage' | 'customerKey' | 'code'> & {
    handler: GrantedFile;
  },
  dependencies: FunctionDependencies,
): DeployedFunction {
  const grant = grantOf(handler);
  const environment = environmentOf(grant, dependencies);
  const { customerKey } = dependencies.stateful;
  const code = dependencies.code.codeOf(handler);
  const { stage } = dependencies.settings;
  const deployed = createFunction(scope, id, { ...options, handler, code, environment, stage, customerKey });
  for (const statement of toPolicyStatements(handler, dependencies)) deployed.fn.addToRolePolicy(statement);
  acknowledgeObjects(deployed.fn, handler, dependencies);
  return deployed;
}

/** The keys of objects end with a hash that nobody knows beforehand, so the permissions name a prefix. */
function acknowledgeObjects(fn: IFunction, handler: GrantedFile, { stateful }: FunctionDependencies): void {
  const imported: { 'Fn::ImportValue': string } = Stack.of(fn).resolve(stateful.bucket.bucketArn);
  const patterns = statementsOf(handler).flatMap(({ resource }) => /^bucket (.+)/.exec(resource)?.[1] ?? []);
  for (const pattern of new Set(patterns))
    acknowledge(
      fn.role ?? fn,
      `IAM5[Resource::${imported['Fn::ImportValue']}/${pattern}]`,
      'The key of an object ends with the hash of its bytes, so a permission can only name the prefix of its kind.',
    );
}

/** The variables that contain the ARNs of the secrets. */
export const secretVariables: Readonly<Record<SecretName, string>> = {
  deployment: 'DEPLOYMENT_SECRET_ARN',
  webhooks: 'WEBHOOK_SECRET_ARN',
  keys: 'KEY_SECRET_ARN',
  providers: 'PROVIDER_SECRET_ARN',
  audit: 'AUDIT_SECRET_ARN',
  signing: 'SIGNING_SECRET_ARN',
};

/**
 * Returns the address of the dashboard, for links in mails. Its stack comes after that of the functions, so the host of its gateway is
 * known from the second deployment on. Undefined: it is not known.
 */
function dashboardUrlOf({ dashboardDomain, dashboardHost, emulatorEndpoint }: Settings): string | undefined {
  if (dashboardDomain !== undefined) return `https://${dashboardDomain}`;
  return dashboardHost === undefined || emulatorEndpoint !== undefined
    ? undefined
    : `https://${dashboardHost}/${stageName}`;
}

/** Returns the variables that `shared/base/env.ts` reads. They contain names and URLs, never a secret. */
function environmentOf(grant: Grant, dependencies: FunctionDependencies) {
  const { stateful, queues: targets, payUrlBase, settings } = dependencies;
  const { webhookAllowedRanges, webhookAllowedPorts, securityContact, canaryHost, mailFrom, mailsPerDay } =
    settings;
  const environment: Record<string, string> = {
    STAGE: deploymentName(settings),
    REMIT_VERSION: dependencies.code.version,
    AWS_CALLS: settings.awsCalls,
    ...dependencies.variables,
  };
  if (Object.keys(grant.table).length > 0) environment.TABLE_NAME = stateful.table.tableName;
  if (grant.bucket) environment.BUCKET_NAME = stateful.bucket.bucketName;
  for (const name of grant.secrets ?? [])
    environment[secretVariables[name]] = stateful.secrets[name].secretArn;
  if (grant.createsUsers && dependencies.userPool)
    environment.USER_POOL_ID = dependencies.userPool.userPoolId;
  if (grant.payUrlBase || grant.callsReceivers) environment.PAY_URL_BASE = payUrlBase;
  if (grant.securityContact && securityContact) environment.SECURITY_CONTACT = securityContact;
  if (grant.mailFrom && mailFrom) environment.MAIL_FROM = mailFrom;
  if (grant.mailFrom && mailsPerDay !== undefined) environment.MAILS_PER_DAY = String(mailsPerDay);
  const dashboardUrl = grant.sendsMail ? dashboardUrlOf(settings) : undefined;
  if (dashboardUrl !== undefined) environment.DASHBOARD_URL = dashboardUrl;
  if (grant.sendsMail && dependencies.mailConfigurationSet)
    environment.MAIL_CONFIGURATION_SET = dependencies.mailConfigurationSet;
  if (grant.callsReceivers) environment.OWN_HOSTS = dependencies.ownHosts.join(',');
  if (grant.callsReceivers && canaryHost) environment.CANARY_HOST = canaryHost;
  if (grant.callsReceivers && webhookAllowedRanges) environment.WEBHOOK_ALLOWED_RANGES = webhookAllowedRanges;
  if (grant.callsReceivers && webhookAllowedPorts) environment.WEBHOOK_ALLOWED_PORTS = webhookAllowedPorts;
  const arns = targetTypes.flatMap((type) => targetsOf(settings, type));
  if (grant.eventTargets && arns.length > 0) environment.EVENT_TARGETS = arns.join(',');
  for (const name of grant.sendsTo ?? []) {
    environment[queues[name].urlVariable] = targets[name].queueUrl;
  }
  return environment;
}

/**
 * Returns the statements of a function's role with the ARNs of the resources. The deployment may have no user pool, and no address from
 * which mails come.
 */
function toPolicyStatements(
  handler: GrantedFile,
  { stateful, queues: targets, userPool, settings, mailConfigurationSet }: FunctionDependencies,
): PolicyStatement[] {
  const arnOf = (resource: ResourceName): string | undefined => {
    const [kind, name] = resource.split(' ') as
      | ['queue', QueueName]
      | ['secret', SecretName]
      | ['bucket', string | undefined]
      | ['table' | 'userPool' | 'mailIdentity' | 'mailConfigurationSet'];
    if (kind === 'queue') return targets[name].queueArn;
    if (kind === 'secret') return stateful.secrets[name].secretArn;
    if (kind === 'bucket')
      return [stateful.bucket.bucketArn, name].filter((part) => part !== undefined).join('/');
    if (kind === 'mailIdentity') return sesArn(stateful, 'identity', mailIdentityOf(settings));
    if (kind === 'mailConfigurationSet') return sesArn(stateful, 'configuration-set', mailConfigurationSet);
    return kind === 'table' ? stateful.table.tableArn : userPool?.userPoolArn;
  };
  return statementsOf(handler).flatMap(({ action, resource, conditions }) => {
    const [kind, type] = resource.split(' ');
    const resources =
      kind === 'target' ? targetsOf(settings, type as TargetType) : [arnOf(resource)].filter(isPresent);
    if (resources.length === 0) return [];
    return new PolicyStatement({
      effect: Effect.ALLOW,
      actions: [action],
      resources,
      ...(conditions && { conditions }),
      ...(resource.startsWith('mail') && {
        conditions: { StringEquals: { 'ses:FromAddress': settings.mailFrom } },
      }),
    });
  });
}

const isPresent = (arn: string | undefined): arn is string => arn !== undefined;

/** Returns the ARNs of the targets of a type to which webhook endpoints can send. */
function targetsOf({ eventQueue, eventBus, eventFunction }: Settings, type: TargetType): string[] {
  const settings = { sqs: eventQueue, eventbridge: eventBus, lambda: eventFunction };
  return settings[type]?.split(',') ?? [];
}

/** The forms of the ARNs: https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonsimpleemailservicev2.html */
const sesArn = (scope: Construct, resource: string, resourceName: string | undefined) =>
  resourceName && Stack.of(scope).formatArn({ service: 'ses', resource, resourceName });
