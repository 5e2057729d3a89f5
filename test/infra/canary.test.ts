/** Tests the stack of the canary, and that nothing of it exists without the setting. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type App, type Resources, resourcesOfType, synthesize } from './template.ts';

let without: App;
let plain: App;
let small: App;

beforeAll(async () => {
  [without, plain, small] = await Promise.all([
    synthesize({
      stage: 'prod',
      alarmEmail: 'on-call@example.com',
      customerKey: 'true',
      metricsDashboard: 'true',
    }),
    synthesize({ stage: 'prod', canary: 'true' }),
    synthesize({ stage: 'staging', name: 'shop2', canary: 'true', customerKey: 'true', concurrency: '115' }),
  ]);
});

const resourcesIn = (app: App): Resources => app.canary?.Resources ?? {};
const ofType = (app: App, type: string) => resourcesOfType(resourcesIn(app), type);
const functionOf = (app: App, handler: string) => {
  const found = ofType(app, 'AWS::Lambda::Function').find(
    ([, { Properties }]) => Properties.Description === handler,
  );
  if (!found) throw new Error(`${handler} has no function.`);
  return { id: found[0], properties: found[1].Properties };
};
const handlers = ['functions/canary/receive.ts', 'functions/canary/run.ts'];

test('without the setting there is no stack, no alarm and no widget', () => {
  expect(without.canary).toBeUndefined();
  expect(JSON.stringify(without.stateless).match(/Canary[SFOD]\w+/g)).toBeNull();
});

describe('the stack of the canary', () => {
  test('belongs to its deployment, and can be deleted', () => {
    expect(plain.stacks.canary?.stackName).toBe('remit-prod-canary');
    expect(plain.stacks.canary?.terminationProtection ?? false).toBe(false);
    expect(small.stacks.canary?.stackName).toBe('remit-shop2-staging-canary');
    expect(functionOf(small, 'functions/canary/run.ts').properties.Environment.Variables.STAGE).toBe(
      'shop2-staging',
    );
  });

  test('imports nothing of the other stacks, except the customer-managed key', () => {
    expect(JSON.stringify(plain.canary)).not.toContain('Fn::ImportValue');
    const imports = JSON.stringify(small.canary).match(/"Fn::ImportValue":"[^"]+"/g) ?? [];
    expect(imports.length).toBeGreaterThan(0);
    for (const name of imports) expect(name).toContain('CustomerKey');
  });

  test('runs every five minutes, one run at a time, and does not repeat a failed run', () => {
    const [[, rule] = []] = ofType(plain, 'AWS::Events::Rule');
    expect(rule?.Properties.ScheduleExpression).toBe('rate(5 minutes)');
    const { properties } = functionOf(plain, 'functions/canary/run.ts');
    expect(properties).toMatchObject({ Timeout: 60, ReservedConcurrentExecutions: 1 });
    const [[, invoke] = []] = ofType(plain, 'AWS::Lambda::EventInvokeConfig');
    expect(invoke?.Properties.MaximumRetryAttempts).toBe(0);
  });

  test('receives webhooks at a function URL whose executions are limited, if the account has enough of them', () => {
    const [[, url] = [], ...others] = ofType(plain, 'AWS::Lambda::Url');
    expect(others).toEqual([]);
    const { id, properties } = functionOf(plain, 'functions/canary/receive.ts');
    expect(url?.Properties).toEqual({
      AuthType: 'NONE',
      Qualifier: 'live',
      TargetFunctionArn: { 'Fn::GetAtt': [id, 'Arn'] },
    });
    expect(properties.ReservedConcurrentExecutions).toBe(2);
    for (const handler of handlers)
      expect(functionOf(small, handler).properties).not.toHaveProperty('ReservedConcurrentExecutions');
    // Strangers may call the function only through its URL.
    const open = ofType(plain, 'AWS::Lambda::Permission').filter(
      ([, { Properties }]) => Properties.Principal === '*',
    );
    expect(
      open.map(
        ([
          ,
          {
            Properties: { Action, FunctionUrlAuthType, InvokedViaFunctionUrl },
          },
        ]) => [Action, FunctionUrlAuthType ?? InvokedViaFunctionUrl],
      ),
    ).toEqual([
      ['lambda:InvokeFunctionUrl', 'NONE'],
      ['lambda:InvokeFunction', true],
    ]);
  });

  test('grants each function its own log, traces and the one secret', () => {
    const [[secret] = []] = ofType(plain, 'AWS::SecretsManager::Secret');
    const policies = ofType(plain, 'AWS::IAM::Policy');
    expect(policies).toHaveLength(2);
    for (const [, { Properties }] of policies) {
      const [logs, ...others] = Properties.PolicyDocument.Statement;
      expect(logs.Action).toEqual(['logs:CreateLogStream', 'logs:PutLogEvents']);
      expect(logs.Resource).toEqual({ 'Fn::GetAtt': [expect.stringMatching(/^(Run|Receive)Logs/), 'Arn'] });
      expect(others).toEqual([
        { Effect: 'Allow', Action: ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'], Resource: '*' },
        { Effect: 'Allow', Action: 'secretsmanager:GetSecretValue', Resource: { Ref: secret } },
      ]);
    }
    for (const [, role] of ofType(plain, 'AWS::IAM::Role'))
      expect(role.Properties).not.toHaveProperty('ManagedPolicyArns');
  });

  test('has no key and no secret in its environment, its outputs and its template', () => {
    const [[secret] = []] = ofType(plain, 'AWS::SecretsManager::Secret');
    for (const handler of handlers) {
      const { STAGE, REMIT_VERSION, AWS_CALLS, ...others } = functionOf(plain, handler).properties.Environment
        .Variables;
      expect([STAGE, REMIT_VERSION, AWS_CALLS]).toEqual(['prod', expect.any(String), 'direct']);
      expect(others).toEqual({ CANARY_SECRET_ARN: { Ref: secret } });
    }
    expect(Object.keys(plain.canary?.Outputs ?? {}).sort()).toEqual(['ReceiverUrl', 'SecretArn']);
    expect(JSON.stringify(plain.canary)).not.toMatch(/sk_test_|whsec_/);
  });

  test('is encrypted with the customer-managed key', () => {
    for (const [, { Properties }] of ofType(small, 'AWS::Logs::LogGroup'))
      expect(JSON.stringify(Properties.KmsKeyId)).toContain('CustomerKey');
    const [[, secret] = []] = ofType(small, 'AWS::SecretsManager::Secret');
    expect(JSON.stringify(secret?.Properties.KmsKeyId)).toContain('CustomerKey');
  });
});
