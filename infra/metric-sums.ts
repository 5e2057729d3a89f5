/** Adds up a metric of several functions. */
import type { Duration } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';

/** CloudWatch allows ten metrics in one alarm. */
const maxMetrics = 10;

/** Returns sums of at most ten functions each, which together cover all functions. */
export function sumMetrics(
  functions: readonly IFunction[],
  metricName: 'Errors' | 'Throttles',
  period: Duration,
): MathExpression[] {
  const count = Math.ceil(functions.length / maxMetrics);
  return Array.from({ length: count }, (_, part) => {
    const each = functions
      .slice(part * maxMetrics, (part + 1) * maxMetrics)
      .map((fn, index) => [`m${index}`, fn.metric(metricName, { statistic: 'Sum', period })] as const);
    return new MathExpression({
      expression: 'SUM(METRICS())',
      usingMetrics: Object.fromEntries(each),
      period,
      label: metricName,
    });
  });
}
