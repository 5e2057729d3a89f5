/** What the CDK app makes of the route table, the trigger table and the grants. Synthesized once, without bundles. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Grant, grants, keysByAction, partitions } from '../../infra/grants.ts';
import { queues, type Trigger, triggers } from '../../infra/triggers.ts';
import type { Owner } from '../../shared/ids.ts';
import { queueVariables } from '../../shared/queues.ts';
import { type Route, routes } from '../../shared/routes.ts';
import { drawnAttributes, headAttributes } from '../../shared/store/heads.ts';
import { keys } from '../../shared/store/keys.ts';
import { leaseMs } from '../../shared/store/timers.ts';
import { matchesPattern } from './patterns.ts';
import { cyclesOf, pathOf, type Resources, resourceNamed, synthesize, typed } from './template.ts';

let stateful: Resources;
let stateless: Resources;
let outputs: Record<string, unknown>;

beforeAll(async () => {
  const app = await synthesize({ stage: 'prod' });
  stateful = app.stateful.Resources;
  stateless = app.stateless.Resources;
  outputs = { ...app.stateful.Outputs, ...app.stateless.Outputs };
}, 60_000);

const routeList: Route[] = Object.values(routes);
const triggerList: Trigger[] = Object.values(triggers);
const catchAll = routes.notFound.handler;
const handlers = [...new Set([...routeList, ...triggerList].map(({ handler }) => handler))];
const grantOf = (handler: string) => (grants as Record<string, Grant>)[handler];

/** The functions of a handler's file; more than one if several routes have it. */
const functionsOf = (handler: string) =>
  typed(stateless, 'AWS::Lambda::Function').filter(([, fn]) => fn.Properties.Description === handler);
const functionOf = (handler: string) => {
  const [[id, fn] = []] = functionsOf(handler);
  if (!id || !fn) throw new Error(`${handler} has no function.`);
  return { id, properties: fn.Properties, role: fn.Properties.Role['Fn::GetAtt'][0] as string };
};
const statementsOf = (handler: string) => {
  const { role } = functionOf(handler);
  return typed(stateless, 'AWS::IAM::Policy')
    .filter(([, policy]) => policy.Properties.Roles.some((each: { Ref: string }) => each.Ref === role))
    .flatMap(([, policy]) => policy.Properties.PolicyDocument.Statement as Statement[]);
};
const mappingOf = (handler: string) => {
  const { id } = functionOf(handler);
  const found = typed(stateless, 'AWS::Lambda::EventSourceMapping').filter(
    ([, mapping]) => mapping.Properties.FunctionName.Ref === id,
  );
  expect(found).toHaveLength(1);
  return found[0]?.[1].Properties;
};

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: {
    readonly 'ForAllValues:StringLike'?: { readonly 'dynamodb:LeadingKeys': string | string[] };
    readonly 'ForAllValues:StringEquals'?: { readonly 'dynamodb:Attributes': string[] };
  };
}

const listOf = <T>(value: T | T[]): T[] => (Array.isArray(value) ? value : [value]);

/** `METHOD /path` of every method of the API, with the handler that serves it. */
function servedMethods(): Record<string, string> {
  const served = typed(stateless, 'AWS::ApiGateway::Method').map(([, { Properties }]) => {
    const text = JSON.stringify(Properties.Integration.Uri);
    const [, fn = ''] = /"Fn::GetAtt":\["(\w+Function\w+)","Arn"\]/.exec(text) ?? [];
    const path = pathOf(stateless, Properties.ResourceId);
    return [`${Properties.HttpMethod} ${path}`, stateless[fn]?.Properties.Description];
  });
  return Object.fromEntries(served);
}

describe('the API', () => {
  test('serves every route by its handler, and GET as HEAD, too', () => {
    const served = servedMethods();
    for (const { method, path, handler } of routeList) {
      expect(served[`${method} ${path}`]).toBe(handler);
      if (method === 'GET') expect(served[`HEAD ${path}`]).toBe(handler);
    }
  });

  test('answers everything else by the catch-all: the root, every path, every other method', () => {
    const served = servedMethods();
    const resources = typed(stateless, 'AWS::ApiGateway::Resource').map(([id]) =>
      pathOf(stateless, { Ref: id }),
    );
    for (const path of ['/', '/{proxy+}', ...resources]) expect(served[`ANY ${path}`]).toBe(catchAll);
    const named = routeList.flatMap(({ method, path }) =>
      method === 'GET' ? [`GET ${path}`, `HEAD ${path}`] : [`${method} ${path}`],
    );
    const elsewhere = Object.keys(served).filter((each) => !named.includes(each));
    expect(elsewhere.filter((each) => !each.startsWith('ANY '))).toEqual([]);
  });

  test('may invoke exactly the functions of the routes', () => {
    const allowed = typed(stateless, 'AWS::Lambda::Permission')
      .filter(([, { Properties }]) => Properties.Principal === 'apigateway.amazonaws.com')
      .map(
        ([, { Properties }]) => stateless[Properties.FunctionName['Fn::GetAtt'][0]]?.Properties.Description,
      );
    expect(new Set(allowed)).toEqual(new Set(routeList.map(({ handler }) => handler)));
    expect(JSON.stringify(stateless)).not.toContain('test-invoke-stage');
  });

  test('hands over bytes as they came, and answers for itself in the envelope', () => {
    const [[, api] = []] = typed(stateless, 'AWS::ApiGateway::RestApi');
    expect(api?.Properties.BinaryMediaTypes).toEqual(['*/*']);
    const own = typed(stateless, 'AWS::ApiGateway::GatewayResponse').map(([, { Properties }]) => Properties);
    expect(own.map(({ ResponseType }) => ResponseType)).toEqual(
      expect.arrayContaining(['DEFAULT_4XX', 'DEFAULT_5XX', 'REQUEST_TOO_LARGE', 'THROTTLED']),
    );
    for (const { ResponseTemplates } of own) {
      const { error } = JSON.parse(ResponseTemplates['application/json']);
      expect(error).toMatchObject({
        message: expect.any(String),
        type: expect.any(String),
        code: expect.any(String),
      });
    }
  });
});

describe('background', () => {
  const ofKind = <Kind extends Trigger['kind']>(kind: Kind) =>
    triggerList.filter((trigger): trigger is Extract<Trigger, { kind: Kind }> => trigger.kind === kind);

  test('every stream trigger reads new images of the records that it asks for, with bounded retries', () => {
    for (const { handler, batchSize, filter } of ofKind('stream')) {
      const mapping = mappingOf(handler);
      expect(mapping).toMatchObject({
        BatchSize: batchSize,
        MaximumRetryAttempts: 3,
        StartingPosition: 'TRIM_HORIZON',
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      });
      expect(
        mapping?.FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) => JSON.parse(Pattern)),
      ).toEqual([
        { eventName: [filter.eventName], dynamodb: { Keys: { pk: { S: [{ prefix: filter.pkPrefix }] } } } },
      ]);
    }
  });

  test('every queue trigger drives its function, which ends before its messages are delivered again', () => {
    for (const { handler, queue, batchSize } of ofKind('queue')) {
      const mapping = mappingOf(handler);
      expect(mapping).toMatchObject({
        BatchSize: batchSize,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        EventSourceArn: { 'Fn::GetAtt': [resourceNamed(stateless, 'AWS::SQS::Queue', queue), 'Arn'] },
      });
      expect(functionOf(handler).properties.Timeout).toBeLessThan(queues[queue].visibilityTimeoutSeconds);
    }
  });

  test('who sends itself the next message is not taken for a loop without end, and nobody else may be one', () => {
    const goOn = ofKind('queue').filter(({ handler, queue }) => grantOf(handler)?.sendsTo?.includes(queue));
    expect(goOn.map(({ queue }) => queue)).toEqual(expect.arrayContaining(['recovery', 'reconciliation']));
    for (const { handler } of triggerList) {
      const allowed = goOn.some((each) => each.handler === handler) ? 'Allow' : undefined;
      expect([handler, functionOf(handler).properties.RecursiveLoop]).toEqual([handler, allowed]);
    }
  });

  test('no sweep outlives the leases that it gives, nor comes near their end', () => {
    const { Timeout } = functionOf(triggers.sweep.handler).properties;
    expect(Timeout * 1000).toBeLessThanOrEqual(leaseMs - 30_000);
  });

  test('every scheduled function runs on time, alone, and is not repeated', () => {
    for (const { handler, everySeconds } of ofKind('schedule')) {
      const { id, properties } = functionOf(handler);
      expect(properties.ReservedConcurrentExecutions).toBe(1);
      const rules = typed(stateless, 'AWS::Events::Rule').filter(
        ([, rule]) => rule.Properties.Targets[0].Arn['Fn::GetAtt'][0] === id,
      );
      expect(rules.map(([, rule]) => rule.Properties.ScheduleExpression)).toEqual([
        everySeconds === 3_600 ? 'rate(1 hour)' : `rate(${everySeconds / 60} minute)`,
      ]);
      const [[, invocation] = []] = typed(stateless, 'AWS::Lambda::EventInvokeConfig').filter(
        ([, config]) => config.Properties.FunctionName.Ref === id,
      );
      expect(invocation?.Properties).toMatchObject({ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 });
    }
  });

  test('there are no other mappings and rules', () => {
    const mapped = ofKind('stream').length + ofKind('queue').length;
    expect(typed(stateless, 'AWS::Lambda::EventSourceMapping')).toHaveLength(mapped);
    expect(typed(stateless, 'AWS::Events::Rule')).toHaveLength(ofKind('schedule').length);
  });

  test('every queue is encrypted, and hands over to its dead-letter queue, which keeps 14 days', () => {
    for (const [name, { visibilityTimeoutSeconds, maxReceives }] of Object.entries(queues)) {
      const dead = resourceNamed(stateful, 'AWS::SQS::Queue', name);
      expect(stateful[dead]).toMatchObject({
        DeletionPolicy: 'Retain',
        Properties: { MessageRetentionPeriod: 14 * 86_400, SqsManagedSseEnabled: true },
      });
      const { Properties } = stateless[resourceNamed(stateless, 'AWS::SQS::Queue', name)] ?? {};
      expect(Properties).toMatchObject({
        SqsManagedSseEnabled: true,
        VisibilityTimeout: visibilityTimeoutSeconds,
        RedrivePolicy: { maxReceiveCount: maxReceives },
      });
      expect(Properties?.RedrivePolicy.deadLetterTargetArn['Fn::ImportValue']).toContain(dead);
    }
    expect(typed(stateless, 'AWS::SQS::Queue')).toHaveLength(Object.keys(queueVariables).length);
  });
});

describe('grants', () => {
  test('every handler has an entry, and every entry a handler', () => {
    expect(Object.keys(grants).sort()).toEqual([...handlers].sort());
  });

  test('every shape of key has exactly one pattern, but those that no function touches', () => {
    const owner: Owner = { account: 'acct_1', mode: 'test' };
    const pks = {
      directory: keys.directory(0, '').pk,
      account: keys.account('acct_0123456789abcdef').pk,
      head: keys.head({ account: 'acct_0123456789abcdef', mode: 'live' }).pk,
      apiKey: keys.apiKey('hash').pk,
      source: keys.source('hash', 1).pk,
      attempts: keys.attempts('hash', 1).pk,
      testProvider: keys.testProvider('pay_1').pk,
      invoice: keys.record('inv_1').pk,
      payment: keys.record('pay_1').pk,
      refund: keys.record('ref_1').pk,
      indexPage: keys.indexPage(owner, 'invoice', '', 1).pk,
      idempotency: keys.idempotency(owner, 'hash').pk,
      outbox: keys.outbox(owner, 1, 'id').pk,
      event: keys.event(owner, 1).pk,
      eventPointer: keys.eventPointer('evt_1').pk,
      eventCursor: keys.eventCursor(owner).pk,
      webhook: keys.webhook(owner, 'wh_1').pk,
      webhookHealth: keys.webhookHealth('wh_1').pk,
      delivery: keys.delivery('wh_1', 'dlv_1').pk,
      timer: keys.timer(1, 1, 'overdue', 'inv_1').pk,
      watermark: keys.watermark.pk,
      reconciliation: keys.reconciliation('2027-01-31', '').pk,
    };
    expect(Object.keys(pks).sort()).toEqual(Object.keys(partitions).sort());
    for (const [name, pk] of Object.entries(pks)) {
      const matching = Object.entries(partitions).filter(([, pattern]) => matchesPattern(pk, pattern));
      expect([name, matching.map(([each]) => each)]).toEqual([name, [name]]);
    }
  });

  test.each(handlers)('%s may do what its entry says, on the table and its items alone', (handler) => {
    const granted = new Map<string, string[]>();
    for (const { Action, Resource, Condition } of statementsOf(handler)) {
      if (Condition?.['ForAllValues:StringEquals']) continue;
      const actions = listOf(Action).filter((action) =>
        /^dynamodb:(?!.*(Stream|Shard|GetRecords))/.test(action),
      );
      if (actions.length === 0) continue;
      expect(JSON.stringify(Resource)).toMatch(
        /^\{"Fn::ImportValue":"remit-prod-stateful:ExportsOutputFnGetAttTable\w+Arn\w+"\}$/,
      );
      for (const action of actions) {
        expect(granted.has(action)).toBe(false);
        granted.set(
          action,
          listOf(Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] ?? 'everything'),
        );
      }
    }
    const entry = keysByAction(grantOf(handler)?.table ?? {});
    const wanted = new Map([...entry].map(([action, patterns]) => [`dynamodb:${action}`, patterns]));
    expect(sorted(granted)).toEqual(sorted(wanted));
  });

  const sorted = (map: ReadonlyMap<string, readonly string[]>) =>
    Object.fromEntries([...map].map(([action, patterns]) => [action, [...patterns].sort()]));

  test('only what judges API keys can read their hashes; what draws numbers sees nothing else of a head', () => {
    const heads = handlers.flatMap((handler) =>
      statementsOf(handler).flatMap(({ Action, Condition }) =>
        listOf(Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] ?? []).some(
          (key) => key === partitions.head || key === partitions.apiKey,
        )
          ? [{ handler, Action, Condition }]
          : [],
      ),
    );
    const judging = routeList.flatMap(({ handler, path }) => (path.startsWith('/api') ? [handler] : []));
    const restricted = heads.filter(({ handler }) => ![...judging, catchAll].includes(handler));
    const numbering = ['pay/submit', 'background/process-refund', 'background/reconcile'];
    expect(restricted).toEqual(
      numbering.map((name) => ({
        handler: `functions/${name}.ts`,
        Action: 'dynamodb:UpdateItem',
        Condition: {
          'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [partitions.head] },
          'ForAllValues:StringEquals': { 'dynamodb:Attributes': drawnAttributes },
          StringEquals: { 'dynamodb:ReturnValues': 'UPDATED_NEW' },
        },
      })),
    );
    expect(drawnAttributes).not.toContain(headAttributes.keys);
  });

  test.each(handlers)(
    '%s has no other permission than those for its log, trace, secret and queues',
    (handler) => {
      const { secret, sendsTo = [] } = grantOf(handler) ?? {};
      const trigger = triggerList.find((each) => each.handler === handler);
      const others = statementsOf(handler)
        .flatMap(({ Action }) => listOf(Action))
        .filter((action) => !action.startsWith('dynamodb:') || /Stream|Shard|GetRecords/.test(action));
      const stream = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'];
      expect(others.sort()).toEqual(
        [
          'logs:CreateLogStream',
          'logs:PutLogEvents',
          'xray:PutTelemetryRecords',
          'xray:PutTraceSegments',
          ...(secret ? ['secretsmanager:GetSecretValue'] : []),
          ...(sendsTo.length > 0 ? ['sqs:SendMessage'] : []),
          ...(trigger?.kind === 'stream' ? stream.map((action) => `dynamodb:${action}`) : []),
          ...(trigger?.kind === 'queue'
            ? ['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage']
            : []),
        ].sort(),
      );
    },
  );

  test('no action and no resource is a wildcard, but for traces', () => {
    for (const [, { Properties }] of typed(stateless, 'AWS::IAM::Policy')) {
      for (const { Effect, Action, Resource } of Properties.PolicyDocument.Statement as Statement[]) {
        expect(Effect).toBe('Allow');
        expect(listOf(Action).filter((action) => action.includes('*'))).toEqual([]);
        if (!listOf(Action).every((action) => action.startsWith('xray:'))) expect(Resource).not.toBe('*');
      }
    }
    const functionRoles = typed(stateless, 'AWS::Lambda::Function').map(
      ([, { Properties }]) => Properties.Role['Fn::GetAtt'][0],
    );
    for (const role of functionRoles) {
      expect(stateless[role]?.Properties).not.toHaveProperty('ManagedPolicyArns');
      expect(stateless[role]?.Properties).not.toHaveProperty('Policies');
    }
    // The one that is left is the gateway's, of the whole account, for its logs.
    const others = typed(stateless, 'AWS::IAM::Role').filter(([id]) => !functionRoles.includes(id));
    expect(others.map(([, { Properties }]) => JSON.stringify(Properties.ManagedPolicyArns))).toEqual([
      expect.stringContaining('AmazonAPIGatewayPushToCloudWatchLogs'),
    ]);
  });

  test.each(handlers)('%s sends to the queues of its entry, and to none besides', (handler) => {
    const { sendsTo = [] } = grantOf(handler) ?? {};
    const targets = statementsOf(handler)
      .filter(({ Action }) => listOf(Action).includes('sqs:SendMessage'))
      .flatMap(({ Resource }) => listOf(Resource));
    const arnOf = (name: string) => ({
      'Fn::GetAtt': [resourceNamed(stateless, 'AWS::SQS::Queue', name), 'Arn'],
    });
    expect(targets).toHaveLength(sendsTo.length);
    expect(targets).toEqual(expect.arrayContaining(sendsTo.map(arnOf)));
  });

  test('publishing sends to all queues, workers to their own and those after it', () => {
    const sending = handlers.flatMap((handler) => {
      const { sendsTo } = grantOf(handler) ?? {};
      return sendsTo ? [[handler, ...sendsTo]] : [];
    });
    const all = Object.keys(queues).filter((name) => name !== 'reconciliation');
    expect(sending).toEqual([
      ['functions/background/publish-outbox.ts', ...all],
      ['functions/background/sweep.ts', ...all],
      ['functions/background/settle-payment.ts', 'payment'],
      ['functions/background/process-refund.ts', 'refund'],
      ['functions/background/deliver-webhook.ts', 'webhook'],
      ['functions/background/recover-deliveries.ts', 'webhook', 'recovery'],
      ['functions/background/begin-reconciliation.ts', 'reconciliation'],
      ['functions/background/reconcile.ts', 'reconciliation'],
    ]);
  });

  test('beside requests only what signs webhooks reads the secret', () => {
    const reading = handlers.filter((handler) => grantOf(handler)?.secret);
    expect(reading.filter((handler) => handler.startsWith('functions/background/'))).toEqual([
      'functions/background/deliver-webhook.ts',
    ]);
  });

  test('what calls receivers knows the address of the service itself, and may call nothing private', () => {
    for (const handler of handlers.filter((each) => /webhook/.test(each))) {
      const { Variables } = functionOf(handler).properties.Environment;
      expect(Variables).not.toHaveProperty('WEBHOOK_ALLOWED_RANGES');
      const calls = /(create|update|test|redeliver|deliver-webhook)\.ts$/.test(handler);
      expect([handler, 'PAY_URL_BASE' in Variables]).toEqual([handler, calls]);
    }
  });
});

describe('functions', () => {
  test('there is one for every route and trigger, on Node 24, traced, with a log that ends', () => {
    const functions = typed(stateless, 'AWS::Lambda::Function');
    expect(functions).toHaveLength(routeList.length + triggerList.length);
    for (const [, { Properties }] of functions) {
      expect(Properties).toMatchObject({
        Handler: 'index.handler',
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        TracingConfig: { Mode: 'Active' },
      });
      const log = stateless[Properties.LoggingConfig.LogGroup.Ref];
      expect(log?.Properties.RetentionInDays).toBe(30);
    }
    const logs = functions.map(([, { Properties }]) => Properties.LoggingConfig.LogGroup.Ref);
    expect(new Set(logs).size).toBe(functions.length);
  });

  test('those behind the gateway end before it gives up', () => {
    for (const { handler } of routeList) expect(functionOf(handler).properties.Timeout).toBeLessThan(29);
  });

  test('they are told names and addresses that they need, and no secret', () => {
    for (const handler of handlers) {
      const { table, secret, payUrlBase, callsReceivers, sendsTo = [] } = grantOf(handler) ?? { table: {} };
      const { Environment } = functionOf(handler).properties;
      expect(Object.keys(Environment?.Variables ?? {}).sort()).toEqual(
        [
          'STAGE',
          ...(Object.keys(table).length > 0 ? ['TABLE_NAME'] : []),
          ...(secret ? ['DEPLOYMENT_SECRET_ARN'] : []),
          ...(payUrlBase || callsReceivers ? ['PAY_URL_BASE'] : []),
          ...sendsTo.map((name) => queueVariables[name]),
        ].sort(),
      );
    }
    expect(JSON.stringify(stateless)).not.toContain('{{resolve:');
    // What a variable is made of: texts of ours, and names, addresses and ARNs of resources.
    const values = typed(stateless, 'AWS::Lambda::Function').flatMap(([, { Properties }]) =>
      Object.entries(Properties.Environment?.Variables ?? {}),
    );
    for (const [name, value] of values) {
      expect(name).toMatch(/^(TABLE_NAME|PAY_URL_BASE|DEPLOYMENT_SECRET_ARN|[A-Z]+_QUEUE_URL|STAGE)$/);
      if (name === 'DEPLOYMENT_SECRET_ARN') {
        expect(JSON.stringify(value)).toMatch(
          /^\{"Fn::ImportValue":"[\w-]+:ExportsOutputRefDeploymentSecret\w+"\}$/,
        );
      }
    }
  });
});

describe('the stacks', () => {
  test('data outlive them: table and secret are kept, the table recovers to any second', () => {
    const [[, table] = [], ...more] = typed(stateful, 'AWS::DynamoDB::Table');
    expect(more).toEqual([]);
    expect(table).toMatchObject({
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        BillingMode: 'PAY_PER_REQUEST',
        TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
        StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        DeletionProtectionEnabled: true,
      },
    });
    // Without a specification, DynamoDB encrypts under its own key.
    expect(table?.Properties).not.toHaveProperty('SSESpecification');
  });

  test('the deployment secret is made by CloudFormation, in the form that is read', () => {
    const [[, secret] = [], ...more] = typed(stateful, 'AWS::SecretsManager::Secret');
    expect(more).toEqual([]);
    expect(secret?.DeletionPolicy).toBe('Retain');
    const { SecretStringTemplate, ...rest } = secret?.Properties.GenerateSecretString ?? {};
    expect(JSON.parse(SecretStringTemplate)).toEqual({ current: '1' });
    expect(rest).toEqual({
      GenerateStringKey: '1',
      PasswordLength: 64,
      ExcludePunctuation: true,
      IncludeSpace: false,
    });
  });

  test('nothing has a name of its own, so that a deployment can stand beside another', () => {
    const names = /^(TableName|QueueName|FunctionName|RoleName|PolicyName|LogGroupName|Name|SecretName)$/;
    const own = Object.entries({ ...stateful, ...stateless }).flatMap(([id, { Type, Properties = {} }]) =>
      Object.entries(Properties).flatMap(([property, value]) =>
        names.test(property) && typeof value === 'string' && Type !== 'AWS::IAM::Policy'
          ? [`${id} ${value}`]
          : [],
      ),
    );
    expect(own).toEqual([]);
    for (const [id, policy] of typed(stateless, 'AWS::IAM::Policy'))
      expect(policy.Properties.PolicyName).toBe(id);
  });

  test('the stateless one depends on the stateful one, not the other way round, and has no cycle', () => {
    expect(JSON.stringify(stateless)).toContain('Fn::ImportValue');
    expect(JSON.stringify(stateful)).not.toContain('Fn::ImportValue');
    expect(cyclesOf(stateful)).toEqual([]);
    expect(cyclesOf(stateless)).toEqual([]);
  });

  test('they stay well under the limit of 500 resources', () => {
    expect(Object.keys(stateless).length).toBeLessThan(400);
  });

  test('they put out what the command line and its user need', () => {
    expect(Object.keys(outputs)).toEqual(
      expect.arrayContaining(['ApiUrl', 'PayUrlBase', 'TableName', 'DeploymentSecretArn']),
    );
    expect(JSON.stringify(outputs.PayUrlBase)).toContain('/prod/pay');
  });
});
