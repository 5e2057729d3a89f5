/** Tests what `npm run deploy` does before the synthesis: it checks the credentials and the log role of API Gateway. */
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { managesGatewayLogRole } from '../../cli/aws-account.ts';

/** The answer of API Gateway to the next requests. */
let answer: { status: number; type?: string; body: object };
const server = createServer((_, response) => {
  const { status, type, body } = answer;
  response.writeHead(status, type ? { 'x-amzn-errortype': type } : {}).end(JSON.stringify(body));
});
let endpoint: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** Runs the command with these AWS variables only. It never reaches another machine. */
function deploy(variables: Record<string, string>, ...words: string[]): Promise<string> {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('AWS_'));
  const files = { AWS_CONFIG_FILE: '/dev/null', AWS_SHARED_CREDENTIALS_FILE: '/dev/null' };
  const env = {
    ...Object.fromEntries(others),
    ...files,
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_ENDPOINT_URL: endpoint,
    ...variables,
  };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['cli/deploy.ts', '--stage', 'dev', ...words],
      { env },
      (failure, out, error) => resolve(`${failure?.code ?? 0} ${out}${error}`),
    );
  });
}

const region = { AWS_REGION: 'eu-west-1' };
const key = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };

test('without a region or without credentials nothing is synthesized, and the message says what to set', async () => {
  expect(await deploy(key)).toMatch(/^1 No AWS region is set\. Set AWS_REGION/);
  expect(await deploy(region)).toMatch(/^1 No AWS credentials were found\. Run aws login .* set AWS_PROFILE/);
});

test.each([
  ['ExpiredTokenException', /^1 The AWS credentials have expired\. Run aws login/],
  ['UnrecognizedClientException', /^1 AWS does not accept the credentials\. Run aws login/],
  ['AccessDeniedException', /^1 The credentials may not .* Add --gateway-log-role if/],
])('the error %s of AWS becomes a message with the remedy', async (type, message) => {
  answer = { status: 403, type, body: { message: 'no' } };
  expect(await deploy({ ...region, ...key })).toMatch(message);
});

test('the backup region must be another region, and a secret from outside is not replicated', async () => {
  answer = { status: 200, body: {} };
  expect(await deploy({ ...region, ...key }, '--backup-region', 'eu-west-1')).toMatch(
    /^2 --backup-region is eu-west-1, which is also the region of the deployment\. Set it to another/,
  );
  const existing = [
    '--existing-table=arn:aws:dynamodb:eu-west-1:123456789012:table/kept/stream/2026-11-21T00:00:00.000',
    ...['secret', 'webhook-secret', 'provider-secret', 'audit-secret'].map(
      (name) => `--existing-${name}=arn:aws:secretsmanager:eu-west-1:123456789012:secret:${name}-a1B2c3`,
    ),
  ];
  expect(await deploy({ ...region, ...key }, '--backup-region', 'eu-west-1', ...existing)).toMatch(
    /^2 Warning: the stacks do not change the secrets of an existing table\. Replicate them to eu-west-1/,
  );
});

test('prod is warned of what it does without', async () => {
  const output = await deploy(region, '--stage', 'prod');
  expect(output).toMatch(
    /^1 Warning: without --alarm-email.*\nWarning: without --security-contact.*\nWarning: without --backup-region, the data does not survive/,
  );
});

test('a profile after the separator is the profile of the check', async () => {
  expect(await deploy(region, '--', '--profile', 'shop')).toMatch(/^1 .*(shop|credentials)/);
});

test('a deployment creates the log role only if the account has none, and keeps the one that it created', () => {
  const roleOf = (name: string) => `arn:aws:iam::123456789012:role/${name}`;
  const stack = 'remit-prod-stateless';
  expect(managesGatewayLogRole(undefined, stack)).toBe(true);
  expect(managesGatewayLogRole(roleOf('remit-prod-stateless-ApiCloudWatchRole73EC6FC4-1'), stack)).toBe(true);
  expect(managesGatewayLogRole(roleOf('remit-staging-stateless-ApiCloudWatchRole73EC6FC4-1'), stack)).toBe(
    false,
  );
  expect(managesGatewayLogRole(roleOf('teams/remit-prod-stateless-ApiCloudWatchRole-1'), stack)).toBe(true);
  expect(managesGatewayLogRole(roleOf('gateway-logs'), stack)).toBe(false);
});
