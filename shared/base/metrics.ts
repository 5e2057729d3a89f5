/**
 * Lists all metrics, for the functions and for the alarms, and returns the part of a log line from which CloudWatch
 * reads them (its embedded metric format). Metrics are part of log lines that are written in any case. So they need no
 * calls and no agent, and cost nothing while nothing happens.
 */
import { env } from './env.ts';
import { now } from './time.ts';

export const namespace = 'Remit';

/** Each metric also has the dimension `stage`. */
export const metrics = {
  Requests: { unit: 'Count', dimensions: [] },
  Errors: { unit: 'Count', dimensions: ['code'] },
  /** Responses with status 500 that clients asked for in test mode. The gateway counts them, too. */
  RequestedErrors: { unit: 'Count', dimensions: [] },
  /** Requests that were refused: without a valid API key, without the permission, or over the rate limit. */
  AdmissionRefusals: { unit: 'Count', dimensions: [] },
  /** Requests to the API and to payment pages with status 401, 403 or 429. Those of a maintenance do not count. */
  RefusedRequests: { unit: 'Count', dimensions: ['refusedStatus'] },
  /** Committed changes, by the type of the event that announces them. */
  Events: { unit: 'Count', dimensions: ['mode', 'type'] },
  /** Delivery attempts that have a result: `succeeded`, `retried`, `failed` or `skipped`. */
  Deliveries: { unit: 'Count', dimensions: ['result'] },
  /** The time from when a delivery attempt was due until it was made. */
  DeliveryLag: { unit: 'Milliseconds', dimensions: [] },
  /** Times that a provider reported another amount, currency or key for a checkout than the service asked for. */
  CheckoutMismatches: { unit: 'Count', dimensions: [] },
  /** Checkouts that a provider refused to begin, by reason. */
  CheckoutRefusals: { unit: 'Count', dimensions: ['provider', 'reason'] },
  /** How long ago a checkout should have ended that still has no outcome. Each poll of it reports that. */
  CheckoutDelay: { unit: 'Seconds', dimensions: [] },
  /** Disputes that payers have opened. The merchant must answer each at the provider, within days. */
  NewDisputes: { unit: 'Count', dimensions: [] },
  /** The age of the oldest change whose follow-ups are not all done. 0 if the outbox is empty. */
  OutboxAge: { unit: 'Seconds', dimensions: [] },
  /** Outbox items that the sweep has relayed, because the consumer of the stream had not. */
  SweptItems: { unit: 'Count', dimensions: [] },
  /** How late the sweep of the timers is. About a minute if the system is healthy. */
  SweepLag: { unit: 'Seconds', dimensions: [] },
  /** Calls to a payment provider that could not be made, or whose answer was not understood. */
  ProviderErrors: { unit: 'Count', dimensions: [] },
  /** The same calls by provider and operation. An alarm cannot sum them up. */
  ProviderFailures: { unit: 'Count', dimensions: ['provider', 'operation'] },
  /** Calls that a payment provider refused, because it does not accept the credentials or they lack a permission. */
  CredentialRefusals: { unit: 'Count', dimensions: [] },
  /** Daily reconciliations that started. */
  Reconciliations: { unit: 'Count', dimensions: [] },
  /** Sandboxes that were deleted after their end. */
  DeletedSandboxes: { unit: 'Count', dimensions: [] },
  /** Records that a reconciliation has read and compared with index pages and with other records. */
  RecordsReconciled: { unit: 'Count', dimensions: [] },
  /** Malformed items that a request, a worker or the relay has left out, and requests that failed because of one. */
  MalformedItems: { unit: 'Count', dimensions: [] },
  /** Differences that a reconciliation found and confirmed by a second comparison. */
  Differences: { unit: 'Count', dimensions: [] },
  /** 1 if a run of the canary succeeded, otherwise 0. The average is the part of the runs that succeeded. */
  CanarySuccess: { unit: 'Count', dimensions: [] },
  /** The duration of a step of the canary that succeeded. */
  CanaryDuration: { unit: 'Milliseconds', dimensions: ['step'] },
} as const satisfies Record<
  string,
  { unit: 'Count' | 'Milliseconds' | 'Seconds'; dimensions: readonly string[] }
>;

export type MetricName = keyof typeof metrics;

const directiveOf = ([Name, { unit, dimensions }]: [string, (typeof metrics)[MetricName]]) =>
  [
    Name,
    { Namespace: namespace, Dimensions: [['stage', ...dimensions]], Metrics: [{ Name, Unit: unit }] },
  ] as const;
/** How CloudWatch reads each metric. */
const directives = Object.fromEntries(Object.entries(metrics).map(directiveOf));

/**
 * Returns the fields of a log line that contain metrics.
 * @param values the values by metric name, in the unit of each metric. Undefined values are left out.
 * @param dimensions the values of all dimensions of these metrics
 */
export function metricFields(
  values: Partial<Record<MetricName, number | undefined>>,
  dimensions: Readonly<Record<string, string | undefined>> = {},
): Record<string, unknown> {
  const present = (Object.keys(values) as MetricName[]).filter((name) => values[name] !== undefined);
  return {
    ...dimensions,
    ...values,
    stage: env.stage(),
    _aws: { Timestamp: now(), CloudWatchMetrics: present.map((name) => directives[name]) },
  };
}
