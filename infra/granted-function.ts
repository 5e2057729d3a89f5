/** Creates a function with the permissions and environment variables that its entry in `grants.ts` lists. */
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { settingAttributes } from '../shared/accounts/account.ts';
import { allocationAttributes, usageAttributes } from '../shared/store/account-state.ts';
import { createFunction, type FunctionOptions } from './function.ts';
import type { FunctionCode } from './function-code.ts';
import { type Grant, grants, type HandlerFile, keysByAction, partitions } from './grants.ts';
import type { Queues } from './queues.ts';
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
  readonly settings: Settings;
  readonly code: FunctionCode;
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
  }: Omit<FunctionOptions, 'environment' | 'stage' | 'customerKey' | 'code'> & { handler: HandlerFile },
  dependencies: FunctionDependencies,
): DeployedFunction {
  const grant = grants[handler];
  const environment = environmentOf(grant, dependencies);
  const { customerKey } = dependencies.stateful;
  const code = dependencies.code.codeOf(handler);
  const { stage } = dependencies.settings;
  const deployed = createFunction(scope, id, { ...options, handler, code, environment, stage, customerKey });
  for (const statement of statementsOf(grant, dependencies)) deployed.fn.addToRolePolicy(statement);
  return deployed;
}

/** Returns the variables that `shared/env.ts` reads. They contain names and URLs, never a secret. */
function environmentOf(grant: Grant, dependencies: FunctionDependencies) {
  const { stateful, queues: targets, payUrlBase, settings } = dependencies;
  const { webhookAllowedRanges, webhookAllowedPorts } = settings;
  const environment: Record<string, string> = {
    STAGE: deploymentName(settings),
    REMIT_VERSION: dependencies.code.version,
  };
  if (Object.keys(grant.table).length > 0) environment.TABLE_NAME = stateful.table.tableName;
  if (grant.secret) environment.DEPLOYMENT_SECRET_ARN = stateful.deploymentSecret.secretArn;
  if (grant.payUrlBase || grant.callsReceivers) environment.PAY_URL_BASE = payUrlBase;
  if (grant.callsReceivers && webhookAllowedRanges) environment.WEBHOOK_ALLOWED_RANGES = webhookAllowedRanges;
  if (grant.callsReceivers && webhookAllowedPorts) environment.WEBHOOK_ALLOWED_PORTS = webhookAllowedPorts;
  for (const name of grant.sendsTo ?? []) environment[queues[name].urlVariable] = targets[name].queueUrl;
  return environment;
}

function statementsOf(grant: Grant, { stateful, queues: targets }: FunctionDependencies): PolicyStatement[] {
  const { tableArn } = stateful.table;
  const statements = [...keysByAction(grant.table)].map(([action, patterns]) =>
    allow(`dynamodb:${action}`, tableArn, {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns },
    }),
  );
  if (grant.allocatesNumbers) statements.push(allocationStatement(tableArn));
  if (grant.readsUsage) statements.push(usageStatement(tableArn));
  if (grant.changesSettings) statements.push(settingsStatement(tableArn));
  if (grant.secret)
    statements.push(allow('secretsmanager:GetSecretValue', stateful.deploymentSecret.secretArn));
  for (const name of grant.sendsTo ?? []) statements.push(allow('sqs:SendMessage', targets[name].queueArn));
  return statements;
}

/** Restricts the attributes, because the account state item also contains the hashes of API keys. */
function allocationStatement(tableArn: string): PolicyStatement {
  return allow('dynamodb:UpdateItem', tableArn, {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [partitions.accountState] },
    'ForAllValues:StringEquals': { 'dynamodb:Attributes': allocationAttributes },
    StringEquals: { 'dynamodb:ReturnValues': 'UPDATED_NEW' },
  });
}

/**
 * Restricts the attributes to those that pages show. Without a list of attributes, a read would return all of them, so
 * the list must be present.
 */
function usageStatement(tableArn: string): PolicyStatement {
  return allow('dynamodb:GetItem', tableArn, {
    'ForAllValues:StringLike': {
      'dynamodb:LeadingKeys': [partitions.accountState],
      'dynamodb:Attributes': usageAttributes,
    },
    Null: { 'dynamodb:Attributes': 'false' },
  });
}

/** Restricts the attributes, because the profile also contains the plan and whether the account is closed. */
function settingsStatement(tableArn: string): PolicyStatement {
  return allow('dynamodb:UpdateItem', tableArn, {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [partitions.account] },
    'ForAllValues:StringEquals': { 'dynamodb:Attributes': settingAttributes },
    Null: { 'dynamodb:Attributes': 'false' },
  });
}

function allow(action: string, resource: string, conditions?: Record<string, unknown>): PolicyStatement {
  return new PolicyStatement({
    effect: Effect.ALLOW,
    actions: [action],
    resources: [resource],
    ...(conditions && { conditions }),
  });
}
