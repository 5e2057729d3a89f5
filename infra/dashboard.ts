/** The dashboard, if the setting `dashboard` asks for it: how the service is doing, on one page. */
import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { type MetricName, metrics, namespace } from '../shared/metrics.ts';
import { ownMetric, type Watched } from './alarms.ts';

const period = Duration.minutes(5);

/** Adds it, and the output that tells its address. */
export function addDashboard(scope: Construct, { settings, api, stateful, background }: Watched): void {
  const sum = { statistic: 'Sum', period };
  const largest = { statistic: 'Maximum', period };
  const widget = (title: string, left: IMetric[]) => new GraphWidget({ title, left, width: 8, height: 6 });
  const dashboard = new Dashboard(scope, 'Dashboard', {
    widgets: [
      [
        widget('Requests', [
          ownMetric(settings, 'Requests', {}, sum),
          ownMetric(settings, 'AdmissionRefusals', {}, sum),
          api.metricServerError(sum),
        ]),
        widget('Errors by code', [byDimension(settings.stage, 'Errors')]),
        widget('Latency, ms', [
          api.metricLatency({ statistic: 'p50', period }),
          api.metricLatency({ statistic: 'p99', period }),
        ]),
      ],
      [
        widget('Events: payments, refunds, invoices', [byDimension(settings.stage, 'Events')]),
        widget('Deliveries by result', [byDimension(settings.stage, 'Deliveries')]),
        widget('Delivery lag, ms', [
          ownMetric(settings, 'DeliveryLag', {}, { statistic: 'p50', period }),
          ownMetric(settings, 'DeliveryLag', {}, { statistic: 'p99', period }),
        ]),
      ],
      [
        widget('Sweep lag and oldest outbox item, s', [
          ownMetric(settings, 'SweepLag', {}, largest),
          ownMetric(settings, 'OutboxAge', {}, largest),
        ]),
        widget('Stream lag, ms', [background.publishOutbox.metric('IteratorAge', largest)]),
        widget(
          'Dead letters',
          Object.values(stateful.deadLetters).map((queue) =>
            queue.metricApproximateNumberOfMessagesVisible(largest),
          ),
        ),
      ],
      [
        widget('Records reconciled', [
          ownMetric(settings, 'RecordsReconciled', {}, sum),
          ownMetric(settings, 'Reconciliations', {}, sum),
        ]),
        widget('Differences', [ownMetric(settings, 'Differences', {}, sum)]),
      ],
    ],
  });
  const { region } = Stack.of(scope);
  const console = `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}`;
  new CfnOutput(scope, 'DashboardUrl', {
    value: `${console}#dashboards/dashboard/${dashboard.dashboardName}`,
  });
}

/** A line for each value that the metric's own dimensions have taken. */
function byDimension(stage: string, name: MetricName): MathExpression {
  const schema = [namespace, 'stage', ...metrics[name].dimensions].join(',');
  return new MathExpression({
    expression: `SEARCH('{${schema}} MetricName="${name}" stage="${stage}"', 'Sum', ${period.toSeconds()})`,
    usingMetrics: {},
    label: '',
    period,
  });
}
