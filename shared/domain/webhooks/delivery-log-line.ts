/** Logs a delivery, with its metrics, after an attempt or a skip. */
import { logger } from '../../base/log.ts';
import { metricFields } from '../../base/metrics.ts';
import type { Delivery } from './delivery.ts';

/**
 * Logs the result of an attempt or a skip.
 * @param at when the attempt was made; undefined if the delivery was skipped
 */
export function logDelivery(before: Delivery, after: Delivery, at: number | undefined): void {
  const { account, mode, id, webhookId, status } = after;
  const { nextAttemptAt: due } = before;
  const lag = at === undefined || due === undefined ? undefined : Math.max(0, at - due);
  logger.info('delivery', {
    delivery: id,
    webhook: webhookId,
    account,
    mode,
    tries: after.tries,
    ...metricFields(
      { Deliveries: 1, DeliveryLag: lag },
      { result: status === 'pending' ? 'retried' : status },
    ),
  });
}
