/** Tests `remit users` against a stack, and with a deployment whose users sign in at a user pool of its own. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { localUsers } from '../../infra/local/local-users.ts';
import { secretFileVariables } from '../../infra/local/secret-files.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { startCloudFormation, statefulOutputs } from '../support/cloudformation-server.ts';
import { run, runJson } from '../support/command-line.ts';
import { createVisitor, headingOf, withDashboard } from '../support/dashboard-visitor.ts';
import { type LoopbackServer, listenOnLoopback } from '../support/loopback-server.ts';
import { type SecretsServer, startSecretsManager } from '../support/secrets-server.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let cloudFormation: LoopbackServer;
let cognito: LoopbackServer;
let secrets: SecretsServer;
let account: string;
let url: string;
/** The users that the pool got. */
const created: { Username: string; UserPoolId: string; UserAttributes: object[] }[] = [];

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000, ...withDashboard() });
  url = stack.dashboard?.url ?? '';
  cloudFormation = await startCloudFormation({
    'remit-prod-stateful': statefulOutputs(stack.tableName),
    'remit-prod-dashboard': { DashboardUrl: url, UserPoolId: 'eu-west-1_Abc' },
    'remit-staging-stateful': statefulOutputs(stack.tableName),
  });
  const { SIGNING_SECRET_FILE } = secretFileVariables(stack.deploymentSecretFile);
  const { DeploymentSecretArn, SigningSecretArn } = statefulOutputs('');
  secrets = await startSecretsManager({
    [DeploymentSecretArn]: await readFile(stack.deploymentSecretFile, 'utf8'),
    [SigningSecretArn]: await readFile(SIGNING_SECRET_FILE, 'utf8'),
  });
  cognito = await listenOnLoopback(
    createServer(async (request, response) => {
      const user = JSON.parse(Buffer.concat(await request.toArray()).toString());
      const isKnown = created.some(({ Username }) => Username === user.Username);
      if (!isKnown) created.push(user);
      response.writeHead(isKnown ? 400 : 200, { 'Content-Type': 'application/x-amz-json-1.1' });
      response.end(
        JSON.stringify(isKnown ? { __type: 'UsernameExistsException', message: '' } : { User: {} }),
      );
    }),
  );
});

beforeEach(async () => {
  const { createAccount } = await import('../../shared/domain/accounts/account-store.ts');
  account = (await createAccount({ name: 'Druk Shop', plan: 'standard' })).accountId;
});

afterEach(() => void created.splice(0));

afterAll(async () => {
  await cognito?.close();
  await secrets?.close();
  await cloudFormation?.close();
  await stack?.close();
});

/** Lines of a mail can end within the link. */
const isWithLink = (source: Buffer, link: string): boolean =>
  source
    .toString()
    .replace(/=\r\n/g, '')
    .includes(new URL(link).searchParams.get('token') ?? '-');

const onStage = (args: readonly string[], stage = 'prod') =>
  run('users', [...args, '--account', account, '--stage', stage, '--region', 'eu-west-1'], {
    TABLE_NAME: undefined,
    AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.endpoint,
    AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER: cognito.endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.endpoint,
  });

test('the first owner is invited, accepts, is listed, and cannot be removed', async () => {
  const { email } = localUsers.owner;
  const args = ['invite', '--account', account, '--email', email, '--dashboard-url', `${url}/`];
  const invited = await runJson('users', args);
  expect(invited).toMatchObject({ account, email, role: 'owner', isNewUser: false });
  expect(invited.link.startsWith(`${url}/sign-in/invitation?account=${account}&token=`)).toBe(true);
  await waitUntil('the link is mailed', async () =>
    stack.mail.accepted.some(({ to, source }) => to.includes(email) && isWithLink(source, invited.link)),
  );
  const listed = await runJson('users', ['list', '--account', account]);
  expect(listed).toMatchObject({ members: [], invitations: [{ email, role: 'owner' }] });
  expect(JSON.stringify(listed)).not.toContain(new URL(invited.link).searchParams.get('token'));

  const visitor = createVisitor(stack);
  await visitor.signIn(localUsers.owner);
  const page = await visitor.open(invited.link);
  expect(headingOf(page)).toBe('Invitation to Druk Shop');
  expect((await visitor.submit(page, '/sign-in/invitation')).status).toBe(303);

  const { members } = await runJson('users', ['list', '--account', account]);
  expect(members).toMatchObject([{ email, role: 'owner', issuer: stack.dashboard?.issuer.url }]);
  const refused = await run('users', ['remove', '--account', account, '--user', members[0].user]);
  expect([refused.code, refused.error]).toEqual([1, expect.stringContaining('This is the only owner')]);
});

test('an invitation is withdrawn with its id', async () => {
  const args = ['--account', account, '--email', 'x@example.com', '--role', 'viewer', '--dashboard-url', url];
  await runJson('users', ['invite', ...args]);
  const { invitations } = await runJson('users', ['list', '--account', account]);
  const removed = await run('users', ['remove', '--account', account, '--user', invitations[0].id]);
  expect(removed.code).toBe(0);
  expect((await runJson('users', ['list', '--account', account])).invitations).toEqual([]);
});

test('on a deployment with a user pool, the person also becomes a user of the pool, once', async () => {
  const first = await onStage(['invite', '--email', 'dorji@example.bt', '--json']);
  expect(JSON.parse(first.out)).toMatchObject({ isNewUser: true, link: expect.stringContaining(url) });
  expect(created).toEqual([
    expect.objectContaining({
      UserPoolId: 'eu-west-1_Abc',
      Username: 'dorji@example.bt',
      UserAttributes: [
        { Name: 'email', Value: 'dorji@example.bt' },
        { Name: 'email_verified', Value: 'true' },
      ],
    }),
  ]);
  const again = await onStage(['invite', '--email', 'dorji@example.bt', '--json']);
  expect(JSON.parse(again.out)).toMatchObject({ isNewUser: false });
});

test.each([
  ['an invalid address', ['invite', '--email', 'x'], '--email must be one e-mail address'],
  ['an unknown role', ['invite', '--email', 'x@example.com', '--role', 'admin'], '--role must be one of'],
  [
    'no dashboard',
    ['invite', '--email', 'x@example.com'],
    'TABLE_NAME selects a table, but not its dashboard.',
  ],
  ['an unknown user', ['remove', '--user', 'usr_1'], 'has no member or invitation usr_1'],
])('%s is an error with a remedy', async (_, args, message) => {
  const { code, error } = await run('users', [...args, '--account', account]);
  expect(code).toBeGreaterThan(0);
  expect(error).toContain(message);
});

test('a deployment without a dashboard needs the URL', async () => {
  const { code, error } = await onStage(['invite', '--email', 'x@example.com'], 'staging');
  expect([code, error]).toEqual([1, expect.stringContaining('There is no stack remit-staging-dashboard')]);
});
