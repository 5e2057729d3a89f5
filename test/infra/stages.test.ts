/** Tests the effect of the settings on the stacks: the stages, and each optional part. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { divideConcurrency } from '../../infra/shares.ts';
import { plans } from '../../shared/domain/accounts/account.ts';
import { type App, type Resources, resourceNamed, resourcesOfType, synthesize } from './template.ts';

const certificateArn = 'arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d-0000-4000-8000-000000000000';
const streamArn = 'arn:aws:dynamodb:eu-west-1:123456789012:table/copy/stream/2026-11-21T00:00:00.000';

const eventTargets = {
  sqs: 'arn:aws:sqs:eu-west-1:123456789012:events',
  eventbridge: 'arn:aws:events:eu-west-1:123456789012:event-bus/events',
  lambda: 'arn:aws:lambda:eu-west-1:123456789012:function:events:live',
};
const existingMail = { mailFrom: 'bills@pay.shop.example', mailIdentity: 'shop.example' };

let dev: App;
let full: App;
let restored: App;
let twoAddresses: App;
/** TLS 1.2 and 1.3 with forward secrecy. */
const securityPolicy = 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09';

beforeAll(async () => {
  [dev, full, restored, twoAddresses] = await Promise.all([
    synthesize(),
    synthesize({
      stage: 'prod',
      domainName: 'api.example.com',
      certificateArn,
      mailFrom: 'invoices@shop.example',
      waf: 'true',
      customerKey: 'true',
      webhookAllowedRanges: '10.0.0.0/8',
      webhookAllowedPorts: '3000',
      eventQueue: `${eventTargets.sqs},${eventTargets.sqs}.fifo`,
      eventBus: eventTargets.eventbridge,
      eventFunction: eventTargets.lambda,
      gatewayLogRole: 'true',
    }),
    synthesize({
      restoredTableStreamArn: streamArn,
      emulatorEndpoint: 'http://127.0.0.1:4566/',
      mailFrom: 'invoices@shop.example',
      concurrency: '100',
    }),
    synthesize({
      domainName: 'api.example.com',
      certificateArn,
      ...existingMail,
      mailsPerDay: '2000',
      defaultEndpoint: 'true',
    }),
  ]);
});

const onlyOf = (resources: Resources, type: string) => {
  const [[id = '', resource] = [], ...more] = resourcesOfType(resources, type);
  expect(more).toEqual([]);
  return { id, properties: resource?.Properties ?? {} };
};
const variables = (resources: Resources, handler: string) =>
  resourcesOfType(resources, 'AWS::Lambda::Function').find(
    ([, { Properties }]) => Properties.Description === handler,
  )?.[1].Properties.Environment.Variables;

describe('stages', () => {
  test('each stage has its own stacks; the prod stacks have termination protection', () => {
    expect(dev.stacks).toMatchObject({
      stateful: { stackName: 'remit-dev-stateful' },
      stateless: { stackName: 'remit-dev-stateless' },
    });
    for (const stack of Object.values(dev.stacks)) expect(stack.terminationProtection ?? false).toBe(false);
    expect(full.stacks).toMatchObject({
      stateful: { stackName: 'remit-prod-stateful', terminationProtection: true },
      stateless: { stackName: 'remit-prod-stateless', terminationProtection: true },
    });
  });

  test('prod retains resources with data; other stages delete them with their stack', () => {
    const dataTypes = /^AWS::(DynamoDB::Table|SecretsManager::Secret|SQS::Queue|KMS::Key|S3::Bucket)$/;
    const policies = ({ stateful }: App) =>
      Object.values(stateful.Resources).flatMap(({ Type, DeletionPolicy }) =>
        dataTypes.test(Type) ? [DeletionPolicy] : [],
      );
    expect(new Set(policies(full))).toEqual(new Set(['Retain']));
    expect(new Set(policies(dev))).toEqual(new Set(['Delete']));
    const isProtected = ({ stateful }: App) =>
      onlyOf(stateful.Resources, 'AWS::DynamoDB::Table').properties.DeletionProtectionEnabled;
    expect([isProtected(full), isProtected(dev)]).toEqual([true, false]);
  });

  test('the bucket is private, encrypted and without versions, refuses plain HTTP, and lets all but logos expire', () => {
    const { properties } = onlyOf(dev.stateful.Resources, 'AWS::S3::Bucket');
    expect(properties).toEqual({
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
      },
      LifecycleConfiguration: {
        Rules: [
          { Id: 'pdfs', Prefix: 'pdfs/', ExpirationInDays: 1, Status: 'Enabled' },
          { Id: 'statements', Prefix: 'statements/', ExpirationInDays: 1, Status: 'Enabled' },
          { Id: 'exports', Prefix: 'exports/', ExpirationInDays: 7, Status: 'Enabled' },
          {
            Id: 'uploads',
            AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
            Status: 'Enabled',
          },
        ],
      },
      OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
    });
    const { Statement } = onlyOf(dev.stateful.Resources, 'AWS::S3::BucketPolicy').properties.PolicyDocument;
    expect(
      Statement.map(({ Effect, Condition }: { Effect: string; Condition: object }) => [Effect, Condition]),
    ).toEqual([
      ['Deny', { Bool: { 'aws:SecureTransport': 'false' } }],
      ['Deny', { NumericLessThan: { 's3:TlsVersion': 1.2 } }],
    ]);
    const key = onlyOf(full.stateful.Resources, 'AWS::KMS::Key').id;
    const [rule] = onlyOf(full.stateful.Resources, 'AWS::S3::Bucket').properties.BucketEncryption
      .ServerSideEncryptionConfiguration;
    expect(rule).toEqual({
      BucketKeyEnabled: true,
      ServerSideEncryptionByDefault: {
        SSEAlgorithm: 'aws:kms',
        KMSMasterKeyID: { 'Fn::GetAtt': [key, 'Arn'] },
      },
    });
  });

  test('tags of the table contain the ARNs of its secrets, and the name of its bucket', () => {
    const ids = resourcesOfType(dev.stateful.Resources, 'AWS::SecretsManager::Secret').map(([id]) => id);
    const idOf = (name: string) => ids.find((id) => id.startsWith(name));
    expect(onlyOf(dev.stateful.Resources, 'AWS::DynamoDB::Table').properties.Tags).toEqual([
      { Key: 'remit:audit-secret', Value: { Ref: idOf('AuditSecret') } },
      { Key: 'remit:bucket', Value: { Ref: onlyOf(dev.stateful.Resources, 'AWS::S3::Bucket').id } },
      { Key: 'remit:deployment-secret', Value: { Ref: idOf('DeploymentSecret') } },
      { Key: 'remit:key-secret', Value: { Ref: idOf('KeySecret') } },
      { Key: 'remit:provider-secret', Value: { Ref: idOf('ProviderSecret') } },
      { Key: 'remit:signing-secret', Value: { Ref: idOf('SigningSecret') } },
      { Key: 'remit:webhook-secret', Value: { Ref: idOf('WebhookSecret') } },
    ]);
  });
});

test('dev replaces its functions at once, and so do other stages with the setting', async () => {
  const prod = await synthesize({ stage: 'prod', gradualDeployment: 'false' });
  for (const { stateless, dashboard } of [dev, prod]) {
    const resources = { ...stateless.Resources, ...dashboard?.Resources };
    const types = Object.values(resources).map(({ Type }) => Type);
    expect(types.filter((type) => type.startsWith('AWS::CodeDeploy'))).toEqual([]);
    expect(types.filter((type) => type === 'AWS::Lambda::Alias').length).toBeGreaterThan(0);
    for (const { UpdatePolicy } of Object.values(resources)) expect(UpdatePolicy).toBeUndefined();
  }
});

describe('mail', () => {
  const identities = ({ stateful }: App) => resourcesOfType(stateful.Resources, 'AWS::SES::EmailIdentity');
  const statementsOfMail = ({ stateless }: App) =>
    resourcesOfType(stateless.Resources, 'AWS::IAM::Policy').flatMap(([, { Properties }]) =>
      Properties.PolicyDocument.Statement.filter(({ Action }: { Action: string }) =>
        JSON.stringify(Action).includes('ses:'),
      ),
    );
  const sender = 'functions/background/send-mail.ts';

  test('without a sender, there is no identity, and no function knows or may use one', () => {
    expect(identities(dev)).toEqual([]);
    expect(statementsOfMail(dev)).toEqual([]);
    expect(JSON.stringify(dev.stateless)).not.toContain('MAIL_FROM');
    expect(resourcesOfType(dev.stateless.Resources, 'AWS::SES::ConfigurationSet')).toEqual([]);
  });

  test('the address of a sender gets an identity for its domain, whose DNS records are outputs', () => {
    for (const [app, policy] of [
      [full, 'Retain'],
      [restored, 'Delete'],
    ] as const) {
      const [[id, identity] = [], ...more] = identities(app);
      expect(more).toEqual([]);
      expect(identity?.DeletionPolicy).toBe(policy);
      expect(identity?.Properties).toEqual({ EmailIdentity: 'shop.example' });
      const record = (attribute: string) => ({ 'Fn::GetAtt': [id, attribute] });
      for (const number of [1, 2, 3]) {
        const [name, value] = ['Name', 'Value'].map((part) => record(`DkimDNSToken${part}${number}`));
        expect(app.stateful.Outputs[`MailDnsRecord${number}`]).toEqual({
          Value: { 'Fn::Join': ['', [name, ' CNAME ', value]] },
        });
      }
      expect(variables(app.stateless.Resources, sender)).toMatchObject({
        MAIL_FROM: 'invoices@shop.example',
      });
    }
  });

  test('the stacks create no identity if a setting names one that exists', () => {
    expect(identities(twoAddresses)).toEqual([]);
    expect(Object.keys(twoAddresses.stateful.Outputs).filter((name) => name.startsWith('Mail'))).toEqual([]);
  });

  test('a setting limits the mails of a day for all functions that count them', () => {
    for (const handler of [sender, 'functions/invoices/send.ts'])
      expect(variables(twoAddresses.stateless.Resources, handler)).toMatchObject({ MAILS_PER_DAY: '2000' });
    expect(variables(full.stateless.Resources, sender)).not.toHaveProperty('MAILS_PER_DAY');
  });

  test('one function alone may send mails, only with that identity and from that address', () => {
    for (const [app, address] of [
      [full, 'invoices@shop.example'],
      [twoAddresses, existingMail.mailFrom],
    ] as const) {
      const [statement, ...more] = statementsOfMail(app);
      expect(more).toEqual([]);
      expect(statement).toMatchObject({
        Action: ['ses:SendEmail', 'ses:SendRawEmail'],
        Condition: { StringEquals: { 'ses:FromAddress': address } },
      });
      expect(statement.Resource).toHaveLength(2);
      expect(JSON.stringify(statement.Resource)).toContain(':identity/shop.example');
      expect(JSON.stringify(statement.Resource)).toContain(':configuration-set/');
      expect(statement.Resource).not.toContain('*');
    }
  });

  test('SES reports what comes of mails to a queue, through a topic of which it alone is the publisher', () => {
    const { Resources } = full.stateless;
    const ofTopic = resourcesOfType(Resources, 'AWS::SNS::Topic').find(([id]) => id.startsWith('MailEvents'));
    const [topic = ''] = ofTopic ?? [];
    const [set] = resourcesOfType(Resources, 'AWS::SES::ConfigurationSet')[0] ?? [];
    expect(variables(Resources, sender).MAIL_CONFIGURATION_SET).toEqual({ Ref: set });
    const [[, destination] = []] = resourcesOfType(Resources, 'AWS::SES::ConfigurationSetEventDestination');
    expect(destination?.Properties).toMatchObject({
      ConfigurationSetName: { Ref: set },
      EventDestination: {
        Enabled: true,
        MatchingEventTypes: ['delivery', 'bounce', 'complaint', 'reject'],
        SnsDestination: { TopicARN: { Ref: topic } },
      },
    });
    const subscription = resourcesOfType(Resources, 'AWS::SNS::Subscription')
      .map(([, { Properties }]) => Properties)
      .find(({ TopicArn }) => TopicArn.Ref === topic);
    expect(subscription).toMatchObject({ Protocol: 'sqs', RawMessageDelivery: true });
    const [queue] = subscription?.Endpoint['Fn::GetAtt'] ?? [];
    expect(queue).toMatch(/^FeedbackQueue/);
    const allowed = resourcesOfType(Resources, 'AWS::SQS::QueuePolicy').flatMap(([, { Properties }]) =>
      Properties.Queues.some(({ Ref }: { Ref: string }) => Ref === queue)
        ? Properties.PolicyDocument.Statement.filter(({ Effect }: { Effect: string }) => Effect === 'Allow')
        : [],
    );
    expect(allowed).toMatchObject([
      {
        Action: 'sqs:SendMessage',
        Principal: { Service: 'sns.amazonaws.com' },
        Condition: { ArnEquals: { 'aws:SourceArn': { Ref: topic } } },
      },
    ]);
    const publishers = resourcesOfType(Resources, 'AWS::SNS::TopicPolicy').flatMap(([, { Properties }]) =>
      Properties.Topics.some(({ Ref }: { Ref: string }) => Ref === topic)
        ? Properties.PolicyDocument.Statement.filter(({ Effect }: { Effect: string }) => Effect === 'Allow')
        : [],
    );
    expect(publishers).toMatchObject([
      { Principal: { Service: 'ses.amazonaws.com' }, Action: 'sns:Publish' },
    ]);
  });
});

describe('the gateway', () => {
  const stageOf = ({ stateless }: App) => onlyOf(stateless.Resources, 'AWS::ApiGateway::Stage').properties;

  test('has a burst limit that allows the whole hourly limit of every plan at once', () => {
    const [method] = stageOf(dev).MethodSettings;
    expect(method).toMatchObject({ HttpMethod: '*', ResourcePath: '/*', DataTraceEnabled: false });
    expect(method.ThrottlingBurstLimit).toBeGreaterThanOrEqual(Math.max(...Object.values(plans)));
    expect(method.ThrottlingRateLimit).toBeGreaterThan(0);
  });

  test('has throttles of its own for the payment page and for notifications of providers, and for no others', () => {
    const [, ...own] = stageOf(dev).MethodSettings;
    const throttle = { ThrottlingRateLimit: 200, ThrottlingBurstLimit: 1000, DataTraceEnabled: false };
    expect(own).toEqual([
      // A slash in a path is written as ~1 here.
      ...['GET', 'HEAD', 'POST'].map((HttpMethod) => ({
        HttpMethod,
        ResourcePath: '/~1pay~1{id}',
        ...throttle,
      })),
      ...['GET', 'HEAD'].map((HttpMethod) => ({
        HttpMethod,
        ResourcePath: '/~1pay~1{id}~1pdf',
        ...throttle,
      })),
      ...['GET', 'HEAD'].map((HttpMethod) => ({
        HttpMethod,
        ResourcePath: '/~1pay~1{id}~1logo',
        ...throttle,
      })),
      {
        HttpMethod: 'POST',
        ResourcePath: '/~1notifications~1{provider}~1{account}',
        ThrottlingRateLimit: 100,
        ThrottlingBurstLimit: 500,
        DataTraceEnabled: false,
      },
    ]);
  });

  test('keeps the logs of prod for 400 days, also after its stacks are deleted', () => {
    const keptOf = (app: App) =>
      resourcesOfType(app.stateless.Resources, 'AWS::Logs::LogGroup').map(
        ([, { Properties, DeletionPolicy }]) => `${Properties.RetentionInDays} ${DeletionPolicy}`,
      );
    expect(new Set(keptOf(dev))).toEqual(new Set(['30 Delete']));
    expect(new Set(keptOf(full))).toEqual(new Set(['400 Retain']));
  });

  test('writes JSON access logs with limited retention and without headers, queries, bodies and ids', () => {
    const { AccessLogSetting } = stageOf(dev);
    const log = resourceNamed(dev.stateless.Resources, 'AWS::Logs::LogGroup', 'AccessLog');
    expect(AccessLogSetting.DestinationArn).toEqual({ 'Fn::GetAtt': [log, 'Arn'] });
    expect(dev.stateless.Resources[log]?.Properties.RetentionInDays).toBe(30);
    const fields: Record<string, string> = JSON.parse(AccessLogSetting.Format);
    expect(fields).toMatchObject({ requestId: '$context.requestId', status: '$context.status' });
    for (const value of Object.values(fields)) {
      expect(value).toMatch(/^\$context\.[\w.]+$/);
      expect(value).not.toMatch(/header|query|body|authorizer|apiKey|user|\.path$|requestOverride/i);
    }
  });

  test('creates the log role of the AWS account only if the setting gatewayLogRole is set, and never deletes it', () => {
    expect(resourcesOfType(dev.stateless.Resources, 'AWS::ApiGateway::Account')).toEqual([]);
    const { id, properties } = onlyOf(full.stateless.Resources, 'AWS::ApiGateway::Account');
    const [role = ''] = properties.CloudWatchRoleArn['Fn::GetAtt'];
    expect(full.stateless.Resources[id]?.DeletionPolicy).toBe('Retain');
    expect(full.stateless.Resources[role]).toMatchObject({ DeletionPolicy: 'Retain' });
    expect(JSON.stringify(full.stateless.Resources[role]?.Properties.ManagedPolicyArns)).toContain(
      'AmazonAPIGatewayPushToCloudWatchLogs',
    );
  });

  test('sends no CORS headers and serves no OPTIONS method', () => {
    expect(JSON.stringify(full.stateless)).not.toMatch(/Access-Control-/i);
    const methods = resourcesOfType(full.stateless.Resources, 'AWS::ApiGateway::Method');
    expect(methods.map(([, { Properties }]) => Properties.HttpMethod)).not.toContain('OPTIONS');
  });

  test('uses the error envelope and the request id in its own responses, also for the firewall', () => {
    const own = resourcesOfType(full.stateless.Resources, 'AWS::ApiGateway::GatewayResponse');
    for (const [, { Properties }] of own) {
      expect(Properties.ResponseParameters).toMatchObject({
        'gatewayresponse.header.X-Request-Id': 'context.requestId',
        'gatewayresponse.header.Cache-Control': "'no-store'",
      });
      expect(Object.keys(Properties.ResponseTemplates)).toEqual(['application/json']);
      expect(Object.keys(JSON.parse(Properties.ResponseTemplates['application/json']))).toEqual(['error']);
    }
    const filtered = own.find(([, { Properties }]) => Properties.ResponseType === 'WAF_FILTERED');
    // The gateway's default status is 403.
    expect(filtered?.[1].Properties).not.toHaveProperty('StatusCode');
    expect(filtered?.[1].Properties.ResponseTemplates['application/json']).toContain('permission_error');
  });

  test("has the custom domain, and disables the gateway's own address unless a setting keeps it", () => {
    expect(onlyOf(full.stateless.Resources, 'AWS::ApiGateway::DomainName').properties).toMatchObject({
      DomainName: 'api.example.com',
      RegionalCertificateArn: certificateArn,
      SecurityPolicy: securityPolicy,
      EndpointAccessMode: 'BASIC',
    });
    const isDisabled = [full, twoAddresses, dev].map(
      ({ stateless }) =>
        onlyOf(stateless.Resources, 'AWS::ApiGateway::RestApi').properties.DisableExecuteApiEndpoint,
    );
    expect(isDisabled).toEqual([true, false, false]);
    expect(full.stateless.Outputs).toMatchObject({
      ApiUrl: { Value: 'https://api.example.com' },
      PayUrlBase: { Value: 'https://api.example.com/pay' },
      DomainTarget: { Value: { 'Fn::GetAtt': [expect.any(String), 'RegionalDomainName'] } },
    });
    const named = Object.keys(dev.stateless.Outputs).filter((name) => !name.startsWith('Export'));
    expect(named.sort()).toEqual(['ApiUrl', 'Commit', 'PayUrlBase', 'Settings', 'Version']);
  });

  test("the gateway's own address requires TLS 1.2, and the gateway's responses require HTTPS", () => {
    for (const { stateless } of [dev, full]) {
      expect(onlyOf(stateless.Resources, 'AWS::ApiGateway::RestApi').properties).toMatchObject({
        SecurityPolicy: securityPolicy,
        EndpointAccessMode: 'BASIC',
      });
      for (const [, { Properties }] of resourcesOfType(
        stateless.Resources,
        'AWS::ApiGateway::GatewayResponse',
      )) {
        expect(Properties.ResponseParameters).toMatchObject({
          'gatewayresponse.header.Strict-Transport-Security': "'max-age=31536000'",
          'gatewayresponse.header.X-Content-Type-Options': "'nosniff'",
        });
      }
    }
  });

  test('has a URL that works on an emulator', () => {
    const { id } = onlyOf(restored.stateless.Resources, 'AWS::ApiGateway::RestApi');
    expect(restored.stateless.Outputs.ApiUrl).toEqual({
      Value: {
        'Fn::Join': ['', ['http://127.0.0.1:4566/restapis/', { Ref: id }, '/prod/_user_request_']],
      },
    });
  });
});

describe('the firewall', () => {
  const acl = () => onlyOf(full.stateless.Resources, 'AWS::WAFv2::WebACL');

  test('is attached to the stage only if the setting waf is set', () => {
    expect(resourcesOfType(dev.stateless.Resources, 'AWS::WAFv2::WebACL')).toEqual([]);
    const { WebACLArn, ResourceArn } = onlyOf(
      full.stateless.Resources,
      'AWS::WAFv2::WebACLAssociation',
    ).properties;
    expect(WebACLArn).toEqual({ 'Fn::GetAtt': [acl().id, 'Arn'] });
    const { id } = onlyOf(full.stateless.Resources, 'AWS::ApiGateway::Stage');
    expect(JSON.stringify(ResourceArn)).toContain(JSON.stringify({ Ref: id }));
  });

  test('blocks more requests from one address than any plan allows', () => {
    const [rate] = acl().properties.Rules.filter(({ Statement }: Rule) => Statement.RateBasedStatement);
    expect(rate.Action).toEqual({ Block: {} });
    expect(rate.Statement.RateBasedStatement.Limit).toBeGreaterThan(Math.max(...Object.values(plans)));
  });

  test('four addresses use at most half of a throttle that all share', async () => {
    // biome-ignore lint/suspicious/noExplicitAny: rules have any shape
    const ratesIn = (resources: Resources): any[] =>
      onlyOf(resources, 'AWS::WAFv2::WebACL').properties.Rules.flatMap(({ Statement }: Rule) =>
        Statement.RateBasedStatement ? [Statement.RateBasedStatement] : [],
      );
    const throttleOf = (resources: Resources, path: RegExp): number =>
      onlyOf(resources, 'AWS::ApiGateway::Stage').properties.MethodSettings.find(
        ({ ResourcePath }: { ResourcePath: string }) => path.test(ResourcePath),
      ).ThrottlingRateLimit;
    const { stateless, dashboard } = await synthesize({ stage: 'prod' });
    const api = stateless.Resources;
    const [every, ...parts] = ratesIn(api);
    const [dashboardRate, ...others] = ratesIn(dashboard?.Resources ?? {});
    expect(others).toEqual([]);
    const shares = [
      [every, throttleOf(api, /^\/\*$/), undefined],
      [parts[0], throttleOf(api, /pay/), '^(/prod)?/pay/'],
      [parts[1], throttleOf(api, /notifications/), '^(/prod)?/notifications/'],
      [dashboardRate, throttleOf(dashboard?.Resources ?? {}, /^\/\*$/), undefined],
    ];
    expect(parts).toHaveLength(2);
    for (const [rate, throttle, path] of shares) {
      const { AggregateKeyType, EvaluationWindowSec, Limit, ScopeDownStatement } = rate;
      expect(AggregateKeyType).toBe('IP');
      expect((4 * Limit) / EvaluationWindowSec).toBeLessThanOrEqual(throttle / 2);
      expect(ScopeDownStatement?.RegexMatchStatement.RegexString).toBe(path);
    }
    const paths = ['/pay/inv_1', '/prod/pay/inv_1', '/prod/notifications/stripe/acct_1'];
    const patterns = parts.map(
      ({ ScopeDownStatement: { RegexMatchStatement } }) => RegexMatchStatement.RegexString,
    );
    expect(paths.map((path) => patterns.findIndex((pattern) => new RegExp(pattern).test(path)))).toEqual([
      0, 0, 1,
    ]);
    expect(patterns.some((pattern) => new RegExp(pattern).test('/api/payments'))).toBe(false);
  });

  test('enforces the managed rules, except those that would block valid requests', () => {
    const groups = acl().properties.Rules.flatMap(({ Statement, OverrideAction }: Rule) =>
      Statement.ManagedRuleGroupStatement ? [{ ...Statement.ManagedRuleGroupStatement, OverrideAction }] : [],
    );
    expect(groups.map(({ Name }: { Name: string }) => Name)).toContain('AWSManagedRulesCommonRuleSet');
    for (const { OverrideAction, RuleActionOverrides } of groups) {
      expect(OverrideAction).toEqual({ None: {} });
      for (const { Name, ActionToUse } of RuleActionOverrides) {
        expect(Name).toMatch(/_BODY$|^NoUserAgent_HEADER$/);
        expect(ActionToUse).toEqual({ Count: {} });
      }
    }
  });

  interface Rule {
    // biome-ignore lint/suspicious/noExplicitAny: rules have any shape
    readonly Statement: Record<string, any>;
    readonly OverrideAction?: unknown;
  }
});

describe('the customer-managed key', () => {
  test('encrypts the table, the secret, all queues and all logs, and rotates every year', () => {
    const { id, properties } = onlyOf(full.stateful.Resources, 'AWS::KMS::Key');
    expect(properties.EnableKeyRotation).toBe(true);
    const isKey = (value: unknown) => JSON.stringify(value ?? '').includes(id);
    const encrypted = (resources: Resources, type: string, keyOf: (properties: Resource) => unknown) => {
      const found = resourcesOfType(resources, type).map(([name, { Properties }]) => [
        name,
        isKey(keyOf(Properties)),
      ]);
      expect(found.length).toBeGreaterThan(0);
      expect(found.filter(([, is]) => !is)).toEqual([]);
    };
    encrypted(
      full.stateful.Resources,
      'AWS::DynamoDB::Table',
      (table) => table.SSESpecification?.KMSMasterKeyId,
    );
    encrypted(full.stateful.Resources, 'AWS::SecretsManager::Secret', ({ KmsKeyId }) => KmsKeyId);
    for (const { Resources } of [full.stateful, full.stateless]) {
      encrypted(Resources, 'AWS::SQS::Queue', ({ KmsMasterKeyId }) => KmsMasterKeyId);
    }
    encrypted(full.stateless.Resources, 'AWS::Logs::LogGroup', ({ KmsKeyId }) => KmsKeyId);
    expect(resourcesOfType(dev.stateful.Resources, 'AWS::KMS::Key')).toEqual([]);
  });

  // biome-ignore lint/suspicious/noExplicitAny: properties have any shape
  type Resource = Record<string, any>;

  test('the key policy allows the account to use it only through these services; roles need no permission', () => {
    const { properties } = onlyOf(full.stateful.Resources, 'AWS::KMS::Key');
    const open = properties.KeyPolicy.Statement.filter(
      ({ Principal }: { Principal: { AWS?: unknown } }) => Principal.AWS === '*',
    );
    expect(open).toEqual([
      expect.objectContaining({
        Condition: {
          StringEquals: {
            'kms:CallerAccount': { Ref: 'AWS::AccountId' },
            'kms:ViaService': ['dynamodb', 'secretsmanager', 'sqs', 's3'].map((service) => ({
              'Fn::Join': ['', [`${service}.`, { Ref: 'AWS::Region' }, '.', { Ref: 'AWS::URLSuffix' }]],
            })),
          },
        },
      }),
    ]);
    expect(JSON.stringify(resourcesOfType(full.stateless.Resources, 'AWS::IAM::Policy'))).not.toContain(
      'kms:',
    );
  });
});

test('the concurrency of the account limits each queue, and allows reservations if 100 executions are left', () => {
  const reserved = ({ stateless }: App) =>
    resourcesOfType(stateless.Resources, 'AWS::Lambda::Function').flatMap(
      ([, { Properties }]) => Properties.ReservedConcurrentExecutions ?? [],
    );
  const limits = ({ stateless }: App) =>
    resourcesOfType(stateless.Resources, 'AWS::Lambda::EventSourceMapping').flatMap(
      ([, { Properties }]) => Properties.ScalingConfig?.MaximumConcurrency ?? [],
    );
  expect(reserved(dev).sort()).toEqual([1, 1, 1, 100, 12, 12]);
  expect(limits(dev).sort()).toEqual([...Object.values(divideConcurrency(1_000).queues)].sort());
  expect(reserved(restored)).toEqual([]);
  expect(limits(restored).sort()).toEqual([...Object.values(divideConcurrency(100).queues)].sort());
});

describe('a restored table', () => {
  test('is the only table that the functions use and may access; the stack keeps its own table', () => {
    expect(resourcesOfType(restored.stateful.Resources, 'AWS::DynamoDB::Table')).toHaveLength(1);
    expect(restored.stateful.Outputs.TableName).toEqual({ Value: 'copy' });
    expect(restored.stateful.Outputs.OutsideTableStreamArn).toEqual({ Value: streamArn });
    expect(variables(restored.stateless.Resources, 'functions/invoices/get.ts').TABLE_NAME).toBe('copy');
    const [tableArn] = streamArn.split('/stream/');
    const policies = JSON.stringify(resourcesOfType(restored.stateless.Resources, 'AWS::IAM::Policy'));
    expect(policies).toContain(`"${tableArn}"`);
    expect(policies).not.toContain('ExportsOutputFnGetAttTable');
    const streams = resourcesOfType(restored.stateless.Resources, 'AWS::Lambda::EventSourceMapping').flatMap(
      ([, { Properties }]) => (Properties.StartingPosition ? [Properties.EventSourceArn] : []),
    );
    expect(streams).toEqual([streamArn]);
  });

  test('can be switched on and off, because the stack exports its own table in both cases', () => {
    const exportsOf = ({ stateful }: App) =>
      Object.keys(stateful.Outputs).filter((name) => /^ExportsOutput.*Table/.test(name));
    expect(exportsOf(restored)).toHaveLength(3);
    expect(exportsOf(restored)).toEqual(exportsOf(dev));
  });
});

test('functions that call receivers know every address of the service', async () => {
  const hosts = {
    domainName: 'api.example.com',
    dashboardDomain: 'dashboard.example.com',
    dashboardHost: 'd1.execute-api.eu-west-1.amazonaws.com',
    canaryHost: 'c1.lambda-url.eu-west-1.on.aws',
  };
  const certificates = { certificateArn, dashboardCertificateArn: certificateArn };
  const { stateless, dashboard } = await synthesize({ stage: 'prod', ...hosts, ...certificates });
  const own =
    '.execute-api.ref.ref,api.example.com,dashboard.example.com,d1.execute-api.eu-west-1.amazonaws.com';
  const textOf = (value: { 'Fn::Join': [string, unknown[]] }) =>
    value['Fn::Join'][1].map((part) => (typeof part === 'string' ? part : 'ref')).join('');
  const found = Object.values({ ...stateless.Resources, ...dashboard?.Resources }).flatMap(
    ({ Type, Properties }) =>
      Type === 'AWS::Lambda::Function' && Properties.Environment.Variables.OWN_HOSTS
        ? [[Properties.Description, Properties.Environment.Variables] as const]
        : [],
  );
  expect(found.map(([handler]) => handler).sort()).toEqual([
    'functions/background/deliver-webhook.ts',
    'functions/dashboard/webhook-sends.ts',
    'functions/dashboard/webhooks.ts',
    ...['create', 'redeliver', 'test', 'update'].map((name) => `functions/webhooks/${name}.ts`),
  ]);
  for (const [handler, { OWN_HOSTS, CANARY_HOST, DASHBOARD_URL }] of found) {
    expect(textOf(OWN_HOSTS)).toBe(`ref${own}`);
    expect(CANARY_HOST).toBe(hosts.canaryHost);
    expect(DASHBOARD_URL !== undefined).toBe(handler.startsWith('functions/dashboard/'));
  }
});

test('the roles of functions that send events name exactly the targets of the settings, and without settings none', () => {
  const { sqs, eventbridge, lambda } = eventTargets;
  const statementsIn = ({ stateless, dashboard }: App) =>
    [stateless, dashboard].flatMap((template) =>
      resourcesOfType(template?.Resources ?? {}, 'AWS::IAM::Policy').flatMap(([, { Properties }]) =>
        Properties.PolicyDocument.Statement.map(
          (
            { Action, Resource }: { Action: string; Resource: unknown }, // A statement can also have resources of the stack.
          ) => JSON.stringify([Action, [Resource].flat().filter((each) => typeof each === 'string')]),
        ),
      ),
    );
  const granted = statementsIn(full).filter((text) => /"arn:aws:|PutEvents|InvokeFunction/.test(text));
  const expected = [
    ['sqs:SendMessage', [sqs, `${sqs}.fifo`]],
    ['events:PutEvents', [eventbridge]],
    ['lambda:InvokeFunction', [lambda]],
  ].map((each) => JSON.stringify(each));
  // The dispatcher, and the test and the redelivery of the API and of the dashboard, which has one function for both.
  expect(granted.sort()).toEqual(expected.flatMap((each) => Array(4).fill(each)).sort());
  expect(statementsIn(twoAddresses).filter((text) => /PutEvents|InvokeFunction/.test(text))).toEqual([]);
  const all = [sqs, `${sqs}.fifo`, eventbridge, lambda].join(',');
  for (const { Resources } of [full.stateless, full.dashboard ?? { Resources: {} }])
    for (const [, { Properties }] of resourcesOfType(Resources, 'AWS::Lambda::Function')) {
      const knows =
        /webhooks\/(create|update|test|redeliver)\.ts$|deliver-webhook|dashboard\/(webhooks|webhook-sends|event-pages)/.test(
          Properties.Description,
        );
      expect([Properties.Description, Properties.Environment?.Variables.EVENT_TARGETS]).toEqual([
        Properties.Description,
        knows ? all : undefined,
      ]);
    }
});

test('only functions that call receivers get the allowed private ranges and ports', () => {
  for (const [, { Properties }] of resourcesOfType(full.stateless.Resources, 'AWS::Lambda::Function')) {
    const calls = /webhooks\/(create|update|test|redeliver)\.ts$|deliver-webhook/.test(
      Properties.Description,
    );
    expect(Properties.Environment?.Variables.WEBHOOK_ALLOWED_RANGES).toBe(calls ? '10.0.0.0/8' : undefined);
    expect(Properties.Environment?.Variables.WEBHOOK_ALLOWED_PORTS).toBe(calls ? '3000' : undefined);
  }
});
