/** Defines the alarms about payment providers, checkouts and disputes. */
import { Duration } from 'aws-cdk-lib';
import type { AlarmOptions } from './alarm-options.ts';
import { serviceMetric } from './service-metric.ts';
import type { Settings } from './settings.ts';

type CountedMetric = 'ProviderErrors' | 'CredentialRefusals' | 'CheckoutMismatches' | 'NewDisputes';

/** Returns the alarms by name. */
export function providerAlarms(settings: Settings): Record<CountedMetric | 'CheckoutDelay', AlarmOptions> {
  const countOf = (name: CountedMetric) =>
    serviceMetric(settings, name, {}, { statistic: 'Sum', period: Duration.minutes(5) });
  const longestDelay = { statistic: 'Maximum', period: Duration.hours(6) };
  return {
    ProviderErrors: { metric: countOf('ProviderErrors'), threshold: 5, periods: 3 },
    CredentialRefusals: { metric: countOf('CredentialRefusals'), threshold: 1 },
    CheckoutMismatches: { metric: countOf('CheckoutMismatches'), threshold: 1 },
    /** The worker asks about such a checkout every four hours at least. */
    CheckoutDelay: {
      metric: serviceMetric(settings, 'CheckoutDelay', {}, longestDelay),
      threshold: Duration.hours(6).toSeconds(),
    },
    NewDisputes: { metric: countOf('NewDisputes'), threshold: 1 },
  };
}
