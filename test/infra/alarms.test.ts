/**
 * Checks every alarm against its metric.
 *
 * - A metric of the service: the local stack logs it, under the alarm's metric name, when the alarm's case occurs.
 * - A metric of AWS: its resource exists in the template.
 */
import '../support/log-from-info.ts';
import { globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { lambdaContext, loadHandler } from '../../infra/local/handler.ts';
import type { ProviderDouble } from '../../infra/local/provider-doubles/common/provider-double.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { type Trigger, triggers } from '../../infra/triggers.ts';
import { type MetricName, metrics } from '../../shared/base/metrics.ts';
import { accountStateAttributes } from '../../shared/store/account-state.ts';
import { type Key, tableKeys } from '../../shared/store/keys.ts';
import { cardNumbers, newInvoice, newPayment, waitForOutcome } from '../api/payments/new-payment.ts';
import { startMailboxReceiver } from '../api/webhooks/receiver.ts';
import { exhaustRateLimit, markMaintenance } from '../contract/examples.ts';
import { type Api, apiOf, invoiceBody, newAccount } from '../support/api.ts';
import { overwriteItem } from '../support/busy-account.ts';
import { beginPaying, type Merchant, payAtDouble, startCheckoutDouble } from '../support/checkouts.ts';
import { setClock, stopClock } from '../support/clock.ts';
import { interceptCalls, respondWithError } from '../support/intercept-calls.ts';
import { submit } from '../support/pay-page.ts';
import { startSecretsManager } from '../support/secrets-server.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type App, resourcesOfType, synthesize, type TemplateResource } from './template.ts';

/** A CloudWatch metric. Its dimensions are sorted by name. */
interface MetricIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: readonly (readonly [name: string, value: unknown])[];
}

let app: App;
let stack: Stack;
let api: Api;
const printed: string[] = [];
/** The number of chunks that were printed before the current test. The test ignores them. */
let ignored = 0;
const streams = [process.stdout, process.stderr].map((stream) => ({ stream, write: stream.write }));
const environment = { ...process.env };

beforeAll(async () => {
  process.env.STAGE = 'prod';
  for (const { stream } of streams) {
    stream.write = ((chunk: string | Uint8Array) => printed.push(String(chunk)) > 0) as typeof stream.write;
  }
  stack = await startTestStack();
  app = await synthesize({
    stage: 'prod',
    alarmEmail: 'on-call@example.com',
    runbookUrl: 'https://git.example.com/remit/docs/operate',
    metricsDashboard: 'true',
    backupRegion: 'eu-west-1',
    canary: 'true',
    mailFrom: 'invoices@shop.example',
  });
  api = (await newAccount(stack.baseUrl)).test;
});

afterAll(async () => {
  for (const { stream, write } of streams) stream.write = write;
  Object.assign(process.env, environment);
  await stack?.close();
});

type EmittedMetric = MetricIdentity & { readonly value: number; readonly unit: string };

/** The metrics of each printed chunk, because conditions read them all again and again. */
const parsed: EmittedMetric[][] = [];

/** Returns the metrics in the printed log lines with their values, as CloudWatch extracts them. */
function emitted(): EmittedMetric[] {
  for (const text of printed.slice(parsed.length)) parsed.push(metricsIn(text));
  return parsed.slice(ignored).flat();
}

function metricsIn(text: string): EmittedMetric[] {
  const lines = text.split('\n').filter((line) => line.includes('"_aws"'));
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

const valuesOf = ({ namespace, name, dimensions }: MetricIdentity): number[] =>
  emitted().flatMap((metric) =>
    JSON.stringify([metric.namespace, metric.name, metric.dimensions]) ===
    JSON.stringify([namespace, name, dimensions])
      ? [metric.value]
      : [],
  );
const own = (name: MetricName, dimensions: Record<string, string> = {}): MetricIdentity => ({
  namespace: 'Remit',
  name,
  dimensions: Object.entries({ ...dimensions, stage: 'prod' }).sort(([a], [b]) => (a < b ? -1 : 1)),
});

const alarms = (): Record<string, TemplateResource> =>
  Object.fromEntries(
    resourcesOfType(app.stateless.Resources, 'AWS::CloudWatch::Alarm')
      .filter(([id]) => !id.startsWith('Rollout'))
      .map(([id, alarm]) => [id.replace(/Alarm[0-9A-F]{8}$/, ''), alarm]),
  );
const alarmTopic = () =>
  resourcesOfType(app.stateless.Resources, 'AWS::SNS::Topic').find(([id]) => id.startsWith('Alarms'))?.[0];
const alarmOf = (name: string) => alarms()[name]?.Properties ?? {};

/** Returns the metrics of an alarm: one, or the parts of a sum. */
function metricsOf(name: string): MetricIdentity[] {
  const { Metrics, ...single } = alarmOf(name);
  // biome-ignore lint/suspicious/noExplicitAny: a template fragment has any shape
  const toIdentity = (metric: any): MetricIdentity => ({
    namespace: metric.Namespace,
    name: metric.MetricName,
    dimensions: (metric.Dimensions ?? []).map(({ Name, Value }: { Name: string; Value: unknown }) => [
      Name,
      Value,
    ]),
  });
  if (!Metrics) return [toIdentity(single)];
  // biome-ignore lint/suspicious/noExplicitAny: a template fragment has any shape
  return Metrics.flatMap(({ MetricStat }: any) => (MetricStat ? [toIdentity(MetricStat.Metric)] : []));
}

const triggerList = Object.values(triggers) as Trigger[];
const functionRef = (handler: string) => {
  const [[id] = []] = resourcesOfType(app.stateless.Resources, 'AWS::Lambda::Function').filter(
    ([, { Properties }]) => Properties.Description === handler,
  );
  return { Ref: id };
};
const ofLambda = (name: string, chosen: readonly Trigger[]): MetricIdentity[] =>
  chosen.map(({ handler }) => ({
    namespace: 'AWS/Lambda',
    name,
    dimensions: [['FunctionName', functionRef(handler)]],
  }));

const call = async <Result>(handler: string, event: unknown): Promise<Result> =>
  (await loadHandler<unknown, Result>(handler))(event, lambdaContext(handler, 60_000));

const beginReconciliation = () => call('functions/background/begin-reconciliation.ts', {});

/**
 * Runs the function of the canary once. Its receiver accepts all webhooks.
 * @param key `wrong`: the stored API key does not exist
 */
async function runCanaryOnce(key: 'paid' | 'wrong'): Promise<void> {
  const receiver = await startMailboxReceiver();
  const { accountId, test: client } = await newAccount(stack.baseUrl);
  const { url } = receiver.mailbox();
  const { json } = await client.post('/api/webhooks', { url, events: ['invoice.paid'] });
  const apiKey = key === 'wrong' ? 'sk_test_wrong' : client.apiKey;
  const config = { accountId, keyId: 'key_1', apiKey, webhookId: json.id, webhookSecret: json.secret };
  const secrets = await startSecretsManager({
    canary: JSON.stringify({ ...config, baseUrl: stack.baseUrl }),
  });
  Object.assign(process.env, {
    CANARY_SECRET_ARN: 'canary',
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.endpoint,
  });
  try {
    await call('functions/canary/run.ts', {});
  } finally {
    await Promise.all([secrets.close(), receiver.close()]);
  }
}

/** Lists an invoice whose item somebody has edited. Returns its id. */
async function listMalformedInvoice(): Promise<{ id: string; api: Api }> {
  const { test: other } = await newAccount(stack.baseUrl);
  const { id } = (await other.post('/api/invoices', invoiceBody())).json;
  await overwriteItem(tableOf(stack), tableKeys.record(id), { amount: 'a secret amount' });
  const { status, headers } = await other.get('/api/invoices');
  expect({ status, warning: headers['remit-warning'] }).toEqual({
    status: 200,
    warning: `malformed_records ${id}`,
  });
  return { id, api: other };
}

/** Gives a payment a currency that differs from its invoice's. Compares the records, then confirms the difference. */
async function findDifference(): Promise<void> {
  const { accountId, test: other } = await newAccount(stack.baseUrl);
  const { payment } = await newPayment(other);
  // A pending outbox item would explain the difference.
  await waitUntil('the outbox is empty', async () => {
    return (await tableOf(stack).outboxOf(`${accountId}#test`)).length === 0;
  });
  await overwriteItem(tableOf(stack), tableKeys.record(payment.id), { currency: 'INR' });
  const owner = { account: accountId, mode: 'test' } as const;
  const { comparePage } = await import('../../shared/operations/reconciliation/compare-pages.ts');
  const { identityOf } = await import('../../shared/operations/reconciliation/difference.ts');
  const { readAllocatedNumbers } = await import(
    '../../shared/operations/reconciliation/reconciliation-store.ts'
  );
  const page = { ...owner, resource: 'payment', page: 0 } as const;
  const numbers = await readAllocatedNumbers(owner);
  const candidates = numbers ? await comparePage(page, numbers) : [];
  const recheck = { candidates: candidates.map(identityOf), confirmed: [], checks: 1 };
  const body = JSON.stringify({ ...page, day: '2027-01-31', ...recheck });
  const message = { messageId: '1', eventSource: 'aws:sqs', body };
  const reconcile = 'functions/background/reconcile.ts';
  expect(await call(reconcile, { Records: [message] })).toEqual({ batchItemFailures: [] });
}

/** Deletes an empty sandbox after its end. */
async function deleteSandbox(): Promise<void> {
  const { createSandbox } = await import('../../shared/domain/accounts/account-store.ts');
  const { sandboxDrainMs, sandboxSettleMs } = await import(
    '../../shared/operations/sandboxes/delete-sandboxes.ts'
  );
  // A sweep at the advanced time would move its marks days ahead and disturb the later tests.
  await stack.schedule.pause();
  const clock = stopClock();
  try {
    await createSandbox({ name: 'Test', plan: 'standard', days: 1 });
    for (const waitMs of [86_400_001, sandboxDrainMs, sandboxSettleMs]) {
      clock.advance(waitMs);
      await call('functions/background/delete-sandboxes.ts', {});
    }
  } finally {
    setClock();
    stack.schedule.resume();
  }
}

/** Sends a request with a key whose entry got more permissions, as an attacker could write it. */
async function useWidenedKey(): Promise<void> {
  const { createKey } = await import('../../shared/domain/accounts/key-store.ts');
  const { hashApiKey } = await import('../../shared/domain/auth/api-key.ts');
  const { accountId } = await newAccount(stack.baseUrl);
  const owner = { account: accountId, mode: 'test' } as const;
  const { value } = await createKey({ owner, name: 'Reads events', permissions: ['events:read'] });
  const state = await tableOf(stack).get(tableKeys.accountState(owner));
  const entries = { ...state?.[accountStateAttributes.keys], [hashApiKey(value)]: {} };
  await overwriteItem(tableOf(stack), tableKeys.accountState(owner), {
    [accountStateAttributes.keys]: entries,
  });
  expect((await apiOf(stack.baseUrl, value).get('/api/invoices')).status).toBe(403);
}

/** Calls Stripe with a key that it does not accept, and pays a checkout that differs from what the table says. */
async function failAtProvider(): Promise<void> {
  const { saveConnection } = await import('../../shared/domain/payments/connections/change-connection.ts');
  const { openProvider } = await import('../../shared/domain/payments/connections/open-provider.ts');
  const { hintByPayer } = await import('../../shared/domain/payments/checkouts/hint.ts');
  const { double, newMerchant, notificationUrl, close } = await startCheckoutDouble(stack);
  try {
    const [refused, paid] = [await newMerchant(), await newMerchant()];
    const credentials = { apiKey: 'sk_live_revoked000000', notificationSecrets: ['whsec_1'] };
    const change = { credentials, currencies: ['USD'], accountName: '' } as const;
    await saveConnection(refused.owner, 'stripe', () => change, undefined);
    const provider = await openProvider(refused.owner, 'stripe');
    await expect(provider?.payment('pi_1')).rejects.toThrow();
    expect((await beginPaying((await refused.newInvoice()).paymentUrl)).status).toBe(400);

    const { id, paymentUrl } = await paid.newInvoice();
    await payAtDouble(double, paymentUrl);
    const checkouts = await tableOf(stack).all('co_');
    const checkout = checkouts.find(({ invoiceId }) => invoiceId === id);
    await overwriteItem(tableOf(stack), checkout as Key, { currency: 'INR' });
    await hintByPayer(String(checkout?.pk), Date.now());
    await waitUntil('the mismatch', () => valuesOf(own('CheckoutMismatches')).length > 0);
    await disputePayment(paid, double, notificationUrl(paid));
    await delayCheckout(paid, () => saveConnection(paid.owner, 'stripe', () => change, undefined));
  } finally {
    await close();
  }
}

/** Leaves a checkout without an answer of the provider, long after its end. */
async function delayCheckout(merchant: Merchant, revokeKey: () => Promise<unknown>): Promise<void> {
  const { pollCheckout } = await import('../../shared/domain/payments/checkouts/poll-checkout.ts');
  const { id, paymentUrl } = await merchant.newInvoice();
  await beginPaying(paymentUrl);
  const checkouts = await tableOf(stack).all('co_');
  const checkout = checkouts.find(({ invoiceId }) => invoiceId === id);
  await overwriteItem(tableOf(stack), checkout as Key, { openUntil: checkout?.createdAt - 3_600_000 });
  await revokeKey();
  const now = Date.now();
  await pollCheckout({ due: now, kind: 'checkout', minute: 1, reference: checkout?.pk }, now);
  expect(valuesOf(own('CheckoutDelay')).length).toBeGreaterThan(0);
}

/** Pays an invoice, and disputes the payment. */
async function disputePayment(merchant: Merchant, double: ProviderDouble, url: string): Promise<void> {
  double.notifications.sendTo('live', url);
  const { id, paymentUrl } = await merchant.newInvoice();
  await payAtDouble(double, paymentUrl);
  const payments = async () => (await merchant.api.get(`/api/payments?invoiceId=${id}`)).json.data;
  await waitUntil('the payment', async () => (await payments()).length > 0);
  double.openDispute((await payments())[0].reference);
  await waitUntil('the dispute', () => valuesOf(own('NewDisputes')).length > 0);
}

/**
 * Creates an invoice while the stream is stopped. Sweeps before and after the minute that the stream has.
 * @param onBegin is called after the sweep of what earlier requests left
 */
async function sweepWithoutStream(onBegin: () => void): Promise<void> {
  await Promise.all([stack.stream.pause(), stack.schedule.pause()]);
  const clock = stopClock();
  try {
    await stack.schedule.run();
    onBegin();
    await newInvoice(api);
    await stack.schedule.run();
    clock.advance(61_000);
    await stack.schedule.run();
  } finally {
    setClock();
    await Promise.all([stack.stream.resume(), stack.schedule.resume()]);
  }
}

describe('metrics of the service', () => {
  test('the stack logs each metric with the unit and dimensions that the metric table defines', async () => {
    const receiver = await startMailboxReceiver();
    try {
      const [accepting, refusing] = [receiver.mailbox(), receiver.mailbox()];
      refusing.respondWith(410);
      for (const { url } of [accepting, refusing]) await api.post('/api/webhooks', { url, events: ['*'] });
      await api.post('/api/webhooks', { url: 'http://127.0.0.1:9/', events: ['*'] });
      await newInvoice(api);
      const results = ['succeeded', 'failed', 'retried'].map((result) => own('Deliveries', { result }));
      await waitUntil('deliveries', () => results.every((metric) => valuesOf(metric).length > 0));
    } finally {
      await receiver.close();
    }
    await newPayment(api, cardNumbers.declined);
    const { payment } = await newPayment(api, cardNumbers.good);
    const refund = await api.post('/api/refunds', { paymentId: payment.id });
    await waitForOutcome(api, 'refunds', refund.json.id);
    await apiOf(stack.baseUrl, 'sk_test_none').get('/api/invoices');
    expect((await api.get('/api/invoices/inv_none')).status).toBe(404);
    await api.get('/api/invoices', { headers: { 'X-Test-Fault': 'before-commit' } });
    await beginReconciliation();
    await deleteSandbox();
    await findDifference();
    await listMalformedInvoice();
    await useWidenedKey();
    await failAtProvider();

    await runCanaryOnce('paid');
    await sweepWithoutStream(() => {});

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
      own('RequestedErrors'),
      ...['invalid_api_key', 'invoice_not_found'].map((code) => own('Errors', { code })),
      ...kinds.map((type) => own('Events', { mode: 'test', type })),
      own('DeliveryLag'),
      own('OutboxAge'),
      own('SweepLag'),
      own('SweptItems'),
      own('Reconciliations'),
      own('DeletedSandboxes'),
      own('RecordsReconciled'),
      own('Differences'),
      own('MalformedItems'),
      own('ProviderErrors'),
      own('ProviderFailures', { provider: 'stripe', operation: 'payment' }),
      own('CredentialRefusals'),
      own('CheckoutMismatches'),
      own('CheckoutDelay'),
      own('NewDisputes'),
      own('CheckoutRefusals', { provider: 'stripe', reason: 'credentials' }),
      own('CanarySuccess'),
      ...['create', 'read', 'pay', 'deliver'].map((step) => own('CanaryDuration', { step })),
    ];
    await waitUntil('all metrics', () => expected.every((metric) => valuesOf(metric).length > 0));
    // The wrong key, and the key without the permission.
    expect(valuesOf(own('AdmissionRefusals'))).toEqual([1, 1]);
    expect(valuesOf(own('Errors', { code: 'invoice_not_found' }))).toEqual([1]);
    expect(valuesOf(own('Events', { mode: 'test', type: 'refund.processed' }))).toEqual([1]);

    const table: Record<string, { unit: string; dimensions: readonly string[] }> = metrics;
    for (const { name, unit, dimensions, value } of emitted()) {
      const { unit: wanted, dimensions: names = [] } = table[name] ?? {};
      expect({ name, unit }).toEqual({ name, unit: wanted });
      expect(dimensions.map(([dimension]) => dimension)).toEqual(['stage', ...names].sort());
      for (const [, dimensionValue] of dimensions) expect(dimensionValue).toMatch(/^[\w.]+$/);
      expect(value).toBeGreaterThanOrEqual(0);
    }
    expect(new Set(emitted().map(({ name }) => name))).toEqual(new Set(Object.keys(metrics)));
  });

  test.each([
    'Events',
    'Deliveries',
    'Differences',
    'ProviderErrors',
    'CredentialRefusals',
    'CheckoutRefusals',
    'CheckoutMismatches',
    'CheckoutDelay',
    'NewDisputes',
  ] satisfies MetricName[])('each log line with the metric %s names the account that is affected', (name) => {
    const lines = printed.flatMap((text) => text.split('\n')).filter((line) => line.includes(`"${name}":`));
    const owners = lines.map((line) => JSON.parse(line)).map(({ account, mode }) => ({ account, mode }));
    expect(new Set(owners.map(({ mode }) => mode)).isSubsetOf(new Set(['test', 'live']))).toBe(true);
    for (const { account } of owners) expect(account).toMatch(/^acct_/);
    expect(owners.length).toBeGreaterThan(0);
  });
});

/** What each page of an alarm says, in this order. */
const pageLabels = ['Severity', 'Who is hurt', 'How to look', 'How to mend', 'How to know that it is over'];

describe('alarms', () => {
  const queueAlarms = triggerList.flatMap((trigger) =>
    trigger.kind === 'queue'
      ? [[`${trigger.queue}DeadLetters`.replace(/^./, (c) => c.toUpperCase()), trigger] as const]
      : [],
  );

  test('exactly these alarms exist; each names its page and notifies the given address', async () => {
    const names = [
      'ServerErrors',
      'Latency',
      'ClientErrors',
      'Unauthorized',
      'Forbidden',
      'TooManyRequests',
      'QueueAge',
      'SweepLag',
      'OutboxAge',
      'StreamLag',
      'StreamStopped',
      'FailedRefunds',
      'Differences',
      'MalformedItems',
      'ProviderErrors',
      'CredentialRefusals',
      'CheckoutMismatches',
      'CheckoutDelay',
      'NewDisputes',
      'NoReconciliation',
      'FunctionErrors',
      'FunctionErrors2',
      'SandboxDeletion',
      'FunctionThrottles',
      'FunctionThrottles2',
      'TableThrottles',
      'NoBackupCopy',
      'CanaryFailing',
      'CanaryObjective',
      'DashboardServerErrors',
      'DashboardLatency',
      'MailBounces',
      'MailComplaints',
      ...queueAlarms.map(([name]) => name),
    ];
    expect(Object.keys(alarms()).sort()).toEqual(names.sort());
    const pages = new Set<string>();
    const topic = alarmTopic();
    for (const name of names) {
      const link = /https:\/\/git\.example\.com\/remit\/(docs\/operate\/alarms\/[a-z-]+\.md)$/;
      const [, page = ''] = link.exec(alarmOf(name).AlarmDescription) ?? [];
      pages.add(page);
      const text = await readFile(page, 'utf8');
      expect(text).toMatch(new RegExp(`^# .*\\b${name}\\b`));
      const labels = [...text.matchAll(/^(?:- \*\*|## )(Severity|Who is hurt|How to .*?)(?::\*\*|\*\*|$)/gm)];
      expect(labels.map(([, label]) => label)).toEqual(pageLabels);
      expect(text).toMatch(/\*\*Severity:\*\* (Get up|Tomorrow)/);
      expect(alarmOf(name).AlarmActions).toEqual([{ Ref: topic }]);
      expect(alarmOf(name).ComparisonOperator).toBe(
        ['NoReconciliation', 'NoBackupCopy', 'CanaryFailing', 'CanaryObjective'].includes(name)
          ? 'LessThanThreshold'
          : 'GreaterThanOrEqualToThreshold',
      );
    }
    expect([...pages].sort()).toEqual(globSync('docs/operate/alarms/*.md').sort());
    const subscriptions = resourcesOfType(app.stateless.Resources, 'AWS::SNS::Subscription');
    expect(subscriptions.map(([, { Properties }]) => Properties)).toContainEqual({
      TopicArn: { Ref: topic },
      Protocol: 'email',
      Endpoint: 'on-call@example.com',
    });
  });

  test('mails: AWS judges the AWS account by these rates, which have no dimensions', () => {
    for (const [name, metric, threshold] of [
      ['MailBounces', 'Reputation.BounceRate', 0.02],
      ['MailComplaints', 'Reputation.ComplaintRate', 0.0005],
    ] as const) {
      expect(metricsOf(name)).toEqual([{ namespace: 'AWS/SES', name: metric, dimensions: [] }]);
      expect(alarmOf(name)).toMatchObject({ Threshold: threshold, TreatMissingData: 'notBreaching' });
    }
  });

  test('no alarm uses more than ten metrics, which is the limit of CloudWatch', () => {
    for (const name of Object.keys(alarms())) expect(metricsOf(name).length).toBeLessThanOrEqual(10);
  });

  test('the topic accepts alarms of this account only, and only over TLS', () => {
    const [, policy] =
      resourcesOfType(app.stateless.Resources, 'AWS::SNS::TopicPolicy').find(
        ([, { Properties }]) => Properties.Topics[0].Ref === alarmTopic(),
      ) ?? [];
    expect(policy?.Properties.PolicyDocument.Statement).toEqual([
      expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      expect.objectContaining({
        Effect: 'Allow',
        Action: 'sns:Publish',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    ]);
  });

  test('FailedRefunds: a refund that the provider refuses increases the metric', async () => {
    const { payment } = await newPayment(api, cardNumbers.refundFails);
    const { json } = await api.post('/api/refunds', { paymentId: payment.id });
    expect(await waitForOutcome(api, 'refunds', json.id)).toMatchObject({ status: 'failed' });
    const [metric, ...others] = metricsOf('FailedRefunds');
    expect(others).toEqual([]);
    // Live mode has no built-in provider, so this refund fails in test mode, which the alarm ignores.
    expect(metric).toEqual(own('Events', { mode: 'live', type: 'refund.failed' }));
    expect(valuesOf(own('Events', { mode: 'test', type: 'refund.failed' }))).toEqual([1]);
    expect(alarmOf('FailedRefunds').Threshold).toBe(1);
  });

  test('Differences: a confirmed difference is counted, logged and reported without the content of its record', async () => {
    ignored = printed.length;
    await findDifference();
    expect(metricsOf('Differences')).toEqual([own('Differences')]);
    expect(valuesOf(own('Differences'))).toEqual([1]);
    expect(alarmOf('Differences').Threshold).toBe(1);
    const { readReport, reportBegin } = await import('../../shared/operations/reconciliation/report.ts');
    await reportBegin('2027-01-31', 1, Date.now());
    const { differences } = (await readReport('2027-01-31')) ?? {};
    expect(differences).toHaveLength(2);
    const fields = ['account', 'expected', 'found', 'id', 'mode', 'resource', 'rule', 'seq'];
    for (const difference of differences ?? []) expect(Object.keys(difference).sort()).toEqual(fields);
    const line = printed.slice(ignored).find((text) => text.includes('"message":"difference"')) ?? '';
    expect(JSON.parse(line)).toMatchObject({ rule: 'currency_differs', expected: 'USD', found: 'INR' });
  });

  test('MalformedItems: a record that a list leaves out or a request needs is counted and logged, without its values', async () => {
    ignored = printed.length;
    const { id, api: other } = await listMalformedInvoice();
    expect(metricsOf('MalformedItems')).toEqual([own('MalformedItems')]);
    expect(valuesOf(own('MalformedItems'))).toEqual([1]);
    expect(alarmOf('MalformedItems').Threshold).toBe(1);
    expect((await other.get(`/api/invoices/${id}`)).json.error).toMatchObject({
      code: 'record_unreadable',
      message: expect.stringContaining(`${id} cannot be read`),
    });
    expect(valuesOf(own('MalformedItems'))).toEqual([1, 1]);
    expect(valuesOf(own('Errors', { code: 'record_unreadable' }))).toEqual([1]);
    const text = printed.slice(ignored).join('');
    expect(text).toContain(`"item":"${id}"`);
    expect(text).not.toContain('a secret amount');
  });

  test('NoReconciliation: one reconciliation starts each day; without one the metric has no data', async () => {
    // A sweep at the advanced time would move its marks days ahead and disturb the later tests.
    await stack.schedule.pause();
    const clock = stopClock();
    try {
      for (const days of [1, 0, 1]) {
        clock.advance(days * 86_400_000);
        ignored = printed.length;
        await beginReconciliation();
        expect(valuesOf(own('Reconciliations'))).toEqual(days === 0 ? [] : [1]);
      }
    } finally {
      setClock();
      stack.schedule.resume();
    }
    expect(metricsOf('NoReconciliation')).toEqual([own('Reconciliations')]);
    expect(alarmOf('NoReconciliation')).toMatchObject({
      Threshold: 1,
      TreatMissingData: 'breaching',
      Period: 3_600,
    });
    const hours = alarmOf('NoReconciliation').EvaluationPeriods;
    expect(hours).toBeGreaterThan(24);
    // CloudWatch evaluates at most seven days.
    expect(hours).toBeLessThanOrEqual(7 * 24);
  });

  test('OutboxAge and SweepLag: an item that is not relayed ages, and a late sweep reports its lag', async () => {
    await Promise.all([stack.stream.pause(), stack.schedule.pause()]);
    const clock = stopClock();
    try {
      await stack.schedule.run();
      await newInvoice(api);
      clock.advance(1_200_000);
      ignored = printed.length;
      await stack.schedule.run();
      for (const name of ['OutboxAge', 'SweepLag'] as const) {
        expect(metricsOf(name)).toEqual([own(name)]);
        const [seconds = 0] = valuesOf(own(name));
        expect(seconds).toBeGreaterThanOrEqual(alarmOf(name).Threshold);
        expect(seconds).toBeLessThanOrEqual(1_200);
      }
      // After the next sweep both values are below their thresholds.
      clock.advance(60_000);
      ignored = printed.length;
      await stack.schedule.run();
      for (const name of ['OutboxAge', 'SweepLag'] as const) {
        const [seconds = Number.NaN] = valuesOf(own(name));
        expect(seconds).toBeLessThan(alarmOf(name).Threshold);
      }
    } finally {
      await Promise.all([stack.stream.resume(), stack.schedule.resume()]);
    }
    // Without a sweep the metric has no data.
    expect(alarmOf('SweepLag').TreatMissingData).toBe('breaching');
  });

  test('ServerErrors: an internal failure returns 500, which the gateway counts, and is logged with its code', async () => {
    const broken = interceptCalls(respondWithError('ResourceNotFoundException'));
    try {
      expect((await api.get('/api/invoices')).status).toBe(500);
      await expect(stack.schedule.run()).rejects.toThrow();
    } finally {
      broken.remove();
    }
    expect(valuesOf(own('Errors', { code: 'internal_error' }))).toEqual([1]);
    const [[, restApi] = []] = resourcesOfType(app.stateless.Resources, 'AWS::ApiGateway::RestApi');
    expect(metricsOf('ServerErrors')).toEqual([
      { namespace: 'AWS/ApiGateway', name: '5XXError', dimensions: [['ApiName', restApi?.Properties.Name]] },
      own('RequestedErrors'),
    ]);
  });

  test('ServerErrors: a 500 that the client asked for is subtracted, and so is no other response', async () => {
    ignored = printed.length;
    const requested = await api.get('/api/invoices', { headers: { 'X-Test-Fault': 'before-commit' } });
    expect(requested.status).toBe(500);
    expect(valuesOf(own('RequestedErrors'))).toEqual([1]);
    expect(valuesOf(own('Errors', { code: 'internal_error' }))).toEqual([]);
    const limited = await api.get('/api/invoices', { headers: { 'X-Test-Fault': 'rate-limited' } });
    expect(limited.status).toBe(429);
    expect(valuesOf(own('RequestedErrors'))).toEqual([1]);
    expect(valuesOf(own('RefusedRequests', { refusedStatus: '429' }))).toEqual([]);
    const sums = JSON.stringify(alarmOf('ServerErrors').Metrics);
    expect(sums).toContain('errors - FILL(requested, 0)');
  });

  test('Unauthorized, Forbidden and TooManyRequests: each counts its status, of the API and of payment pages', async () => {
    const account = await newAccount(stack.baseUrl);
    const invoice = await newInvoice(account.test);
    const ofStatus = (refusedStatus: string) => own('RefusedRequests', { refusedStatus });
    const statuses = { Unauthorized: '401', Forbidden: '403', TooManyRequests: '429' };
    ignored = printed.length;
    expect((await apiOf(stack.baseUrl, 'sk_test_none').get('/api/invoices')).status).toBe(401);
    expect((await submit(invoice.paymentUrl, { attempt: 'x' })).status).toBe(403);
    await exhaustRateLimit(account.accountId);
    expect((await account.test.get('/api/invoices')).status).toBe(429);
    for (const [name, status] of Object.entries(statuses)) {
      expect(metricsOf(name)).toEqual([ofStatus(status)]);
      expect(valuesOf(ofStatus(status))).toEqual([1]);
      expect(alarmOf(name)).toMatchObject({ Statistic: 'Sum', Period: 300 });
    }

    const other = await newAccount(stack.baseUrl);
    await markMaintenance(other.accountId);
    ignored = printed.length;
    expect((await other.test.post('/api/invoices', {})).status).toBe(429);
    expect((await account.live.get('/api/invoices/inv_none')).status).toBe(404);
    for (const status of Object.values(statuses)) expect(valuesOf(ofStatus(status))).toEqual([]);
  });

  test('DashboardServerErrors and DashboardLatency use the metrics of the gateway of the dashboard', () => {
    const [[, gateway] = []] = resourcesOfType(app.dashboard?.Resources ?? {}, 'AWS::ApiGateway::RestApi');
    expect(gateway?.Properties.Name).toEqual({ Ref: 'AWS::StackName' });
    const dimensions = [['ApiName', app.stacks.dashboard?.stackName]];
    for (const [alarm, name] of [
      ['DashboardServerErrors', '5XXError'],
      ['DashboardLatency', 'Latency'],
    ] as const)
      expect(metricsOf(alarm)).toEqual([{ namespace: 'AWS/ApiGateway', name, dimensions }]);
  });

  test('Latency, ClientErrors and QueueAge use the metrics of the gateway and of all queues', () => {
    const [[, restApi] = []] = resourcesOfType(app.stateless.Resources, 'AWS::ApiGateway::RestApi');
    const dimensions = [['ApiName', restApi?.Properties.Name]];
    const ofGateway = (name: string) => ({ namespace: 'AWS/ApiGateway', name, dimensions });
    expect(metricsOf('Latency')).toEqual([ofGateway('Latency')]);
    expect(metricsOf('ClientErrors')).toEqual([ofGateway('Count'), ofGateway('4XXError')]);
    const names = resourcesOfType(app.stateless.Resources, 'AWS::SQS::Queue').map(([id]) => id);
    expect(metricsOf('QueueAge')).toEqual(
      names.map((id) => ({
        namespace: 'AWS/SQS',
        name: 'ApproximateAgeOfOldestMessage',
        dimensions: [['QueueName', { 'Fn::GetAtt': [id, 'QueueName'] }]],
      })),
    );
  });

  test('FunctionErrors, SandboxDeletion and FunctionThrottles cover every background function', () => {
    const isRare = ({ handler }: Trigger) => handler === triggers.deleteSandboxes.handler;
    const counted = triggerList.filter((trigger) => !isRare(trigger));
    expect([...metricsOf('FunctionErrors'), ...metricsOf('FunctionErrors2')]).toEqual(
      ofLambda('Errors', counted),
    );
    expect(metricsOf('SandboxDeletion')).toEqual(ofLambda('Errors', triggerList.filter(isRare)));
    expect(alarmOf('SandboxDeletion')).toMatchObject({ Threshold: 1, Period: 3_600, EvaluationPeriods: 3 });
    const unreserved = triggerList.filter(({ kind }) => kind !== 'schedule');
    expect([...metricsOf('FunctionThrottles'), ...metricsOf('FunctionThrottles2')]).toEqual(
      ofLambda('Throttles', unreserved),
    );
  });

  test('StreamLag: the function reports a record that it cannot relay, so Lambda blocks the shard and its age grows', async () => {
    const streams = triggerList.filter(({ kind }) => kind === 'stream');
    expect(metricsOf('StreamLag')).toEqual(ofLambda('IteratorAge', streams));
    const poison = { eventID: '1', eventSource: 'aws:dynamodb', dynamodb: { SequenceNumber: '1' } };
    for (const { handler } of streams) {
      expect(await runWithRecord(handler, poison)).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
    }
  });

  test('StreamStopped: the sweep relays what a stopped stream leaves, and nothing calls the consumer', async () => {
    const [stream] = triggerList.filter(({ kind }) => kind === 'stream') as [Trigger];
    expect(metricsOf('StreamStopped')).toEqual([...ofLambda('Invocations', [stream]), own('SweptItems')]);
    await sweepWithoutStream(() => {
      ignored = printed.length;
    });
    expect(valuesOf(own('SweptItems'))).toEqual([1]);
  });

  test.each(queueAlarms)(
    '%s: the function reports a failed message, which SQS then moves to the dead-letter queue',
    async (name, { handler, queue }) => {
      // A message that cannot be read fails only while the table does not store it.
      const unreadable = { messageId: '1', eventSource: 'aws:sqs', body: '?' };
      const { remove } = interceptCalls(respondWithError('AccessDeniedException'));
      const failed = { batchItemFailures: [{ itemIdentifier: '1' }] };
      expect(await runWithRecord(handler, unreadable).finally(remove)).toEqual(failed);
      const [work] = resourcesOfType(app.stateless.Resources, 'AWS::SQS::Queue').filter(([id]) =>
        id.toLowerCase().startsWith(queue),
      );
      const target: string = work?.[1].Properties.RedrivePolicy.deadLetterTargetArn['Fn::ImportValue'];
      const [, deadLetters] = /ExportsOutputFnGetAtt(\w+DeadLetters[0-9A-F]{8})Arn/.exec(target) ?? [];
      const [metric, ...others] = metricsOf(name);
      expect(others).toEqual([]);
      expect(metric).toEqual({
        namespace: 'AWS/SQS',
        name: 'ApproximateNumberOfMessagesVisible',
        dimensions: [
          ['QueueName', { 'Fn::ImportValue': expect.stringContaining(`${deadLetters}QueueName`) }],
        ],
      });
      expect(alarmOf(name).Threshold).toBe(1);
    },
  );

  const runWithRecord = (handler: string, record: object) => call(handler, { Records: [record] });

  test('TableThrottles: the alarm uses the throttle counts of the table in use', () => {
    const TableName = { 'Fn::ImportValue': expect.stringMatching(/ExportsOutputRefTable/) };
    expect(metricsOf('TableThrottles')).toEqual(
      ['ReadThrottleEvents', 'WriteThrottleEvents'].map((name) => ({
        namespace: 'AWS/DynamoDB',
        name,
        dimensions: [['TableName', TableName]],
      })),
    );
  });
});

test('CanaryFailing and CanaryObjective: a failed run lowers the success rate, and missing runs trigger only the first', async () => {
  ignored = printed.length;
  await runCanaryOnce('wrong');
  expect(valuesOf(own('CanarySuccess'))).toEqual([0]);
  expect(printed.slice(ignored).join('')).toContain('"failedStep":"create"');
  expect(printed.slice(ignored).join('')).not.toMatch(/sk_test_|whsec_/);
  for (const [name, Period, Threshold, TreatMissingData] of [
    ['CanaryFailing', 900, 0.5, 'breaching'],
    ['CanaryObjective', 86_400, 0.985, 'notBreaching'],
  ] as const) {
    expect(metricsOf(name)).toEqual([own('CanarySuccess')]);
    const expected = { Statistic: 'Average', EvaluationPeriods: 1, Period, Threshold, TreatMissingData };
    expect(alarmOf(name)).toMatchObject(expected);
  }
});

test('NoBackupCopy: the alarm counts the copies of both vaults, and missing data triggers it', () => {
  const vaults = [app.stateful, app.backup].flatMap((template) =>
    resourcesOfType(template?.Resources ?? {}, 'AWS::Backup::BackupVault').map(
      ([, { Properties }]) => Properties.BackupVaultName,
    ),
  );
  expect(vaults).toHaveLength(2);
  expect(metricsOf('NoBackupCopy')).toEqual(
    vaults.map((vault) => ({
      namespace: 'AWS/Backup',
      name: 'NumberOfCopyJobsCompleted',
      dimensions: [['BackupVaultName', vault]],
    })),
  );
  const { Metrics, ...alarm } = alarmOf('NoBackupCopy');
  expect(alarm).toMatchObject({ Threshold: 1, EvaluationPeriods: 30, TreatMissingData: 'breaching' });
  for (const { MetricStat } of Metrics) expect(MetricStat?.Period ?? 3_600).toBe(3_600);
});

describe('metrics dashboard and queries', () => {
  test('the metrics dashboard shows every metric of the service, of the queues, of the functions and of the table', () => {
    const [[, dashboard] = []] = resourcesOfType(app.stateless.Resources, 'AWS::CloudWatch::Dashboard');
    const shown = JSON.stringify(dashboard?.Properties.DashboardBody);
    for (const name of Object.keys(metrics)) expect(shown).toMatch(new RegExp(`\\b${name}\\b`));
    for (const name of ['ApproximateAgeOfOldestMessage', 'Duration', 'ConcurrentExecutions', '4XXError'])
      expect(shown).toContain(name);
    for (const name of ['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits', 'WriteThrottleEvents'])
      expect(shown).toContain(name);
    expect(app.stateless.Outputs).toHaveProperty('MetricsDashboardUrl');
  });

  test('saved queries search the logs of the functions that write the messages', () => {
    const logsOf = (area: RegExp) =>
      resourcesOfType(app.stateless.Resources, 'AWS::Lambda::Function').flatMap(([, { Properties }]) =>
        area.test(Properties.Description) ? [Properties.LoggingConfig.LogGroup] : [],
      );
    const logs = {
      request: logsOf(/^functions\/(?!background)/),
      event: logsOf(/./),
      other: logsOf(/^functions\/background/),
    };
    const lines = printed.flatMap((text) => text.split('\n')).filter((line) => line.startsWith('{'));
    const messages = new Set(lines.map((line) => JSON.parse(line).message));
    const queries = resourcesOfType(app.stateless.Resources, 'AWS::Logs::QueryDefinition');
    const saved = readFileSync('docs/operate/README.md', 'utf8');
    expect(queries.length).toBeGreaterThan(0);
    // A query that would search more than 50 log groups has several parts.
    const parts = Map.groupBy(queries, ([, { Properties }]) => Properties.QueryString as string);
    for (const [text, definitions] of parts) {
      const [, message = ''] = /message = "([^"]+)"/.exec(text) ?? [];
      const searched = logs[message as keyof typeof logs] ?? logs.other;
      const groups: object[] = definitions.flatMap(([, { Properties }]) => Properties.LogGroupNames);
      expect(groups).toHaveLength(searched.length);
      expect(groups).toEqual(expect.arrayContaining(searched));
      expect(saved).toContain(text);
      expect([...messages]).toContain(message);
    }
  });

  test('without an address there are no alarms, and without a dashboard no queries', async () => {
    const { stateful, stateless } = await synthesize();
    // A deployment cannot remove an export while the other stack still imports it.
    const outputsOf = (outputs: object) =>
      Object.keys(outputs).filter((name) => !name.startsWith('MailDnsRecord'));
    expect(outputsOf(stateful.Outputs).sort()).toEqual(outputsOf(app.stateful.Outputs).sort());
    const types = Object.values(stateless.Resources).map(({ Type }) => Type);
    expect(types.filter((type) => /CloudWatch|SNS|QueryDefinition/.test(type))).toEqual([]);
  });
});
