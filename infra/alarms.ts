/**
 * Alarms on what a person must act on, and whom they tell; what to do is in RUNBOOK.md, under the alarm's name. There
 * are none without somebody to tell. Metrics of the service's own are those of `shared/metrics.ts`.
 */
import { Aws, Duration } from 'aws-cdk-lib';
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
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { type MetricName, type metrics, namespace } from '../shared/metrics.ts';
import type { BackgroundFunctions } from './background.ts';
import { capitalised, type Queues } from './queues.ts';
import type { Settings } from './settings.ts';
import type { StatefulStack } from './stateful-stack.ts';
import { queues, triggers } from './triggers.ts';

/** What is watched. */
export interface Watched {
  readonly settings: Settings;
  readonly stateful: StatefulStack;
  readonly api: RestApi;
  readonly background: BackgroundFunctions;
}

interface AlarmOptions {
  readonly metric: IMetric;
  /** It sounds from this value on, or below it. */
  readonly threshold: number;
  readonly soundsBelow?: true;
  /** Of the metric's, in a row. */
  readonly periods?: number;
  /** Whether silence is a reason to sound as well. */
  readonly soundsInSilence?: true;
}

const minute = Duration.minutes(1);
const fiveMinutes = Duration.minutes(5);
const hour = Duration.hours(1);

/** One of the service's own metrics, as `shared/metrics.ts` has it logged. @param dimensions all but the stage */
export function ownMetric<Name extends MetricName>(
  { stage }: Settings,
  name: Name,
  dimensions: Readonly<Record<(typeof metrics)[Name]['dimensions'][number], string>>,
  options: { readonly statistic: string; readonly period: Duration },
): Metric {
  return new Metric({ namespace, metricName: name, dimensionsMap: { stage, ...dimensions }, ...options });
}

/** Adds all alarms and the topic that tells of them, if the settings name somebody to tell. */
export function addAlarms(scope: Construct, watched: Watched): void {
  const { settings, stateful } = watched;
  if (settings.alarmEmail === undefined) return;
  const topic = alarmTopic(scope, settings.alarmEmail, stateful);
  for (const [name, alarmOptions] of Object.entries(alarmsOf(watched))) {
    const { periods = 1, soundsInSilence, soundsBelow, ...options } = alarmOptions;
    const alarm = new Alarm(scope, `${name}Alarm`, {
      ...options,
      alarmDescription: `Remit, ${settings.stage}: ${name}. RUNBOOK.md tells what it means and what to do.`,
      evaluationPeriods: periods,
      ...(soundsBelow && { comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD }),
      treatMissingData: soundsInSilence ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(topic));
    alarm.addOkAction(new SnsAction(topic));
  }
}

function alarmsOf({ settings, stateful, api, background }: Watched): Record<string, AlarmOptions> {
  const latest = { statistic: 'Maximum', period: minute };
  const failedRefunds = { mode: 'live', type: 'refund.failed' } as const;
  return {
    ServerErrors: { metric: api.metricServerError({ statistic: 'Sum', period: fiveMinutes }), threshold: 5 },
    SweepLag: {
      metric: ownMetric(settings, 'SweepLag', {}, latest),
      threshold: 300,
      periods: 5,
      soundsInSilence: true,
    },
    OutboxAge: { metric: ownMetric(settings, 'OutboxAge', {}, latest), threshold: 600, periods: 3 },
    StreamLag: {
      metric: background.publishOutbox.metric('IteratorAge', latest),
      threshold: Duration.minutes(5).toMilliseconds(),
      periods: 5,
    },
    FailedRefunds: {
      metric: ownMetric(settings, 'Events', failedRefunds, { statistic: 'Sum', period: fiveMinutes }),
      threshold: 1,
    },
    Differences: {
      metric: ownMetric(settings, 'Differences', {}, { statistic: 'Sum', period: fiveMinutes }),
      threshold: 1,
    },
    /** One was begun each day, however the hour of its beginning moves. */
    NoReconciliation: {
      metric: ownMetric(settings, 'Reconciliations', {}, { statistic: 'Sum', period: hour }),
      ...{ threshold: 1, soundsBelow: true, periods: 26, soundsInSilence: true },
    },
    FunctionErrors: { metric: sumOf('Errors', Object.values(background)), threshold: 5 },
    FunctionThrottles: { metric: sumOf('Throttles', unreserved(background)), threshold: 1, periods: 3 },
    TableThrottles: { metric: tableThrottles(stateful), threshold: 100, periods: 3 },
    ...deadLetters(stateful.deadLetters),
  };
}

/** The sweep runs alone: that one which comes too early is turned away is as it should be. */
function unreserved(background: BackgroundFunctions): IFunction[] {
  return Object.entries(background).flatMap(([name, fn]) =>
    triggers[name as keyof typeof triggers].kind === 'schedule' ? [] : [fn],
  );
}

/** Functions behind the gateway are left out: what befalls them is seen in its answers. */
function sumOf(metricName: 'Errors' | 'Throttles', functions: readonly IFunction[]): IMetric {
  const each = functions.map(
    (fn, index) => [`m${index}`, fn.metric(metricName, { statistic: 'Sum', period: fiveMinutes })] as const,
  );
  return new MathExpression({
    expression: 'SUM(METRICS())',
    usingMetrics: Object.fromEntries(each),
    period: fiveMinutes,
    label: metricName,
  });
}

function tableThrottles({ table }: StatefulStack): IMetric {
  const of = (metricName: string) =>
    new Metric({
      namespace: 'AWS/DynamoDB',
      metricName,
      dimensionsMap: { TableName: table.tableName },
      statistic: 'Sum',
      period: fiveMinutes,
    });
  return new MathExpression({
    expression: 'SUM(METRICS())',
    usingMetrics: { m0: of('ReadThrottleEvents'), m1: of('WriteThrottleEvents') },
    period: fiveMinutes,
    label: 'throttled requests',
  });
}

function deadLetters(of: Queues): Record<string, AlarmOptions> {
  const names = Object.keys(queues) as (keyof typeof queues)[];
  return Object.fromEntries(
    names.map((name) => [
      `${capitalised(name)}DeadLetters`,
      {
        metric: of[name].metricApproximateNumberOfMessagesVisible({
          statistic: 'Maximum',
          period: fiveMinutes,
        }),
        threshold: 1,
      },
    ]),
  );
}

function alarmTopic(scope: Construct, address: string, { customerKey }: StatefulStack): Topic {
  const topic = new Topic(scope, 'Alarms', {
    enforceSSL: true,
    ...(customerKey && { masterKey: customerKey }),
  });
  topic.addSubscription(new EmailSubscription(address));
  // A topic with a policy of its own no longer lets the account's alarms in by itself.
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
    }),
  );
  return topic;
}
