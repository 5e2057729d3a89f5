/**
 * Metrics: the one table of what is counted and measured, which the alarms read as well, and the part of a log line
 * that CloudWatch takes metrics from (its embedded metric format). They ride on lines that are written anyway: no
 * call, no agent, and nothing to pay for where nothing happens.
 */
import { env } from './env.ts';
import { now } from './time.ts';

export const namespace = 'Remit';

/** Each has the dimension `stage` besides. */
export const metrics = {
  Requests: { unit: 'Count', dimensions: [] },
  Errors: { unit: 'Count', dimensions: ['code'] },
  /** Requests that had no valid key, not the permission, or no requests left in their hour. */
  AdmissionRefusals: { unit: 'Count', dimensions: [] },
  /** Changes that were committed, by the kinds of events that announce them: payments, refunds, invoices. */
  Events: { unit: 'Count', dimensions: ['mode', 'type'] },
  /** Attempts to deliver that have an outcome: `succeeded`, `retried`, `failed`, `skipped`. */
  Deliveries: { unit: 'Count', dimensions: ['result'] },
  /** From when an attempt was due until it was made. */
  DeliveryLag: { unit: 'Milliseconds', dimensions: [] },
  /** Of the oldest change whose consequences are not all drawn; 0 if there is none. */
  OutboxAge: { unit: 'Seconds', dimensions: [] },
  /** How far timers are behind: a minute when all is well. */
  SweepLag: { unit: 'Seconds', dimensions: [] },
  /** Daily reconciliations that were begun. */
  Reconciliations: { unit: 'Count', dimensions: [] },
  /** Records that they have compared with index pages and with one another. */
  RecordsReconciled: { unit: 'Count', dimensions: [] },
  /** What they found that should not be, and stood when they looked again. */
  Differences: { unit: 'Count', dimensions: [] },
} as const satisfies Record<
  string,
  { unit: 'Count' | 'Milliseconds' | 'Seconds'; dimensions: readonly string[] }
>;

export type MetricName = keyof typeof metrics;

/**
 * The fields of a log line that carry metrics.
 * @param values by name; those that are undefined are left out
 * @param dimensions the values of all dimensions that these metrics have
 */
export function measured(
  values: Partial<Record<MetricName, number | undefined>>,
  dimensions: Readonly<Record<string, string | undefined>> = {},
): Record<string, unknown> {
  const present = (Object.keys(values) as MetricName[]).filter((name) => values[name] !== undefined);
  const directives = present.map((name) => ({
    Namespace: namespace,
    Dimensions: [['stage', ...metrics[name].dimensions]],
    Metrics: [{ Name: name, Unit: metrics[name].unit }],
  }));
  return {
    ...{ ...dimensions, ...values, stage: env.stage() },
    _aws: { Timestamp: now(), CloudWatchMetrics: directives },
  };
}
