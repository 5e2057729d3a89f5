/**
 * Creates the CloudWatch alarms.
 *
 * - Every alarm needs a person to act. Its text names the page that says who is hurt and what to do.
 * - There are alarms only if the setting `alarmEmail` is set.
 * - The service's own metrics are defined in `shared/base/metrics.ts`.
 */
import { Duration } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { AlarmOptions } from './alarm-options.ts';
import { alarmPage } from './alarm-page.ts';
import { createAlarmTopic } from './alarm-topic.ts';
import { type BackgroundFunctions, countedFunctions } from './background.ts';
import { completedCopies } from './backup.ts';
import { dashboardAlarms } from './dashboard-alarms.ts';
import { mailAlarms } from './mail-alarms.ts';
import { sumMetrics } from './metric-sums.ts';
import { providerAlarms } from './provider-alarms.ts';
import { capitalize, type Queues } from './queues.ts';
import { serverErrors } from './server-errors.ts';
import { serviceMetric } from './service-metric.ts';
import { deploymentName, type Settings } from './settings.ts';
import type { StatefulStack } from './stateful-stack.ts';
import { queues, triggers } from './triggers.ts';

/** The resources that alarms and the metrics dashboard monitor. */
export interface MonitoredResources {
  readonly settings: Settings;
  readonly stateful: StatefulStack;
  readonly api: RestApi;
  readonly background: BackgroundFunctions;
  readonly queues: Queues;
}

const minute = Duration.minutes(1);
const fiveMinutes = Duration.minutes(5);
const hour = Duration.hours(1);

/** Adds all alarms and their notification topic. Adds nothing if the setting `alarmEmail` is not set. */
export function addAlarms(scope: Construct, resources: MonitoredResources): void {
  const { settings, stateful } = resources;
  if (settings.alarmEmail === undefined) return;
  const topic = createAlarmTopic(scope, settings.alarmEmail, stateful.customerKey);
  const alarms: Readonly<Record<string, AlarmOptions>> = {
    ...defineAlarms(resources),
    ...providerAlarms(settings),
    ...(settings.canary && canaryAlarms(settings)),
    ...(settings.dashboard && dashboardAlarms(settings)),
    ...(settings.mailFrom !== undefined && mailAlarms()),
  };
  for (const [name, options] of Object.entries(alarms)) addAlarm(scope, name, options, settings, topic);
}

function addAlarm(
  scope: Construct,
  name: string,
  { periods = 1, triggersOnMissingData, triggersBelow, ...options }: AlarmOptions,
  settings: Settings,
  topic: Topic,
): void {
  const alarm = new Alarm(scope, `${name}Alarm`, {
    ...options,
    alarmDescription: `Remit ${deploymentName(settings)}: ${name}. Who is hurt, and what to do: ${alarmPage(name, settings.runbookUrl)}`,
    evaluationPeriods: periods,
    ...(triggersBelow && { comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD }),
    treatMissingData: triggersOnMissingData ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
  });
  alarm.addAlarmAction(new SnsAction(topic));
  alarm.addOkAction(new SnsAction(topic));
}

function defineAlarms({
  settings,
  stateful,
  api,
  background,
  queues: queuesInUse,
}: MonitoredResources): Record<string, AlarmOptions> {
  const latest = { statistic: 'Maximum', period: minute };
  const refusedRequests = (refusedStatus: string) =>
    serviceMetric(settings, 'RefusedRequests', { refusedStatus }, { statistic: 'Sum', period: fiveMinutes });
  const failedRefunds = { mode: 'live', type: 'refund.failed' } as const;
  return {
    ServerErrors: { metric: serverErrors(settings, api, fiveMinutes), threshold: 5 },
    /** The slowest hundredth of the requests. */
    Latency: {
      metric: api.metricLatency({ statistic: 'p99', period: fiveMinutes }),
      threshold: 5_000,
      periods: 3,
    },
    ClientErrors: { metric: clientErrorRate(api), threshold: 50, periods: 3 },
    Unauthorized: { metric: refusedRequests('401'), threshold: 500 },
    Forbidden: { metric: refusedRequests('403'), threshold: 200 },
    TooManyRequests: { metric: refusedRequests('429'), threshold: 500 },
    QueueAge: { metric: oldestMessageAge(queuesInUse), threshold: 1_800, periods: 3 },
    SweepLag: {
      metric: serviceMetric(settings, 'SweepLag', {}, latest),
      threshold: 300,
      periods: 5,
      triggersOnMissingData: true,
    },
    OutboxAge: { metric: serviceMetric(settings, 'OutboxAge', {}, latest), threshold: 600, periods: 3 },
    StreamLag: {
      metric: background.publishOutbox.fn.metric('IteratorAge', latest),
      threshold: Duration.minutes(5).toMilliseconds(),
      periods: 5,
    },
    StreamStopped: { metric: sweptWithoutStream(settings, background), threshold: 1 },
    FailedRefunds: {
      metric: serviceMetric(settings, 'Events', failedRefunds, { statistic: 'Sum', period: fiveMinutes }),
      threshold: 1,
    },
    Differences: {
      metric: serviceMetric(settings, 'Differences', {}, { statistic: 'Sum', period: fiveMinutes }),
      threshold: 1,
    },
    MalformedItems: {
      metric: serviceMetric(settings, 'MalformedItems', {}, { statistic: 'Sum', period: fiveMinutes }),
      threshold: 1,
    },
    /** A reconciliation starts each day. The period is 26 hours, because the hour of the start can differ. */
    NoReconciliation: {
      metric: serviceMetric(settings, 'Reconciliations', {}, { statistic: 'Sum', period: hour }),
      threshold: 1,
      triggersBelow: true,
      periods: 26,
      triggersOnMissingData: true,
    },
    /** The function runs every hour. Three failed runs in a row are no coincidence. */
    SandboxDeletion: {
      metric: background.deleteSandboxes.fn.metricErrors({ statistic: 'Sum', period: hour }),
      threshold: 1,
      periods: 3,
    },
    ...functionAlarms('FunctionErrors', 'Errors', countedFunctions(background), { threshold: 5 }),
    ...functionAlarms('FunctionThrottles', 'Throttles', functionsWithoutOneRun(background), {
      threshold: 1,
      periods: 3,
    }),
    TableThrottles: { metric: tableThrottles(stateful), threshold: 100, periods: 3 },
    ...deadLetterAlarms(stateful.deadLetters),
    ...(settings.backupRegion !== undefined && {
      /** A copy arrives each day. The period is 30 hours, because the duration of a backup and of its copy can differ. */
      NoBackupCopy: {
        metric: completedCopies(settings),
        threshold: 1,
        triggersBelow: true,
        periods: 30,
        triggersOnMissingData: true,
      },
    }),
  };
}

/**
 * The objective is that 99.5 % of the canary's runs of 30 days succeed, which allows 43 failed runs.
 *
 * - `CanaryFailing` reports an outage: most of the three runs of 15 minutes failed, or there were none.
 * - `CanaryObjective` reports single failures that repeat: in a day, three times as many runs failed as the objective
 *   allows. The allowance of 30 days would be used up in ten.
 */
function canaryAlarms(settings: Settings): Record<'CanaryFailing' | 'CanaryObjective', AlarmOptions> {
  const successRate = (period: Duration) =>
    serviceMetric(settings, 'CanarySuccess', {}, { statistic: 'Average', period });
  return {
    CanaryFailing: {
      metric: successRate(Duration.minutes(15)),
      threshold: 0.5,
      triggersBelow: true,
      triggersOnMissingData: true,
    },
    CanaryObjective: { metric: successRate(Duration.days(1)), threshold: 0.985, triggersBelow: true },
  };
}

/** Excludes scheduled functions. They run one at a time, so Lambda throttles an early invocation by design. */
function functionsWithoutOneRun(background: BackgroundFunctions): IFunction[] {
  return Object.entries(background).flatMap(([name, { fn }]) =>
    triggers[name as keyof typeof triggers].kind === 'schedule' ? [] : [fn],
  );
}

/**
 * Defines an alarm for the sum of a metric over `functions`, or several if there are too many functions for one alarm.
 * Callers omit API functions, because the gateway's 5xx count shows their failures.
 */
function functionAlarms(
  name: string,
  metricName: 'Errors' | 'Throttles',
  functions: readonly IFunction[],
  options: Omit<AlarmOptions, 'metric'>,
): Record<string, AlarmOptions> {
  const sums = sumMetrics(functions, metricName, fiveMinutes);
  return Object.fromEntries(
    sums.map((metric, index) => [`${name}${index === 0 ? '' : index + 1}`, { metric, ...options }]),
  );
}

/** The percentage of requests with a 4xx response. 0 if there are fewer than 100 requests in five minutes. */
function clientErrorRate(api: RestApi): IMetric {
  const sum = { statistic: 'Sum', period: fiveMinutes };
  return new MathExpression({
    expression: 'IF(requests >= 100, 100 * errors / requests, 0)',
    usingMetrics: { requests: api.metricCount(sum), errors: api.metricClientError(sum) },
    period: fiveMinutes,
    label: 'requests with a 4xx response (%)',
  });
}

/**
 * The changes that the sweep has relayed in a quarter of an hour without one call of the stream's consumer: its mapping is
 * disabled. An enabled mapping calls the function for each change, also if the call fails.
 */
function sweptWithoutStream(settings: Settings, { publishOutbox }: BackgroundFunctions): IMetric {
  const sum = { statistic: 'Sum', period: Duration.minutes(15) };
  return new MathExpression({
    expression: 'IF(FILL(calls, 0) == 0, FILL(swept, 0), 0)',
    usingMetrics: {
      calls: publishOutbox.fn.metricInvocations(sum),
      swept: serviceMetric(settings, 'SweptItems', {}, sum),
    },
    period: sum.period,
    label: 'changes relayed without the stream',
  });
}

/** The age of the oldest message of all queues, in seconds. */
function oldestMessageAge(monitored: Queues): IMetric {
  const ages = Object.values(monitored).map((queue, index) => [
    `m${index}`,
    queue.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum', period: fiveMinutes }),
  ]);
  return new MathExpression({
    expression: 'MAX(METRICS())',
    usingMetrics: Object.fromEntries(ages),
    period: fiveMinutes,
    label: 'age of the oldest message (s)',
  });
}

function tableThrottles({ table }: StatefulStack): IMetric {
  const metric = (metricName: string) =>
    new Metric({
      namespace: 'AWS/DynamoDB',
      metricName,
      dimensionsMap: { TableName: table.tableName },
      statistic: 'Sum',
      period: fiveMinutes,
    });
  return new MathExpression({
    // DynamoDB reports no throttling as no data, and an alarm on its metrics keeps its state without data.
    expression: 'FILL(m0, 0) + FILL(m1, 0)',
    usingMetrics: { m0: metric('ReadThrottleEvents'), m1: metric('WriteThrottleEvents') },
    period: fiveMinutes,
    label: 'throttled requests',
  });
}

function deadLetterAlarms(deadLetters: Queues): Record<string, AlarmOptions> {
  const names = Object.keys(queues) as (keyof typeof queues)[];
  return Object.fromEntries(
    names.map((name) => [
      `${capitalize(name)}DeadLetters`,
      {
        metric: deadLetters[name].metricApproximateNumberOfMessagesVisible({
          statistic: 'Maximum',
          period: fiveMinutes,
        }),
        threshold: 1,
      },
    ]),
  );
}
