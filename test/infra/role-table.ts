/**
 * Writes the table of `docs/threat-model.md` that says what each function may do, from the template of `prod`. Run it with
 * `npm run docs:roles` after a grant has changed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AccountStateAccess, accountStateAccesses } from '../../infra/account-state-access.ts';
import { connectionListing } from '../../infra/attribute-access.ts';
import { type GrantedPartition, partitions } from '../../infra/grants.ts';
import { repositoryRoot } from '../../infra/local/handler.ts';
import { type App, type Resources, resourcesOfType, synthesize, type TemplateResource } from './template.ts';

export const threatModelFile = join(repositoryRoot, 'docs', 'threat-model.md');

const begin = '<!-- roles -->';
const end = '<!-- end of roles -->';

interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: {
    readonly 'ForAllValues:StringLike'?: {
      readonly 'dynamodb:LeadingKeys': string | string[];
      readonly 'dynamodb:Attributes'?: readonly string[];
    };
  };
}

const itemNames = {
  directory: 'list of accounts',
  sandbox: 'list of sandboxes',
  deletedRecord: 'notes of deleted records',
  erasure: 'interrupted erasures',
  account: 'account profiles',
  apiKey: 'API keys',
  keySigners: 'public keys',
  source: 'address counts',
  attempts: 'attempt counts',
  testProvider: 'test provider',
  connection: '**connections to providers**',
  checkout: 'checkouts',
  providerPayment: 'names of payments at providers',
  invoice: 'invoices',
  invoiceReference: 'references of invoices',
  payment: 'payments',
  refund: 'refunds',
  customer: '**customers**',
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
  delivery: 'deliveries',
  timer: 'timers',
  watermark: 'sweep marks',
  reconciliation: 'reconciliation reports',
  digest: 'digests',
  auditEntry: 'audit entries',
  session: 'sessions',
  userSession: 'sessions of users',
  userAccount: 'accounts of users',
  members: 'members',
} as const satisfies Record<GrantedPartition, string>;

/** What an access to attributes of account states is for. */
const accountStateNames: Readonly<Record<AccountStateAccess, readonly string[]>> = {
  authorizeRequests: ['**request counts and use of keys**'],
  authorizeAndAllocate: ['**request counts and use of keys**', 'sequence numbers'],
  countRequests: ['request counts'],
  moveClock: ['**request counts, use of keys and clock of test mode**', 'clock of test mode'],
  readClock: ['clock of test mode'],
  readClockAndAllocate: ['clock of test mode', 'sequence numbers'],
  allocateNumbers: ['sequence numbers'],
  showClock: ['clock of test mode'],
  showClockAndAllocate: ['clock of test mode', 'sequence numbers'],
  moveClockWithoutKey: ['clock of test mode', 'clock of test mode'],
  readUsage: ['clock of test mode and use of the rate limit'],
  manageKeys: [
    'clock of test mode',
    'entries of API keys',
    'list of API keys',
    '**entries of API keys and their signature**',
    'list of API keys',
  ],
  readKeys: ['**request counts and use of keys**', 'entries of API keys', 'list of API keys'],
  changeKeys: [
    '**request counts, entries of API keys and their signature**',
    'entries of API keys',
    'list of API keys',
  ],
  createKeys: [
    '**request counts, entries of API keys and their signature**',
    'entries of API keys',
    'list of API keys',
    'list of API keys',
  ],
  deleteSandboxes: [
    'entries of API keys',
    'list of API keys',
    '**entries of API keys and their signature**',
    'account states and API keys',
  ],
  compareKeys: ['sequence numbers', 'clock of test mode', 'entries of API keys'],
};

const readActions = ['GetItem', 'BatchGetItem', 'Query', 'ConditionCheckItem'];
const toArray = <T>(value: T | readonly T[] | undefined): readonly T[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value as T];

/** Replaces the table in the text of the threat model. */
export function withRoleTable(text: string, app: App): string {
  const [before = '', after = ''] = [text.split(begin)[0], text.split(end)[1]];
  return `${before}${begin}\n\n${toRoleTable(app)}\n\n${end}${after}`;
}

/** Returns the table as Markdown: a row for each function, in the order of its file. */
function toRoleTable({ stateless, dashboard }: App): string {
  const rows = [stateless, dashboard].flatMap((template) => rowsOf(template?.Resources ?? {}));
  return [
    '| Function | Reads | Changes | Secrets | Sends to |',
    '|---|---|---|---|---|',
    ...rows.sort(),
  ].join('\n');
}

function rowsOf(resources: Resources): string[] {
  const policies = resourcesOfType(resources, 'AWS::IAM::Policy').map(([, policy]) => policy);
  return resourcesOfType(resources, 'AWS::Lambda::Function').map(([, { Properties }]) => {
    const role = Properties.Role['Fn::GetAtt'][0];
    return toRow(Properties.Description, statementsOf(policies, role));
  });
}

function statementsOf(policies: readonly TemplateResource[], role: string): Statement[] {
  return policies
    .filter(({ Properties }) => Properties.Roles.some(({ Ref }: { Ref: string }) => Ref === role))
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
}

function toRow(file: string, statements: readonly Statement[]): string {
  const onTable = statements.filter(({ Condition }) => Condition?.['ForAllValues:StringLike']);
  const namesFor = (isRead: boolean) => {
    const matching = onTable.filter(({ Action }) =>
      toArray(Action).some((action) => readActions.includes(action.replace('dynamodb:', '')) === isRead),
    );
    return [...new Set(matching.flatMap(itemsOf))].sort();
  };
  const queues = statements
    .filter(({ Action }) => toArray(Action).includes('sqs:SendMessage'))
    .flatMap(({ Resource }) => toArray(Resource as object))
    // Another stack imports the value of an export, whose name contains the id of the queue.
    .map((resource) => /(\w+)Queue[0-9A-F]{8}/.exec(JSON.stringify(resource))?.[1] ?? '')
    .map((id) => id.replace(/^ExportsOutputFnGetAtt/, ''));
  const createsUsers = statements.some(({ Action }) =>
    toArray(Action).includes('cognito-idp:AdminCreateUser'),
  );
  const cells = [
    `\`${file.replace(/^functions\/|\.ts$/g, '')}\``,
    namesFor(true).join(', '),
    namesFor(false).join(', '),
    secretsOf(statements).sort().join(', '),
    [...queues.sort(), ...(createsUsers ? ['**the user pool** (new users)'] : [])].join(', '),
  ];
  return `| ${cells.map((cell) => cell || '–').join(' | ')} |`;
}

/** Names the items that a statement is about. */
function itemsOf({ Condition }: Statement): string[] {
  const { 'dynamodb:LeadingKeys': patterns, 'dynamodb:Attributes': attributes } =
    Condition?.['ForAllValues:StringLike'] ?? {};
  if (attributes) return [nameOfAttributes(attributes)];
  return toArray(patterns).map((pattern) => {
    const found = Object.entries(partitions).find(([, each]) => each === pattern);
    const name = found && itemNames[found[0] as GrantedPartition];
    if (!name) throw new Error(`No kind of item has the partition ${pattern}.`);
    return name;
  });
}

function nameOfAttributes(attributes: readonly string[]): string {
  if (attributes.join() === connectionListing.attributes.join()) return 'connections without credentials';
  for (const [access, parts] of Object.entries(accountStateAccesses)) {
    const index = parts.findIndex((part) => part.attributes.join() === attributes.join());
    const name = accountStateNames[access as AccountStateAccess][index];
    if (name) return name;
  }
  throw new Error(`No access to account states has the attributes ${attributes.join(', ')}.`);
}

const secretTitles = {
  DeploymentSecret: 'deployment',
  WebhookSecret: 'webhooks',
  KeySigningSecret: '**key signing**',
  ProviderSecret: '**providers**',
} as const;

/** Names the secrets that the statements allow to read. */
function secretsOf(statements: readonly Statement[]): string[] {
  return statements
    .filter(({ Action }) => toArray(Action).includes('secretsmanager:GetSecretValue'))
    .flatMap(({ Resource }) => toArray(Resource as object))
    .map((resource) => {
      const text = JSON.stringify(resource);
      const found = Object.entries(secretTitles).find(([id]) => text.includes(id));
      if (!found) throw new Error(`No secret is known for ${text}.`);
      return found[1];
    });
}

if (import.meta.main) {
  writeFileSync(
    threatModelFile,
    withRoleTable(readFileSync(threatModelFile, 'utf8'), await synthesize({ stage: 'prod' })),
  );
}
