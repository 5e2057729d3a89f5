/** A function with all that its entry in `grants.ts` names: the permissions, and the settings that go with them. */
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import type { Construct } from 'constructs';
import { drawnAttributes } from '../shared/store/heads.ts';
import { createFunction, type FunctionOptions } from './function.ts';
import { type Grant, grants, type HandlerFile, keysByAction, partitions } from './grants.ts';
import type { Queues } from './queues.ts';
import type { Settings } from './settings.ts';
import type { StatefulStack } from './stateful-stack.ts';
import { queues } from './triggers.ts';

/** What functions can be granted. */
export interface Surroundings {
  readonly stateful: StatefulStack;
  readonly queues: Queues;
  /** Where payers go, without a slash at its end. */
  readonly payUrlBase: string;
  readonly settings: Settings;
}

/** @param handler the function's file, by which its grant is found */
export function createGrantedFunction(
  scope: Construct,
  id: string,
  { handler, ...options }: Omit<FunctionOptions, 'environment' | 'customerKey'> & { handler: HandlerFile },
  surroundings: Surroundings,
): NodejsFunction {
  const grant = grants[handler];
  const environment = environmentOf(grant, surroundings);
  const { customerKey } = surroundings.stateful;
  const fn = createFunction(scope, id, { ...options, handler, environment, customerKey });
  for (const statement of statementsOf(grant, surroundings)) fn.addToRolePolicy(statement);
  return fn;
}

/** The variables that `shared/env.ts` reads; names and addresses, never a secret. */
function environmentOf(grant: Grant, surroundings: Surroundings) {
  const { stateful, queues: targets, payUrlBase, settings } = surroundings;
  const { stage, webhookAllowedRanges } = settings;
  const environment: Record<string, string> = { STAGE: stage };
  if (Object.keys(grant.table).length > 0) environment.TABLE_NAME = stateful.table.tableName;
  if (grant.secret) environment.DEPLOYMENT_SECRET_ARN = stateful.deploymentSecret.secretArn;
  if (grant.payUrlBase || grant.callsReceivers) environment.PAY_URL_BASE = payUrlBase;
  if (grant.callsReceivers && webhookAllowedRanges) environment.WEBHOOK_ALLOWED_RANGES = webhookAllowedRanges;
  for (const name of grant.sendsTo ?? []) environment[queues[name].url] = targets[name].queueUrl;
  return environment;
}

function statementsOf(grant: Grant, { stateful, queues: targets }: Surroundings): PolicyStatement[] {
  const { tableArn } = stateful.table;
  const statements = [...keysByAction(grant.table)].map(([action, patterns]) =>
    allow(`dynamodb:${action}`, tableArn, {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns },
    }),
  );
  if (grant.drawsNumbers) statements.push(drawingNumbers(tableArn));
  if (grant.secret)
    statements.push(allow('secretsmanager:GetSecretValue', stateful.deploymentSecret.secretArn));
  for (const name of grant.sendsTo ?? []) statements.push(allow('sqs:SendMessage', targets[name].queueArn));
  return statements;
}

/** Heads also hold the hashes of API keys. */
function drawingNumbers(tableArn: string): PolicyStatement {
  return allow('dynamodb:UpdateItem', tableArn, {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [partitions.head] },
    'ForAllValues:StringEquals': { 'dynamodb:Attributes': drawnAttributes },
    StringEquals: { 'dynamodb:ReturnValues': 'UPDATED_NEW' },
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
