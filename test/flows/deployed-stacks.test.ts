/** Tests the warnings of `npm run deploy` about stacks that exist but differ from the settings. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  deploymentSteps,
  findExistingStacks,
  findOwnHosts,
  warnOfDeployedStacks,
} from '../../cli/deployed-stacks.ts';
import { reportChangedSettings } from '../../cli/deployment-settings.ts';
import { errorOutputOf, useAwsServers } from '../support/aws-servers.ts';
import { startCloudFormation } from '../support/cloudformation-server.ts';

const pool = 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Ab1';
const own = { oidcIssuer: 'https://login.example.com', oidcClientId: 'remit' };
let server: Awaited<ReturnType<typeof startCloudFormation>>;
let restoreEnvironment: () => void;

beforeAll(async () => {
  server = await startCloudFormation({
    'remit-prod-canary': { SecretArn: 'arn', ReceiverUrl: 'https://c1.lambda-url.eu-west-1.on.aws/' },
    'remit-prod-dashboard': {
      OidcIssuer: pool,
      UserPoolId: 'eu-west-1_Ab1',
      DashboardUrl: 'https://d1.execute-api.eu-west-1.amazonaws.com/prod',
    },
    'remit-staging-dashboard': { OidcIssuer: own.oidcIssuer },
    'remit-staging-stateless': {
      Settings: JSON.stringify({ alarmEmail: 'a@example.com', concurrency: 500, tags: { team: 'a' } }),
    },
    'remit-prod-stateless': { ApiUrl: 'https://api.example.com' },
  });
  restoreEnvironment = useAwsServers({ CLOUDFORMATION: server.endpoint });
});
afterAll(async () => {
  restoreEnvironment();
  await server.close();
});

const warningsFor = (...settings: readonly Record<string, unknown>[]) =>
  errorOutputOf(async () => {
    for (const each of settings) await warnOfDeployedStacks(each);
  });

test('settings that agree with the stacks cause no warning', async () => {
  expect(
    await warningsFor({ stage: 'dev' }, { stage: 'prod', canary: true }, { stage: 'staging', ...own }),
  ).toBe('');
});

test('a canary and a dashboard that the settings leave out still run', async () => {
  expect(await warningsFor({ stage: 'prod', dashboard: false })).toMatch(
    /^Warning: without --canary, .* the stack remit-prod-canary still runs\. Add --canary, or delete the stack: aws .*\nWarning: with --no-dashboard, .* the stack remit-prod-dashboard still runs\. Leave out/,
  );
});

test('each setting that differs from what is deployed is named, also one that is left out', async () => {
  const reportFor = (settings: Record<string, unknown>) =>
    errorOutputOf(() => reportChangedSettings(settings, (name) => `--${name}`));
  const stage = 'staging';
  expect(await reportFor({ stage, concurrency: '500', tags: { team: 'b' }, waf: true })).toBe(
    `These settings differ from those that are deployed:
  --alarmEmail: a@example.com → default
  --tags: {"team":"a"} → {"team":"b"}
  --waf: default → true
  --dashboardWaf: default → true
`,
  );
  const same = { stage, alarmEmail: 'a@example.com', concurrency: 500, tags: 'team=a' };
  // What a deployment finds out, and the defaults, are no differences.
  const found = { dashboardHost: 'a.example.com', gatewayLogRole: true, dashboardWaf: false };
  expect(await reportFor({ ...same, ...found })).toBe('');
  expect(await reportFor({ stage: 'prod', waf: false })).toBe('');
  expect(await reportFor({ stage: 'dev', waf: true })).toBe('');
});

test('the hosts that AWS chooses become settings, except on an emulator', async () => {
  expect(await findOwnHosts({ stage: 'prod' })).toEqual({
    dashboardHost: 'd1.execute-api.eu-west-1.amazonaws.com',
    canaryHost: 'c1.lambda-url.eu-west-1.on.aws',
  });
  expect(await findOwnHosts({ stage: 'dev' })).toEqual({});
  expect(await findOwnHosts({ stage: 'prod', emulatorEndpoint: 'http://127.0.0.1:4566' })).toEqual({});
});

test('differences are shown only for the stacks of the app that exist', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'remit-app-'));
  const stackOf = (stackName: string) => ({
    type: 'aws:cloudformation:stack',
    environment: 'aws://unknown-account/unknown-region',
    properties: { stackName },
  });
  const write = (artifacts: object) =>
    writeFile(join(folder, 'manifest.json'), JSON.stringify({ artifacts }));
  try {
    await write({ Tree: { type: 'cdk:tree' }, RemitStateless: stackOf('remit-dev-stateless') });
    expect(await findExistingStacks(folder)).toEqual([]);
    await write({
      RemitStateless: stackOf('remit-dev-stateless'),
      RemitCanary: stackOf('remit-prod-canary'),
    });
    expect(await findExistingStacks(folder)).toEqual(['RemitCanary']);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the way back begins with the upper stacks that exist, and ends with all', () => {
  const all = ['RemitStateful', 'RemitStateless', 'RemitDashboard'];
  expect(deploymentSteps(all, false)).toEqual([['--all']]);
  expect(deploymentSteps(all, true)).toEqual([
    ['RemitDashboard', '--exclusively'],
    ['RemitStateless', '--exclusively'],
    ['--all'],
  ]);
  expect(deploymentSteps(['RemitStateful', 'RemitStateless'], true)).toEqual([
    ['RemitStateless', '--exclusively'],
    ['--all'],
  ]);
});

test('users are other users at another issuer, also if the issuer is a new user pool', async () => {
  expect(await warningsFor({ stage: 'prod', canary: true, ...own })).toContain(
    `Warning: users of the dashboard sign in at ${pool} so far.`,
  );
  expect(await warningsFor({ stage: 'staging' })).toContain(
    `Warning: users of the dashboard sign in at ${own.oidcIssuer} so far.`,
  );
});
