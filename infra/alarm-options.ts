/** Defines what an alarm watches, and when it triggers. */
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';

export interface AlarmOptions {
  readonly metric: IMetric;
  /** The alarm triggers at this value and above. With `triggersBelow` it triggers only below this value. */
  readonly threshold: number;
  readonly triggersBelow?: true;
  /** The number of consecutive metric periods that must breach the threshold. The default is 1. */
  readonly periods?: number;
  /** Missing data also triggers the alarm. */
  readonly triggersOnMissingData?: true;
}
