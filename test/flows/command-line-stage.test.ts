/** Tests the option `--stage`: each command of the table finds the table of a deployment in CloudFormation. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { startCloudFormation } from '../support/cloudformation-server.ts';
import { run } from '../support/command-line.ts';
import { startTestStack } from '../support/stack.ts';

const secretArn = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:DeploymentSecret-AbCdEf-a1B2c3';
const webhookSecretArn = secretArn.replace('Deployment', 'Webhook');
const keySecretArn = secretArn.replace('Deployment', 'Key');
const providerSecretArn = secretArn.replace('Deployment', 'Provider');
const auditSecretArn = secretArn.replace('Deployment', 'Audit');
const signingSecretArn = secretArn.replace('Deployment', 'Signing');
let stack: Stack;
let cloudFormation: Awaited<ReturnType<typeof startCloudFormation>>;

beforeAll(async () => {
  stack = await startTestStack();
  const outputs = {
    TableName: stack.tableName,
    DeploymentSecretArn: secretArn,
    WebhookSecretArn: webhookSecretArn,
    KeySecretArn: keySecretArn,
    ProviderSecretArn: providerSecretArn,
    AuditSecretArn: auditSecretArn,
    SigningSecretArn: signingSecretArn,
  };
  cloudFormation = await startCloudFormation({
    'remit-prod-stateful': outputs,
    'remit-second-shop-prod-stateful': outputs,
    'remit-staging-stateful': {},
  });
});
afterAll(async () => {
  await cloudFormation.close();
  await stack.close();
});

const account = 'acct_0000000000000000';

/** Runs a command with `--stage`. The commands here find the stack and end before they need the secret. */
const runOnStage = (args: readonly string[], extra: NodeJS.ProcessEnv = {}) => {
  const [group = '', ...rest] = args;
  return run(group, rest, {
    TABLE_NAME: undefined,
    DEPLOYMENT_SECRET_FILE: undefined,
    AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.endpoint,
    ...extra,
  });
};

describe('--stage', () => {
  test.each([
    ['accounts', 'list'],
    ['accounts', 'show', '--account', account],
    ['keys', 'list', '--account', account],
    ['reconcile', 'report'],
  ])('%s %s uses the table of the stack and names it with the stage', async (...args) => {
    const { out, error } = await runOnStage([...args, '--stage', 'prod', '--json']);
    const line = `Table ${stack.tableName} at ${stack.dynamodbEndpoint} (stage prod).\n`;
    expect(error.startsWith(line)).toBe(true);
    expect(out).not.toContain(stack.tableName);
  });

  test('deployment show prints the table, its stream and the secrets of the stack', async () => {
    const { code, out } = await runOnStage(['deployment', 'show', '--stage', 'prod', '--json']);
    expect(code).toBe(0);
    const stream = expect.stringContaining(`table/${stack.tableName}/stream/`);
    expect(JSON.parse(out)).toEqual({
      table: stack.tableName,
      stream,
      secret: secretArn,
      webhookSecret: webhookSecretArn,
      keySecret: keySecretArn,
      providerSecret: providerSecretArn,
      auditSecret: auditSecretArn,
      signingSecret: signingSecretArn,
    });
  });

  test('--installation selects the stacks with that name', async () => {
    const args = ['accounts', 'list', '--stage', 'prod', '--installation', 'second-shop'];
    const { code, error } = await runOnStage(args);
    const line = `Table ${stack.tableName} at ${stack.dynamodbEndpoint} (stage prod of second-shop).\n`;
    expect({ code, error }).toEqual({ code: 0, error: line });
  });

  test.each([
    ['an unknown stage', ['--stage', 'production'], {}, 2, '--stage must be one of dev, staging, prod.'],
    [
      'a region without a stage',
      ['--region', 'eu-west-1'],
      {},
      2,
      '--installation and --region need --stage.',
    ],
    ['an invalid installation', ['--stage', 'prod', '--installation', 'A'], {}, 2, '--installation must be'],
    [
      'a stack that does not exist',
      ['--stage', 'dev'],
      {},
      1,
      /^There is no stack remit-dev-stateful at http:\S+\. Check --stage, --installation and --region/,
    ],
    [
      'a stack whose deployment has not ended',
      ['--stage', 'staging'],
      {},
      1,
      'Its status is CREATE_IN_PROGRESS. Wait for its deployment to end, or deploy again.',
    ],
    [
      'a second selection of the table',
      ['--stage', 'prod'],
      { TABLE_NAME: 'remit-restored-1' },
      2,
      '--stage and TABLE_NAME both select a table.',
    ],
    [
      'two regions',
      ['--stage', 'prod'],
      { AWS_REGION: 'eu-west-1', AWS_DEFAULT_REGION: 'eu-central-1' },
      2,
      'AWS_REGION is eu-west-1, but AWS_DEFAULT_REGION is eu-central-1. Add --region with the region of the deployment.',
    ],
    [
      'missing credentials',
      ['--stage', 'prod'],
      {
        AWS_ACCESS_KEY_ID: undefined,
        AWS_SECRET_ACCESS_KEY: undefined,
        AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
        AWS_CONFIG_FILE: '/dev/null',
        AWS_EC2_METADATA_DISABLED: 'true',
      },
      1,
      'No AWS credentials were found. Set AWS_PROFILE',
    ],
    [
      'STAGE without --stage',
      [],
      { STAGE: 'prod' },
      2,
      'STAGE is prod, but no table is selected. Nothing was done.',
    ],
  ] as const)('%s is an error, and no table is used', async (_, args, extra, code, message) => {
    const outcome = await runOnStage(['accounts', 'list', ...args], extra);
    const text =
      typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message);
    expect(outcome).toEqual({ code, out: '', error: text });
    expect(outcome.error).not.toMatch(/^Table /m);
  });

  test('a single region in AWS_DEFAULT_REGION is used', async () => {
    const extra = {
      AWS_REGION: undefined,
      AWS_DEFAULT_REGION: 'eu-central-1',
      AWS_ENDPOINT_URL_DYNAMODB: undefined,
    };
    const { error } = await runOnStage(['accounts', 'list', '--stage', 'dev'], extra);
    expect(error).toMatch(/^There is no stack remit-dev-stateful in eu-central-1\./);
  });
});
