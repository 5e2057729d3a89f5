/** Defines the metric of the alarms about server errors. */
import type { Duration } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { serviceMetric } from './service-metric.ts';
import type { Settings } from './settings.ts';

/**
 * The number of responses with status 500 or above in each period, without those that clients of test mode asked for. So
 * nobody can cause an alarm or stop a rollout by testing their own retries.
 */
export function serverErrors(settings: Settings, api: RestApi, period: Duration): IMetric {
  const sum = { statistic: 'Sum', period };
  return new MathExpression({
    expression: 'errors - FILL(requested, 0)',
    usingMetrics: {
      errors: api.metricServerError(sum),
      requested: serviceMetric(settings, 'RequestedErrors', {}, sum),
    },
    period,
    label: 'server errors',
  });
}
