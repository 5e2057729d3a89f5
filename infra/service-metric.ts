/** Refers to the service's own metrics, for alarms and the metrics dashboard. `shared/base/metrics.ts` defines them. */
import type { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { type MetricName, type metrics, namespace } from '../shared/base/metrics.ts';
import { deploymentName, type Settings } from './settings.ts';

/**
 * Returns one of the service's own metrics.
 * @param dimensions the values of all dimensions except `stage`
 */
export function serviceMetric<Name extends MetricName>(
  settings: Settings,
  name: Name,
  dimensions: Readonly<Record<(typeof metrics)[Name]['dimensions'][number], string>>,
  options: { readonly statistic: string; readonly period: Duration },
): Metric {
  const dimensionsMap = { stage: deploymentName(settings), ...dimensions };
  return new Metric({ namespace, metricName: name, dimensionsMap, ...options });
}
