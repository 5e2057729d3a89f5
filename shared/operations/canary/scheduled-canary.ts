/** Runs the canary for its schedule, and writes its log lines and metrics. */
import { Remit } from '../../../client/src/remit.ts';
import { env } from '../../base/env.ts';
import { logger } from '../../base/log.ts';
import { metricFields } from '../../base/metrics.ts';
import { readSecret } from '../../platform/secrets/secrets-manager.ts';
import { parseCanaryConfig } from './canary-config.ts';
import { runCanary } from './run-canary.ts';

/** The time limit of a run. It is shorter than the time limit of the function, so a slow run still writes its metrics. */
const runTimeoutMs = 45_000;
/** A request may take as long as the gateway waits for a function. */
const requestTimeoutMs = 29_000;
const maxRetries = 1;

/**
 * Runs the canary once. Logs nothing but a warning if `npx remit canary enable` has not been run.
 * @throws the error of Secrets Manager
 */
export async function runScheduledCanary(): Promise<void> {
  const config = parseCanaryConfig(await readSecret(env.canarySecretArn()));
  if (!config) {
    logger.warn('canary not enabled', { remedy: 'Run npx remit canary enable.' });
    return;
  }
  const { apiKey, baseUrl, webhookId } = config;
  const remit = new Remit({ apiKey, baseUrl, timeoutMs: requestTimeoutMs, maxRetries });
  const { succeeded, steps, invoiceId } = await runCanary({
    remit,
    webhookId,
    signal: AbortSignal.timeout(runTimeoutMs),
  });
  for (const { step, outcome, durationMs, error } of steps) {
    if (outcome === 'skipped') continue;
    const metrics = metricFields({ CanaryDuration: outcome === 'passed' ? durationMs : undefined }, { step });
    logger.info('canary step', { outcome, durationMs, error, invoice: invoiceId, ...metrics });
  }
  const failed = steps.find(({ outcome }) => outcome === 'failed');
  const fields = { invoice: invoiceId, failedStep: failed?.step, error: failed?.error };
  logger.info('canary', { ...fields, ...metricFields({ CanarySuccess: succeeded ? 1 : 0 }) });
}
