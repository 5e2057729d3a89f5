/** Creates the CloudWatch dashboard of the service for the setting `metricsDashboard`. */
import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { type MetricName, metrics, namespace } from '../shared/base/metrics.ts';
import type { MonitoredResources } from './alarms.ts';
import { serviceMetric } from './service-metric.ts';
import { deploymentName } from './settings.ts';

const period = Duration.minutes(5);
const sum = { statistic: 'Sum', period };
const maximum = { statistic: 'Maximum', period };
const widget = (title: string, left: IMetric[]) => new GraphWidget({ title, left, width: 8, height: 6 });

/**
 * Adds the dashboard and the output `MetricsDashboardUrl`.
 * @param functions all functions
 */
export function addMetricsDashboard(
  scope: Construct,
  resources: MonitoredResources,
  functions: readonly IFunction[],
): void {
  const dashboard = new Dashboard(scope, 'Dashboard', {
    widgets: [
      ...serviceWidgets(resources),
      ...providerWidgets(resources),
      ...platformWidgets(resources, functions),
      ...canaryWidgets(resources),
    ],
  });
  const { region } = Stack.of(scope);
  const console = `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}`;
  new CfnOutput(scope, 'MetricsDashboardUrl', {
    value: `${console}#dashboards/dashboard/${dashboard.dashboardName}`,
  });
}

/** Returns what the service itself counts, a row of widgets each. */
function serviceWidgets({
  settings,
  api,
  stateful,
  background,
  queues,
}: MonitoredResources): GraphWidget[][] {
  const deployment = deploymentName(settings);
  return [
    [
      widget('Requests', [
        serviceMetric(settings, 'Requests', {}, sum),
        serviceMetric(settings, 'AdmissionRefusals', {}, sum),
        api.metricServerError(sum),
        serviceMetric(settings, 'RequestedErrors', {}, sum),
        api.metricClientError(sum),
      ]),
      widget('Errors by code, and refused requests by status', [
        byDimension(deployment, 'Errors'),
        byDimension(deployment, 'RefusedRequests'),
      ]),
      widget('Latency (ms)', [
        api.metricLatency({ statistic: 'p50', period }),
        api.metricLatency({ statistic: 'p99', period }),
      ]),
    ],
    [
      widget('Events: payments, refunds, invoices', [byDimension(deployment, 'Events')]),
      widget('Deliveries by result', [byDimension(deployment, 'Deliveries')]),
      widget('Delivery lag (ms)', [
        serviceMetric(settings, 'DeliveryLag', {}, { statistic: 'p50', period }),
        serviceMetric(settings, 'DeliveryLag', {}, { statistic: 'p99', period }),
      ]),
    ],
    [
      widget('Sweep lag and oldest outbox item (s)', [
        serviceMetric(settings, 'SweepLag', {}, maximum),
        serviceMetric(settings, 'OutboxAge', {}, maximum),
      ]),
      widget('Longest delay of a checkout without an outcome (s)', [
        serviceMetric(settings, 'CheckoutDelay', {}, maximum),
      ]),
      widget('Changes that the sweep relayed for the stream', [
        serviceMetric(settings, 'SweptItems', {}, sum),
      ]),
      widget('Stream lag (ms)', [background.publishOutbox.fn.metric('IteratorAge', maximum)]),
      widget(
        'Dead letters',
        Object.values(stateful.deadLetters).map((queue) =>
          queue.metricApproximateNumberOfMessagesVisible(maximum),
        ),
      ),
    ],
    [
      widget('Reconciliation', [
        serviceMetric(settings, 'RecordsReconciled', {}, sum),
        serviceMetric(settings, 'Reconciliations', {}, sum),
      ]),
      widget('Deleted sandboxes', [serviceMetric(settings, 'DeletedSandboxes', {}, sum)]),
      widget('Differences', [
        serviceMetric(settings, 'Differences', {}, sum),
        serviceMetric(settings, 'MalformedItems', {}, sum),
      ]),
      widget(
        'Age of the oldest message by queue (s)',
        Object.values(queues).map((queue) => queue.metricApproximateAgeOfOldestMessage(maximum)),
      ),
    ],
  ];
}

function providerWidgets({ settings }: MonitoredResources): GraphWidget[][] {
  const deployment = deploymentName(settings);
  return [
    [
      widget('Failed calls to payment providers, by operation', [
        byDimension(deployment, 'ProviderFailures'),
        serviceMetric(settings, 'ProviderErrors', {}, sum),
        serviceMetric(settings, 'CredentialRefusals', {}, sum),
      ]),
      widget('Checkouts that were refused or differ', [
        byDimension(deployment, 'CheckoutRefusals'),
        serviceMetric(settings, 'CheckoutMismatches', {}, sum),
        serviceMetric(settings, 'NewDisputes', {}, sum),
      ]),
    ],
  ];
}

/** Returns what AWS counts of the functions and the table. */
function platformWidgets({ stateful }: MonitoredResources, functions: readonly IFunction[]): GraphWidget[][] {
  const tableMetric = (metricName: string) =>
    new Metric({
      namespace: 'AWS/DynamoDB',
      metricName,
      dimensionsMap: { TableName: stateful.table.tableName },
      ...sum,
    });
  return [
    [
      widget('Errors and throttles by function', [
        ...functions.map((fn) => fn.metricErrors(sum)),
        ...functions.map((fn) => fn.metricThrottles(sum)),
      ]),
      widget(
        'Duration by function (ms, p99)',
        functions.map((fn) => fn.metricDuration({ statistic: 'p99', period })),
      ),
      widget(
        'Concurrent executions by function',
        functions.map((fn) => fn.metric('ConcurrentExecutions', maximum)),
      ),
    ],
    [
      widget(
        'Capacity units of the table',
        ['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits'].map(tableMetric),
      ),
      widget('Throttled calls to the table', ['ReadThrottleEvents', 'WriteThrottleEvents'].map(tableMetric)),
    ],
  ];
}

function canaryWidgets({ settings }: MonitoredResources): GraphWidget[][] {
  if (!settings.canary) return [];
  return [
    [
      widget('Canary: part of the runs that succeeded', [
        serviceMetric(settings, 'CanarySuccess', {}, { statistic: 'Average', period }),
      ]),
      widget('Canary: duration by step (ms)', [
        byDimension(deploymentName(settings), 'CanaryDuration', 'Average'),
      ]),
    ],
  ];
}

/** Returns one line for each value of the metric's dimensions. */
function byDimension(
  deployment: string,
  name: MetricName,
  statistic: 'Sum' | 'Average' = 'Sum',
): MathExpression {
  const schema = [namespace, 'stage', ...metrics[name].dimensions].join(',');
  return new MathExpression({
    expression: `SEARCH('{${schema}} MetricName="${name}" stage="${deployment}"', '${statistic}', ${period.toSeconds()})`,
    usingMetrics: {},
    label: '',
    period,
  });
}
