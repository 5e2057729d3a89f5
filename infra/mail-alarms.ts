/**
 * Defines the alarms about mails that do not arrive, or that their readers mark as spam.
 *
 * - The metrics are those by which AWS judges the AWS account, with all that it sends:
 *   https://docs.aws.amazon.com/ses/latest/dg/reputationdashboard-cloudwatch-alarm.html. They are numbers between 0 and 1.
 * - AWS reviews an account from 5 % of bounces and 0.1 % of complaints, and pauses it later:
 *   https://docs.aws.amazon.com/ses/latest/dg/reputation-dashboard-dg.html. The alarms leave time to act.
 */
import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { AlarmOptions } from './alarm-options.ts';

/** Returns the alarms by name. */
export function mailAlarms(): Record<'MailBounces' | 'MailComplaints', AlarmOptions> {
  const rateOf = (metricName: string) =>
    new Metric({ namespace: 'AWS/SES', metricName, statistic: 'Maximum', period: Duration.hours(1) });
  return {
    MailBounces: { metric: rateOf('Reputation.BounceRate'), threshold: 0.02 },
    MailComplaints: { metric: rateOf('Reputation.ComplaintRate'), threshold: 0.0005 },
  };
}
