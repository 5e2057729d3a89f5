/** Converts between a delivery and the timer of its next attempt. */
import { isRecordId, type Mode } from '../../base/ids.ts';
import type { Timer } from '../../store/timers/timer-item.ts';
import type { Delivery, DeliveryReference } from './delivery.ts';

/** Returns the timer of a pending delivery. The messages of one endpoint form one group. */
export function deliveryTimer(delivery: Delivery): Timer {
  const { account, mode, webhookId, id, position, nextAttemptAt } = delivery;
  if (nextAttemptAt === undefined) throw new Error(`The delivery ${id} is not pending.`);
  const reference = [account, mode, webhookId, id, position].join('/');
  return { due: nextAttemptAt, kind: 'webhook', reference, group: webhookId };
}

/** Returns the delivery that a timer names. Returns undefined if its reference does not have that form. */
export function deliveryReferenceOf({ reference }: Pick<Timer, 'reference'>): DeliveryReference | undefined {
  const [account = '', mode = '', webhookId = '', id = '', position] = reference.split('/');
  const isValid =
    isRecordId('webhook', webhookId) && isRecordId('delivery', id) && Number.isSafeInteger(Number(position));
  return isValid ? { account, mode: mode as Mode, webhookId, id, position: Number(position) } : undefined;
}
