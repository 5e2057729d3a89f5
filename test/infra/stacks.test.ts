/** Checks the stacks against the route table, the trigger table and the grants. Synthesizes once, without bundling. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { keyItemAttributeNames } from '../../infra/account-state-access.ts';
import { dashboardGrants } from '../../infra/dashboard-grants.ts';
import { secretVariables } from '../../infra/granted-function.ts';
import { type Grant, grants, partitions } from '../../infra/grants.ts';
import { compilePattern } from '../../infra/policies/patterns.ts';
import { queues, type Trigger, triggers } from '../../infra/triggers.ts';
import { type Route, routes } from '../../shared/api/routes.ts';
import type { Owner } from '../../shared/base/ids.ts';
import { queueVariables } from '../../shared/base/queues.ts';
import { accountStateAttributes } from '../../shared/store/account-state.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { leasesMs } from '../../shared/store/timers/timers.ts';
import {
  cyclesOf,
  type Resources,
  resourceNamed,
  resourcePath,
  resourcesOfType,
  synthesize,
} from './template.ts';

let stateful: Resources;
let stateless: Resources;
let outputs: Record<string, unknown>;

beforeAll(async () => {
  const app = await synthesize({ stage: 'prod' });
  stateful = app.stateful.Resources;
  stateless = app.stateless.Resources;
  outputs = { ...app.stateful.Outputs, ...app.stateless.Outputs };
});

const routeList: Route[] = Object.values(routes);
const triggerList: Trigger[] = Object.values(triggers);
const catchAll = routes.notFound.handler;
const handlers = [...new Set([...routeList, ...triggerList].map(({ handler }) => handler))];
const grantOf = (handler: string) => (grants as Record<string, Grant>)[handler];

/** Returns the functions of a handler file. Several routes can share a file, so there can be several. */
const functionsOf = (handler: string) =>
  resourcesOfType(stateless, 'AWS::Lambda::Function').filter(
    ([, fn]) => fn.Properties.Description === handler,
  );
const functionOf = (handler: string) => {
  const [[id, fn] = []] = functionsOf(handler);
  if (!id || !fn) throw new Error(`${handler} has no function.`);
  return { id, properties: fn.Properties, role: fn.Properties.Role['Fn::GetAtt'][0] as string };
};
const statementsOf = (handler: string) => {
  const { role } = functionOf(handler);
  return resourcesOfType(stateless, 'AWS::IAM::Policy')
    .filter(([, policy]) => policy.Properties.Roles.some((each: { Ref: string }) => each.Ref === role))
    .flatMap(([, policy]) => policy.Properties.PolicyDocument.Statement as Statement[]);
};
/** Returns the logical id of the function of the alias that a value in the template refers to. */
const functionOfAlias = (value: unknown): string => {
  const [, alias = ''] = /"Ref":"(\w+Alias\w+)"/.exec(JSON.stringify(value)) ?? [];
  return stateless[alias]?.Properties.FunctionName.Ref;
};
const mappingOf = (handler: string) => {
  const { id } = functionOf(handler);
  const found = resourcesOfType(stateless, 'AWS::Lambda::EventSourceMapping').filter(
    ([, mapping]) => functionOfAlias(mapping.Properties.FunctionName) === id,
  );
  expect(found).toHaveLength(1);
  return found[0]?.[1].Properties;
};

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: {
    readonly 'ForAllValues:StringLike'?: {
      readonly 'dynamodb:LeadingKeys': string | string[];
      readonly 'dynamodb:Attributes'?: string[];
    };
  };
}

const toArray = <T>(value: T | T[]): T[] => (Array.isArray(value) ? value : [value]);

/** Maps `METHOD /path` of every API method to the handler that serves it. */
function servedMethods(): Record<string, string> {
  const served = resourcesOfType(stateless, 'AWS::ApiGateway::Method').map(([, { Properties }]) => {
    const fn = functionOfAlias(Properties.Integration.Uri);
    const path = resourcePath(stateless, Properties.ResourceId);
    return [`${Properties.HttpMethod} ${path}`, stateless[fn]?.Properties.Description];
  });
  return Object.fromEntries(served);
}

describe('the API', () => {
  test('serves every route by its handler, and HEAD like GET', () => {
    const served = servedMethods();
    for (const { method, path, handler } of routeList) {
      expect(served[`${method} ${path}`]).toBe(handler);
      if (method === 'GET') expect(served[`HEAD ${path}`]).toBe(handler);
    }
  });

  test('uses the catch-all for the root, for unknown paths and for unknown methods', () => {
    const served = servedMethods();
    const resources = resourcesOfType(stateless, 'AWS::ApiGateway::Resource').map(([id]) =>
      resourcePath(stateless, { Ref: id }),
    );
    for (const path of ['/', '/{proxy+}', ...resources]) expect(served[`ANY ${path}`]).toBe(catchAll);
    const named = routeList.flatMap(({ method, path }) =>
      method === 'GET' ? [`GET ${path}`, `HEAD ${path}`] : [`${method} ${path}`],
    );
    const unnamed = Object.keys(served).filter((method) => !named.includes(method));
    expect(unnamed.filter((method) => !method.startsWith('ANY '))).toEqual([]);
  });

  test('may invoke exactly the functions of the routes', () => {
    const allowed = resourcesOfType(stateless, 'AWS::Lambda::Permission')
      .filter(([, { Properties }]) => Properties.Principal === 'apigateway.amazonaws.com')
      .map(
        ([, { Properties }]) => stateless[functionOfAlias(Properties.FunctionName)]?.Properties.Description,
      );
    expect(new Set(allowed)).toEqual(new Set(routeList.map(({ handler }) => handler)));
    expect(JSON.stringify(stateless)).not.toContain('test-invoke-stage');
  });

  test('passes bodies as raw bytes, and its own responses use the error envelope', () => {
    const [[, api] = []] = resourcesOfType(stateless, 'AWS::ApiGateway::RestApi');
    expect(api?.Properties.BinaryMediaTypes).toEqual(['*/*']);
    const own = resourcesOfType(stateless, 'AWS::ApiGateway::GatewayResponse').map(
      ([, { Properties }]) => Properties,
    );
    expect(own.map(({ ResponseType }) => ResponseType)).toEqual(
      expect.arrayContaining(['DEFAULT_4XX', 'DEFAULT_5XX', 'REQUEST_TOO_LARGE', 'THROTTLED']),
    );
    for (const { ResponseTemplates } of own) {
      const parts: unknown[] = ResponseTemplates['application/json']['Fn::Join'][1];
      const template = parts.map((part) => (typeof part === 'string' ? part : 'ref')).join('');
      const { error } = JSON.parse(template);
      expect(error).toMatchObject({
        message: expect.any(String),
        type: expect.any(String),
        code: expect.any(String),
        docUrl: expect.stringMatching(/^https:\/\/ref\.execute-api\.ref\.ref\/prod\/docs\/errors(\/\w+)?$/),
      });
    }
  });
});

describe('background', () => {
  const ofKind = <Kind extends Trigger['kind']>(kind: Kind) =>
    triggerList.filter((trigger): trigger is Extract<Trigger, { kind: Kind }> => trigger.kind === kind);

  test('every stream trigger reads the records of its filter, with limited retries', () => {
    for (const { handler, batchSize, parallelizationFactor, filter } of ofKind('stream')) {
      const mapping = mappingOf(handler);
      expect(mapping).toMatchObject({
        BatchSize: batchSize,
        ParallelizationFactor: parallelizationFactor,
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

  test('every queue trigger calls its function, whose timeout is shorter than the visibility timeout', () => {
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

  test('only functions that send to their own queue may run in a loop', () => {
    const selfSending = ofKind('queue').filter(({ handler, queue }) =>
      grantOf(handler)?.sendsTo?.includes(queue),
    );
    expect(selfSending.map(({ queue }) => queue)).toEqual(
      expect.arrayContaining(['recovery', 'reconciliation']),
    );
    for (const { handler } of triggerList) {
      const allowed = selfSending.some((trigger) => trigger.handler === handler) ? 'Allow' : undefined;
      expect([handler, functionOf(handler).properties.RecursiveLoop]).toEqual([handler, allowed]);
    }
  });

  test('a sweep ends at least 30 seconds before its leases', () => {
    const { Timeout } = functionOf(triggers.sweep.handler).properties;
    expect(Timeout * 1000).toBeLessThanOrEqual(leasesMs[0] - 30_000);
  });

  test('every scheduled function runs at its rate, one run at a time and without retries', () => {
    for (const { handler, everySeconds } of ofKind('schedule')) {
      const { id, properties } = functionOf(handler);
      expect(properties.ReservedConcurrentExecutions).toBe(1);
      const rules = resourcesOfType(stateless, 'AWS::Events::Rule').filter(
        ([, rule]) => functionOfAlias(rule.Properties.Targets[0].Arn) === id,
      );
      expect(rules.map(([, rule]) => rule.Properties.ScheduleExpression)).toEqual([
        everySeconds === 3_600 ? 'rate(1 hour)' : `rate(${everySeconds / 60} minute)`,
      ]);
      const [[, invocation] = []] = resourcesOfType(stateless, 'AWS::Lambda::EventInvokeConfig').filter(
        ([, config]) => config.Properties.FunctionName.Ref === id,
      );
      expect(invocation?.Properties).toMatchObject({ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 });
      expect(JSON.stringify(invocation?.Properties.Qualifier)).toContain('Alias');
    }
  });

  test('no other mappings and rules exist', () => {
    const mapped = ofKind('stream').length + ofKind('queue').length;
    expect(resourcesOfType(stateless, 'AWS::Lambda::EventSourceMapping')).toHaveLength(mapped);
    expect(resourcesOfType(stateless, 'AWS::Events::Rule')).toHaveLength(ofKind('schedule').length);
  });

  test('every queue is encrypted and has a dead-letter queue with a retention of 14 days', () => {
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
    expect(resourcesOfType(stateless, 'AWS::SQS::Queue')).toHaveLength(Object.keys(queueVariables).length);
  });
});

describe('grants', () => {
  test('every handler has a grant, and every grant has a handler', () => {
    expect(Object.keys(grants).sort()).toEqual([...handlers].sort());
  });

  test('every kind of key matches exactly one pattern', () => {
    const owner: Owner = { account: 'acct_1', mode: 'test' };
    const pks = {
      directory: tableKeys.accountDirectory(0, '').pk,
      account: tableKeys.account('acct_0123456789abcdef').pk,
      accountState: tableKeys.accountState({ account: 'acct_0123456789abcdef', mode: 'live' }).pk,
      seller: tableKeys.seller('acct_0123456789abcdef').pk,
      apiKey: tableKeys.apiKey({ owner, keyHash: 'hash' }).pk,
      source: tableKeys.source('hash', 1).pk,
      attempts: tableKeys.attempts('hash', 1).pk,
      testProvider: tableKeys.testProvider('pay_1').pk,
      invoice: tableKeys.record('inv_1').pk,
      payment: tableKeys.record('pay_1').pk,
      refund: tableKeys.record('ref_1').pk,
      customer: tableKeys.record('cust_1').pk,
      indexPage: tableKeys.indexPage(owner, 'invoice', '', 1).pk,
      foldRequest: tableKeys.foldRequest(owner, 'invoice', '#customer#hash').pk,
      idempotency: tableKeys.idempotency(owner, 'hash').pk,
      outbox: tableKeys.outbox(owner, 1, 'id').pk,
      event: tableKeys.event(owner, 1).pk,
      eventPointer: tableKeys.eventPointer('evt_1').pk,
      eventCursor: tableKeys.eventCursor(owner).pk,
      webhook: tableKeys.webhook(owner, 'wh_1').pk,
      webhookHealth: tableKeys.webhookHealth('wh_1').pk,
      webhookSends: tableKeys.webhookSends(owner).pk,
      delivery: tableKeys.delivery('wh_1', 'dlv_1').pk,
      timer: tableKeys.timer(1, 1, 'overdue', 'inv_1').pk,
      watermark: tableKeys.watermark.pk,
      reconciliation: tableKeys.reconciliation('2027-01-31', '').pk,
      digest: tableKeys.digest(owner, 'refund', 0).pk,
      auditEntry: tableKeys.auditEntry(owner, 1, 'aud_1').pk,
      auditHead: tableKeys.auditHead(owner).pk,
      session: tableKeys.session('hash').pk,
      userSession: tableKeys.userSession('usr_1', 'hash').pk,
      userAccount: tableKeys.userAccount('usr_1', 'acct_1').pk,
      members: tableKeys.members('acct_1').pk,
      signingKey: tableKeys.signingKey('id').pk,
      connection: tableKeys.connection(owner, 'stripe').pk,
      checkout: tableKeys.record('co_1').pk,
      product: tableKeys.record('prod_1').pk,
      draft: tableKeys.record('drft_1').pk,
      statement: tableKeys.record('st_1').pk,
      schedule: tableKeys.record('sch_1').pk,
      rowUse: tableKeys.rowUse(owner, 'row_1').pk,
      providerReference: tableKeys.providerReference(owner, 'stripe', 'payment', 'pi_1').pk,
      invoiceReference: tableKeys.invoiceReference(owner, 'hash').pk,
      bankReference: tableKeys.bankReference(owner, 'hash').pk,
      credit: tableKeys.credit(owner, '#customer#hash', 'USD', 1, 'pay_1').pk,
      searchEntry: tableKeys.searchEntry(owner, 'hash', 0, 'inv_1').pk,
      sandbox: tableKeys.sandbox(0, 'acct_1').pk,
      setAside: tableKeys.setAside('id').pk,
      deletedRecord: tableKeys.deletedRecord('acct_1', 'inv_1').pk,
      erasure: tableKeys.erasure(owner, 'hash').pk,
      series: tableKeys.series(owner, 'invoice', 'INV-').pk,
      document: tableKeys.document(owner, 'doc_1').pk,
      mail: tableKeys.mail(owner, 'mail_1').pk,
      mailAddress: tableKeys.mailAddress(owner, 'hash').pk,
      invoiceMail: tableKeys.invoiceMail('inv_1', 'send/mail_1').pk,
      journalEntry: tableKeys.journalEntry(owner, 1).pk,
      daySums: tableKeys.daySums(owner, 0, '2026-12-31').pk,
      export: 'exp_1',
      exportSlot: tableKeys.exportSlot(owner, 1).pk,
    };
    expect(Object.keys(pks).sort()).toEqual(Object.keys(partitions).sort());
    for (const [name, pk] of Object.entries(pks)) {
      const matching = Object.entries(partitions).filter(([, pattern]) => compilePattern(pattern)(pk));
      expect([name, matching.map(([partition]) => partition)]).toEqual([name, [name]]);
    }
  });

  test('no function can change or delete an audit entry, and only the relay and the sweep can add one', () => {
    const allowed = handlers.flatMap((handler) =>
      statementsOf(handler).flatMap(({ Action, Condition }) =>
        toArray(Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] ?? [])
          .filter((pattern) =>
            ['deployment', 'acct_1#test'].some((of) => compilePattern(pattern)(`AUDIT#${of}#2027-01`)),
          )
          .flatMap(() => toArray(Action).map((action) => `${handler} ${action}`)),
      ),
    );
    expect(allowed.sort()).toEqual([
      'functions/audit-log/list.ts dynamodb:Query',
      'functions/background/make-export.ts dynamodb:Query',
      'functions/background/publish-outbox.ts dynamodb:PutItem',
      'functions/background/reconcile.ts dynamodb:Query',
      'functions/background/send-mail.ts dynamodb:GetItem',
      'functions/background/sweep.ts dynamodb:PutItem',
      'functions/search/find.ts dynamodb:GetItem',
    ]);
  });

  test('no pattern of an attribute matches an attribute of an API key or another one of the account state', () => {
    const { hour, seq, ...others } = accountStateAttributes;
    const names = [...Object.values(others), ...Object.values(seq), ...keyItemAttributeNames];
    const patterns = Object.values<Grant>({ ...grants, ...dashboardGrants })
      .flatMap(({ accountState = [] }) => accountState.flatMap(({ attributes }) => attributes))
      .filter((name) => name.includes('*') && name !== '*');
    expect(new Set(patterns).size).toBe(1);
    for (const pattern of patterns) {
      expect(compilePattern(pattern)(hour(494_000))).toBe(true);
      expect(names.filter(compilePattern(pattern))).toEqual([]);
    }
  });

  test('only API functions with a route use the entries of keys, and only four and the deletion of sandboxes write an item of a key', () => {
    const { keys } = accountStateAttributes;
    const using = handlers.filter((handler) =>
      grantOf(handler)?.accountState?.some(
        ({ action, attributes }) => action === 'UpdateItem' && attributes.includes(keys),
      ),
    );
    const ofRoutes = routeList.flatMap(({ handler, path }) => (path.startsWith('/api') ? [handler] : []));
    expect(using).toEqual([...new Set(ofRoutes), triggers.deleteSandboxes.handler]);
    const writing = handlers.filter((handler) =>
      grantOf(handler)?.table.apiKey?.some((action) => action !== 'GetItem'),
    );
    const names = ['create', 'update', 'revoke', 'roll-over'];
    expect(writing).toEqual([
      ...names.map((name) => `functions/keys/${name}.ts`),
      triggers.deleteSandboxes.handler,
    ]);
    const unsealing = handlers.filter((handler) => grantOf(handler)?.secrets?.includes('keys'));
    expect(unsealing).toEqual(['functions/keys/create.ts', 'functions/keys/roll-over.ts']);
  });

  test('no action and no resource is a wildcard, except for traces', () => {
    for (const [, { Properties }] of resourcesOfType(stateless, 'AWS::IAM::Policy')) {
      for (const { Effect, Action, Resource } of Properties.PolicyDocument.Statement as Statement[]) {
        expect(Effect).toBe('Allow');
        expect(toArray(Action).filter((action) => action.includes('*'))).toEqual([]);
        if (!toArray(Action).every((action) => action.startsWith('xray:'))) expect(Resource).not.toBe('*');
      }
    }
    const functionRoles = resourcesOfType(stateless, 'AWS::Lambda::Function').map(
      ([, { Properties }]) => Properties.Role['Fn::GetAtt'][0],
    );
    for (const role of functionRoles) {
      expect(stateless[role]?.Properties).not.toHaveProperty('ManagedPolicyArns');
      expect(stateless[role]?.Properties).not.toHaveProperty('Policies');
    }
    // The only other role belongs to CodeDeploy.
    const others = resourcesOfType(stateless, 'AWS::IAM::Role').filter(([id]) => !functionRoles.includes(id));
    expect(others.map(([, { Properties }]) => JSON.stringify(Properties.ManagedPolicyArns))).toEqual([
      expect.stringContaining('AWSCodeDeployRoleForLambdaLimited'),
    ]);
  });

  test.each(handlers)('%s may send exactly to the queues of its grant', (handler) => {
    const { sendsTo = [] } = grantOf(handler) ?? {};
    const targets = statementsOf(handler)
      .filter(({ Action }) => toArray(Action).includes('sqs:SendMessage'))
      .flatMap(({ Resource }) => toArray(Resource));
    const arnOf = (name: string) => ({
      'Fn::GetAtt': [resourceNamed(stateless, 'AWS::SQS::Queue', name), 'Arn'],
    });
    expect(targets).toHaveLength(sendsTo.length);
    expect(targets).toEqual(expect.arrayContaining(sendsTo.map(arnOf)));
  });

  test('the relay may send to all queues except reconciliation and feedback, what moves a clock to what it makes due, each other worker to its own and its next queue', () => {
    const sending = handlers.flatMap((handler) => {
      const { sendsTo } = grantOf(handler) ?? {};
      return sendsTo ? [[handler, ...sendsTo]] : [];
    });
    const all = Object.keys(queues).filter((name) => name !== 'reconciliation' && name !== 'feedback');
    expect(sending).toEqual([
      ['functions/clock/test-clock.ts', 'overdue', 'payment', 'refund', 'webhook', 'mail'],
      ['functions/pay/show.ts', 'checkout'],
      ['functions/pay/submit.ts', 'checkout'],
      ['functions/notifications/receive.ts', 'checkout', 'refund'],
      ['functions/background/publish-outbox.ts', ...all],
      ['functions/background/sweep.ts', ...all],
      ['functions/background/overdue.ts', 'overdue', 'payment', 'refund', 'webhook', 'mail'],
      ['functions/background/settle-payment.ts', 'payment'],
      ['functions/background/settle-checkout.ts', 'checkout'],
      ['functions/background/process-refund.ts', 'refund'],
      ['functions/background/deliver-webhook.ts', 'webhook'],
      ['functions/background/recover-deliveries.ts', 'webhook', 'recovery'],
      ['functions/background/send-mail.ts', 'mail'],
      ['functions/background/make-export.ts', 'export'],
      ['functions/background/begin-reconciliation.ts', 'reconciliation'],
      ['functions/background/reconcile.ts', 'reconciliation'],
    ]);
  });

  test.each(handlers)('%s may read exactly the secrets of its grant, and none signs API keys', (handler) => {
    const { secrets = [] } = grantOf(handler) ?? {};
    const resources = statementsOf(handler)
      .filter(({ Action }) => toArray(Action).includes('secretsmanager:GetSecretValue'))
      .flatMap(({ Resource }) => toArray(Resource))
      .map((resource) => /Ref(\w+?)Secret/.exec(JSON.stringify(resource))?.[1]);
    const titles = {
      deployment: 'Deployment',
      webhooks: 'Webhook',
      keys: 'Key',
      providers: 'Provider',
      audit: 'Audit',
      signing: 'Signing',
    } as const;
    expect(resources.sort()).toEqual(secrets.map((name) => titles[name]).sort());
  });

  test('only the relay and the workers of due dates and schedules, webhooks, mails, payments, refunds, exports, reconciliations and sandboxes read a secret', () => {
    const reading = handlers.filter((handler) => grantOf(handler)?.secrets);
    expect(reading.filter((handler) => handler.startsWith('functions/background/'))).toEqual([
      'functions/background/publish-outbox.ts',
      'functions/background/sweep.ts',
      'functions/background/overdue.ts',
      'functions/background/settle-payment.ts',
      'functions/background/settle-checkout.ts',
      'functions/background/process-refund.ts',
      'functions/background/deliver-webhook.ts',
      'functions/background/send-mail.ts',
      'functions/background/record-mail-outcome.ts',
      'functions/background/make-export.ts',
      'functions/background/reconcile.ts',
      'functions/background/delete-sandboxes.ts',
    ]);
  });

  test("functions that call receivers know the service's own address and no allowed private ranges", () => {
    for (const handler of handlers.filter((file) => /webhook/.test(file))) {
      const { Variables } = functionOf(handler).properties.Environment;
      expect(Variables).not.toHaveProperty('WEBHOOK_ALLOWED_RANGES');
      const calls = /(create|update|test|redeliver|deliver-webhook)\.ts$/.test(handler);
      const isApi = handler.startsWith('functions/webhooks/');
      expect([handler, 'PAY_URL_BASE' in Variables]).toEqual([handler, calls || isApi]);
    }
  });
});

describe('functions', () => {
  test('every route and trigger has a function on Node 24 with traces and limited log retention', () => {
    const functions = resourcesOfType(stateless, 'AWS::Lambda::Function');
    expect(functions).toHaveLength(handlers.length);
    for (const [, { Properties }] of functions) {
      expect(Properties).toMatchObject({
        Handler: 'index.handler',
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        TracingConfig: { Mode: 'Active' },
      });
      const log = stateless[Properties.LoggingConfig.LogGroup.Ref];
      expect(log?.Properties.RetentionInDays).toBe(400);
    }
    const logs = functions.map(([, { Properties }]) => Properties.LoggingConfig.LogGroup.Ref);
    expect(new Set(logs).size).toBe(functions.length);
  });

  test('API functions time out before the gateway', () => {
    for (const { handler } of routeList) expect(functionOf(handler).properties.Timeout).toBeLessThan(29);
  });

  test('environment variables contain the needed names and URLs, and no secret', () => {
    for (const handler of handlers) {
      const {
        table,
        secrets = [],
        payUrlBase,
        callsReceivers,
        sendsTo = [],
        bucket,
      } = grantOf(handler) ?? { table: {} };
      const { Environment } = functionOf(handler).properties;
      expect(Object.keys(Environment?.Variables ?? {}).sort()).toEqual(
        [
          'STAGE',
          'REMIT_VERSION',
          'AWS_CALLS',
          ...(Object.keys(table).length > 0 ? ['TABLE_NAME'] : []),
          ...(bucket ? ['BUCKET_NAME'] : []),
          ...secrets.map((name) => secretVariables[name]),
          ...(payUrlBase || callsReceivers ? ['PAY_URL_BASE'] : []),
          ...(callsReceivers ? ['OWN_HOSTS'] : []),
          ...sendsTo.map((name) => queueVariables[name]),
        ].sort(),
      );
    }
    expect(JSON.stringify(stateless)).not.toContain('{{resolve:');
    // The values consist of fixed texts, and of names, URLs and ARNs of resources.
    const values = resourcesOfType(stateless, 'AWS::Lambda::Function').flatMap(([, { Properties }]) =>
      Object.entries(Properties.Environment?.Variables ?? {}),
    );
    for (const [name, value] of values) {
      expect(name).toMatch(
        /^(TABLE_NAME|BUCKET_NAME|PAY_URL_BASE|OWN_HOSTS|(DEPLOYMENT|WEBHOOK|KEY|PROVIDER|AUDIT)_SECRET_ARN|[A-Z]+_QUEUE_URL|STAGE|REMIT_VERSION|AWS_CALLS)$/,
      );
      if (name.endsWith('_SECRET_ARN')) {
        expect(JSON.stringify(value)).toMatch(
          /^\{"Fn::ImportValue":"[\w-]+:ExportsOutputRef(Deployment|Webhook|Key|Provider|Audit)Secret\w+"\}$/,
        );
      }
    }
  });
});

describe('rollout', () => {
  test('every function has an alias, whose traffic CodeDeploy moves in a canary that alarms roll back', () => {
    const functions = resourcesOfType(stateless, 'AWS::Lambda::Function').map(([id]) => id);
    const aliases = resourcesOfType(stateless, 'AWS::Lambda::Alias');
    expect(aliases.map(([Ref]) => functionOfAlias({ Ref })).sort()).toEqual(functions.sort());
    const alarms = resourcesOfType(stateless, 'AWS::CloudWatch::Alarm').filter(([id]) => /^Rollout/.test(id));
    const groups = aliases.map(([, alias]) => {
      const { ApplicationName, DeploymentGroupName } = alias.UpdatePolicy?.CodeDeployLambdaAliasUpdate ?? {};
      const { Properties } = stateless[DeploymentGroupName?.Ref ?? ''] ?? {};
      expect(Properties?.ApplicationName).toEqual(ApplicationName);
      expect(Properties).toMatchObject({
        DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
        AlarmConfiguration: { Enabled: true, Alarms: alarms.map(([Ref]) => ({ Name: { Ref } })) },
        AutoRollbackConfiguration: { Enabled: true },
      });
      return DeploymentGroupName?.Ref;
    });
    expect(new Set(groups).size).toBe(functions.length);
  });

  test('the alarms cover the gateway and the background functions, and trigger within the canary', () => {
    const alarms = resourcesOfType(stateless, 'AWS::CloudWatch::Alarm').filter(([id]) => /^Rollout/.test(id));
    const text = JSON.stringify(alarms);
    expect(text).toContain('"5XXError"');
    // The deletion of sandboxes runs once an hour, so it has no errors that could stop a rollout.
    for (const { handler } of triggerList) {
      const reference = `{"Ref":"${functionOf(handler).id}"}`;
      expect(text.includes(reference)).toBe(handler !== triggers.deleteSandboxes.handler);
    }
    for (const [, { Properties }] of alarms) {
      const periods = (Properties.Metrics ?? []).flatMap(
        ({ MetricStat }: { MetricStat?: { Period: number } }) => MetricStat?.Period ?? [],
      );
      expect(periods.length).toBeLessThanOrEqual(10);
      for (const period of [...periods, Properties.Period ?? 60]) expect(period).toBe(60);
      expect(Properties.EvaluationPeriods).toBe(1);
    }
  });

  test('versions stay after a deployment', () => {
    for (const [, version] of resourcesOfType(stateless, 'AWS::Lambda::Version'))
      expect(version.DeletionPolicy).toBe('Retain');
  });
});

describe('the stacks', () => {
  test('the table outlives its stack and has point-in-time recovery', () => {
    const [[, table] = [], ...more] = resourcesOfType(stateful, 'AWS::DynamoDB::Table');
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
    // Without a specification, DynamoDB encrypts with its own key.
    expect(table?.Properties).not.toHaveProperty('SSESpecification');
  });

  test('CloudFormation generates the secrets in the format that the service reads', () => {
    const secrets = resourcesOfType(stateful, 'AWS::SecretsManager::Secret');
    expect(secrets.map(([id]) => id.replace(/[0-9A-F]{8}$/, ''))).toEqual([
      'DeploymentSecret',
      'WebhookSecret',
      'KeySecret',
      'ProviderSecret',
      'AuditSecret',
      'SigningSecret',
    ]);
    const generated = secrets.map(([, { DeletionPolicy, Properties }]) => {
      expect(DeletionPolicy).toBe('Retain');
      const { SecretStringTemplate, GenerateStringKey, ...rest } = Properties.GenerateSecretString;
      expect(rest).toEqual({ PasswordLength: 64, ExcludePunctuation: true, IncludeSpace: false });
      return [JSON.parse(SecretStringTemplate), GenerateStringKey];
    });
    expect(generated).toEqual([
      [{ current: '1' }, '1'],
      [{ current: 'w1' }, 'w1'],
      [{ current: 'k1' }, 'k1'],
      [{ current: 'p1' }, 'p1'],
      [{ current: 'a1' }, 'a1'],
      [{ current: 's1' }, 's1'],
    ]);
  });

  test('no resource has a fixed name, so several deployments fit into one AWS account', () => {
    const names = /^(TableName|QueueName|FunctionName|RoleName|PolicyName|LogGroupName|Name|SecretName)$/;
    // The first two have names within their role or function. A saved query is in the folder of its stage.
    const local = ['AWS::IAM::Policy', 'AWS::Lambda::Alias', 'AWS::Logs::QueryDefinition'];
    const own = Object.entries({ ...stateful, ...stateless }).flatMap(([id, { Type, Properties = {} }]) =>
      Object.entries(Properties).flatMap(([property, value]) =>
        names.test(property) && typeof value === 'string' && !local.includes(Type) ? [`${id} ${value}`] : [],
      ),
    );
    expect(own).toEqual([]);
    for (const [id, policy] of resourcesOfType(stateless, 'AWS::IAM::Policy'))
      expect(policy.Properties.PolicyName).toBe(id);
  });

  test('only the stateless stack depends on the other, and neither has a reference cycle', () => {
    expect(JSON.stringify(stateless)).toContain('Fn::ImportValue');
    expect(JSON.stringify(stateful)).not.toContain('Fn::ImportValue');
    expect(cyclesOf(stateful)).toEqual([]);
    expect(cyclesOf(stateless)).toEqual([]);
  });

  test('the outputs contain the values that the command line and its user need', () => {
    expect(Object.keys(outputs)).toEqual(
      expect.arrayContaining(['ApiUrl', 'PayUrlBase', 'TableName', 'DeploymentSecretArn']),
    );
    expect(JSON.stringify(outputs.PayUrlBase)).toContain('/prod/pay');
  });
});
