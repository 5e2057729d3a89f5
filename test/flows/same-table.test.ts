/** Tests that `npm run deploy` refuses settings that would replace the table or the secrets of its data. */
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { requireSameTable } from '../../cli/same-table.ts';
import { errorOutputOf, useAwsServers } from '../support/aws-servers.ts';
import { startCloudFormation } from '../support/cloudformation-server.ts';
import { type LoopbackServer, listenOnLoopback } from '../support/loopback-server.ts';

const streamOf = (table: string) =>
  `arn:aws:dynamodb:eu-west-1:123456789012:table/${table}/stream/2026-11-21T00:00:00.000`;
const secretOf = (name: string) => `arn:aws:secretsmanager:eu-west-1:123456789012:secret:${name}-a1B2c3`;
let restoreEnvironment: () => void;
/** The tags of each table, by the end of its ARN. */
const tags: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'table/kept': {
    'remit:deployment-secret': secretOf('deployment'),
    'remit:webhook-secret': secretOf('webhooks'),
    'remit:provider-secret': secretOf('providers'),
    'remit:key-secret': secretOf('keys'),
    'remit:audit-secret': secretOf('audit'),
    'remit:signing-secret': secretOf('signing'),
  },
};
const tagsPerPage = 2;
/** The tables of the account. Undefined: the credentials may not list them. */
let tables: readonly string[] | undefined = [];
let servers: LoopbackServer[];

beforeAll(async () => {
  const dynamodb = await listenOnLoopback(
    createServer(async (request, response) => {
      const input = JSON.parse(Buffer.concat(await request.toArray()).toString());
      if (String(request.headers['x-amz-target']).endsWith('.ListTables')) {
        const first = input.ExclusiveStartTableName === undefined;
        response.writeHead(tables ? 200 : 400, { 'Content-Type': 'application/x-amz-json-1.0' });
        const page = first
          ? { TableNames: tables?.slice(0, 1), LastEvaluatedTableName: tables?.[0] }
          : { TableNames: tables?.slice(1) };
        response.end(JSON.stringify(tables ? page : { __type: 'AccessDeniedException', message: 'no' }));
        return;
      }
      const found = tags[input.ResourceArn.split(':').at(-1)];
      response.writeHead(found ? 200 : 400, { 'Content-Type': 'application/x-amz-json-1.0' });
      const all = Object.entries(found ?? {}).map(([Key, Value]) => ({ Key, Value }));
      const next = Number(input.NextToken ?? 0) + tagsPerPage;
      const page = { Tags: all.slice(next - tagsPerPage, next) };
      const answer = next < all.length ? { ...page, NextToken: String(next) } : page;
      response.end(JSON.stringify(found ? answer : { __type: 'AccessDeniedException', message: 'no' }));
    }),
  );
  const cloudFormation = await startCloudFormation({
    'remit-prod-stateful': { OutsideTableStreamArn: streamOf('kept') },
    'remit-dev-stateful': { TableName: 'own' },
  });
  servers = [dynamodb, cloudFormation];
  restoreEnvironment = useAwsServers({
    DYNAMODB: dynamodb.endpoint,
    CLOUDFORMATION: cloudFormation.endpoint,
  });
});
afterAll(async () => {
  restoreEnvironment();
  await Promise.all(servers.map((server) => server.close()));
});

const kept = { stage: 'prod', existingTable: streamOf('kept'), existingSecret: secretOf('deployment') };
const others = {
  existingWebhookSecret: secretOf('webhooks'),
  existingProviderSecret: secretOf('providers'),
  existingAuditSecret: secretOf('audit'),
};

test('a stack on a table from outside keeps a setting that names a table', async () => {
  await expect(requireSameTable({ stage: 'prod' })).rejects.toThrow(
    /^remit-prod-stateful uses a table from outside.*--existing-table/,
  );
  await requireSameTable({ stage: 'prod', restoredTableStreamArn: streamOf('restored') });
  await requireSameTable({ stage: 'dev' });
  await requireSameTable({ stage: 'staging' });
});

test('new stacks do not begin beside a table that deleted stacks of the same name left behind', async () => {
  const [mine, theirs] = ['remit-staging-stateful-Table1A2B', 'remit-shop2-staging-stateful-Table1A2B'];
  tables = ['another', mine, theirs];
  await expect(requireSameTable({ stage: 'staging' })).rejects.toThrow(
    /^Deleted stacks left the table remit-staging-stateful-Table1A2B behind\..*--existing-table/,
  );
  await requireSameTable({ stage: 'staging' }, true);
  // Its stack exists, so the table is in use.
  tables = ['remit-dev-stateful-Table1A2B'];
  await requireSameTable({ stage: 'dev' });
  tables = [theirs];
  await requireSameTable({ stage: 'staging' });
  tables = undefined;
  expect(await errorOutputOf(() => requireSameTable({ stage: 'staging' }))).toMatch(
    /^Warning: the credentials may not call dynamodb:ListTables/,
  );
});

test.each([
  ['--existing-webhook-secret', { existingWebhookSecret: secretOf('other') }, 'webhooks'],
  ['--existing-provider-secret', { existingProviderSecret: secretOf('other') }, 'providers'],
  ['--existing-audit-secret', { existingAuditSecret: secretOf('other') }, 'audit'],
  ['--existing-secret', { existingSecret: secretOf('other') }, 'deployment'],
])('an existing table needs the secret of %s that its tags name: %j', async (option, change, secret) => {
  await requireSameTable({ ...kept, ...others });
  await expect(requireSameTable({ ...kept, ...others, ...change })).rejects.toThrow(
    `Use ${option} ${secretOf(secret)}.`,
  );
});

test('credentials that may not read the tags cause a warning', async () => {
  const printed = await errorOutputOf(() =>
    requireSameTable({ ...kept, ...others, existingTable: streamOf('hidden') }),
  );
  expect(printed).toMatch(
    /^Warning: the credentials may not call dynamodb:ListTagsOfResource.*table\/hidden\.\n$/,
  );
});
