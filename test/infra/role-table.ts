/**
 * Writes the table of `docs/develop/threat-model.md` that says what each function may do, from the template of `prod`. Run it with
 * `npm run docs:roles` after a grant has changed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bucketPrefixes } from '../../infra/bucket-prefixes.ts';
import { type Partition, partitions, type SecretName } from '../../infra/grants.ts';
import { repositoryRoot } from '../../infra/local/handler.ts';
import type { Conditions, Statement } from '../../infra/policies/policy.ts';
import { sandboxPartitions } from '../../infra/sandbox-partitions.ts';
import { accountStateAttributes } from '../../shared/store/account-state.ts';
import { statementsByFile } from './role-statements.ts';
import type { App } from './template.ts';

export const threatModelFile = join(repositoryRoot, 'docs', 'develop', 'threat-model.md');

const begin = '<!-- roles -->';
const end = '<!-- end of roles -->';

/** Functions get all of their permissions with these settings. */
export const roleSettings = {
  stage: 'prod',
  mailFrom: 'invoices@shop.example',
  eventQueue: 'arn:aws:sqs:eu-west-1:123456789012:events',
  eventBus: 'arn:aws:events:eu-west-1:123456789012:event-bus/events',
  eventFunction: 'arn:aws:lambda:eu-west-1:123456789012:function:events',
};

const itemNames = {
  directory: 'list of accounts',
  sandbox: 'list of sandboxes',
  deletedRecord: 'notes of deleted records',
  erasure: 'interrupted erasures',
  account: 'account profiles',
  accountState: 'account states',
  apiKey: 'API keys',
  source: 'address counts',
  attempts: 'attempt counts',
  testProvider: 'test provider',
  connection: '**connections to providers**',
  checkout: 'checkouts',
  providerReference: 'names of payments and refunds at providers',
  invoice: 'invoices',
  invoiceReference: 'references of invoices',
  bankReference: 'bank references of payments',
  credit: 'names of payments with credit',
  searchEntry: 'search terms of records',
  payment: 'payments',
  refund: 'refunds',
  customer: '**customers**',
  product: 'products',
  draft: 'drafts',
  schedule: '**schedules**',
  statement: '**bank statements**',
  rowUse: 'rows of bank statements',
  export: 'exports',
  exportSlot: 'places of running exports',
  indexPage: 'index pages',
  foldRequest: 'requests to fold lists',
  idempotency: 'idempotency records',
  outbox: 'outbox',
  event: 'events',
  eventPointer: 'event pointers',
  eventCursor: 'event cursors',
  webhook: 'webhook endpoints',
  webhookHealth: 'endpoint health',
  webhookSends: 'test sends in progress',
  seller: 'seller profiles',
  delivery: 'deliveries',
  timer: 'timers',
  watermark: 'sweep marks',
  setAside: 'work that cannot be read',
  reconciliation: 'reconciliation reports',
  digest: 'digests',
  auditEntry: '**audit entries**',
  auditHead: 'numbers of the audit log',
  session: 'sessions',
  userSession: 'sessions of users',
  userAccount: 'accounts of users',
  members: 'members',
  signingKey: 'public keys',
  series: 'last numbers of documents',
  document: 'documents',
  mail: '**mails**',
  journalEntry: '**journal**',
  daySums: 'sums of days',
  invoiceMail: 'names of mails of invoices',
  mailAddress: 'addresses without reminders',
} as const satisfies Record<Partition, string>;

/** The kinds of objects in the bucket, by their prefix. */
const objectNames: Readonly<Record<string, string>> = {
  [bucketPrefixes.logo]: 'logos',
  [bucketPrefixes.pdf]: 'PDFs in the bucket',
  [bucketPrefixes.export]: '**files of exports**',
  [bucketPrefixes.statementFile]: '**uploaded bank statements**',
};

const readActions = ['GetItem', 'BatchGetItem', 'Query', 'ConditionCheckItem'].map(
  (name) => `dynamodb:${name}`,
);
/** Each request names them. */
const keyAttributes = ['pk', 'sk'];
/** Who can write them decides which API keys work. */
const keysOfAccount: readonly string[] = [accountStateAttributes.keys];
const secretTitles: Readonly<Record<SecretName, string>> = {
  deployment: 'deployment',
  webhooks: 'webhooks',
  keys: '**keys**',
  providers: '**providers**',
  audit: '**audit**',
  signing: '**signing**',
};

/** Replaces the table in the text of the threat model. */
export function withRoleTable(text: string, app: App): string {
  const [before, after] = [text.split(begin)[0], text.split(end)[1]];
  if (!before || !after) throw new Error(`The text must have ${begin} and ${end}, and text around them.`);
  return `${before}${begin}\n\n${toRoleTable(app)}\n\n${end}${after}`;
}

/** Returns the table as Markdown: a row for each function, in the order of its file. */
function toRoleTable(app: App): string {
  const rows = [...statementsByFile(app)].map(([file, statements]) => toRow(file, statements));
  return [
    '| Function | Reads | Changes | Secrets | Sends to |',
    '|---|---|---|---|---|',
    ...rows.sort(),
  ].join('\n');
}

function toRow(file: string, statements: readonly Statement[]): string {
  const onTable = statements.filter(({ resource }) => resource === 'table');
  const itemsFor = (isRead: boolean) => {
    const matching = onTable.filter(({ action }) => readActions.includes(action) === isRead);
    return [...new Set(matching.flatMap(({ conditions }) => itemsOf(conditions, isRead)))].sort();
  };
  const objects = objectsOf(statements);
  const namesFor = (right: string) =>
    statements
      .filter(({ action }) => action === right)
      .map(({ resource }) => resource.replace(/^\w+ /, ''))
      .sort();
  const sendsMail = statements.some(({ resource }) => resource === 'mailIdentity');
  const sendsToTargets = statements.some(({ resource }) => resource === 'target sqs');
  const createsUsers = statements.some(({ resource }) => resource === 'userPool');
  const cells = [
    `\`${file.replace(/^functions\/|\.ts$/g, '')}\``,
    [...itemsFor(true), ...objects(['s3:GetObject', 's3:ListBucket'])].join('; '),
    [...itemsFor(false), ...objects(['s3:PutObject', 's3:DeleteObject'])].join('; '),
    namesFor('secretsmanager:GetSecretValue')
      .map((name) => secretTitles[name as SecretName])
      .join(', '),
    [
      ...namesFor('sqs:SendMessage').filter((name) => name !== 'sqs'),
      ...(sendsToTargets ? ['**targets in AWS** (events)'] : []),
      ...(sendsMail ? ['**Amazon SES** (mails)'] : []),
      ...(createsUsers ? ['**the user pool** (new users)'] : []),
    ].join(', '),
  ];
  return `| ${cells.map((cell) => cell || '–').join(' | ')} |`;
}

/** Returns a function that names the objects for which some of these actions are allowed. */
function objectsOf(statements: readonly Statement[]): (actions: readonly string[]) => string[] {
  return (actions) => {
    const patterns = statements
      .filter(({ action }) => actions.includes(action))
      .flatMap(({ resource, conditions }) =>
        resource === 'bucket' ? [conditions?.StringLike?.['s3:prefix'] ?? []].flat() : resource.split(' ')[1],
      );
    const names = patterns.map((pattern = '') => {
      const [prefix = ''] = /^\w+\//.exec(pattern) ?? [];
      const name = objectNames[prefix];
      if (!name) throw new Error(`No kind of object has the pattern ${pattern}.`);
      return pattern === `${prefix}*` ? name : `${name} of sandboxes`;
    });
    return [...new Set(names)].sort();
  };
}

/** Names the items whose partition keys match a pattern. */
function nameOf(pattern: string): string {
  const kinds = Object.keys(partitions) as Partition[];
  const kind = kinds.find((each) => partitions[each] === pattern);
  if (kind) return itemNames[kind];
  const limited = kinds.find((each) => sandboxPartitions[each]?.includes(pattern));
  if (!limited) throw new Error(`No kind of item has the partition ${pattern}.`);
  return `${itemNames[limited].replaceAll('**', '')} of sandboxes`;
}

/** Names the items that a statement on the table is about, and the attributes, if the statement names them. */
function itemsOf(conditions: Conditions = {}, isRead: boolean): string[] {
  const lists = Object.entries(conditions).filter(([operator]) => operator.startsWith('ForAllValues:'));
  const valuesOf = (key: string) => lists.flatMap(([, keys]) => [keys[key] ?? []].flat());
  const attributes = valuesOf('dynamodb:Attributes').filter((name) => !keyAttributes.includes(name));
  return valuesOf('dynamodb:LeadingKeys').map((pattern) => {
    const name = nameOf(pattern);
    if (attributes.length === 0) return name;
    const isGrave = !isRead && attributes.some((each) => keysOfAccount.includes(each));
    const shown = attributes.map((each) => `\`${each}\``).join(' ');
    const plain = name.replaceAll('**', '');
    return `${isGrave ? `**${plain}**` : plain} (${attributes.includes('*') ? 'all attributes' : shown})`;
  });
}

if (import.meta.main) {
  const { synthesizeHere } = await import('./cdk-app.ts');
  const app = await synthesizeHere(roleSettings);
  writeFileSync(threatModelFile, withRoleTable(readFileSync(threatModelFile, 'utf8'), app));
}
