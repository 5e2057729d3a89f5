/**
 * Every alarm against what it watches: the service's own metrics are really logged, under the names that the alarm
 * has, when what it is for happens on the local stack; those of AWS are of resources that are there.
 */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { lambdaContext, loadHandler } from '../../infra/local/handler.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { type Trigger, triggers } from '../../infra/triggers.ts';
import { type MetricName, metrics } from '../../shared/metrics.ts';
import { keys } from '../../shared/store/keys.ts';
import { setClock } from '../../shared/time.ts';
import { cardNumbers, newInvoice, newPayment, waitForOutcome } from '../api/payments/new-payment.ts';
import { startReceiver } from '../api/webhooks/receiver.ts';
import { type Api, apiOf, newAccount } from '../support/api.ts';
import { tamper } from '../support/busy-account.ts';
import { stopClock } from '../support/clock.ts';
import { errorAnswer, intercept } from '../support/faults.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type App, type Resource, synthesize, typed } from './template.ts';

/** A metric as CloudWatch knows it, with its dimensions in the order of their names. */
interface Identity {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: readonly (readonly [name: string, value: unknown])[];
}

let app: App;
let stack: Stack;
let api: Api;
const printed: string[] = [];
/** How many texts had been printed when the present test began to look. */
let seen = 0;
const streams = [process.stdout, process.stderr].map((stream) => ({ stream, write: stream.write }));
const environment = { ...process.env };

beforeAll(async () => {
  process.env.POWERTOOLS_LOG_LEVEL = 'INFO';
  process.env.STAGE = 'prod';
  for (const { stream } of streams) {
    stream.write = ((chunk: string | Uint8Array) => printed.push(String(chunk)) > 0) as typeof stream.write;
  }
  stack = await startTestStack();
  app = await synthesize({ stage: 'prod', alarmEmail: 'on-call@example.com', dashboard: 'true' });
  api = (await newAccount(stack.baseUrl)).test;
}, 120_000);

afterAll(async () => {
  for (const { stream, write } of streams) stream.write = write;
  Object.assign(process.env, environment);
  await stack?.close();
});

/** What CloudWatch makes of the lines that were printed: each metric with its value. */
function emitted(): (Identity & { value: number; unit: string })[] {
  const lines = printed
    .slice(seen)
    .flatMap((text) => text.split('\n'))
    .filter((line) => line.includes('"_aws"'));
  return lines.flatMap((line) => {
    const entry = JSON.parse(line);
    return entry._aws.CloudWatchMetrics.map((directive: Directive) => {
      const [names = [], ...more] = directive.Dimensions;
      const [{ Name = '', Unit = '' } = {}, ...others] = directive.Metrics;
      expect([more, others]).toEqual([[], []]);
      expect(entry._aws.Timestamp).toEqual(expect.any(Number));
      const dimensions = [...names].sort().map((name) => [name, entry[name]] as const);
      return { namespace: directive.Namespace, name: Name, dimensions, value: entry[Name], unit: Unit };
    });
  });
}

interface Directive {
  readonly Namespace: string;
  readonly Dimensions: string[][];
  readonly Metrics: { readonly Name: string; readonly Unit: string }[];
}

const valuesOf = ({ namespace, name, dimensions }: Identity): number[] =>
  emitted().flatMap((each) =>
    JSON.stringify([each.namespace, each.name, each.dimensions]) ===
    JSON.stringify([namespace, name, dimensions])
      ? [each.value]
      : [],
  );
const own = (name: MetricName, dimensions: Record<string, string> = {}): Identity => ({
  namespace: 'Remit',
  name,
  dimensions: Object.entries({ ...dimensions, stage: 'prod' }).sort(([a], [b]) => (a < b ? -1 : 1)),
});

const alarms = (): Record<string, Resource> =>
  Object.fromEntries(
    typed(app.stateless.Resources, 'AWS::CloudWatch::Alarm').map(([id, alarm]) => [
      id.replace(/Alarm[0-9A-F]{8}$/, ''),
      alarm,
    ]),
  );
const alarmOf = (name: string) => alarms()[name]?.Properties ?? {};

/** The metrics that an alarm looks at: one, or the parts of a sum. */
function watchedBy(name: string): Identity[] {
  const { Metrics, ...single } = alarmOf(name);
  // biome-ignore lint/suspicious/noExplicitAny: as CloudFormation has it
  const toIdentity = (metric: any): Identity => ({
    namespace: metric.Namespace,
    name: metric.MetricName,
    dimensions: (metric.Dimensions ?? []).map(({ Name, Value }: { Name: string; Value: unknown }) => [
      Name,
      Value,
    ]),
  });
  if (!Metrics) return [toIdentity(single)];
  // biome-ignore lint/suspicious/noExplicitAny: as above
  return Metrics.flatMap(({ MetricStat }: any) => (MetricStat ? [toIdentity(MetricStat.Metric)] : []));
}

const triggerList = Object.values(triggers) as Trigger[];
const functionRef = (handler: string) => {
  const [[id] = []] = typed(app.stateless.Resources, 'AWS::Lambda::Function').filter(
    ([, { Properties }]) => Properties.Description === handler,
  );
  return { Ref: id };
};
const ofLambda = (name: string, chosen: readonly Trigger[]): Identity[] =>
  chosen.map(({ handler }) => ({
    namespace: 'AWS/Lambda',
    name,
    dimensions: [['FunctionName', functionRef(handler)]],
  }));

const call = async <Result>(handler: string, event: unknown): Promise<Result> =>
  (await loadHandler<unknown, Result>(handler))(event, lambdaContext(handler, 30_000));

const beginReconciliation = () => call('functions/background/begin-reconciliation.ts', {});

/** A payment in a currency that is not its invoice's, looked at once, and then again as its message asks for. */
async function findDifference(): Promise<void> {
  const { accountId, test: other } = await newAccount(stack.baseUrl);
  const { payment } = await newPayment(other);
  // What is unpublished would explain it.
  await waitUntil('the outbox is empty', async () => {
    return (await tableOf(stack).outboxOf(`${accountId}#test`)).length === 0;
  });
  await tamper(tableOf(stack), keys.record(payment.id), { currency: 'INR' });
  const owner = { account: accountId, mode: 'test' } as const;
  const { look } = await import('../../shared/reconciliation/looks.ts');
  const { identityOf } = await import('../../shared/reconciliation/difference.ts');
  const { readNumbers } = await import('../../shared/reconciliation/store.ts');
  const place = { ...owner, resource: 'payment', page: 0 } as const;
  const numbers = await readNumbers(owner);
  const { found } = numbers ? await look(place, numbers) : { found: [] };
  const again = { suspects: found.map(identityOf), known: [], looks: 1 };
  const body = JSON.stringify({ ...place, day: '2027-01-31', records: 0, again });
  const message = { messageId: '1', eventSource: 'aws:sqs', body };
  const reconcile = 'functions/background/reconcile.ts';
  expect(await call(reconcile, { Records: [message] })).toEqual({ batchItemFailures: [] });
}

describe('metrics of the service', () => {
  test('each of them is logged when it happens, with the unit and the dimensions of the table', async () => {
    const receiver = await startReceiver();
    try {
      const [taken, refused] = [receiver.mailbox(), receiver.mailbox()];
      refused.answer(410);
      for (const { url } of [taken, refused]) await api.post('/api/webhooks', { url, events: ['*'] });
      await api.post('/api/webhooks', { url: 'http://127.0.0.1:9/', events: ['*'] });
      await newInvoice(api);
      const results = ['succeeded', 'failed', 'retried'].map((result) => own('Deliveries', { result }));
      await waitUntil('deliveries', () => results.every((each) => valuesOf(each).length > 0));
    } finally {
      await receiver.close();
    }
    await newPayment(api, cardNumbers.declined);
    const { payment } = await newPayment(api, cardNumbers.good);
    const refund = await api.post('/api/refunds', { paymentId: payment.id });
    await waitForOutcome(api, 'refunds', refund.json.id);
    await apiOf(stack.baseUrl, 'sk_test_none').get('/api/invoices');
    expect((await api.get('/api/invoices/inv_none')).status).toBe(404);
    await beginReconciliation();
    await findDifference();

    const kinds = [
      'invoice.created',
      'invoice.paid',
      'payment.completed',
      'payment.failed',
      'refund.processed',
    ];
    const expected = [
      own('Requests'),
      own('AdmissionRefusals'),
      ...['invalid_api_key', 'invoice_not_found'].map((code) => own('Errors', { code })),
      ...kinds.map((type) => own('Events', { mode: 'test', type })),
      ...[own('DeliveryLag'), own('OutboxAge'), own('SweepLag')],
      ...[own('Reconciliations'), own('RecordsReconciled'), own('Differences')],
    ];
    await waitUntil('all metrics', () => expected.every((each) => valuesOf(each).length > 0));
    expect(valuesOf(own('AdmissionRefusals'))).toEqual([1]);
    expect(valuesOf(own('Errors', { code: 'invoice_not_found' }))).toEqual([1]);
    expect(valuesOf(own('Events', { mode: 'test', type: 'refund.processed' }))).toEqual([1]);

    const table: Record<string, { unit: string; dimensions: readonly string[] }> = metrics;
    for (const { name, unit, dimensions, value } of emitted()) {
      const { unit: wanted, dimensions: names = [] } = table[name] ?? {};
      expect({ name, unit }).toEqual({ name, unit: wanted });
      expect(dimensions.map(([each]) => each)).toEqual(['stage', ...names].sort());
      for (const [, each] of dimensions) expect(each).toMatch(/^[\w.]+$/);
      expect(value).toBeGreaterThanOrEqual(0);
    }
    expect(new Set(emitted().map(({ name }) => name))).toEqual(new Set(Object.keys(metrics)));
  });
});

describe('alarms', () => {
  const queueAlarms = triggerList.flatMap((trigger) =>
    trigger.kind === 'queue'
      ? [[`${trigger.queue}DeadLetters`.replace(/^./, (c) => c.toUpperCase()), trigger] as const]
      : [],
  );

  test('there are these, each with a chapter of the runbook, and each tells whoever was named', async () => {
    const names = [
      ...['ServerErrors', 'SweepLag', 'OutboxAge', 'StreamLag', 'FailedRefunds'],
      ...['Differences', 'NoReconciliation'],
      ...['FunctionErrors', 'FunctionThrottles', 'TableThrottles'],
      ...queueAlarms.map(([name]) => name),
    ];
    expect(Object.keys(alarms()).sort()).toEqual(names.sort());
    const runbook = await readFile('RUNBOOK.md', 'utf8');
    const [[topic] = []] = typed(app.stateless.Resources, 'AWS::SNS::Topic');
    for (const name of names) {
      expect(runbook).toMatch(new RegExp(`^### .*\\b${name}\\b`, 'm'));
      expect(alarmOf(name).AlarmActions).toEqual([{ Ref: topic }]);
      expect(alarmOf(name).ComparisonOperator).toBe(
        name === 'NoReconciliation' ? 'LessThanThreshold' : 'GreaterThanOrEqualToThreshold',
      );
    }
    const [[, subscription] = []] = typed(app.stateless.Resources, 'AWS::SNS::Subscription');
    expect(subscription?.Properties).toMatchObject({ Protocol: 'email', Endpoint: 'on-call@example.com' });
  });

  test('none looks at more than the ten metrics that CloudWatch takes in one', () => {
    for (const name of Object.keys(alarms())) expect(watchedBy(name).length).toBeLessThanOrEqual(10);
  });

  test('the topic lets alarms of this account in, and nobody in clear text', () => {
    const [[, policy] = []] = typed(app.stateless.Resources, 'AWS::SNS::TopicPolicy');
    expect(policy?.Properties.PolicyDocument.Statement).toEqual([
      expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      expect.objectContaining({
        ...{ Effect: 'Allow', Action: 'sns:Publish', Principal: { Service: 'cloudwatch.amazonaws.com' } },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    ]);
  });

  test('FailedRefunds: a refund that the provider refuses is counted', async () => {
    const { payment } = await newPayment(api, cardNumbers.refundFails);
    const { json } = await api.post('/api/refunds', { paymentId: payment.id });
    expect(await waitForOutcome(api, 'refunds', json.id)).toMatchObject({ status: 'failed' });
    const [watched, ...more] = watchedBy('FailedRefunds');
    expect(more).toEqual([]);
    // Live mode has no provider built in, so here it fails in test mode, which the alarm leaves alone.
    expect(watched).toEqual(own('Events', { mode: 'live', type: 'refund.failed' }));
    expect(valuesOf(own('Events', { mode: 'test', type: 'refund.failed' }))).toEqual([1]);
    expect(alarmOf('FailedRefunds').Threshold).toBe(1);
  });

  test('Differences: one that stands is counted, and logged and reported without what it is about', async () => {
    seen = printed.length;
    await findDifference();
    expect(watchedBy('Differences')).toEqual([own('Differences')]);
    expect(valuesOf(own('Differences'))).toEqual([1]);
    expect(alarmOf('Differences').Threshold).toBe(1);
    const { readReport, reportBegin } = await import('../../shared/reconciliation/report.ts');
    await reportBegin('2027-01-31', 1, 0);
    const { differences } = (await readReport('2027-01-31')) ?? {};
    expect(differences).toHaveLength(2);
    const fields = ['account', 'expected', 'found', 'id', 'mode', 'resource', 'rule', 'seq'];
    for (const difference of differences ?? []) expect(Object.keys(difference).sort()).toEqual(fields);
    const line = printed.slice(seen).find((text) => text.includes('"message":"difference"')) ?? '';
    expect(JSON.parse(line)).toMatchObject({ rule: 'currency_differs', expected: 'USD', found: 'INR' });
  });

  test('NoReconciliation: one is begun each day, once; without it there is no metric', async () => {
    // A sweep meanwhile would be days ahead for all that follows.
    await stack.schedule.pause();
    const clock = stopClock();
    try {
      for (const days of [1, 0, 1]) {
        clock.advance(days * 86_400_000);
        seen = printed.length;
        await beginReconciliation();
        expect(valuesOf(own('Reconciliations'))).toEqual(days === 0 ? [] : [1]);
      }
    } finally {
      setClock();
      stack.schedule.resume();
    }
    expect(watchedBy('NoReconciliation')).toEqual([own('Reconciliations')]);
    expect(alarmOf('NoReconciliation')).toMatchObject({
      ...{ Threshold: 1, TreatMissingData: 'breaching', Period: 3_600 },
    });
    const hours = alarmOf('NoReconciliation').EvaluationPeriods;
    expect(hours).toBeGreaterThan(24);
    // CloudWatch looks back no further.
    expect(hours).toBeLessThanOrEqual(7 * 24);
  });

  test('OutboxAge and SweepLag: what nobody publishes grows old, and a sweep that stood still tells by how much', async () => {
    await Promise.all([stack.stream.pause(), stack.schedule.pause()]);
    const clock = stopClock();
    try {
      await stack.schedule.run();
      await newInvoice(api);
      clock.advance(1_200_000);
      seen = printed.length;
      await stack.schedule.run();
      for (const name of ['OutboxAge', 'SweepLag'] as const) {
        expect(watchedBy(name)).toEqual([own(name)]);
        const [seconds = 0] = valuesOf(own(name));
        expect(seconds).toBeGreaterThanOrEqual(alarmOf(name).Threshold);
        expect(seconds).toBeLessThanOrEqual(1_200);
      }
      // All is well again, and neither of them would sound.
      clock.advance(60_000);
      seen = printed.length;
      await stack.schedule.run();
      for (const name of ['OutboxAge', 'SweepLag'] as const) {
        const [seconds = Number.NaN] = valuesOf(own(name));
        expect(seconds).toBeLessThan(alarmOf(name).Threshold);
      }
    } finally {
      await Promise.all([stack.stream.resume(), stack.schedule.resume()]);
    }
    // Without a sweep there is no metric.
    expect(alarmOf('SweepLag').TreatMissingData).toBe('breaching');
  });

  test('ServerErrors: what breaks inside is answered with 500, which the gateway counts, and logged with its code', async () => {
    const broken = intercept(errorAnswer('ResourceNotFoundException'));
    try {
      expect((await api.get('/api/invoices')).status).toBe(500);
      await expect(stack.schedule.run()).rejects.toThrow();
    } finally {
      broken.remove();
    }
    expect(valuesOf(own('Errors', { code: 'internal_error' }))).toEqual([1]);
    const [[, restApi] = []] = typed(app.stateless.Resources, 'AWS::ApiGateway::RestApi');
    expect(watchedBy('ServerErrors')).toEqual([
      { namespace: 'AWS/ApiGateway', name: '5XXError', dimensions: [['ApiName', restApi?.Properties.Name]] },
    ]);
  });

  test('FunctionErrors, FunctionThrottles: Lambda counts them for every function that no request waits for', () => {
    expect(watchedBy('FunctionErrors')).toEqual(ofLambda('Errors', triggerList));
    const unreserved = triggerList.filter(({ kind }) => kind !== 'schedule');
    expect(watchedBy('FunctionThrottles')).toEqual(ofLambda('Throttles', unreserved));
  });

  test('StreamLag: a record that cannot be published is reported, so that Lambda holds the shard and its age grows', async () => {
    const streams = triggerList.filter(({ kind }) => kind === 'stream');
    expect(watchedBy('StreamLag')).toEqual(ofLambda('IteratorAge', streams));
    const poison = { eventID: '1', eventSource: 'aws:dynamodb', dynamodb: { SequenceNumber: '1' } };
    for (const { handler } of streams) {
      expect(await reports(handler, poison)).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
    }
  });

  test.each(queueAlarms)(
    '%s: a message that is failed at is reported, and in the end gets there',
    async (name, { handler, queue }) => {
      const poison = { messageId: '1', eventSource: 'aws:sqs', body: '?' };
      expect(await reports(handler, poison)).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
      const [work] = typed(app.stateless.Resources, 'AWS::SQS::Queue').filter(([id]) =>
        id.toLowerCase().startsWith(queue),
      );
      const target: string = work?.[1].Properties.RedrivePolicy.deadLetterTargetArn['Fn::ImportValue'];
      const [, deadLetters] = /ExportsOutputFnGetAtt(\w+DeadLetters[0-9A-F]{8})Arn/.exec(target) ?? [];
      const [watched, ...more] = watchedBy(name);
      expect(more).toEqual([]);
      expect(watched).toEqual({
        namespace: 'AWS/SQS',
        name: 'ApproximateNumberOfMessagesVisible',
        dimensions: [
          ['QueueName', { 'Fn::ImportValue': expect.stringContaining(`${deadLetters}QueueName`) }],
        ],
      });
      expect(alarmOf(name).Threshold).toBe(1);
    },
  );

  const reports = (handler: string, record: object) => call(handler, { Records: [record] });

  test('TableThrottles: DynamoDB counts them for the table in use', () => {
    const TableName = { 'Fn::ImportValue': expect.stringMatching(/ExportsOutputRefTable/) };
    expect(watchedBy('TableThrottles')).toEqual(
      ['ReadThrottleEvents', 'WriteThrottleEvents'].map((name) => ({
        namespace: 'AWS/DynamoDB',
        name,
        dimensions: [['TableName', TableName]],
      })),
    );
  });
});

describe('beside alarms', () => {
  test('the dashboard shows every metric of the service', () => {
    const [[, dashboard] = []] = typed(app.stateless.Resources, 'AWS::CloudWatch::Dashboard');
    const shown = JSON.stringify(dashboard?.Properties.DashboardBody);
    for (const name of Object.keys(metrics)) expect(shown).toMatch(new RegExp(`\\b${name}\\b`));
    expect(app.stateless.Outputs).toHaveProperty('DashboardUrl');
  });

  test('saved queries look into the log of every function, for fields that are logged', () => {
    const logs = typed(app.stateless.Resources, 'AWS::Lambda::Function').map(
      ([, { Properties }]) => Properties.LoggingConfig.LogGroup,
    );
    const lines = printed.flatMap((text) => text.split('\n')).filter((line) => line.startsWith('{'));
    const messages = new Set(lines.map((line) => JSON.parse(line).message));
    const queries = typed(app.stateless.Resources, 'AWS::Logs::QueryDefinition');
    expect(queries.length).toBeGreaterThan(0);
    for (const [, { Properties }] of queries) {
      expect(Properties.LogGroupNames).toHaveLength(logs.length);
      expect(Properties.LogGroupNames).toEqual(expect.arrayContaining(logs));
      const [, message] = /message = "([^"]+)"/.exec(Properties.QueryString) ?? [];
      expect([...messages]).toContain(message);
    }
  });

  test('without somebody to tell there are no alarms, and without a dashboard no queries', async () => {
    const { stateful, stateless } = await synthesize();
    // What one stack imports, the other must not cease to export while both are changed.
    expect(Object.keys(stateful.Outputs).sort()).toEqual(Object.keys(app.stateful.Outputs).sort());
    const types = Object.values(stateless.Resources).map(({ Type }) => Type);
    expect(types.filter((type) => /CloudWatch|SNS|QueryDefinition/.test(type))).toEqual([]);
  });
});
