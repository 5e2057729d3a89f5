/** The log line, with its metrics, of a delivery that was attempted or skipped. */
import { logger } from '../log.ts';
import { measured } from '../metrics.ts';
import type { Delivery } from './delivery.ts';

/** @param at when the attempt was made; undefined if none was */
export function logDelivery(before: Delivery, after: Delivery, at: number | undefined): void {
  const { id, webhookId, status } = after;
  const { nextAttemptAt: due } = before;
  const lag = at === undefined || due === undefined ? undefined : Math.max(0, at - due);
  logger.info('delivery', {
    ...{ delivery: id, webhook: webhookId, tries: after.tries },
    ...measured({ Deliveries: 1, DeliveryLag: lag }, { result: status === 'pending' ? 'retried' : status }),
  });
}
