/** Tests the warnings of `npm run deploy` about stacks that exist but differ from the settings. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { warnOfDeployedStacks } from '../../cli/deployed-stacks.ts';
import { startCloudFormation } from '../support/cloudformation-server.ts';

const pool = 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Ab1';
const own = { oidcIssuer: 'https://login.example.com', oidcClientId: 'remit' };
const environment = { ...process.env };
const { write } = process.stderr;
let server: Awaited<ReturnType<typeof startCloudFormation>>;
let printed = '';

beforeAll(async () => {
  server = await startCloudFormation({
    'remit-prod-canary': { SecretArn: 'arn' },
    'remit-prod-dashboard': { OidcIssuer: pool, UserPoolId: 'eu-west-1_Ab1' },
    'remit-staging-dashboard': { OidcIssuer: own.oidcIssuer },
  });
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_CLOUDFORMATION: server.endpoint,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  });
  process.stderr.write = ((text: string) => {
    printed += text;
    return true;
  }) as typeof write;
});
beforeEach(() => {
  printed = '';
});
afterAll(async () => {
  process.stderr.write = write;
  process.env = environment;
  await server.close();
});

test('settings that agree with the stacks cause no warning', async () => {
  await warnOfDeployedStacks({ stage: 'dev' });
  await warnOfDeployedStacks({ stage: 'prod', canary: true });
  await warnOfDeployedStacks({ stage: 'staging', ...own });
  expect(printed).toBe('');
});

test('a canary and a dashboard that the settings leave out still run', async () => {
  await warnOfDeployedStacks({ stage: 'prod', dashboard: false });
  expect(printed).toMatch(
    /^Warning: without --canary, .* the stack remit-prod-canary still runs\. Add --canary, or delete the stack: aws .*\nWarning: with --no-dashboard, .* the stack remit-prod-dashboard still runs\. Leave out/,
  );
});

test('users are other users at another issuer, also if the issuer is a new user pool', async () => {
  await warnOfDeployedStacks({ stage: 'prod', canary: true, ...own });
  expect(printed).toContain(`Warning: users of the dashboard sign in at ${pool} so far.`);
  printed = '';
  await warnOfDeployedStacks({ stage: 'staging' });
  expect(printed).toContain(`Warning: users of the dashboard sign in at ${own.oidcIssuer} so far.`);
});
