/**
 * Says what the role of each function allows, from its grant. The CDK app makes the policies of the roles from it, and the local
 * stack enforces it.
 */

import { type TargetType, targetTypes } from '../shared/base/aws-targets.ts';
import { idPrefixes, sandboxMark } from '../shared/base/ids.ts';
import type { QueueName } from '../shared/base/queues.ts';
import { reminderMarkAttributes } from '../shared/domain/accounts/reminder-mark.ts';
import { numberAttributes } from '../shared/domain/documents/document-item.ts';
import { conditionOf, connectionListing, usingSession } from './attribute-access.ts';
import { bucketPrefixes } from './bucket-prefixes.ts';
import { type DashboardHandlerFile, dashboardGrants } from './dashboard-grants.ts';
import {
  type BucketAccess,
  type BucketAction,
  type Grant,
  grants,
  type HandlerFile,
  keysByAction,
  partitions,
  patternsOfAll,
  type SecretName,
} from './grants.ts';
import type { Conditions, Statement } from './policies/policy.ts';
import { patternsOfSandboxes } from './sandbox-partitions.ts';

/** The file of a function that has a grant. */
export type GrantedFile = HandlerFile | DashboardHandlerFile;

const allGrants: Readonly<Record<GrantedFile, Grant>> = { ...grants, ...dashboardGrants };

/** The files of all functions that have a grant. */
export const grantedFiles = Object.keys(allGrants) as readonly GrantedFile[];

/** Returns the grant of a function. */
export const grantOf = (file: GrantedFile): Grant => allGrants[file];

/** What a statement is about, before a deployment gives it an ARN. */
export type ResourceName =
  | 'table'
  | 'userPool'
  | 'bucket'
  | `bucket ${string}`
  | 'mailIdentity'
  | 'mailConfigurationSet'
  | `target ${TargetType}`
  | `queue ${QueueName}`
  | `secret ${SecretName}`;

/** A statement of a role. */
export interface RoleStatement extends Statement {
  readonly resource: ResourceName;
}

/** Returns the statements of a function's role. */
export function statementsOf(file: GrantedFile): RoleStatement[] {
  const grant = grantOf(file);
  const patternsOf = grant.onlySandboxes ? patternsOfSandboxes : patternsOfAll;
  const statements: RoleStatement[] = [...keysByAction(grant.table, patternsOf)].map(([action, patterns]) =>
    onTable(action, { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns } }),
  );
  if (grant.changesSettings) statements.push(changingSettings(grant.changesSettings));
  if (grant.changesSettings?.includes('mailReminders')) statements.push(markingReminders);
  if (grant.numbersInvoices) statements.push(numberingInvoices);
  if (grant.usesSession)
    statements.push(onTable(usingSession.action, conditionOf([partitions.session], usingSession)));
  if (grant.listsConnections)
    statements.push(onTable('Query', conditionOf([partitions.connection], connectionListing)));
  for (const access of grant.accountState ?? [])
    statements.push(onTable(access.action, conditionOf(patternsOf('accountState'), access)));
  statements.push(...onBucket(grant));
  for (const name of grant.secrets ?? [])
    statements.push({ action: 'secretsmanager:GetSecretValue', resource: `secret ${name}` });
  for (const name of grant.sendsTo ?? [])
    statements.push({ action: 'sqs:SendMessage', resource: `queue ${name}` });
  if (grant.sendsMail)
    for (const resource of ['mailIdentity', 'mailConfigurationSet'] as const)
      for (const action of sendingMail) statements.push({ action, resource });
  if (grant.eventTargets === 'sendsTo')
    for (const type of targetTypes)
      statements.push({ action: targetActions[type], resource: `target ${type}` });
  if (grant.createsUsers) statements.push({ action: 'cognito-idp:AdminCreateUser', resource: 'userPool' });
  return statements;
}

/** Returns the statements about objects. The keys of an account begin with the prefix of the kind and the id of the account. */
function onBucket({ bucket = {}, onlySandboxes }: Grant): RoleStatement[] {
  const accounts = onlySandboxes ? `${idPrefixes.account}_${sandboxMark}*` : '*';
  return typedEntries(bucket).flatMap(([kind, actions]) => {
    const pattern = `${bucketPrefixes[kind]}${accounts}`;
    return actions.map(
      (action): RoleStatement =>
        action === 'ListBucket'
          ? {
              action: 's3:ListBucket',
              resource: 'bucket',
              conditions: { StringLike: { 's3:prefix': pattern } },
            }
          : { action: `s3:${action}`, resource: `bucket ${pattern}` },
    );
  });
}

const typedEntries = (access: BucketAccess) =>
  Object.entries(access) as [keyof BucketAccess, readonly BucketAction[]][];

/**
 * SES checks both for SendEmail with raw content, although its reference names only the first:
 * https://github.com/nodemailer/nodemailer/issues/1734
 */
const sendingMail = ['ses:SendEmail', 'ses:SendRawEmail'] as const;

/**
 * What a role needs to send an event to a target of each type. The actions are those of SendMessage, PutEvents and Invoke:
 * https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html
 */
export const targetActions: Readonly<Record<TargetType, string>> = {
  sqs: 'sqs:SendMessage',
  eventbridge: 'events:PutEvents',
  lambda: 'lambda:InvokeFunction',
};

const onTable = (action: string, conditions: Conditions): RoleStatement => ({
  action: `dynamodb:${action}`,
  resource: 'table',
  conditions,
});

/** A record of an invoice has other attributes, so none can be put. */
const numberingInvoices = onTable(
  'PutItem',
  conditionOf([partitions.invoice], { action: 'PutItem', attributes: ['pk', 'sk', ...numberAttributes] }),
);

/** A change of the plan of reminders marks the account for the relay. */
const markingReminders = onTable(
  'UpdateItem',
  conditionOf([partitions.eventCursor], { action: 'UpdateItem', attributes: reminderMarkAttributes }),
);

/** Restricts the attributes, because the profile also contains the plan and whether the account is closed. */
const changingSettings = (attributes: readonly string[]) =>
  onTable('UpdateItem', {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [partitions.account] },
    'ForAllValues:StringEquals': {
      'dynamodb:Attributes': attributes,
    },
    Null: { 'dynamodb:Attributes': 'false' },
  });
