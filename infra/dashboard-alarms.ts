/**
 * Defines the alarms of the dashboard. They are in the stateless stack with all others, and refer to the gateway of the
 * dashboard by its name, so that neither stack needs the other.
 */
import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { AlarmOptions } from './alarm-options.ts';
import { type Settings, stackNameOf } from './settings.ts';

/** Returns the alarms by name. */
export function dashboardAlarms(
  settings: Settings,
): Record<'DashboardServerErrors' | 'DashboardLatency', AlarmOptions> {
  const metric = (metricName: string, statistic: string) =>
    new Metric({
      namespace: 'AWS/ApiGateway',
      metricName,
      dimensionsMap: { ApiName: stackNameOf(settings, 'dashboard') },
      statistic,
      period: Duration.minutes(5),
    });
  return {
    DashboardServerErrors: { metric: metric('5XXError', 'Sum'), threshold: 5 },
    DashboardLatency: { metric: metric('Latency', 'p99'), threshold: 5_000, periods: 3 },
  };
}
