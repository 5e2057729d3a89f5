/** Creates the CloudWatch dashboard of the service for the setting `dashboard`. */
import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { type MetricName, metrics, namespace } from '../shared/metrics.ts';
import { type MonitoredResources, serviceMetric } from './alarms.ts';
import { deploymentName } from './settings.ts';

const period = Duration.minutes(5);

/** Adds the dashboard and the output `DashboardUrl`. */
export function addDashboard(
  scope: Construct,
  { settings, api, stateful, background }: MonitoredResources,
): void {
  const deployment = deploymentName(settings);
  const sum = { statistic: 'Sum', period };
  const maximum = { statistic: 'Maximum', period };
  const widget = (title: string, left: IMetric[]) => new GraphWidget({ title, left, width: 8, height: 6 });
  const dashboard = new Dashboard(scope, 'Dashboard', {
    widgets: [
      [
        widget('Requests', [
          serviceMetric(settings, 'Requests', {}, sum),
          serviceMetric(settings, 'AdmissionRefusals', {}, sum),
          api.metricServerError(sum),
        ]),
        widget('Errors by code', [byDimension(deployment, 'Errors')]),
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
        widget('Stream lag (ms)', [background.publishOutbox.metric('IteratorAge', maximum)]),
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
        widget('Differences', [serviceMetric(settings, 'Differences', {}, sum)]),
      ],
    ],
  });
  const { region } = Stack.of(scope);
  const console = `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}`;
  new CfnOutput(scope, 'DashboardUrl', {
    value: `${console}#dashboards/dashboard/${dashboard.dashboardName}`,
  });
}

/** Returns one line for each value of the metric's dimensions. */
function byDimension(deployment: string, name: MetricName): MathExpression {
  const schema = [namespace, 'stage', ...metrics[name].dimensions].join(',');
  return new MathExpression({
    expression: `SEARCH('{${schema}} MetricName="${name}" stage="${deployment}"', 'Sum', ${period.toSeconds()})`,
    usingMetrics: {},
    label: '',
    period,
  });
}
