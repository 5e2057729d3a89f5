/** Tests a deployment on an existing table, and a second installation of a stage. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type App, type Resources, resourcesOfType, synthesize } from './template.ts';

const streamArn = 'arn:aws:dynamodb:eu-west-1:123456789012:table/copy/stream/2026-11-21T00:00:00.000';
const secretArn = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:DeploymentSecret-AbCdEf-a1B2c3';
const webhookSecretArn = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:WebhookSecret-d4E5f6';
const providerSecretArn = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:ProviderSecret-g7H8i9';
const auditSecretArn = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:AuditSecret-j1K2l3';

let kept: App;
let second: App;

beforeAll(async () => {
  [kept, second] = await Promise.all([
    synthesize({
      stage: 'prod',
      existingTable: streamArn,
      existingSecret: secretArn,
      existingWebhookSecret: webhookSecretArn,
      existingProviderSecret: providerSecretArn,
      existingAuditSecret: auditSecretArn,
    }),
    synthesize({ name: 'second-shop', alarmEmail: 'on-call@example.com', metricsDashboard: 'true' }),
  ]);
});

/** The properties with the names of resources that must be unique in an account and region. */
const physicalName =
  /^(Name|(Table|Queue|Function|LogGroup|Role|Alarm|Dashboard|Topic|Bucket|Secret|Alias|Rule|Key)Name)$/;

const variables = (resources: Resources, handler: string) =>
  resourcesOfType(resources, 'AWS::Lambda::Function').find(
    ([, { Properties }]) => Properties.Description === handler,
  )?.[1].Properties.Environment.Variables;

describe('an existing table', () => {
  test('replaces the table and the secret of the stack, in every function and policy', () => {
    const { stateful, stateless } = kept;
    expect(resourcesOfType(stateful.Resources, 'AWS::DynamoDB::Table')).toEqual([]);
    const secrets = resourcesOfType(stateful.Resources, 'AWS::SecretsManager::Secret').map(([id]) => id);
    expect(secrets).toEqual([expect.stringMatching(/^KeySecret/), expect.stringMatching(/^SigningSecret/)]);
    expect(stateful.Outputs).toMatchObject({
      TableName: { Value: 'copy' },
      DeploymentSecretArn: { Value: secretArn },
      WebhookSecretArn: { Value: webhookSecretArn },
      ProviderSecretArn: { Value: providerSecretArn },
      AuditSecretArn: { Value: auditSecretArn },
    });
    const named = resourcesOfType(stateless.Resources, 'AWS::Lambda::Function').map(
      ([, { Properties }]) => Properties.Environment.Variables,
    );
    expect(new Set(named.flatMap(({ TABLE_NAME = [] }) => TABLE_NAME))).toEqual(new Set(['copy']));
    expect(new Set(named.flatMap(({ DEPLOYMENT_SECRET_ARN = [] }) => DEPLOYMENT_SECRET_ARN))).toEqual(
      new Set([secretArn]),
    );
    expect(new Set(named.flatMap(({ WEBHOOK_SECRET_ARN = [] }) => WEBHOOK_SECRET_ARN))).toEqual(
      new Set([webhookSecretArn]),
    );
    const policies = JSON.stringify(resourcesOfType(stateless.Resources, 'AWS::IAM::Policy'));
    expect(policies).toContain(`"Resource":"${secretArn}"`);
    const [tableArn] = streamArn.split('/stream/');
    expect(policies).toContain(`"Resource":"${tableArn}"`);
    expect(policies).not.toMatch(/ExportsOutput\w*(Table|DeploymentSecret|WebhookSecret)/);
    expect(kept.rules.violations).toEqual([]);
  });

  test('is an output, which a later deployment compares with its settings', () => {
    expect(kept.stateful.Outputs.OutsideTableStreamArn).toEqual({ Value: streamArn });
    expect(second.stateful.Outputs).not.toHaveProperty('OutsideTableStreamArn');
  });
});

describe('a second installation of a stage', () => {
  test('has stacks of its own, and no resource with a fixed name outside of them', () => {
    expect(second.stacks).toMatchObject({
      stateful: { stackName: 'remit-second-shop-dev-stateful' },
      stateless: { stackName: 'remit-second-shop-dev-stateless' },
    });
    const fixedNames = [second.stateful, second.stateless].flatMap(({ Resources }) =>
      Object.values(Resources).flatMap(({ Type, Properties }) =>
        Object.entries(Properties ?? {}).flatMap(([key, value]) =>
          physicalName.test(key) && typeof value === 'string' ? [`${Type} ${value}`] : [],
        ),
      ),
    );
    expect(fixedNames.length).toBeGreaterThan(0);
    // The name of an alias is unique within its function.
    const ofFunctions = 'AWS::Lambda::Alias live';
    for (const name of fixedNames.filter((each) => each !== ofFunctions))
      expect(name).toMatch(/^AWS::Logs::QueryDefinition remit-second-shop-dev\//);
    const exported = Object.values(second.stateful.Outputs).flatMap(
      (output) => (output as { Export?: { Name: unknown } }).Export?.Name ?? [],
    );
    expect(exported.length).toBeGreaterThan(0);
    for (const name of exported) expect(name).toMatch(/^remit-second-shop-dev-stateful:/);
  });

  test('has metrics, alarms and log queries of its own', () => {
    expect(variables(second.stateless.Resources, 'functions/invoices/get.ts').STAGE).toBe('second-shop-dev');
    const text = JSON.stringify(second.stateless);
    expect(text).toContain('"Name":"stage","Value":"second-shop-dev"');
    expect(text).not.toContain('"Name":"stage","Value":"dev"');
    expect(text).not.toMatch(/stage=\\*"dev/);
  });
});
